"""Under strace: a KILL or an EIO at each system call of one slip, and the order of sync and answer."""

import collections
import os
import re
import shutil
import signal
import subprocess
import time

from floor import Books, Desk, Failed, Figures

CALLS = ["pwrite64", "fdatasync", "fsync", "openat", "ftruncate", "unlink", "rename", "write", "sendto", "writev"]
BEGUN = re.compile(r"^(?:\[pid +)?(\d+)\]? +([\d.]+) (\w+)\((.*)$")


class Tracer:
    """strace on a running server; counters start at nothing, a thread at a time."""

    def __init__(self, pid, log, *options):
        self.log = log
        self.process = subprocess.Popen(["strace", "-f", "-y", "-ttt", "-s", "64", "-o", str(log), *options, "-p", str(pid)],
                                        stderr=subprocess.PIPE, text=True)
        threads = len(os.listdir(f"/proc/{pid}/task"))
        for line in self.process.stderr:
            attached = re.search(r"attached(?: with (\d+) threads)?", line)
            if attached:
                threads -= int(attached.group(1) or 1)
            if threads <= 0:
                return
            if "not permitted" in line:
                raise Failed(line)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.stderr.close()
        self.process.wait()
        return self.log.read_text(errors="replace").splitlines()


def warm(server, books, slips):
    client = server.client()
    for _ in range(slips):
        key, slip = books.slip()
        books.hear(key, client.file(key, slip))


def resources(pid):
    """File descriptors and resident KiB."""
    with open(f"/proc/{pid}/status") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return len(os.listdir(f"/proc/{pid}/fd")), resident


def counted(house, desk):
    """How often a thread makes each call for one slip and the copies of checkpoints that follow."""
    copy = desk.copy(house.folder("count"))
    server = copy.start()
    time.sleep(1.2)
    tracer = Tracer(server.pid, copy.folder / "trace", "-e", "trace=" + ",".join(CALLS))
    key, slip = Books(house.seed).slip("once")
    server.client().file(key, slip)
    time.sleep(2.3)
    lines = tracer.stop()
    server.kill()
    calls = collections.Counter()
    for line in lines:
        begun = BEGUN.match(line)
        if begun and "resumed" not in line:
            calls[begun.group(3), begun.group(1)] += 1
    most = collections.Counter()
    for (call, _), times in calls.items():
        most[call] = max(most[call], times)
    return most


def one(house, desk, fault, call, when, row, follow=2.3):
    """One slip on a copy of the folder with the fault at one call. Returns how the server took it."""
    copy, books = desk.copy(house.folder("one")), Books(house.seed)
    server = copy.start()
    time.sleep(1.2)
    tracer = Tracer(server.pid, copy.folder / "trace", "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={when}")
    key, slip = books.slip("once")
    books.hear(key, server.client(timeout=8).file(key, slip))
    server.wait(follow)
    ended, ready = server.process.poll(), server.process.poll() is None and server.is_ready()
    struck = any("INJECTED" in line or "SIGKILL" in line for line in tracer.stop())
    server.kill()
    what = f"{call} {when} {fault}"
    row.tried += 1
    before = copy.rulings().get(key, [])
    row.must(len(before) <= 1, f"{what}: {len(before)} rows")
    row.must(bool(before) or key not in books.told, f"{what}: 201 without a row")
    row.verify(copy)
    server = copy.start()
    row.replay(books, server, [key])
    server.stop()
    rulings = copy.rulings()
    row.compare(books, rulings)
    row.must(len(rulings.get(key, [])) == 1, f"{what}: {len(rulings.get(key, []))} rows after the retry")
    row.verify(copy)
    shutil.rmtree(copy.folder)
    return struck, ended, ready, bool(books.told), bool(before)


