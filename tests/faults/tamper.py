"""The stored ledger in other hands while no server runs: changed at random, or put back from a backup."""

import collections
import shutil
import sqlite3

from floor import Books, Desk, Failed, Figures
import traced

# What the check of the ledger answers for: entries and checkpoints past every index, keys, numbers and slips by theirs,
# and of the set-up the order within each log. Secrets and the times of tokens are in no entry.
CONTENT = {
    "entry": "SELECT log, seq, kind, slip, number, asked_by, asked_key, place, seat, review, hash, leaf FROM entry "
             "NOT INDEXED",
    "key": "SELECT asked_by, asked_key, log, seq FROM entry INDEXED BY entry_of_key WHERE asked_key IS NOT NULL",
    "number": "SELECT log, number, seq FROM entry INDEXED BY entry_of_number WHERE number IS NOT NULL",
    "slip": "SELECT slip, seq, log FROM entry INDEXED BY entry_of_slip WHERE slip IS NOT NULL",
    "checkpoint": "SELECT log, size, at_us, frontier, note FROM checkpoint NOT INDEXED",
    "setup": "SELECT log, seq, position > 0, RANK() OVER (PARTITION BY log ORDER BY position) FROM setup",
    "token": "SELECT id, tournament, role, name, revoked_us IS NULL FROM token",
}


def content(desk):
    """Every such row, by table; None where they cannot be read."""
    database = sqlite3.connect(f"file:{desk.data}/adjudge.db?mode=ro&immutable=1", uri=True)
    database.text_factory = bytes
    try:
        return {table: collections.Counter(database.execute(rows)) for table, rows in CONTENT.items()}
    except (sqlite3.Error, ValueError):
        return None
    finally:
        database.close()


def touches(before, after):
    """Whether a change touches the ledger's content. Without an earlier checkpoint or a token there is less to hold on
    to, but nothing that is left is untrue."""
    if after is None:
        return True
    for table in CONTENT:
        gone, come = before[table] - after[table], after[table] - before[table]
        if come or (gone and table not in ("checkpoint", "token")):
            return True
        newest = {log: max(size for other, size, *_ in before[table] if other == log) for log, *_ in before[table]} \
            if table == "checkpoint" else {}
        if any(newest.get(row[0]) == row[1] for row in gone):
            return True
    return False


def altered(value, others, chance):
    """A value close to this one, or another row's."""
    if chance.random() < 0.25:
        return chance.choice(others)
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 1 << 40])
    text = value or ""
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(["", "0", "x", "é", "\n"]) + text[place + chance.randrange(2):]


def by_sql(path, chance, only=None):
    """One row altered, dropped, copied with a change, added, or given another row's place, as by an attacker who
    removed the triggers."""
    database = sqlite3.connect(path, isolation_level=None)
    unfence(database)
    done = False
    while not done:
        table = only or chance.choice(["entry", "checkpoint", "setup", "token"])
        names = columns(database, table)
        rows = database.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
        row, other = chance.choice(rows), chance.choice(rows)
        column = names.index("leaf") if only else chance.randrange(len(names))
        values = [one[column] for one in rows]
        near = row[:column] + (altered(row[column], values, chance),) + row[column + 1:]
        new = tuple(altered(value, [one[place] for one in rows], chance) for place, value in enumerate(row))
        swapped = [one[:column] + (two[column],) + one[column + 1:] for one, two in ((row, other), (other, row))]
        how = "alter" if only else chance.choice(["alter", "alter", "drop", "copy", "add", "swap"])
        out, put = {"alter": ([row], [near]), "drop": ([row], []), "copy": ([], [near]), "add": ([], [new]),
                    "swap": ([row, other], swapped)}[how]
        done = exchanged(database, table, out, put)
    database.close()


def columns(database, table):
    """The columns that are stored: those that SQLite generates from them cannot be written."""
    return [name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")]


def exchanged(database, table, out, put):
    """Takes rows out and puts others in; False where the table's own rules refuse or nothing would change."""
    if collections.Counter(out) == collections.Counter(put) or len(set(out)) < len(out):
        return False
    names = columns(database, table)
    database.execute("BEGIN")
    try:
        for row in out:
            database.execute(f"DELETE FROM {table} WHERE " + " AND ".join(f"{name} IS ?" for name in names), row)
        for row in put:
            values = ", ".join("?" * len(names))
            database.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})", row)
    except (sqlite3.IntegrityError, OverflowError):
        database.execute("ROLLBACK")
        return False
    database.execute("COMMIT")
    return True


def unfence(database):
    for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {name}")


def flip(path, chance):
    raw = bytearray(path.read_bytes())
    raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)


def overwrite(path, chance):
    """A sector, or part of one, with what was in another place of the file."""
    raw = bytearray(path.read_bytes())
    size = chance.choice([4, 32, 512])
    place, source = chance.randrange(len(raw) - size), chance.randrange(len(raw) - size)
    raw[place:place + size] = raw[source:source + size]
    path.write_bytes(raw)


CHANGES = {
    "bits": flip,
    "sectors": overwrite,
    "leaves": lambda path, chance: by_sql(path, chance, "entry"),
    "rows": by_sql,
}


