"""Word lists: bad ones, odd ones, and what identifies a good one."""

import gzip
import hashlib
import json
import subprocess
import tomllib
import unicodedata

from floor import GOOD, Books, Desk, Figures

PLAIN = "".join(word + "\n" for word in sorted(GOOD))
SPANISH = """name = "spanish"
language = "es"
tiles = ["A", "B", "C", "CH", "D", "E", "H", "L", "LL", "N", "Ñ", "O", "R", "RR", "S"]
lower = "abcdehlnñors"
upper = "ABCDEHLNÑORS"
fold_accents = true
"""


def importing(desk, path, *more, id="N"):
    return desk.run("lexicon", "import", path, "--id", id, *more)


def shelf(desk):
    """What is on the shelf, by the program and by the disk."""
    return desk.done("lexicon", "list", "--json"), {path.name: path.read_bytes() for path in (desk.data / "lexicons").iterdir()}


BAD_LISTS = {
    "nothing": b"", "blank lines": b"\n \r\n\t\n", "comments": b"# AA\n#AS\n",
    "gzip": gzip.compress(PLAIN.encode()), "UTF-16": PLAIN.encode("utf-16"), "UTF-16 unmarked": PLAIN.encode("utf-16-le"),
    "NUL": b"AA\0AS\n", "HTML": b"<!DOCTYPE html><p>AA", "JSON": b'["AA", "AS"]\n', "zip": b"PK\x03\x04" + bytes(40),
    "Latin-1": "AA\nÉTÉ\n".encode("latin-1"), "long line": b"AA\n" + b"A" * 70000 + b"\n",
    "heading": "MY LIST 2026\n" + PLAIN, "definitions": PLAIN + "ZOO a park\n", "after a tab": PLAIN + "ZOO\ta park\n",
    "ranks": "1 AA\n2 AS\n", "frequencies": PLAIN + "ZOO 12\n", "digits": PLAIN + "ZOO35\n", "table": '"AA",14\n',
    "marks": PLAIN + "ZOO#\n", "changes": PLAIN + "+ZOO\n", "several forms": PLAIN + "ZOO(S)\n",
    "Hunspell": "14\n" + PLAIN + "ZOO/S\n", "hyphen": PLAIN + "X-RAY\n", "apostrophe": PLAIN + "DON'T\n", "two words": PLAIN + "ICE CREAM\n",
    "accent": PLAIN + "ÉTÉ\n", "decoded twice": PLAIN + "AÃ‘O\n", "Cyrillic": PLAIN + "QUАIL\n",
    "full width": PLAIN + "ＱＩ\n", "dotless i": PLAIN + "qı\n", "soft hyphen": PLAIN + "ZO\u00adO\n", "zero width": PLAIN + "ZO\u200bO\n",
    "joined files": PLAIN + "\ufeff" + PLAIN, "control": PLAIN + "ZO\x07O\n",
    "too short": PLAIN + "A\n", "too long": PLAIN + "A" * 16 + "\n", "brackets": PLAIN + "[Z]OO\n",
}
UNMET = {
    "count": ["--expect-words", len(GOOD) + 1], "fingerprint": ["--expect-fingerprint", "0" * 64],
    "a word that is not there": ["--must-have", "QI,ZOO"], "a word that is there": ["--must-lack", "ZOO,QI"],
}


def bad_lists(house):
    """F4: a list that is none, or not the expected one, is refused whole, with the reason; shelf and rulings stay."""
    row, books = Figures("F4 bad lists"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("f4"))
    server, before = desk.start(), shelf(desk)
    client, path, accepted = server.client(), desk.folder / "bad.txt", 0
    tries = [(what, text, []) for what, text in BAD_LISTS.items()] + [(what, PLAIN, more) for what, more in UNMET.items()]
    for what, text, more in [*tries, ("another list under a used id", "AA\nZOO\n", None)]:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        refused = importing(desk, path, id="T") if more is None else importing(desk, path, *more)
        row.tried += 1
        accepted += refused.returncode == 0
        row.must(refused.returncode == 2 and refused.stderr.startswith("adjudge: "), f"{what}: {refused}")
        row.must(shelf(desk) == before, f"{what}: the shelf changed")
        key, slip = books.slip()
        books.hear(key, client.file(key, slip))
    row.must(len(books.told) == row.tried, f"{len(books.told)} rulings beside {row.tried} refusals")
    path.write_text(PLAIN)
    fitting = ["--expect-words", len(GOOD), "--must-have", "QI", "--must-lack", "ZOO"]
    taken = importing(desk, path, *fitting)
    row.must(taken.returncode == 0 and shelf(desk) != before, f"the plain list: {taken.stderr}")
    row.replay(books, server, list(books.sent))
    server.stop()
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = "the plain list is imported"
    row.note = f"accepted {accepted} of {row.tried}"
    return row


