"""Postgres: restarts under load, down for a while, restored, two servers on one database, stalled backends, unsafe settings."""

import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from floor import ROOT, Books, Desk, Figures, Load
import tamper
import traced


class Cluster:
    """A throw-away cluster by scripts/postgres."""

    def __init__(self):
        self.outer = pathlib.Path(tempfile.mkdtemp(prefix="adjudge-pg-"))
        self.outer.chmod(0o755)
        self.folder, self.names = self.outer / "postgres", itertools.count(1)
        started = subprocess.run([ROOT / "scripts/postgres", "start", self.folder], capture_output=True, text=True, check=True)
        self.url = started.stdout.strip()
        self.programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]

    def database(self):
        name = f"f{next(self.names)}"
        subprocess.run(["psql", "-q", self.url, "-c", f"CREATE DATABASE {name}"], check=True)
        return self.url.rsplit("/", 1)[0] + "/" + name

    def copy(self, database):
        """A database as this one is now; no client may be connected to it."""
        name, template = f"f{next(self.names)}", database.rsplit("/", 1)[1]
        subprocess.run(["psql", "-q", self.url, "-c", f"CREATE DATABASE {name} TEMPLATE {template}"], check=True)
        return self.url.rsplit("/", 1)[0] + "/" + name

    def ctl(self, *args):
        command = [self.programs / "pg_ctl", "--pgdata", self.folder / "data", "--wait", "--timeout", "60",
                   "--log", self.folder / "server.log", *args]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)

    def execute(self, *statements):
        for statement in statements:
            subprocess.run(["psql", "-qAt", self.url, "-c", statement], check=True, stdout=subprocess.DEVNULL)

    def backends(self, database):
        """The process ids that serve one database's clients."""
        name = database.rsplit("/", 1)[1]
        ask = f"SELECT pid FROM pg_stat_activity WHERE datname = '{name}' AND application_name = 'adjudge'"
        asked = subprocess.run(["psql", "-qAt", self.url, "-c", ask], capture_output=True, text=True, check=True)
        return [int(pid) for pid in asked.stdout.split()]

    def close(self):
        subprocess.run([ROOT / "scripts/postgres", "stop", self.folder], check=True)
        shutil.rmtree(self.outer, ignore_errors=True)


def joined(house, desk, name):
    """A second folder for a further server on the same database."""
    other = Desk(desk.binary, house.folder(name), desk.postgres)
    other.done("init", "--join", desk.data / "keys" / "signing.key")
    other.token = desk.token
    return other


def restarts(house, cluster):
    """D1: immediate restarts of the database under load; the server stays."""
    row, books = Figures("D1 pg_ctl restart -m immediate"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("d1"), cluster.database())
    server, slowest, times = desk.start(), 0.0, 50 if house.long else 20
    load = Load(books, server, clients=8)
    for _ in range(times):
        time.sleep(house.chance.uniform(0.3, 1.0))
        cluster.ctl("restart", "-m", "immediate")
        began, told = time.monotonic(), len(books.told)
        while len(books.told) == told and time.monotonic() - began < 30:
            time.sleep(0.02)
        took = time.monotonic() - began
        row.must(took < 30, "no ruling within 30 s of a restart")
        slowest = max(slowest, took)
        row.tried += 1
        if server.has_ended():
            row.fail(f"the server ended: {server.said()[-300:]}")
            break
    load.stop()
    finish(row, books, desk, server)
    unanswered = len(books.sent) - len(books.told)
    row.control = f"{unanswered} slips without an answer, refused {books.refused.get(503, 0)}"
    row.must(unanswered + books.refused.get(503, 0) > 0, "no restart was felt")
    row.note = f"{len(books.told)} rulings, recovered in {slowest:.1f} s at most"
    return row


def finish(row, books, desk, *servers):
    """Everything again at every server, one row each, the ledger whole."""
    for server in servers:
        row.replay(books, server, list(books.sent))
    for server in servers:
        row.must(server.stop() == 0, "stop")
    rulings = desk.rulings()
    row.compare(books, rulings)
    row.must(set(rulings) == set(books.sent), "rows and keys differ")
    row.verify(desk)