def closed(desk):
    """The database as one file, nothing of it in a write-ahead log."""
    database = sqlite3.connect(desk.data / "adjudge.db")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def random_changes(house):
    """A12: each random change that touches the ledger's content is reported by `ledger verify` or refused at start; and
    what was not changed is reported by neither."""
    row, books = Figures("A12 random changes at rest"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("a12"))
    day(desk, books, 40)
    closed(desk)
    before, counts = content(desk), collections.Counter()
    for how, change in CHANGES.items():
        for number in range(300 if house.long else 60):
            copy = desk.copy(house.folder("a12-copy"))
            change(copy.data / "adjudge.db", house.chance)
            is_touched, said = touches(before, content(copy)), verdict(row, copy)
            row.tried += 1
            counts[how] += is_touched
            counts["unseen"] += is_touched and not said
            row.must(said or not is_touched, f"{how} {number}: changed, and called whole: {difference(before, content(copy))}")
    untouched(house, row, desk)
    touched = sum(counts[how] for how in CHANGES)
    row.must(all(counts[how] for how in CHANGES), f"a kind of change never touched the ledger: {counts}")
    row.control = "20 unchanged copies are clean, with and without fences"
    row.note = ", ".join(f"{how} {counts[how]}" for how in CHANGES) + f"; {touched} touched, wrong clean {counts['unseen']}"
    return row


def verdict(row, desk):
    """Whether the change was reported. `ledger verify` and the start say the same of one state, and `restore` does something
    about it or says why it cannot."""
    checked = desk.run("ledger", "verify")
    row.must(checked.returncode in (0, 1, 2), f"ledger verify ended with {checked.returncode}: {checked.stderr[-300:]}")
    is_broken = checked.returncode != 0
    try:
        desk.start().kill()
        is_refused = False
    except Failed:
        is_refused = True
    row.must(is_broken == is_refused, f"verify: {checked.returncode} {checked.stderr[-300:]}; refused: {is_refused}")
    restored = desk.run("restore")
    has_nothing = "nothing to restore" in restored.stdout
    row.must(has_nothing == (not is_broken), f"verify: {checked.returncode} {checked.stderr[-300:]}; restore: {restored.stdout}{restored.stderr}")
    return is_broken


def difference(before, after):
    return {table: (list((before[table] - after[table]))[:1], list((after[table] - before[table]))[:1])
            for table in CONTENT if before[table] != after[table]} if after else "unreadable"


def untouched(house, row, desk):
    for number in range(20):
        copy = desk.copy(house.folder("a12-copy"))
        if number % 2:
            database = sqlite3.connect(copy.data / "adjudge.db")
            unfence(database)
            database.close()
        row.verify(copy)
        copy.start().kill()


def day(desk, books, slips):
    server = desk.start()
    traced.warm(server, books, slips)
    if server.stop() != 0:
        raise Failed("the server did not stop with 0")


def put_back(house):
    """A10: yesterday's database or whole folder is put back, and a newer checkpoint lies outside: the start is refused
    and the gap named."""
    row, books = Figures("A10 yesterday's database put back"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("a10"))
    elsewhere = desk.folder / "elsewhere"
    (desk.data / "adjudge.toml").write_text(f'checkpoint_dir = "{elsewhere}"\n')
    day(desk, books, 20)
    closed(desk)
    yesterday = desk.copy(house.folder("a10-yesterday"))
    for slips in (1, 7, 64):
        day(desk, books, slips)
        sizes = len(yesterday.leaves()), len(desk.leaves())
        for what in ("database", "folder"):
            back = (desk if what == "database" else yesterday).copy(house.folder("a10-back"))
            for path in back.data.glob("adjudge.db*"):
                path.unlink()
            shutil.copy(yesterday.data / "adjudge.db", back.data)
            refused = back.run("serve")
            row.tried += 1
            row.must(refused.returncode == 2, f"{what} of {slips} slips ago: exit {refused.returncode}")
            is_named = "missing" in refused.stderr and all(str(size) in refused.stderr for size in sizes)
            row.must(is_named, f"the gap {sizes} is not named: {refused.stderr}")
            row.must(set(back.rulings()) == set(yesterday.rulings()), "a refused start wrote a slip")
            row.must("adjudge restore" in refused.stderr, f"the one command is not named: {refused.stderr}")
            # The other disk of this copy alone: what goes on from here is not the others' history.
            shutil.copytree(elsewhere, back.data / "other disk")
            (back.data / "adjudge.toml").write_text(f'checkpoint_dir = "{back.data}/other disk"\n')
            restored = back.run("restore")
            row.must("~2: goes on" in restored.stdout, f"restore: {restored.stdout}{restored.stderr}")
            back.start().stop()
            row.verify(back)
    row.note = "gaps of 1, 8 and 72 slips named, and gone on with"
    # The file alone cannot tell: without a copy elsewhere yesterday's folder is as good as any.
    (yesterday.data / "adjudge.toml").unlink()
    yesterday.start().stop()
    day(desk, books, 1)
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = "today's folder starts, and yesterday's without a copy elsewhere"
    return row
