"""The disk under the ledger: full, read-only, slow, locked by another program, or taken away."""

import json
import os
import resource
import shutil
import socket
import sqlite3
import subprocess
import time

from floor import Books, Desk, Figures, Load
from network import all_of, parsed, request_bytes
import traced

NOBODY = 65534


class Mounted:
    """A small tmpfs; unmounted at the end, also after an error."""

    def __init__(self, folder, megabytes=8):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder)

    @staticmethod
    def run(*command):
        subprocess.run([*map(str, command)], check=True, capture_output=True)

    def remount(self, how):
        self.run("mount", "-o", f"remount,{how}", self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("umount", "-l", self.folder)


def can_mount():
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt"], capture_output=True).returncode == 0


def on_mount(house, name, megabytes=8):
    mounted = Mounted(house.folder(name), megabytes)
    try:
        return mounted, Desk.ready(house.binary, mounted.folder)
    except BaseException:
        mounted.__exit__()
        raise


def full(house):
    """B1, B2: refusals while the disk is full, and rulings again soon after there is room."""
    row, books = Figures("B1 full disk, B2 room again"), Books(house.seed)
    mounted, desk = on_mount(house, "b1")
    with mounted:
        ballast = desk.folder / "ballast"
        ballast.write_bytes(bytes(4 << 20))
        server = desk.start()
        client = server.client()
        shapes = refusals(row, books, client)
        ready = client.get("/readyz")
        row.must(ready.status == 503 and json.loads(ready.body)["ledger"] == "read-only: disk full",
                 f"readyz: {ready.status} {ready.body}")
        told = next(iter(books.told.values()))[0][0]
        row.must(client.get(told).status == 200, "a slip can be read while the disk is full")
        row.must(not server.has_ended(), "the server ended")
        ballast.unlink()
        began, key_slip, answer = time.monotonic(), books.slip(), None
        while time.monotonic() - began < 10 and not (answer and answer.is_ruling):
            answer = client.file(*key_slip)
            books.hear(key_slip[0], answer)
            time.sleep(0.1)
        took = time.monotonic() - began
        row.must(answer is not None and answer.is_ruling, "no ruling within 10 s of room")
        kinds = [json.loads(leaf)["kind"] for leaf in leaves_of(desk, server)]
        row.must({"storage-full", "storage-ok"} <= set(kinds), "no entries storage-full and storage-ok")
        row.replay(books, server, list(books.sent))
        row.must(server.is_ready(), "not ready after there was room")
        server.kill()
        server = desk.start()
        row.replay(books, server, list(books.sent))
        server.stop()
        row.compare(books, desk.rulings())
        row.verify(desk)
    row.control = f"{shapes} refusals while full"
    row.note = f"{len(books.told)} rulings, resumed in {took:.1f} s"
    return row


def refusals(row, books, client):
    """Files slips until one is refused, and 200 more."""
    refused = 0
    while refused < 201 and row.tried < 20000:
        key, slip = books.slip()
        answer = client.file(key, slip)
        books.hear(key, answer)
        row.tried += 1
        if answer is not None and answer.is_ruling:
            row.must(refused < 3, "a ruling in between refusals")
            continue
        refused += 1
        shape = answer and (answer.status, "retry-after" in answer.headers, b"cannot-record" in answer.body)
        row.must(shape == (503, True, True) and b"ruling\":" not in answer.body, f"refusal {refused}: {shape}")
    row.must(refused >= 201, "the disk never got full")
    return refused


def leaves_of(desk, server):
    return desk.leaves("server")


def read_only(house):
    """B3: the file system turns read-only under load."""
    row, books = Figures("B3 read-only remount"), Books(house.seed)
    for _ in range(5):
        mounted, desk = on_mount(house, "b3", 32)
        with mounted:
            server = desk.start()
            load = Load(books, server, clients=4)
            time.sleep(0.5)
            tracer = freeze(mounted, server)
            time.sleep(0.5)
            frozen = set(books.sent)
            server.wait(3)
            code, ready = server.process.poll(), not server.has_ended() and server.is_ready()
            load.stop()
            row.tried += 1
            row.must(code == 70 or not ready, f"exit {code}, ready {ready}")
            server.kill()
            if tracer:
                tracer.stop()
            mounted.remount("rw")
            rulings = desk.rulings()
            row.compare(books, rulings, [key for key in books.told if key in books.sent])
            row.verify(desk)
            server = desk.start()
            row.replay(books, server, list(books.sent))
            server.stop()
            how = "EROFS by strace" if tracer else "remounted"
            row.note = f"{how}: exit {code}, ready {ready}, {len(frozen)} slips"
        books = Books(house.seed + 1)
    row.control = "writes and starts again once it is writable"
    return row


def freeze(mounted, server):
    """A file that is open for writing may keep its file system writable; where the remount is refused, the system
    calls are made to fail as on a read-only one. Returns what makes them."""
    try:
        mounted.remount("ro")
        return None
    except subprocess.CalledProcessError:
        return traced.Tracer(server.pid, mounted.folder.parent / "ro-trace", "-e", "trace=pwrite64,ftruncate",
                             "-e", "inject=pwrite64,ftruncate:error=EROFS")


def locked(house):
    """B6: another program holds the write lock for 30 s."""
    row, books = Figures("B6 database locked 30 s"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("b6"))
    server = desk.start()
    traced.warm(server, books, 5)
    told_before = len(books.told)
    other = sqlite3.connect(desk.data / "adjudge.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    load, began = Load(books, server, clients=8), time.monotonic()
    healthy, held = [], 30
    while time.monotonic() - began < held:
        asked = time.monotonic()
        row.must(server.get("/healthz").status == 200, "health")
        healthy.append(time.monotonic() - asked)
        time.sleep(0.5)
    told_during, slowest = len(books.told) - told_before, load.slowest
    other.execute("ROLLBACK")
    other.close()
    time.sleep(8)
    load.stop()
    row.tried = len(books.sent)
    row.must(told_during == 0, f"{told_during} rulings while locked")
    row.must(slowest < 5, f"an answer took {slowest:.1f} s")
    row.must(len(books.told) > told_before, "no rulings after the lock was gone")
    row.must(server.is_ready(), "not ready after the lock was gone")
    row.replay(books, server, list(books.sent))
    row.must(server.stop() == 0, "stop")
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = f"{books.refused.get(503, 0)} refusals with 503, {told_during} rulings while locked"
    row.note = f"held {held} s, slowest answer {slowest:.1f} s, slowest health {max(healthy) * 1000:.0f} ms"
    return row


def slow(house):
    """B8: every sync takes 0.2 s longer."""
    row, books = Figures("B8 slow disk, sync + 0.2 s"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("b8"))
    server = desk.start()
    quick = Load(books, server, clients=16)
    time.sleep(2)
    quick.stop()
    tracer = slowed(desk, server, 0.2)
    load = Load(books, server, clients=64)
    time.sleep(10)
    healthy = server.get("/healthz").status == 200
    load.stop()
    tracer.stop()
    row.tried = len(books.sent)
    row.must(healthy, "health")
    row.must(load.slowest < 5, f"an answer took {load.slowest:.1f} s")
    row.replay(books, server, list(books.sent))
    server.stop()
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.must(load.slowest > 0.2, "the disk was not slow")
    row.control = f"slowest {quick.slowest * 1000:.0f} ms before, {load.slowest * 1000:.0f} ms with"
    row.note = f"{len(books.told)} rulings, refused {books.refused or 'none'}"
    return row


def slowed(desk, server, seconds):
    """Makes every sync of a server take longer, until what is returned is stopped."""
    late = f"inject=fdatasync,fsync:delay_exit={int(seconds * 1e6)}"
    return traced.Tracer(server.pid, desk.folder / "trace", "-e", "trace=fdatasync,fsync", "-e", late)


def queue_full(house):
    """B8: more slips at once than may wait, on a disk that takes 2 s longer a sync. Those beyond the queue are refused
    and not written; those that waited too long are refused and may be written; whatever happened, a retry is exact."""
    row, books = Figures("B8 more slips than may wait"), Books(house.seed)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    desk = Desk.ready(house.binary, house.folder("b8-queue"))
    # It is the queue that must fill, not the door.
    (desk.data / "adjudge.toml").write_text("max_connections = 4000\n")
    server = desk.start()
    traced.warm(server, books, 5)
    tracer = slowed(desk, server, 2)
    lines = {}
    for _ in range(2000):
        key, slip = books.slip()
        lines[key] = socket.create_connection(("127.0.0.1", server.port), 30)
        lines[key].sendall(request_bytes(desk.token, key, slip))
    for key, line in lines.items():
        with line:
            answer = parsed(all_of(line))
        books.hear(key, answer)
        if row.must(answer is not None, f"{key}: no answer") and not answer.is_ruling:
            shape = answer.status, "retry-after" in answer.headers, b"cannot-record" in answer.body, b'"ruling"' in answer.body
            row.must(shape == (503, True, True, False), f"{key}: {shape}")
    tracer.stop()
    row.tried, ruled, beyond = len(lines), len(books.told), server.said().count("too many slips are waiting")
    row.must(beyond > 0, "the queue was never full")
    row.must(server.is_ready(), "not ready once the disk was quick again")
    written = desk.rulings()
    row.must(len(written) <= len(books.sent) - beyond, "a slip beyond the queue was written")
    row.replay(books, server, list(books.sent))
    row.must(server.stop() == 0, "stop")
    rulings = desk.rulings()
    row.compare(books, rulings)
    row.must(set(rulings) == set(books.sent), "rows and keys differ")
    row.verify(desk)
    row.control = f"{beyond} beyond the queue"
    row.note = f"{ruled} ruled, {books.refused.get(503, 0)} refused and {len(written) - ruled} of these written"
    return row


def descriptors(house):
    """B4: idle connections take every file descriptor. Connected clients are served or clearly refused, no client is told
    what is not written, and all are served once the idle connections are gone."""
    row, books = Figures("B4 no file descriptor left"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("b4"))
    limit, server = 64, desk.start(wrapper=("prlimit", "--nofile=64"))
    station = server.client()
    row.must(filed(row, books, station), "not ruled before")
    idle = [socket.create_connection(("127.0.0.1", server.port), 5) for _ in range(120)]
    # The server cuts idle connections after a while, so a client that wants to hold descriptors connects again.
    served = turned_away = most = 0
    for number in range(60):
        most = max(most, len(os.listdir(f"/proc/{server.pid}/fd")))
        served += filed(row, books, station)
        if number % 20 == 10:
            turned_away += not filed(row, books, server.client(timeout=2))
        idle.append(socket.create_connection(("127.0.0.1", server.port), 5))
        time.sleep(0.2)
    row.must(not server.has_ended(), f"the server ended with {server.process.poll()}")
    for line in idle:
        line.close()
    late = server.client(timeout=30)
    row.must(filed(row, books, late), "no ruling after the idle connections were gone")
    row.must(server.is_ready(), "not ready after the idle connections were gone")
    row.must(set(books.refused) <= {503}, f"refused {books.refused}")
    row.replay(books, server, list(books.sent))
    row.must(server.stop() == 0, "stop")
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.must(most >= limit - 1, f"only {most} of {limit} descriptors were taken")
    row.control = f"{most} of {limit} taken, {turned_away} of 3 new clients waited in vain"
    row.note = f"{served} of 60 served meanwhile, refused {books.refused or 'none'}"
    return row


def filed(row, books, client):
    """Whether a fresh slip was ruled."""
    key, slip = books.slip()
    answer = client.file(key, slip)
    books.hear(key, answer)
    row.tried += 1
    return answer is not None and answer.is_ruling


def taken_away(house):
    """B9: no rights on the folder, an immutable database, the folder removed."""
    row = Figures("B9 chmod 000, chattr +i, folder removed")
    notes = []
    for how in ("chmod", "chattr", "remove"):
        notes.append(f"{how}: {gone(house, row, how)}")
    row.control = "fresh slips after it was put back"
    row.note = "; ".join(notes)
    return row


def gone(house, row, how):
    books, user = Books(house.seed), NOBODY if os.geteuid() == 0 else None
    desk = Desk.ready(house.binary, house.folder(f"b9-{how}"))
    if user:
        os.chmod(house.scratch, 0o755)
        subprocess.run(["chown", "-R", str(user), desk.folder], check=True)
    server = desk.start(user=user)
    load = Load(books, server, clients=4)
    time.sleep(0.4)
    database, aside = desk.data / "adjudge.db", desk.folder / "aside"
    harm, heal = {
        "chmod": (["chmod", "000", desk.data], ["chmod", "700", desk.data]),
        "chattr": (["chattr", "+i", database], ["chattr", "-i", database]),
        "remove": (["mv", desk.data, aside], ["mv", aside, desk.data]),
    }[how]
    done = subprocess.run([*map(str, harm)], capture_output=True, text=True)
    if done.returncode != 0:
        load.stop()
        server.kill()
        return f"skipped ({done.stderr.strip()})"
    time.sleep(1.5)
    load.stop()
    code, ready = server.process.poll(), not server.has_ended() and server.is_ready()
    row.tried += 1
    row.must(how != "remove" or not database.exists(), "a new database appeared")
    server.kill()
    again = desk.start(wait=0, user=user)
    if how != "chattr":
        again_code = again.wait(20)
        row.must(again_code in (2, None) or how == "remove", f"{how}: start again ended with {again_code}")
    again.kill()
    if how == "remove":
        # A folder that was begun in the place of the lost one, if any, must not be in the way.
        shutil.rmtree(desk.data, ignore_errors=True)
    subprocess.run([*map(str, heal)], check=True)
    if user:
        subprocess.run(["chown", "-R", "0", desk.folder], check=True)
    rulings = desk.rulings()
    row.compare(books, rulings)
    row.verify(desk)
    server = desk.start()
    row.replay(books, server, list(books.sent))
    server.stop()
    return f"exit {code}" if code is not None else "went on, ready" if ready else "not ready"


def no_database(house):
    """B10: a folder with parts of ours and no database is not begun anew."""
    row = Figures("B10 keys, lexica or checkpoints, no database")
    whole = Desk.ready(house.binary, house.folder("b10"))
    whole.start().stop()
    for kept in (["keys"], ["lexicons"], ["checkpoints"], ["keys", "lexicons", "checkpoints"]):
        for command in ("serve", "demo", "init"):
            desk = whole.copy(house.folder("b10-part"))
            for path in desk.data.iterdir():
                if path.name not in kept:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            server = subprocess.Popen([desk.binary, command, "--data", str(desk.data)], env=desk.environment(), stderr=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL, text=True)
            try:
                said = server.communicate(timeout=5)[1]
            except subprocess.TimeoutExpired:
                server.kill()
                said = server.communicate()[1]
            row.tried += 1
            row.must(server.returncode == 2 and "no database" in said, f"{command} with {kept}: exit {server.returncode}")
            row.must(not (desk.data / "adjudge.db").exists(), f"{command} with {kept} made a database")
    empty = Desk(house.binary, house.folder("b10-empty"))
    empty.start().stop()
    row.control = "an empty folder is begun"
    return row
