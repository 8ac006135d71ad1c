"""The floor as this harness walks it: a data folder, the real server, clients, and what they were told."""

import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time

GOOD = ["AA", "AS", "BRUH", "CAT", "CATS", "DA", "JA", "OXYPHENBUTAZONE", "QI", "QIS", "RETINAS", "UNSTATES", "ZA", "ZO"]
BAD = ["XX", "CTA", "QIZ", "ZZZ", "RETINASS", "JAA", "BRUHS"]
SLIPS = "/api/v1/tournaments/lagos/slips"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Failed(Exception):
    """The harness itself could not go on."""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def location(self):
        return self.headers.get("location")

    @property
    def is_ruling(self):
        return self.status == 201


# Each has 9,999 tables.
DIVISIONS = [chr(letter) for letter in range(ord("A"), ord("Z") + 1)]


class Desk:
    """A data folder with a list, a tournament and a client's token, and the command line on it."""

    def __init__(self, binary, folder, postgres=None):
        self.binary, self.folder, self.postgres = str(binary), pathlib.Path(folder), postgres
        self.data = self.folder / "data"
        self.token = None
        self.folder.mkdir(parents=True, exist_ok=True)

    @classmethod
    def ready(cls, binary, folder, postgres=None):
        desk = cls(binary, folder, postgres)
        words = desk.folder / "list.txt"
        words.write_text("\n".join(GOOD) + "\n")
        desk.done("init")
        desk.done("lexicon", "import", words, "--id", "T", "--title", "Test list", "--edition", "1", "--lengths", "2-15")
        divisions = [f"--division={division}:T:wespa" for division in DIVISIONS]
        desk.done("tournament", "create", "lagos", "--title", "Lagos Open", *divisions)
        create = ("token", "create", "--role", "client", "--per-minute", "1000000", "--tournament", "lagos", "--name", "desk")
        desk.token = desk.done(*create).strip()
        return desk

    def copy(self, folder):
        """The same desk on a copy of its files."""
        shutil.rmtree(folder, ignore_errors=True)
        other = Desk(self.binary, folder, self.postgres)
        shutil.copytree(self.data, other.data)
        other.token = self.token
        return other

    def environment(self, more=()):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ADJUDGE_", "RUST_"))}
        kept |= {"ADJUDGE_DATA": str(self.data), "ADJUDGE_LISTEN": "127.0.0.1:0"}
        if self.postgres:
            kept["ADJUDGE_DATABASE_URL"] = self.postgres
        return kept | dict(more)

    def run(self, *args, **more):
        return subprocess.run([self.binary, *map(str, args)], env=self.environment(), capture_output=True, text=True,
                              timeout=120, **more)

    def run_with(self, more, *args):
        """Exit code and what was said, with more in the environment."""
        ran = subprocess.run([self.binary, *map(str, args)], env=self.environment(more), capture_output=True, text=True,
                             timeout=120)
        return ran.returncode, ran.stdout + ran.stderr

    def done(self, *args):
        ran = self.run(*args)
        if ran.returncode != 0:
            raise Failed(f"{args}: {ran.stderr}")
        return ran.stdout

    def is_whole(self):
        """Whether `ledger verify` says so."""
        return self.run("ledger", "verify").returncode == 0

    def start(self, **how):
        return Server(self, **how)

    def rulings(self):
        """What the ledger holds, past the program: key -> [(slip id, ruling)]."""
        found = {}
        for leaf in self.leaves():
            entry = json.loads(leaf)
            if entry["kind"] == "slip-ruled":
                ruled = entry["payload"]
                found.setdefault(ruled["request"]["key"], []).append((ruled["slip"]["id"], ruled["ruling"]))
        return found

    def leaves(self, log="lagos"):
        if self.postgres:
            ask = f"SELECT leaf FROM entry WHERE log = '{log}' ORDER BY seq"
            ran = subprocess.run(["psql", "-qAt", self.postgres, "-c", ask], capture_output=True, text=True, check=True)
            return ran.stdout.splitlines()
        # Read in a copy: opening a database recovers its write-ahead log, and that is the server's work.
        with tempfile.TemporaryDirectory() as scratch:
            for name in ("adjudge.db", "adjudge.db-wal"):
                if (self.data / name).exists():
                    shutil.copy(self.data / name, scratch)
            database = sqlite3.connect(os.path.join(scratch, "adjudge.db"))
            try:
                rows = database.execute("SELECT leaf FROM entry WHERE log = ? ORDER BY seq", (log,)).fetchall()
            finally:
                database.close()
        return [leaf for (leaf,) in rows]


