"""A hall for slips that have nothing to do with each other: a fresh server, clients, and one line to it."""

import gc
import json
import pathlib
import shutil
import socket
import tempfile
import time

from floor import SLIPS, Desk, Failed

CLIENT_SLIPS = 999
TABLES = 9999
# What a slip takes of the disk, in bytes, and a little more.
ROOM = 4096


class Hall:
    """As many divisions as let each slip have a table of its own. So no slip is near another: those that are near are read
    when one is filed, which takes its time, and where they share a word it is held. Rounds keep none apart before the
    first is opened."""

    def __init__(self, binary, slips):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="adjudge-hall-", dir=roomy(slips * ROOM)))
        self.server, self.line, self.filed = None, None, 0
        try:
            desk = Desk(binary, self.folder)
            desk.done("init")
            divisions = [f"--division=D{number}:wordnik:wespa" for number in range(-(-slips // TABLES))]
            desk.done("tournament", "create", "lagos", "--title", "Lagos Open", *divisions)
            token = ["token", "create", "--role", "client", "--per-minute", "1000000", "--tournament", "lagos", "--name"]
            self.tokens = [desk.done(*token, f"desk {number}").strip() for number in range(-(-slips // CLIENT_SLIPS))]
            # One worker: a slip that wanders between cores takes now less and now more.
            self.server = desk.start(more={"ADJUDGE_LOG": "error", "TOKIO_WORKER_THREADS": "1"})
            self.line = Line(self.server.port)
        except BaseException:
            self.end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        if self.line:
            self.line.socket.close()
        if self.server:
            self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def request(self, words):
        """The bytes of the next slip, with its own place and key."""
        number, self.filed = self.filed, self.filed + 1
        client, (division, table) = number // CLIENT_SLIPS, divmod(number, TABLES)
        slip = {"division": f"D{division}", "words": words, "table": table + 1, "round": 1}
        body = json.dumps(slip).encode()
        head = [f"POST {SLIPS} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {self.tokens[client]}",
                f"Idempotency-Key: slip-{number:07}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*head, "", ""]).encode() + body

    def waits(self, pairs):
        """For each pair the wait with the bad word first and that with it last, in ns."""
        gc.collect()
        gc.disable()
        try:
            return [pair.by_arm([self.line.ask(request, b"unacceptable") for request in pair.requests]) for pair in pairs]
        finally:
            gc.enable()


class Line:
    """One connection that is kept."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=15)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request, ruling):
        """The time from the last byte of a request to the first of its answer, in ns."""
        self.socket.sendall(request)
        sent = time.perf_counter_ns()
        answer = self.socket.recv(65536)
        wait = time.perf_counter_ns() - sent
        while answer.startswith(b"HTTP/1.1 201 ") and not answer.endswith(b"}"):
            more = self.socket.recv(65536)
            if not more:
                break
            answer += more
        if not (answer.startswith(b"HTTP/1.1 201 ") and answer.endswith(b'\r\n\r\n{"ruling":"%b"}' % ruling)):
            raise Failed(f"no ruling, or another than {ruling.decode()}: {answer!r}")
        return wait


def roomy(room):
    """Memory where there is enough, since syncing is what differs most from slip to slip; else the usual place."""
    memory = pathlib.Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > room else None
