"""Whether the time an answer takes tells where the bad word stands. Slips of eight words go in pairs, one with the bad
word first and one with the bad word last, in random order, over one connection; what counts is the difference within a
pair. The control is a build that stops at the first word that is not listed: where that is not seen, nothing is."""

import argparse
import json
import pathlib
import random
import shutil
import socket
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faults"))
from floor import Desk  # noqa: E402

WORDS = ["CRATERS", "PLANTING", "STONEWARE", "MOUNTAIN", "WATERFALL", "CANDLES", "GARDENING"]
BAD = "PLANETXQS"
TABLES = 9999


class Floor:
    """A server on a folder in memory, and one connection to it."""

    def __init__(self, binary, folder):
        self.desk = Desk(binary, folder)
        self.desk.done("init")
        self.desk.done("tournament", "create", "lagos", "--title", "Lagos Open", "--division", "A:wordnik:wespa")
        create = ("token", "create", "--role", "client", "--tournament", "lagos", "--name", "desk")
        self.token = self.desk.token = self.desk.done(*create).strip()
        self.server = self.desk.start()
        self.socket = socket.create_connection(("127.0.0.1", self.server.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.filed = 0

    def request(self, words):
        """A slip at a place of its own: those of one place that share a word are held."""
        place, self.filed = self.filed, self.filed + 1
        slip = {"division": "A", "words": words, "table": 1 + place % TABLES, "round": 1 + place // TABLES}
        body = json.dumps(slip)
        return (
            "POST /api/v1/tournaments/lagos/slips HTTP/1.1\r\nHost: desk\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self.token}\r\nIdempotency-Key: {place:012}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    def nanoseconds(self, request):
        """From the last byte of the request to the first of the answer."""
        self.socket.sendall(request)
        sent = time.perf_counter_ns()
        answer = self.socket.recv(4096)
        took = time.perf_counter_ns() - sent
        while not answer.endswith(b"}"):
            answer += self.socket.recv(4096)
        if not (answer.startswith(b"HTTP/1.1 201") and answer.endswith(b'{"ruling":"unacceptable"}')):
            raise SystemExit(f"this is no ruling: {answer!r}")
        return took

    def pair(self, chance):
        """What a slip took with the bad word first, and with it last."""
        words = chance.sample(WORDS, len(WORDS))
        first, last = [BAD, *words], [*words, BAD]
        turned = chance.random() < 0.5
        took = [self.nanoseconds(self.request(play)) for play in ((last, first) if turned else (first, last))]
        return tuple(reversed(took)) if turned else tuple(took)

    def close(self):
        self.socket.close()
        self.server.stop()


def z_of(pairs):
    """The mean difference of a pair and how many of its own errors it is away from nothing. Pairs that took longest in
    all are left out, whatever their difference, since those measure the machine."""
    quiet = sorted(pairs, key=sum)[: int(len(pairs) * 0.95)]
    differences = [last - first for first, last in quiet]
    mean = statistics.fmean(differences)
    return mean, mean / (statistics.stdev(differences) / len(differences) ** 0.5)


def measured(name, binary, pairs, seed):
    folder = tempfile.mkdtemp(prefix="adjudge-timing-", dir="/dev/shm" if pathlib.Path("/dev/shm").is_dir() else None)
    try:
        floor, chance = Floor(binary, folder), random.Random(seed)
        for _ in range(min(500, pairs)):
            floor.pair(chance)
        took = [floor.pair(chance) for _ in range(pairs)]
        floor.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    mean, z = z_of(took)
    first, last = (statistics.median(arm) / 1000 for arm in zip(*took))
    print(f"{name:<24} {pairs:>6} pairs   bad word first {first:8.1f} µs   last {last:8.1f} µs   "
          f"difference {mean:8.0f} ns   z {z:7.2f}", flush=True)
    return z


def main():
    asked = argparse.ArgumentParser(prog="scripts/timing", description=__doc__)
    asked.add_argument("--plain", required=True, help=argparse.SUPPRESS)
    asked.add_argument("--early", required=True, help=argparse.SUPPRESS)
    asked.add_argument("--pairs", type=int, default=60_000)
    asked.add_argument("--seed", type=int, default=1)
    said = asked.parse_args()
    early = measured("stops at the bad word", said.early, said.pairs, said.seed)
    plain = measured("as it is", said.plain, said.pairs, said.seed)
    if abs(early) <= 10:
        print("the control was not seen: this machine is too restless to tell, or too few pairs were taken")
    if abs(plain) >= 3:
        print("the time tells where the bad word stands")
    sys.exit(0 if abs(plain) < 3 and abs(early) > 10 else 1)


main()
