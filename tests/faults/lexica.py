"""Lexicon files: harmed while they are served, and an import that is killed."""

import os
import subprocess
import time

from floor import GOOD, Books, Desk, Figures, Load


def index_of(desk):
    return next(path for path in (desk.data / "lexicons").iterdir() if path.suffix == ".fst")


def flip(path, chance):
    raw = bytearray(path.read_bytes())
    raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
    path.write_bytes(raw)


def replace(path, chance):
    beside = path.with_suffix(".other")
    beside.write_bytes(bytes(chance.randrange(256) for _ in range(path.stat().st_size)))
    beside.rename(path)


HARMS = {
    "truncate to 4096": lambda path, chance: os.truncate(path, 4096),
    "truncate to 10": lambda path, chance: os.truncate(path, 10),
    "truncate to 0": lambda path, chance: os.truncate(path, 0),
    "rm": lambda path, chance: path.unlink(),
    "chmod 000": lambda path, chance: path.chmod(0),
    "flip a bit": flip,
    "replace": replace,
    "append": lambda path, chance: path.write_bytes(path.read_bytes() + b"x" * 100),
}


def harmed(house):
    """F1, F2: the file of the served lexicon is harmed under load; rulings go on unchanged. At the next start a
    missing file is healed and a changed one is not served."""
    row, books = Figures("F1/F2 lexicon file harmed under load"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("f1"))
    server = desk.start()
    index = index_of(desk)
    whole = index.read_bytes()
    load = Load(books, server, clients=4)
    for name, harm in HARMS.items():
        for _ in range(20):
            harm(index, house.chance)
            told = len(books.told)
            time.sleep(0.08)
            row.tried += 1
            if server.has_ended():
                row.fail(f"{name}: the server ended with {server.process.returncode}")
                load.stop()
                return row
            index.unlink(missing_ok=True)
            index.write_bytes(whole)
    load.stop()
    row.must(not books.refused, f"refused {books.refused}")
    server.stop()
    refused = starts(house, row, desk, whole)
    server = desk.start()
    row.replay(books, server, list(books.sent))
    server.stop()
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = f"{refused} of {len(HARMS)} harms refused or healed at the next start"
    row.note = f"{len(books.told)} rulings"
    return row


def starts(house, row, desk, whole):
    """A start on each harm: no ruling by a harmed file."""
    seen = 0
    for name, harm in HARMS.items():
        index = index_of(desk)
        harm(index, house.chance)
        changed = not index.exists() or index.read_bytes() != whole
        server = desk.start()
        books = Books(house.seed + 7)
        key, slip = books.slip(f"start-{name.replace(' ', '-')}")
        answer = server.client().file(key, slip)
        healed = index.exists() and index.read_bytes() == whole
        if changed and not healed:
            good = answer is not None and answer.status == 409 and server.get("/readyz").status == 503
            row.must(good, f"start after {name}: {answer and answer.status}")
            seen += good
        else:
            row.must(answer is not None and answer.is_ruling, f"start after {name}: {answer and answer.status}")
            seen += changed
        server.kill()
        path = next((path for path in (desk.data / "lexicons").glob("*.fst")), index)
        path.unlink(missing_ok=True)
        path.write_bytes(whole)
    return seen


def killed_import(house):
    """F17: an import that is killed leaves the old lexicon in force, and can be done again."""
    row, books = Figures("F17 kill -9 during import"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("f17"))
    server = desk.start()
    load = Load(books, server, clients=2, pause=0.02)
    words = sorted({a + b + c + d for a in "BCDFG" for b in "AEIOU" for c in "LMNPRST" for d in "AEIOUSTR"} | set(GOOD))
    big = desk.folder / "big.txt"
    big.write_text("\n".join(sorted({x + y for x in words[:300] for y in words[:300]} | set(words))) + "\n")
    killed = 0
    for number in range(50 if house.long else 20):
        args = ["lexicon", "import", big, "--id", f"B{number}", "--title", "Big", "--edition", "1", "--lengths", "2-15"]
        importing = subprocess.Popen([desk.binary, *map(str, args)], env=desk.environment(),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(house.chance.uniform(0.0, 1.2))
        killed += importing.poll() is None
        importing.kill()
        importing.wait()
        row.tried += 1
        row.must(server.is_ready(), "not ready after a killed import")
    again = desk.run("lexicon", "import", big, "--id", "B0", "--title", "Big", "--edition", "1", "--lengths", "2-15")
    row.must(again.returncode == 0 or "already" in again.stderr, f"import again: {again.stderr[-300:]}")
    row.must(desk.run("lexicon", "verify", "B0").returncode == 0, "the list imported again is whole")
    load.stop()
    row.must(not books.refused, f"refused {books.refused}")
    server.kill()
    server = desk.start()
    row.replay(books, server, list(books.sent))
    server.stop()
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.must(killed > 0, "no import was killed")
    row.control = f"{killed} killed while at work"
    row.note = f"{len(books.told)} rulings meanwhile"
    return row
