/* Writes down what a program does to the files of one folder, in order: LD_PRELOAD with SHIM_FOLDER and SHIM_LOG.
   A record: letter, name and numbers in text, then the bytes written. A sync is recorded after it returned. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal = -1;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
    folder = getenv("SHIM_FOLDER");
    const char *path = getenv("SHIM_LOG");
    if (folder && path) journal = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static const char *name_of(int fd, char *room, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, room, size - 1);
    if (journal < 0 || length < 0) return NULL;
    room[length] = 0;
    size_t prefix = strlen(folder);
    if (strncmp(room, folder, prefix) != 0) return NULL;
    return room[prefix] == '/' ? room + prefix + 1 : ".";
}

static void put(char what, const char *name, long long at, long long size, const void *bytes) {
    char head[512];
    int length = snprintf(head, sizeof head, "%c %s %lld %lld\n", what, name, at, size);
    syscall(SYS_write, journal, head, length);
    if (bytes) syscall(SYS_write, journal, bytes, size);
}

static ssize_t wrote(int fd, const void *bytes, size_t size, off_t at) {
    char room[512];
    const char *name = name_of(fd, room, sizeof room);
    if (!name) return at < 0 ? syscall(SYS_write, fd, bytes, size) : syscall(SYS_pwrite64, fd, bytes, size, at);
    pthread_mutex_lock(&lock);
    long long place = at < 0 ? lseek(fd, 0, SEEK_CUR) : at;
    ssize_t done = at < 0 ? syscall(SYS_write, fd, bytes, size) : syscall(SYS_pwrite64, fd, bytes, size, at);
    if (done > 0) put('w', name, place, done, bytes);
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t write(int fd, const void *bytes, size_t size) { return wrote(fd, bytes, size, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return wrote(fd, bytes, size, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) { return wrote(fd, bytes, size, at); }

static int synced(int fd, long call) {
    char room[512];
    int done = syscall(call, fd);
    const char *name = name_of(fd, room, sizeof room);
    if (name && done == 0) {
        pthread_mutex_lock(&lock);
        put('s', name, 0, 0, NULL);
        pthread_mutex_unlock(&lock);
    }
    return done;
}

int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }

static int cut(int fd, off_t size) {
    char room[512];
    const char *name = name_of(fd, room, sizeof room);
    pthread_mutex_lock(&lock);
    int done = syscall(SYS_ftruncate, fd, size);
    if (name && done == 0) put('t', name, size, 0, NULL);
    pthread_mutex_unlock(&lock);
    return done;
}

int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }
