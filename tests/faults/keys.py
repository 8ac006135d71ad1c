"""Idempotency keys: used twice, for another slip, malformed, and by others."""

import json

from floor import SLIPS, Books, Client, Desk, Figures, expected
from network import desk_rows, request_bytes, sent_once


def repeated(house):
    """C1: the same key and body again gets the same bytes and says so; the ledger has one row."""
    row, books = Figures("C1 the same twice"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("c1"))
    server, marked = desk.start(), 0
    client = server.client()
    for _ in range(100):
        key, slip = books.slip()
        first, again = client.file(key, slip), client.file(key, slip)
        books.hear(key, first)
        books.hear(key, again)
        row.tried += 1
        row.changed += (first.status, first.body, first.location) != (again.status, again.body, again.location)
        marked += ("idempotency-replayed" not in first.headers) and again.headers.get("idempotency-replayed") == "true"
    row.must(marked == row.tried, f"{marked} of {row.tried} were marked as replayed, and only those")
    other = client.file("another", slip)
    row.must(other.location != first.location and "idempotency-replayed" not in other.headers, "another key is another slip")
    server.stop()
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = "another key is another slip"
    row.note = f"{marked} replays marked"
    return row


WHOLE = {"division": "A", "words": ["CAT", "QI"], "declared_count": 2, "table": 12, "round": 7, "challenger": "Ada",
         "opponent": "Grace", "play_score": 34, "out_play": False}
OTHERWISE = {
    "a word": {"words": ["CAT", "ZA"]}, "a word more": {"words": ["CAT", "QI", "QI"], "declared_count": 3},
    "a word less": {"words": ["CAT"], "declared_count": 1}, "the order": {"words": ["QI", "CAT"]}, "table": {"table": 13},
    "no table": {"table": None}, "round": {"round": 8}, "challenger": {"challenger": "Grace"}, "opponent": {"opponent": "Ada"},
    "the name's case": {"challenger": "ADA"}, "score": {"play_score": 35}, "out play": {"out_play": True},
    "no count": {"declared_count": None}, "division": {"division": "B"},
}
ALIKE = {"the letters' case": {"words": ["cat", "Qi"]}, "blanks around": {"words": [" CAT", "QI "]}}


def reused(house):
    """C3: a key with one thing changed is refused with 422, without a ruling or a row. Case of letters is no change."""
    row, books = Figures("C3 key used for another slip"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("c3"))
    server = desk.start()
    client = server.client()
    first = client.file("key", WHOLE)
    books.sent["key"] = WHOLE
    books.hear("key", first)
    for what, change in OTHERWISE.items():
        answer = client.file("key", WHOLE | change)
        row.tried += 1
        row.must(answer.status == 422 and b"idempotency-key-reused" in answer.body, f"{what}: {answer.status} {answer.body}")
        row.must(b'"ruling"' not in answer.body and answer.location is None, f"{what}: a ruling with the refusal")
    for what, change in ALIKE.items():
        answer = client.file("key", WHOLE | change)
        row.tried += 1
        row.must(answer.headers.get("idempotency-replayed") == "true", f"{what}: {answer.status} {answer.body}")
        row.changed += (answer.body, answer.location) != (first.body, first.location)
    rows = len(desk_rows(desk))
    row.must(rows == 1, f"{rows} rows")
    # Each change by itself is a slip that is ruled: it was the key that was refused.
    ruled = sum(client.file(f"fresh-{number}", WHOLE | {"round": 100 + number} | change).is_ruling
                for number, change in enumerate(OTHERWISE.values()))
    row.must(ruled == len(OTHERWISE) - 1, f"{ruled} of {len(OTHERWISE)} changed slips are ruled with a key of their own")
    server.stop()
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = f"{ruled} are ruled under keys of their own"
    row.note = f"{len(ALIKE)} spellings of the same replayed"
    return row


KEYS = {
    "none": b"", "empty": b"Idempotency-Key: \r\n", "129 characters": b"Idempotency-Key: " + b"k" * 129 + b"\r\n",
    "a space": b"Idempotency-Key: a b\r\n", "a tab": b"Idempotency-Key: a\tb\r\n",
    "UTF-8": "Idempotency-Key: ké\r\n".encode(), "Latin-1": "Idempotency-Key: ké\r\n".encode("latin-1"),
    "DEL": b"Idempotency-Key: a\x7fb\r\n", "NUL": b"Idempotency-Key: a\0b\r\n",
    "two": b"Idempotency-Key: a\r\nIdempotency-Key: b\r\n", "twice the same": b"Idempotency-Key: a\r\nIdempotency-Key: a\r\n",
}


def malformed_keys(house):
    """C4: no key, or none that is 1 to 128 visible ASCII characters: 400, and no row."""
    row, books = Figures("C4 no key or a bad one"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("c4"))
    server = desk.start()
    for what, header in KEYS.items():
        _, slip = books.slip()
        raw = request_bytes(desk.token, "KEY", slip).replace(b"Idempotency-Key: KEY\r\n", header)
        answer = sent_once(server.port, raw)
        row.tried += 1
        row.must(answer.startswith(b"HTTP/1.1 400 ") and b'"ruling"' not in answer, f"{what}: {answer[:200]}")
    rows = len(desk_rows(desk))
    row.must(rows == 0, f"{rows} rows")
    longest = "".join(chr(33 + number % 94) for number in range(128))
    ruled = server.client().file(longest, books.slip()[1])
    row.must(ruled.is_ruling, f"128 visible characters: {ruled.status}")
    server.stop()
    row.verify(desk)
    row.control = "a key of 128 visible characters is taken"
    return row


def same_key_of_others(house):
    """C7: a key belongs to its token. The same key and slip from another is that one's own slip, and never what the first
    was told."""
    row, books = Figures("C7 the same key from other tokens"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("c7"))
    tokens = [desk.token] + [
        desk.done("token", "create", "--role", role, "--tournament", "lagos", "--name", f"{role} {number}").strip()
        for number, role in enumerate(("client", "station", "judge", "director"))]
    server = desk.start()
    clients = [Client(server.port, token) for token in tokens]
    for number in range(20):
        key, slip = books.slip()
        answers = [client.file(key, slip) for client in clients]
        again = [client.file(key, slip) for client in clients]
        row.tried += len(answers)
        for answer in answers:
            row.must(answer.is_ruling and "idempotency-replayed" not in answer.headers, f"{key}: {answer.status}, of another")
            row.false += json.loads(answer.body)["ruling"] != expected(slip)
        row.must(len({answer.location for answer in answers}) == len(tokens), f"{key}: somebody else's slip")
        row.changed += sum(one.location != two.location for one, two in zip(answers, again))
    # A key that only another has used is free: asking for its answer tells nothing of the other's.
    key, slip = books.slip()
    clients[0].file(key, slip)
    headers = {"Authorization": f"Bearer {tokens[1]}", "Idempotency-Key": key, "Content-Type": "application/json"}
    asked = clients[1].ask("POST", SLIPS + "/resolve", "{}", headers)
    row.must((asked.status, json.loads(asked.body)) == (200, {"ruling": None}), f"resolve: {asked.status} {asked.body}")
    row.must(clients[0].file(key, slip).headers.get("idempotency-replayed") == "true", "the first one's key was closed")
    server.stop()
    rows = sum(map(len, desk.rulings().values()))
    row.must(rows == row.tried + 1, f"{rows} rows")
    row.verify(desk)
    row.control = "the same token again is answered with its own slip"
    row.note = f"{len(tokens)} tokens, {rows} rows"
    return row
