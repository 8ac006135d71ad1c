"""A power cut: the files as they are if only synced bytes survive, at many moments of one load."""

import os
import shutil
import sqlite3
import subprocess

from floor import ROOT, Books, Desk, Figures

DATABASE, LOG = "adjudge.db", "adjudge.db-wal"
SECTOR = 512


def shim(house):
    """Builds the recorder once."""
    made = house.scratch / "shim.so"
    if not made.exists():
        source = ROOT / "tests/faults/shim.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-w", "-o", made, source, "-ldl", "-lpthread"], check=True)
    return made


class Journal:
    """What was done to the database's files, in order."""

    def __init__(self, path):
        self.steps, raw, at = [], path.read_bytes(), 0
        while at < len(raw):
            end = raw.find(b"\n", at)
            if end < 0:
                break
            what, name, place, size = raw[at:end].decode().split(" ")
            start = end + 1
            at = start + (int(size) if what == "w" else 0)
            if at > len(raw):
                break
            self.steps.append((at, what, name, int(place), raw[start:at]))


class Disk:
    """Files whose bytes are safe, and what was done to each since its last sync."""

    def __init__(self, base):
        self.safe = {name: bytearray((base / name).read_bytes()) for name in (DATABASE, LOG) if (base / name).exists()}
        self.loose, self.unnamed = {}, set()

    def step(self, what, name, place, data):
        if name == "." and what == "s":
            self.unnamed.clear()
        if name not in (DATABASE, LOG):
            return
        if name not in self.safe:
            # A new file has no name on the disk before its folder was synced.
            self.safe[name] = bytearray()
            self.unnamed.add(name)
        if what == "s":
            for step in self.loose.pop(name, []):
                apply(self.safe[name], *step)
        else:
            self.loose.setdefault(name, []).append((what, place, data))

    def survivors(self, chance=None):
        """The files after the cut: synced bytes, and with `chance` any part of the others, torn by sectors."""
        files = {}
        for name, safe in self.safe.items():
            if name in self.unnamed and not (chance and chance.random() < 0.5):
                continue
            content = bytearray(safe)
            for what, place, data in self.loose.get(name, []) if chance else []:
                if what == "t":
                    if chance.random() < 0.5:
                        apply(content, what, place, data)
                    continue
                for start in range(0, len(data), SECTOR):
                    if chance.random() < 0.7:
                        apply(content, "w", place + start, data[start:start + SECTOR])
            files[name] = content
        return files


def apply(content, what, place, data):
    if what == "t":
        del content[place:]
        content.extend(bytes(place - len(content)))
        return
    if len(content) < place:
        content.extend(bytes(place - len(content)))
    content[place:place + len(data)] = data


def recorded(house, name, binary, slips, more=()):
    """One load with the recorder in the server; each ruling with the place in the journal where it was known."""
    desk = Desk.ready(binary, house.folder(name))
    base, journal = house.folder(name + "-base"), desk.folder / "journal"
    shutil.copytree(desk.data, base)
    environment = {"LD_PRELOAD": str(shim(house)), "SHIM_FOLDER": str(desk.data), "SHIM_LOG": str(journal)} | dict(more)
    server, books, known = desk.start(more=environment), Books(house.seed), {}
    client = server.client()
    for _ in range(slips):
        key, slip = books.slip()
        answer = client.file(key, slip)
        books.hear(key, answer)
        if answer and answer.is_ruling:
            known[key] = os.stat(journal).st_size
    server.kill()
    return desk, base, Journal(journal), books, known


def outage(house, row, run, cuts, torn):
    """Cuts the power at seeded moments and compares what is left with what was told by then."""
    desk, base, journal, books, known = run
    moments = set(house.chance.sample(range(1, len(journal.steps)), min(cuts, len(journal.steps) - 1)))
    disk, integrity = Disk(base), 0
    for number, (at, what, name, place, data) in enumerate(journal.steps):
        disk.step(what, name, place, data)
        if number not in moments:
            continue
        after = desk.copy(house.folder("after"))
        for name in (DATABASE, LOG, DATABASE + "-shm"):
            (after.data / name).unlink(missing_ok=True)
        shutil.rmtree(after.data / "checkpoints", ignore_errors=True)
        for name, content in disk.survivors(house.chance if torn else None).items():
            (after.data / name).write_bytes(content)
        row.tried += 1
        try:
            rulings = after.rulings()
            integrity += intact(after)
        except sqlite3.DatabaseError as why:
            row.fail(f"cut {number}: {why}")
            continue
        row.compare(books, rulings, [key for key, place in known.items() if place <= at])
        row.verify(after)
    return integrity


def intact(desk):
    scratch = desk.folder / "look"
    shutil.copytree(desk.data, scratch)
    database = sqlite3.connect(scratch / DATABASE)
    try:
        return database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        database.close()
        shutil.rmtree(scratch)


def power_cuts(house):
    """A5, A6: no ruling that was told is lost; a server without FULL loses some in the same harness."""
    cuts, slips = (400, 600) if house.long else (60, 250)
    normal = {"ADJUDGE_FAULT_SYNCHRONOUS": "normal", "ADJUDGE_FAULT_UNCHECKED": "1"}
    blind = Figures("control")
    outage(house, blind, recorded(house, "a5-control", house.hooks, slips, normal), cuts, torn=False)
    run, rows = recorded(house, "a5", house.binary, slips), []
    checkpoints = sum(what == "w" and name == DATABASE for _, what, name, _, _ in run[2].steps)
    for fault, torn in (("A5 power cut, synced bytes only", False), ("A6 power cut, torn sectors", True)):
        row = Figures(fault)
        whole = outage(house, row, run, cuts, torn)
        row.must(whole == row.tried, f"integrity ok {whole} of {row.tried}")
        row.must(blind.lost > 0, "the control lost nothing: the harness is blind")
        row.must(checkpoints > 0, "no checkpoint of the WAL took place")
        row.control = f"synchronous=NORMAL loses {blind.lost} in {blind.tried} cuts"
        row.note = f"{len(run[4])} rulings, integrity ok {whole}, {checkpoints} pages checkpointed"
        rows.append(row)
    return rows
