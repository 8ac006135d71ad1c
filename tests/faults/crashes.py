"""Kill -9: under load, at every system call, during start, and in the hands of a second server."""

import shutil
import time

from floor import Books, Desk, Failed, Figures, Load
import traced


def kill_under_load(house, cycles=None):
    """A1: every acknowledged ruling is there once, with the same answer, after each cycle."""
    row, books = Figures("A1 kill -9 under load"), Books(house.seed)
    desk, early, seen = Desk.ready(house.binary, house.folder("a1")), 0, set()
    for _ in range(cycles or (300 if house.long else 30)):
        server = desk.start()
        row.replay(books, server, set(books.told) - seen)
        seen |= set(books.told)
        sent = len(books.sent)
        load = Load(books, server)
        time.sleep(house.chance.uniform(0.05, 0.8))
        server.kill()
        load.stop()
        rulings = desk.rulings()
        row.compare(books, rulings, set(books.told) - seen)
        row.verify(desk)
        # What a server that answers before it commits would have lost: sent, and not in the ledger.
        early += sum(key not in rulings for key in list(books.sent)[sent:])
        row.tried += 1
    settle(row, books, desk)
    row.note = f"{len(books.told)} rulings told, {len(books.sent)} slips"
    row.control = f"answering early would lose {early}; {checker_control(house, desk, books)}"
    row.must(early > 0, "the control lost nothing")
    return row


def settle(row, books, desk):
    """At the end every key is sent again: exactly one row each, and every old answer as it was."""
    server = desk.start()
    row.replay(books, server, list(books.sent))
    row.must(server.stop() == 0, "the last server did not stop with 0")
    rulings = desk.rulings()
    row.compare(books, rulings)
    row.must(set(rulings) == set(books.sent), "rows and keys differ")
    row.verify(desk)


def checker_control(house, desk, books):
    """The comparison itself must see a ruling that is lost, doubled or changed."""
    told = [key for key in books.told][:3]
    rulings = desk.rulings()
    lost, doubled, changed = told
    del rulings[lost]
    rulings[doubled] = rulings[doubled] * 2
    slip, ruling = rulings[changed][0]
    rulings[changed] = [(slip, "acceptable" if ruling == "unacceptable" else "unacceptable")]
    probe = Figures("control")
    probe.compare(books, rulings)
    seen = (probe.lost > 0, probe.doubled > 0, probe.changed > 0, probe.false > 0)
    if not all(seen):
        raise Failed(f"the checker is blind: {seen}")
    return "checker sees lost, doubled, changed, false"


def kill_during_start(house):
    """A7: 50 kills within the first 300 ms of a start that has something to recover."""
    row, books = Figures("A7 kill -9 during start"), Books(house.seed)
    desk, slowest, half_way = Desk.ready(house.binary, house.folder("a7")), 0.0, 0
    for _ in range(50):
        server = desk.start()
        load = Load(books, server, clients=4)
        time.sleep(0.1)
        server.kill()
        load.stop()
        starting = desk.start(wait=0)
        time.sleep(house.chance.uniform(0, 0.3))
        half_way += not starting.has_ended()
        starting.kill()
        began = time.monotonic()
        try:
            again = desk.start()
        except Failed as why:
            row.fail(str(why))
            continue
        slowest = max(slowest, time.monotonic() - began)
        again.kill()
        row.tried += 1
    settle(row, books, desk)
    row.control = f"{half_way} killed while alive"
    row.note = f"slowest next start {slowest:.2f} s"
    first_start(house, row)
    return row


def first_start(house, row):
    """The first start of all, which makes key, database and tables: 20 kills, each on an empty folder."""
    for number in range(20):
        desk = Desk(house.binary, house.folder(f"a7-first-{number}"))
        starting = desk.start(wait=0)
        time.sleep(house.chance.uniform(0, 0.25))
        starting.kill()
        try:
            desk.start().kill()
            row.verify(desk)
        except Failed as why:
            row.fail(f"first start: {why}")
        row.tried += 1
        shutil.rmtree(desk.folder)


