"""A database that is damaged or short of memory under a running server or a check."""

import json
import os
import shutil
import threading
import time

from floor import Books, Desk, Figures, Load
import traced


def overwritten(house):
    """F1: `cp older.db adjudge.db` under load. What is acknowledged ends when it is found out, and the server with 70."""
    row, books = Figures("F1 an older database copied over the file"), Books(house.seed)
    for number in range(3):
        desk = Desk.ready(house.binary, house.folder("overwritten"))
        older = desk.folder / "older.db"
        shutil.copy(desk.data / "adjudge.db", older)
        server = desk.start()
        load = Load(books, server, clients=8)
        time.sleep(3 + number)
        answered = Answered(server)
        # In place: the file keeps its number.
        with open(older, "rb") as source, open(desk.data / "adjudge.db", "wb") as target:
            shutil.copyfileobj(source, target)
        code = server.wait(20)
        load.stop()
        row.tried += 1
        row.must(code == 70, f"exit {code}")
        row.must(answered.after_refusal == 0, f"{answered.after_refusal} rulings after the first refusal")
        said = server.said()
        row.must("the storage failed" in said, "nothing in the log")
        server.kill()
        again = desk.start(wait=0)
        row.must(again.wait(20) == 2, "it starts on what is left")
        again.kill()
    row.control = f"{len(books.told)} rulings before"
    row.note = f"refused {books.refused or 'none'}"
    return row


class Answered(threading.Thread):
    """Files slips one after the other, and counts the rulings after the first refusal."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.after_refusal = server, 0
        self.start()

    def run(self):
        books, client, refused = Books(7), self.server.client(), False
        while not self.server.has_ended():
            key, slip = books.slip("alone")
            answer = client.file(key, slip)
            if answer is None:
                continue
            refused = refused or answer.status == 503
            self.after_refusal += refused and answer.is_ruling


def log_removed(house):
    """F5: the write-ahead log is removed under load. The next start does not serve without what was acknowledged."""
    row = Figures("F5 write-ahead log removed while it serves")
    lost = 0
    for number in range(5):
        books = Books(house.seed + number)
        desk = Desk.ready(house.binary, house.folder("log-removed"))
        server = desk.start()
        load = Load(books, server, clients=8)
        time.sleep(1.2 + number / 4)
        os.unlink(desk.data / "adjudge.db-wal")
        code = server.wait(20)
        load.stop()
        row.tried += 1
        row.must(code == 70, f"exit {code}")
        server.kill()
        missing = set(books.told) - set(desk.rulings())
        again = desk.start(wait=0)
        code = again.wait(5)
        row.must(not missing or code == 2, f"serves without {len(missing)} acknowledged rulings")
        row.must(code != 2 or "missing" in again.said(), f"it does not say what is missing: {again.said()[-300:]}")
        again.kill()
        lost += len(missing)
    row.must(lost > 0, "nothing was lost in any of the runs")
    row.control = f"{lost} acknowledged rulings were lost with the file"
    return row


def short_of_memory(house):
    """F10: `ledger verify` with too little memory says that it could not check, never that the ledger is damaged."""
    row, books = Figures("F10 verify short of memory"), Books(house.seed)
    desk = Desk.ready(house.hooks, house.folder("memory"))
    server = desk.start()
    load = Load(books, server, clients=8)
    time.sleep(6)
    load.stop()
    server.stop()
    codes = {}
    for kilobytes in [*range(200, 3000, 200), 100_000]:
        more = {"ADJUDGE_FAULT_HEAP_BYTES": str(kilobytes * 1024)}
        code, said = desk.run_with(more, "ledger", "verify")
        codes[code] = codes.get(code, 0) + 1
        row.tried += 1
        row.must(code in (0, 2), f"{kilobytes} kB: exit {code}: {said[-300:]}")
        row.must(code == 0 or not any(word in said for word in ("damaged", "broken", "restore")), f"{kilobytes} kB: {said[-300:]}")
    row.must(codes.get(2, 0) > 0 and codes.get(0, 0) > 0, f"exit codes {codes}")
    row.control = f"{codes.get(0, 0)} with enough memory say whole"
    row.note = f"{codes.get(2, 0)} could not check, {len(books.told)} rulings"
    row.verify(desk)
    return row


def lost_commits(house):
    """The answer to each commit is lost, and the commit is not: what was written is found and answered."""
    row, books = Figures("Answers to commits lost"), Books(house.seed)
    desk = Desk.ready(house.hooks, house.folder("lost-commits"))
    create = ["tournament", "create", "abuja", "--title", "Abuja", "--division", "A:T:wespa", "--set", "two_person=true"]
    desk.done(*create)
    tokens = [desk.done("token", "create", "--role", "director", "--tournament", "abuja", "--name", name).strip()
              for name in ("first", "second")]
    server = desk.start(more={"ADJUDGE_FAULT_LOSE_COMMITS": "1"})
    row.must(approved(server, tokens) == (201, "acceptable"), "what was approved is not what is answered")
    traced.warm(server, books, 20)
    row.must(len(books.told) == 20, f"{len(books.told)} of 20 ruled, refused {books.refused}")
    row.replay(books, server, list(books.sent))
    server.kill()
    # Acts of the command line go the same way.
    for act in (
        ["staff", "add", "Ida", "--role", "judge", "--tournament", "lagos"],
        ["staff", "reset", "Ida"],
        ["staff", "remove", "Ida"],
        ["station", "create", "Station 1", "--tournament", "lagos"],
        ["station", "revoke", "Station 1"],
        ["token", "create", "--role", "judge", "--tournament", "lagos", "--name", "spare"],
        ["token", "revoke", "spare"],
        ["division", "set", "lagos", "B", "--lexicon", "T", "--ruleset", "wespa"],
        ["ruleset", "copy", "wespa", "ours"],
        ["tournament", "create", "kano", "--title", "Kano", "--division", "A:T:wespa"],
    ):
        code, said = desk.run_with({"ADJUDGE_FAULT_LOSE_COMMITS": "1"}, *act)
        row.tried += 1
        row.must(code == 0, f"{act}: exit {code}: {said[-300:]}")
    row.tried += 20
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = "a commit that did not take place is none: see A1, V28"
    return row


def approved(server, tokens):
    """What an approval answers, and the ruling that the slip has then."""
    client = server.client()

    def post(who, path, body):
        headers = {"Authorization": f"Bearer {tokens[who]}", "Idempotency-Key": path, "Content-Type": "application/json"}
        return client.ask("POST", path, json.dumps(body), headers)

    slip = post(0, "/api/v1/tournaments/abuja/slips", {"division": "A", "table": 7, "words": ["XX"]}).location
    asked = json.loads(post(0, f"{slip}/rulings", {"ruling": "acceptable", "ground": "misprint"}).body)
    answer = post(1, f"/api/v1/approvals/{asked['approval']}", {"approve": True})
    read = client.ask("GET", slip, None, {"Authorization": f"Bearer {tokens[0]}"})
    return answer.status, json.loads(read.body)["ruling"]