def kill_at_each_call(house):
    """A2: the ledger is whole, the slip is there or not, and a retry gives exactly one row."""
    row = Figures("A2 KILL at each call of a slip")
    desk = Desk.ready(house.binary, house.folder("a2"))
    most, hit, durable = counted(house, desk), 0, 0
    for call in CALLS:
        for when in range(1, most[call] + 1):
            struck, ended, _, _, there = one(house, desk, "signal=KILL", call, when, row)
            hit += ended == -signal.SIGKILL
            durable += there
    row.must(hit > 0, "nothing was killed")
    row.control = f"{hit} of {row.tried} died at their call, {durable} with the row"
    row.note = " ".join(f"{call}x{most[call]}" for call in CALLS if most[call])
    return row


def eio_at_each_call(house):
    """A3: never a 201 without a row that survives; the ledger's own failures end in 70 or not ready."""
    row = Figures("A3 EIO at each call of a slip")
    desk = Desk.ready(house.binary, house.folder("a3"))
    most, hit, ends = counted(house, desk), 0, collections.Counter()
    for call in CALLS:
        for when in [*range(1, most[call] + 1), *(["1+"] if most[call] else [])]:
            struck, ended, ready, told, there = one(house, desk, "error=EIO", call, when, row)
            hit += struck
            ends["exit 70" if ended == 70 else f"exit {ended}" if ended is not None else
                 "ready" if ready else "not ready"] += 1
            if struck and call in ("pwrite64", "fdatasync", "fsync"):
                row.must(ended == 70 or not ready or told, f"{call} {when}: refused and yet ready")
            # Most calls of `write` are the runtime waking itself, which aborts where that fails.
            row.must(ended in (None, 70) or (call, ended) == ("write", -signal.SIGABRT), f"{call} {when}: exit {ended}")
    row.must(hit > 0, "nothing was struck")
    row.control = f"{hit} of {row.tried} struck"
    row.note = ", ".join(f"{how} {times}" for how, times in sorted(ends.items()))
    return row


def order(house, binary, more=(), slips=200):
    """Of the answers with 201: how many were sent after a sync that followed their WAL write."""
    desk, books = Desk.ready(binary, house.folder("a4")), Books(house.seed)
    server = desk.start(more=more)
    tracer = Tracer(server.pid, desk.folder / "trace", "-e", "trace=pwrite64,fdatasync,fsync,sendto,writev,write")
    warm(server, books, slips)
    lines = tracer.stop()
    server.stop()
    shutil.rmtree(desk.folder)
    return judged(lines), len(books.told)


def judged(lines):
    """Reads a trace: (answers after their sync, answers before it)."""
    written, synced, open_calls, good, bad = False, True, {}, 0, 0
    fresh = False
    for line in lines:
        pid, _, call = line.split(None, 2)
        resumed = call.startswith("<...")
        name = call.split()[1] if resumed else call.split("(")[0]
        if not resumed:
            open_calls[pid] = call
            if name == "pwrite64" and "-wal>" in call:
                written, synced = True, False
            if "HTTP/1.1 201" in call:
                good, bad = (good + 1, bad) if fresh and synced else (good, bad + 1)
                fresh = False
        whole = open_calls.get(pid, "") if resumed else call
        if "unfinished" not in call and name in ("fdatasync", "fsync") and "-wal>" in whole and written and "= 0" in call:
            synced, fresh, written = True, True, False
    return good, bad


def sync_before_answer(house):
    """A4: on 200 slips, each answer leaves after a sync that follows its write."""
    row = Figures("A4 order of sync and answer")
    (good, bad), told = order(house, house.binary)
    row.tried = told
    row.must((good, bad) == (told, 0) and told == 200, f"{good} in order, {bad} not, {told} told")
    row.lost = bad
    (_, blind), told = order(house, house.hooks,
                             {"ADJUDGE_FAULT_SYNCHRONOUS": "normal", "ADJUDGE_FAULT_UNCHECKED": "1"})
    row.must(blind > told / 2, f"the control found only {blind} of {told}")
    row.control = f"synchronous=NORMAL: {blind} of {told} out of order"
    row.note = f"{bad} answers before their sync"
    return row