def two_servers(house, cluster):
    """D2, D3: one gapless log from two servers, and one row for a key that both are given at once."""
    row, books = Figures("D2 two servers, D3 same key at both"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("d2"), cluster.database())
    other = joined(house, desk, "d2-other")
    servers = [desk.start(), other.start()]
    loads = [Load(books, server, clients=6) for server in servers]
    time.sleep(6)
    [load.stop() for load in loads]
    row.must(not books.refused, f"refused {books.refused}")
    for _ in range(200):
        key, slip = books.slip("both")
        gate = threading.Barrier(2)

        def work(server):
            client = server.client()
            gate.wait()
            books.hear(key, client.file(key, slip))

        threads = [threading.Thread(target=work, args=(server,)) for server in servers]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        row.must(len(books.told.get(key, [])) == 2, f"{key}: {len(books.told.get(key, []))} answers")
        row.changed += len(set(books.told.get(key, []))) - 1
    finish(row, books, desk, *servers)
    seqs = [json.loads(leaf)["seq"] for leaf in desk.leaves()]
    row.must(seqs == list(range(len(seqs))), "the log has gaps")
    numbers = [json.loads(leaf)["payload"]["slip"]["number"] for leaf in desk.leaves() if '"slip-ruled"' in leaf]
    row.must(numbers == list(range(1, len(numbers) + 1)), "the slips' numbers have gaps")
    row.tried = len(books.sent)
    row.control = "200 keys, 400 answers, 200 rows"
    row.note = f"{len(seqs)} entries, one gapless log"
    return row


def stalled(house, cluster):
    """D5: backends stand still for 30 s."""
    row, books = Figures("D5 backends stopped 30 s"), Books(house.seed)
    database = cluster.database()
    desk = Desk.ready(house.binary, house.folder("d5"), database)
    server = desk.start()
    load = Load(books, server, clients=8, timeout=40)
    time.sleep(1)
    stopped, told = cluster.backends(database), len(books.told)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(30)
    slowest, during, threads = load.slowest, len(books.told) - told, len(os.listdir(f"/proc/{server.pid}/task"))
    for pid in stopped:
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
    began, told = time.monotonic(), len(books.told)
    while len(books.told) == told and time.monotonic() - began < 30:
        time.sleep(0.05)
    took = time.monotonic() - began
    time.sleep(2)
    load.stop()
    row.tried = len(books.sent)
    row.must(slowest < 5, f"an answer took {slowest:.1f} s")
    row.must(took < 15, f"recovered after {took:.1f} s")
    row.must(books.refused.get(503, 0) > 0, "nothing was refused")
    finish(row, books, desk, server)
    row.control = f"{len(stopped)} backends stopped, {books.refused.get(503, 0)} refused, {during} ruled meanwhile"
    row.note = f"slowest answer {slowest:.1f} s, recovered in {took:.1f} s, {threads} threads"
    return row


def unsafe_settings(house, cluster):
    """D4: synchronous_commit is set for each session; fsync and full_page_writes = off are refused, at the start and
    when a configuration that was loaded again says so."""
    row, books = Figures("D4 synchronous_commit, fsync, full_page_writes"), Books(house.seed)
    database = cluster.database()
    desk = Desk.ready(house.binary, house.folder("d4"), database)
    name = database.rsplit("/", 1)[1]
    cluster.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
    second = joined(house, desk, "d4-other")
    server = desk.start()
    traced.warm(server, books, 20)
    row.must(len(books.told) == 20, "rulings although the database says synchronous_commit = off")
    row.tried += 1
    for setting in ("fsync", "full_page_writes"):
        told = len(books.told)
        try:
            cluster.execute(f"ALTER SYSTEM SET {setting} = off", "SELECT pg_reload_conf()")
            # A session takes the new configuration before its next statement.
            time.sleep(0.5)
            for _ in range(20):
                key, slip = books.slip()
                answer = server.client().file(key, slip)
                books.hear(key, answer)
                shape = answer and (answer.status, b"cannot-record" in answer.body)
                row.must(shape == (503, True), f"{setting} = off while it serves: {shape}")
            row.must(not server.is_ready(), f"{setting} = off: ready")
            row.must(len(books.told) == told, f"{setting} = off: {len(books.told) - told} rulings")
            row.must(setting in server.said(), f"{setting} = off is not in the log")
            other = second.start(wait=0)
            code = other.wait(20)
            row.must(code == 2 and setting in other.said(), f"{setting} = off: a start ended with {code}")
            other.kill()
            row.tried += 22
        finally:
            cluster.execute(f"ALTER SYSTEM RESET {setting}", "SELECT pg_reload_conf()")
        time.sleep(1.5)
        row.must(server.is_ready(), f"{setting} = on again: not ready")
        row.replay(books, server, list(books.sent))
    finish(row, books, desk, server)
    row.control = "20 rulings before, and all of them once it is on again"
    return row


def older_state(house, cluster):
    """D6: the database is restored to an older state: no start beside a newer checkpoint, and nothing is written."""
    row, books = Figures("D6 Postgres restored to an older state"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("d6"), cluster.database())
    tamper.day(desk, books, 20)
    for slips in (1, 7, 64):
        older = Desk(desk.binary, desk.folder, cluster.copy(desk.postgres))
        told = len(books.told)
        tamper.day(desk, books, slips)
        refused = older.run("serve")
        row.tried += 1
        row.must(refused.returncode == 2 and "missing" in refused.stderr, f"{slips} slips ago: {refused}")
        row.must(len(older.rulings()) == told, "a refused start wrote a slip")
    # Without the checkpoints the older state cannot be told from a ledger that went no further.
    shutil.rmtree(desk.data / "checkpoints")
    older.start().stop()
    shutil.rmtree(desk.data / "checkpoints")
    tamper.day(desk, books, 1)
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = "today's starts, and the older one without a copy outside"
    row.note = "gaps of 1, 7 and 64 slips named"
    return row