class Server:
    """One server process. Ended by its own id, never by a name."""

    def __init__(self, desk, wrapper=(), more=(), wait=30, user=None):
        self.desk = desk
        self.log = desk.folder / "server.log"
        self.token = desk.token
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*wrapper, desk.binary, "serve"], env=desk.environment(more), stderr=log,
                                            stdout=subprocess.PIPE, text=True, user=user)
        self.port = None
        if wait:
            self.wait_ready(wait)

    def wait_ready(self, seconds=30):
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            if "http://" in line:
                self.port = int(line.split("http://")[1].split("/")[0].split(":")[1])
                break
        timer.cancel()
        if self.port is None:
            self.process.wait()
            raise Failed(f"the server did not start ({self.process.returncode}): {self.said()[-600:]}")
        return self

    def said(self):
        return self.log.read_text(errors="replace")

    @property
    def pid(self):
        return self.process.pid

    def has_ended(self):
        return self.process.poll() is not None

    def wait(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed("the server did not stop within 20 s")
        self.process.stdout.close()
        return code

    def client(self, port=None, timeout=15):
        return Client(port or self.port, self.token, timeout)

    def get(self, path):
        return self.client().get(path)

    def is_ready(self):
        try:
            return self.get("/readyz").status == 200
        except (OSError, http.client.HTTPException):
            return False


class Client:
    """One keep-alive connection."""

    def __init__(self, port, token, timeout=15):
        self.token, self.port, self.timeout = token, port, timeout
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def file(self, key, slip):
        """The answer, or None if none came: the outcome is then unknown."""
        headers = {"Authorization": f"Bearer {self.token}", "Idempotency-Key": key, "Content-Type": "application/json"}
        return self.ask("POST", SLIPS, json.dumps(slip), headers)

    def get(self, path):
        return self.ask("GET", path, None, {"Authorization": f"Bearer {self.token}"}, may_fail=False)

    def ask(self, method, path, body, headers, may_fail=True):
        try:
            self.line.request(method, path, body, headers)
            reply = self.line.getresponse()
            return Answer(reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read())
        except (OSError, http.client.HTTPException):
            self.line.close()
            if not may_fail:
                raise
            return None


class Books:
    """What clients sent and what they were told. A key is written down before it is sent."""

    def __init__(self, seed):
        self.chance, self.lock = random.Random(seed), threading.Lock()
        self.sent, self.told, self.refused, self.next = {}, {}, {}, 0

    def slip(self, prefix="k"):
        """A new slip of its own table: rounds keep none apart before the first is opened."""
        with self.lock:
            number, self.next = self.next, self.next + 1
            words = [self.chance.choice(GOOD) for _ in range(self.chance.randint(1, 4))]
            if self.chance.random() < 0.5:
                words[self.chance.randrange(len(words))] = self.chance.choice(BAD)
            key = f"{prefix}-{number}"
            division = DIVISIONS[number // 9999 % len(DIVISIONS)]
            slip = {"division": division, "words": words, "table": number % 9999 + 1, "round": 1}
            self.sent[key] = slip
            return key, slip

    def hear(self, key, answer):
        """Writes an answer down. A second, different ruling for one key is kept as such."""
        if answer is None:
            return
        with self.lock:
            if answer.is_ruling:
                self.told.setdefault(key, []).append((answer.location, answer.body))
            else:
                self.refused[answer.status] = self.refused.get(answer.status, 0) + 1


def expected(slip):
    return "acceptable" if all(word in GOOD for word in slip["words"]) else "unacceptable"


class Load:
    """Clients that file slips, each its next one after its answer, until told to stop."""

    def __init__(self, books, server, clients=8, retry=False, pause=0.0, timeout=15):
        self.books, self.server, self.retry, self.pause = books, server, retry, pause
        self.timeout = timeout
        self.stopping = threading.Event()
        self.slowest = 0.0
        self.threads = [threading.Thread(target=self.work, args=(number,)) for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def work(self, number):
        client = self.server.client(timeout=self.timeout)
        while not self.stopping.is_set():
            key, slip = self.books.slip()
            began = time.monotonic()
            answer = client.file(key, slip)
            self.slowest = max(self.slowest, time.monotonic() - began)
            self.books.hear(key, answer)
            while self.retry and not (answer and answer.is_ruling) and not self.stopping.wait(0.2):
                answer = client.file(key, slip)
                self.books.hear(key, answer)
            if answer is None and not self.retry:
                if self.server.has_ended():
                    return
                time.sleep(0.02)
            if self.pause:
                time.sleep(self.pause)

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()


class Figures:
    """One row of the table."""

    def __init__(self, fault):
        self.fault, self.tried = fault, 0
        self.lost = self.doubled = self.changed = self.false = self.broken = 0
        self.control, self.note, self.failures = "", "", []

    def fail(self, why):
        self.failures.append(why)
        if len(self.failures) <= 10:
            print(f"  {self.fault}: {why}", flush=True)

    def must(self, holds, why):
        if not holds:
            self.fail(why)
        return holds

    def verify(self, desk):
        if not desk.is_whole():
            self.broken += 1
            self.fail("ledger verify: " + desk.run("ledger", "verify").stderr[-300:])

    def compare(self, books, rulings, keys=None):
        """Every ruling that was told is in the ledger once and as it was told; and none is wrong."""
        for key in list(books.told if keys is None else keys):
            rows = rulings.get(key, [])
            for location, body in books.told.get(key, []):
                ruling = json.loads(body)["ruling"]
                self.false += ruling != expected(books.sent[key])
                if not rows:
                    self.lost += 1
                elif (location.rsplit("/", 1)[1], ruling) != rows[0]:
                    self.changed += 1
        for key, rows in rulings.items():
            self.doubled += len(rows) - 1
            self.false += any(ruling != expected(books.sent[key]) for _, ruling in rows if key in books.sent)

    def replay(self, books, server, keys):
        """The same request again gets the same bytes and the same address."""
        client = server.client()
        for key in keys:
            again = client.file(key, books.sent[key])
            if again is None or not again.is_ruling:
                self.fail(f"{key} again: {again and (again.status, again.body)}")
                continue
            for location, body in books.told.get(key, []):
                self.changed += (again.location, again.body) != (location, body)

    @property
    def is_clean(self):
        return not (self.failures or self.lost or self.doubled or self.changed or self.false or self.broken)


def table(rows):
    head = ["fault", "tried", "lost", "doubled", "changed", "false", "verify", "control", "note"]
    cells = [head] + [[row.fault, row.tried, row.lost, row.doubled, row.changed, row.false, row.broken,
                       row.control or "-", ("FAILED " if not row.is_clean else "") + row.note] for row in rows]
    widths = [max(len(str(line[column])) for line in cells) for column in range(len(head))]
    for line in cells:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(line, widths)).rstrip())