def fingerprint(words):
    """As docs/lexicons.md says."""
    return hashlib.sha256("".join(word + "\n" for word in sorted(set(words), key=str.encode)).encode()).hexdigest()


def written(tiles, alphabet):
    """A word plainly, a tile in brackets where the longest tile that the plain letters spell at its place is another."""
    plain, text, place = "".join(tiles), "", 0
    for tile in tiles:
        longest = max((one for one in alphabet if plain.startswith(one, place)), key=len)
        text += tile if tile == longest else f"[{tile}]"
        place += len(tile)
    return text


def fingerprints(house):
    """F6: the fingerprint that the program finds is the one computed here, in any spelling and order of the list."""
    row = Figures("F6 fingerprints computed twice")
    desk = Desk.ready(house.binary, house.folder("f6"))
    path, file = desk.folder / "list.txt", desk.folder / "spanish.toml"
    file.write_text(SPANISH)
    alphabets = {"english": [chr(65 + number) for number in range(26)], str(file): tomllib.loads(SPANISH)["tiles"]}
    blind = bracketed = 0
    for _ in range(200 if house.long else 40):
        name, tiles = house.chance.choice(list(alphabets.items()))
        many = house.chance.randint(1, 300)
        words = [house.chance.choices(tiles, k=house.chance.randint(2, 15)) for _ in range(many)]
        canonical = {written(word, tiles) for word in words}
        bracketed += sum("[" in word for word in canonical)
        lines = [spelling(word, tiles, house.chance) for word in words + house.chance.choices(words, k=5)]
        house.chance.shuffle(lines)
        path.write_text("".join(lines))
        ran = importing(desk, path, "--alphabet", name, "--dry-run", "--json")
        found = json.loads(ran.stdout) if ran.returncode == 0 else {"fingerprint": ran.stderr, "words": None}
        row.tried += 1
        agrees = (found["words"], found["fingerprint"]) == (len(canonical), fingerprint(canonical))
        row.must(agrees, f"{name}, {len(canonical)} words: {found['words']}, {found['fingerprint']}")
        blind += found["fingerprint"] == fingerprint(canonical - {min(canonical)})
    row.must(blind == 0 and bracketed > 0, "a word less is another fingerprint; some word needed brackets")
    path.write_text(PLAIN)
    tools = subprocess.run(f"LC_ALL=C sort -u {path} | sha256sum", shell=True, capture_output=True, text=True)
    found = json.loads(importing(desk, path, "--dry-run", "--json").stdout)["fingerprint"]
    row.must(found == tools.stdout.split()[0], f"sort and sha256sum say {tools.stdout}")
    row.control = "with a word less every one differs"
    row.note = f"differences {len(row.failures)}, {bracketed} words with brackets"
    return row


def spelling(word, tiles, chance):
    """One of the ways in which a list may write a word, as a line."""
    text = "".join(f"[{tile}]" for tile in word) if max(map(len, tiles)) > 1 and chance.random() < 0.3 else written(word, tiles)
    text = chance.choice([str, str.lower, lambda text: unicodedata.normalize("NFD", text)])(text)
    return chance.choice(["", " ", "\u00a0"]) + text + chance.choice(["\n", "\n", "\r\n", " \n", "\n\n"])