def another_key(house, cluster):
    """D7: a third server with a key of its own is refused, whether it asks to join or brings the key to a folder that
    had joined; the two that serve go on."""
    row, books = Figures("D7 third server, another signing key"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("d7"), cluster.database())
    other, stranger = joined(house, desk, "d7-other"), Desk.ready(house.binary, house.folder("d7-stranger"))
    servers = [desk.start(), other.start()]
    load = Load(books, servers[0], clients=2, pause=0.02)
    for number in range(5):
        third = Desk(desk.binary, house.folder("d7-third"), desk.postgres)
        refused = [third.run("init"), third.run("init", "--join", stranger.data / "keys" / "signing.key")]
        third = joined(house, desk, "d7-third")
        key = third.data / "keys" / "signing.key"
        key.unlink()
        shutil.copy(stranger.data / "keys" / "signing.key", key)
        create = ("token", "create", "--role", "client", "--per-minute", "1000000", "--tournament", "lagos",
                  "--name", f"t{number}")
        refused += [third.run("serve"), third.run(*create)]
        row.tried += len(refused)
        row.must(all(ran.returncode == 2 for ran in refused), f"exit {[ran.returncode for ran in refused]}")
        row.must(all("another signing key" in ran.stderr for ran in refused[1:]), f"{[ran.stderr for ran in refused[1:]]}")
    load.stop()
    row.must(not books.refused, f"refused {books.refused}")
    finish(row, books, desk, *servers)
    third = joined(house, desk, "d7-third")
    third.start().stop()
    row.control = "with the ledger's key it joins and serves"
    row.note = f"{len(books.told)} rulings of the others meanwhile"
    return row


def database_down(house, cluster):
    """V28: while the database is down every slip is refused, and a refusal is never a ruling; then all goes on."""
    row, books = Figures("V28 database down"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("v28"), cluster.database())
    server = desk.start()
    traced.warm(server, books, 20)
    told = len(books.told)
    cluster.ctl("stop", "-m", "immediate")
    try:
        load = Load(books, server, clients=8)
        time.sleep(8)
        key, slip = books.slip()
        answer, ready = server.client().file(key, slip), server.get("/readyz").status
        load.stop()
        during = len(books.told) - told
        row.must(during == 0, f"{during} rulings without a database")
        unanswered = len(books.sent) - told - 1 - sum(books.refused.values())
        row.must(set(books.refused) == {503} and unanswered == 0, f"refused {books.refused}, unanswered {unanswered}")
        shape = answer.status, "retry-after" in answer.headers, b'"ruling"' in answer.body
        row.must(shape == (503, True, False), f"{answer.status} {answer.body}")
        row.must(ready == 503 and server.get("/healthz").status == 200, f"readyz {ready}")
    finally:
        # Also starts one that is down, as it was started before.
        cluster.ctl("restart", "-m", "fast")
    began, back = time.monotonic(), None
    while time.monotonic() - began < 30 and not (back and back.is_ruling):
        back = server.client().file(key, slip)
        books.hear(key, back)
        time.sleep(0.1)
    row.must(back is not None and back.is_ruling, "no ruling within 30 s of the database's return")
    finish(row, books, desk, server)
    row.tried = len(books.sent)
    row.control = f"{told} ruled before"
    row.note = f"{books.refused.get(503, 0)} refused and {during} ruled while down, back in {time.monotonic() - began:.1f} s"
    return row


def both_engines(house, cluster):
    """D8: the same 500 slips on both engines give the same leaves but for times and ids."""
    row, seen = Figures("D8 500 slips on both engines"), []
    for engine, database in (("sqlite", None), ("postgres", cluster.database())):
        books, desk = Books(house.seed), Desk.ready(house.binary, house.folder(f"d8-{engine}"), database)
        server = desk.start()
        traced.warm(server, books, 500)
        row.must(server.stop() == 0, "stop")
        row.compare(books, desk.rulings())
        row.verify(desk)
        seen.append([plain(leaf) for leaf in desk.leaves()])
    differences = sum(one != other for one, other in zip(*seen)) + abs(len(seen[0]) - len(seen[1]))
    row.tried = len(seen[0])
    row.changed += differences
    altered = [leaf.replace('"unacceptable"', '"acceptable"') for leaf in seen[0]]
    caught = sum(one != other for one, other in zip(altered, seen[1]))
    row.must(caught > 0, "the comparison is blind")
    row.control = f"with rulings altered {caught} differ"
    row.note = f"{differences} differences in {len(seen[0])} leaves"
    return row


def plain(leaf):
    """A leaf without its times and ids."""
    leaf = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "ID", leaf)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", leaf)