def second_server(house):
    """A9: a second server on a folder refuses at once; an old copy of it refuses to sign."""
    row, books = Figures("A9 second server, old copy"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("a9"))
    first = desk.start()
    began = time.monotonic()
    for command in (["serve"], ["demo", "--data", str(desk.data)]):
        second = desk.run(*command)
        row.tried += 1
        row.must(second.returncode == 2 and "another adjudge" in second.stderr, f"second {command}: {second}")
    took = (time.monotonic() - began) / 2
    row.must(desk.run("ledger", "verify").returncode == 0, "short commands work beside the server")
    first.kill()
    desk.start().stop()
    old = desk.copy(house.folder("a9-old"))
    running = desk.start()
    client = running.client()
    for _ in range(5):
        key, slip = books.slip()
        books.hear(key, client.file(key, slip))
    running.stop()
    for path in (desk.data / "checkpoints").iterdir():
        shutil.copy(path, old.data / "checkpoints" / path.name)
    refused = old.run("serve")
    row.tried += 1
    row.must(refused.returncode == 2 and "missing" in refused.stderr, f"old copy: {refused}")
    row.compare(books, desk.rulings())
    row.control = "started again once the first was gone"
    row.note = f"refused in {took:.2f} s"
    return row


def hooks(house):
    """A13, A14: handlers that panic, and a writer that dies (cargo feature fault-injection)."""
    row, books = Figures("A13 1,000 panics, A14 dead writer"), Books(house.seed)
    desk = Desk.ready(house.hooks, house.folder("a13"))
    server = desk.start()
    client, other = server.client(), server.client()
    other.get("/healthz")
    traced.warm(server, books, 20)
    wrong = 0
    for number in range(1000):
        if number == 100:
            # The first panic reads the program's symbols, once.
            before = traced.resources(server.pid)
        answer = client.ask("POST", "/faults/panic", "", {"Authorization": f"Bearer {desk.token}"})
        wrong += answer is None or answer.status != 500 or b"hook" in answer.body
        if number % 50 == 0:
            key, slip = books.slip()
            told = other.file(key, slip)
            wrong += told is None or not told.is_ruling
            books.hear(key, told)
        row.tried += 1
    after = traced.resources(server.pid)
    row.must(wrong == 0, f"{wrong} wrong answers")
    row.must(after[0] <= before[0] + 2, f"file descriptors {before[0]} -> {after[0]}")
    row.must(after[1] <= before[1] + 4096, f"RSS {before[1]} -> {after[1]} KiB")
    began = time.monotonic()
    answer = client.ask("POST", "/faults/end-writer", "", {"Authorization": f"Bearer {desk.token}"})
    code = server.wait(5)
    took = time.monotonic() - began
    row.tried += 1
    row.must(code == 70 and took < 2, f"dead writer: exit {code} after {took:.1f} s ({answer and answer.status})")
    if code is None:
        server.kill()
    row.compare(books, desk.rulings())
    row.verify(desk)
    plain = Desk.ready(house.binary, house.folder("a13-plain")).start()
    absent = plain.client().ask("POST", "/faults/panic", "", {})
    row.must(absent is not None and absent.status == 404 or absent.status == 401, "the shipped build has the hooks")
    plain.stop()
    row.control = "without the feature the routes do not exist"
    row.note = f"fds {before[0]}->{after[0]}, RSS {before[1]}->{after[1]} KiB; exit {code} in {took:.2f} s"
    return row


def gates(house):
    """A15: a connection on which a setting did not take effect is refused."""
    row = Figures("A15 synchronous=NORMAL refused")
    desk = Desk.ready(house.hooks, house.folder("a15"))
    for more in ({"ADJUDGE_FAULT_SYNCHRONOUS": "normal"},):
        server = desk.start(wait=0, more=more)
        code = server.wait(20)
        row.tried += 1
        row.must(code == 2 and "synchronous" in server.said(), f"forced: exit {code}")
    (desk.data / "adjudge.toml").write_text('synchronous = "normal"\n')
    server = desk.start(wait=0)
    row.tried += 1
    row.must(server.wait(20) == 2 and "synchronous" in server.said(), "the configuration cannot ask for it")
    (desk.data / "adjudge.toml").unlink()
    server = desk.start(wait=0, more={"ADJUDGE_DATABASE_URL": f"sqlite://{desk.data}/adjudge.db?synchronous=NORMAL"})
    row.tried += 1
    row.must(server.wait(20) == 2, "the database's URL cannot ask for it")
    server = desk.start()
    row.control = "starts without"
    server.stop()
    return row