SORTED = sorted(GOOD)
ODD_LISTS = {
    "BOM": ("\ufeff" + PLAIN, {}, "byte order mark"), "CR LF": (PLAIN.replace("\n", "\r\n"), {}, "CRLF"),
    "CR": (PLAIN.replace("\n", "\r"), {}, "CR only"), "mixed ends": (PLAIN.replace("AA\n", "AA\r\n"), {}, "mixed"),
    "lower case": (PLAIN.lower(), {}, None), "capitalised": (PLAIN.title(), {}, None),
    "blanks around": (PLAIN.replace("\n", "\u00a0\t\n").replace("A", " A", 1), {}, None),
    "blank lines": ("\n" + PLAIN.replace("CAT\n", "CAT\n \n\n") + "\t\n", {"blank": 4}, None),
    "comments": ("# a list\n" + PLAIN, {"comments": 1}, None), "duplicates": (PLAIN + "qi\nQi\nQI\n", {"duplicates": 3}, None),
    "unsorted": ("".join(word + "\n" for word in reversed(SORTED)), {}, None), "no last newline": (PLAIN[:-1], {}, "no newline"),
    "a heading skipped": ("MY LIST 2026\n" + PLAIN, {"skipped": 1}, "skipped"),
    "all at once": ("\ufeff# a list\r\n" + PLAIN.title().replace("\n", " \r\n") + "zo\n\nqi",
                    {"comments": 1, "blank": 1, "duplicates": 2}, "mixed"),
}
MISTYPED = {"a digit": "CA1T", "a bracket": "CAT(", "an accent": "ÉTÉ", "two words": "CAT QI", "a look-alike": "CАT"}


def odd_lists(house):
    """F7: odd lists are read or refused as docs/lexicons.md says, and what was met is counted."""
    row = Figures("F7 odd lists")
    desk = Desk.ready(house.binary, house.folder("f7"))
    path = desk.folder / "odd.txt"
    for what, (text, counts, note) in ODD_LISTS.items():
        path.write_bytes(text.encode())
        more = ["--skip-first", 1] if "skipped" in counts else []
        ran = importing(desk, path, *more, "--dry-run", "--json")
        row.tried += 1
        if not row.must(ran.returncode == 0, f"{what}: {ran.stderr}"):
            continue
        report = json.loads(ran.stdout)
        wanted = dict.fromkeys(("blank", "comments", "duplicates", "skipped", "rejected"), 0) | counts
        row.must({name: report[name] for name in wanted} == wanted, f"{what}: {report}")
        row.must((report["words"], report["fingerprint"]) == (len(GOOD), fingerprint(GOOD)), f"{what}: {report['words']} words")
        row.must(note is None or any(note in one for one in report["notes"]), f"{what}: no note of it in {report['notes']}")
    for what, line in MISTYPED.items():
        place = house.chance.randrange(len(SORTED)) + 1
        path.write_text("".join(word + "\n" for word in SORTED[:place - 1] + [line] + SORTED[place - 1:]))
        refused, allowed = importing(desk, path), importing(desk, path, "--allow-rejects", 1, "--dry-run", "--json")
        row.tried += 1
        row.must(refused.returncode == 2 and f"line {place}" in refused.stderr, f"{what} in line {place}: {refused.stderr}")
        report = json.loads(allowed.stdout) if row.must(allowed.returncode == 0, f"{what}: {allowed.stderr}") else {}
        row.must(report.get("rejected") == 1 and report["rejected_lines"][0]["line"] == place, f"{what}: {report}")
        row.must(report.get("fingerprint") == fingerprint(GOOD), f"{what}: left out, the others stay")
    file = desk.folder / "spanish.toml"
    file.write_text(SPANISH)
    path.write_text("anós\nAÑO\nan\u0303o\nCHÁCHARA\n")
    folded = importing(desk, path, "--alphabet", file, "--dry-run", "--json")
    row.tried += 1
    row.must(fingerprint(["ANOS", "AÑO", "CHACHARA"]) in folded.stdout, f"accents that the alphabet folds: {folded}")
    row.control = f"{len(MISTYPED)} mistyped lines refused and named"
    row.note = f"{len(ODD_LISTS)} odd lists give one fingerprint"
    return row
