/* Another time for one program: LD_PRELOAD with CLOCK_OFFSET, a file with the seconds to add to the real time. It is read
   at every look at the clock, so that time can leap while the program runs. What only passes (CLOCK_MONOTONIC) stays real. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long offset(void) {
    const char *path = getenv("CLOCK_OFFSET");
    char text[32] = {0};
    if (!path) return 0;
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return 0;
    long length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    return length > 0 ? atoll(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && id == CLOCK_REALTIME) now->tv_sec += offset();
    return failed;
}
