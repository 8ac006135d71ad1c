"""Lexicon files: harmed while they are served, other than recorded at a start, and an import that is killed."""

import json
import os
import shutil
import struct
import subprocess
import time

from floor import GOOD, Books, Desk, Figures, Load
from lists import PLAIN, fingerprint, importing


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
    """A start on each harm: no ruling by a harmed file. Each slip has a table of its own: beside one that shares a word it
    would be held, and that is no ruling either."""
    seen, books = 0, Books(house.seed + 7)
    for name, harm in HARMS.items():
        index = index_of(desk)
        harm(index, house.chance)
        changed = not index.exists() or index.read_bytes() != whole
        server = desk.start()
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


def checksum(raw):
    """The checksum that an index ends with: CRC-32C, masked."""
    crc = 0xFFFFFFFF
    for byte in raw:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def with_version(raw, version):
    """The same index, its checksum right, in another version of the format."""
    raw = struct.pack("<Q", version) + raw[8:-4]
    return raw + checksum(raw)


def bad_indexes(house):
    """F5, V26, C10: a start on an index that is not the recorded one: the lexicon is not served, with the reason; what
    was ruled stays and is not judged anew."""
    row, books = Figures("F5 bad index, C10 replay without one"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("f5"))
    server = desk.start()
    for _ in range(10):
        key, slip = books.slip()
        books.hear(key, server.client().file(key, slip))
    server.stop()
    path = desk.folder / "other.txt"
    path.write_text(PLAIN + "ZOO\nCTA\n")
    row.must(importing(desk, path, id="OTHER").returncode == 0, "another list")
    index = next((desk.data / "lexicons").glob("T-*.fst"))
    other = next((desk.data / "lexicons").glob("OTHER-*.fst"))
    whole, manifest = index.read_bytes(), index.with_suffix(".json")
    row.must(with_version(whole, 3) == whole, "the checksum as it is computed here is the program's")
    forms = {
        "empty": b"", "text": PLAIN.encode(), "another list's": other.read_bytes(), "version 1": with_version(whole, 1),
        "version 2": with_version(whole, 2), "version 4": with_version(whole, 4), "half": whole[:len(whole) // 2],
        "twice": whole * 2, "noise": bytes(house.chance.randrange(256) for _ in whole), "zeros": bytes(len(whole)),
    }
    for what, raw in forms.items():
        index.write_bytes(raw)
        not_served(row, desk, books, what)
    index.unlink()
    index.mkdir()
    not_served(row, desk, books, "a folder")
    index.rmdir()
    os.mkfifo(index)
    not_served(row, desk, books, "a named pipe")
    index.unlink()
    # Another list with a manifest that fits it, both under this one's name: what counts is what the ledger recorded.
    true, false = manifest.read_text(), json.loads(other.with_suffix(".json").read_text())
    index.write_bytes(other.read_bytes())
    manifest.write_text(json.dumps(false | {"id": "T", "fingerprint": json.loads(true)["fingerprint"]}))
    not_served(row, desk, books, "another list with its manifest")
    index.write_bytes(whole)
    indexes, off, served = row.tried, 0, 0
    for change in ({"words": len(GOOD) + 1}, {"words": len(GOOD) - 1}, {"index_sha256": "0" * 64}, {"lengths": [2, 3]}):
        manifest.write_text(json.dumps(json.loads(true) | change))
        off, served = off + 1, served + still_right(row, desk, books, str(change))
    manifest.write_text(true)
    row.must(still_right(row, desk, books, "put right") == 1, "served again once it was put right")
    row.verify(desk)
    row.compare(books, desk.rulings())
    row.control = "the recorded index is served again"
    row.note = f"{indexes} indexes; a false manifest alone is not read: {served} of {off} served, rightly"
    return row


def not_served(row, desk, books, what):
    """No ruling by this index, anywhere; and the old rulings, which need none."""
    row.tried += 1
    checked = desk.run("lexicon", "verify", "T")
    row.must(checked.returncode == 1 and "not served" in checked.stderr, f"{what}: {checked}")
    by_hand = desk.run("check", "--lexicon", "T", "CAT")
    row.must((by_hand.returncode, by_hand.stdout) == (2, ""), f"{what}: check {by_hand.returncode} {by_hand.stdout}")
    server = desk.start()
    client, old = server.client(), list(books.told)
    key, slip = books.slip(f"bad-{what.replace(' ', '-')}-")
    answer = client.file(key, slip)
    books.hear(key, answer)
    is_refused = answer.status == 409 and b"no-active-lexicon" in answer.body
    row.must(is_refused, f"{what}: {answer.status} {answer.body}")
    row.must(client.get("/readyz").status == 503, f"{what}: ready")
    row.replay(books, server, old)
    marked = client.file(old[0], books.sent[old[0]]).headers.get("idempotency-replayed")
    read = json.loads(client.get(books.told[old[0]][0][0]).body)
    recorded = read["adjudications"][0]["lexicon"]["fingerprint"]
    row.must(marked == "true" and recorded == fingerprint(GOOD), f"{what}: the old slip {marked} {recorded}")
    row.must(server.stop() == 0, f"{what}: stop")


def still_right(row, desk, books, what):
    """A start with a false manifest: refused, or a right ruling; 1 where it is served."""
    row.tried += 1
    server = desk.start()
    key, slip = books.slip(f"off-{what}-".replace(" ", ""))
    answer = server.client().file(key, slip)
    books.hear(key, answer)
    row.must(answer.is_ruling or answer.status == 409, f"{what}: {answer.status} {answer.body}")
    server.stop()
    return answer.is_ruling


def flipped_index(house):
    """V36: an index is the same bytes on every machine and may be copied; one bit changed is found, wherever it is."""
    row = Figures("V36 index copied, one bit flipped")
    desk = Desk.ready(house.binary, house.folder("v36"))
    elsewhere = Desk.ready(house.binary, house.folder("v36-elsewhere"))
    index, theirs = index_of(desk), index_of(elsewhere)
    whole = index.read_bytes()
    row.must(theirs.read_bytes() == whole, "two imports of one list differ")
    places, accepted = list(range(len(whole))), 0
    for place in places if house.long else sorted({0, 8, len(whole) - 1, *house.chance.sample(places, 60)}):
        raw = bytearray(whole)
        raw[place] ^= 1 << house.chance.randrange(8)
        theirs.write_bytes(raw)
        row.tried += 1
        code = elsewhere.run("lexicon", "verify", "T").returncode
        accepted += code == 0
        row.must(code == 1, f"byte {place}: verify ended with {code}")
        if place % 16 == 0:
            server, books = elsewhere.start(), Books(house.seed)
            answer = server.client().file(*books.slip("flipped"))
            is_refused = answer.status == 409 and server.get("/readyz").status == 503
            row.must(is_refused, f"byte {place}: {answer.status} {answer.body}")
            server.stop()
    shutil.copy(index, theirs)
    row.must(elsewhere.run("lexicon", "verify", "T").returncode == 0, "the copy of another machine's index is whole")
    server, books = elsewhere.start(), Books(house.seed)
    key, slip = books.slip()
    books.hear(key, server.client().file(key, slip))
    server.stop()
    row.must(len(books.told) == 1, "the copy of another machine's index is served")
    row.compare(books, elsewhere.rulings())
    row.verify(elsewhere)
    row.control = "the unchanged copy is served"
    row.note = f"{row.tried} of {len(whole)} bytes, accepted {accepted}"
    return row
