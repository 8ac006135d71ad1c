"""The way between client and server: requests lost, doubled, swapped and cut, by a small proxy."""

import json
import random
import socket
import threading
import time

from floor import SLIPS, Answer, Books, Desk, Figures


def request_bytes(token, key, slip):
    body = json.dumps(slip)
    return (f"POST {SLIPS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nIdempotency-Key: {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode()


def sent_once(port, raw, timeout=15):
    """Sends a whole request on a connection of its own and returns all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout) as line:
        line.sendall(raw)
        return all_of(line)


def all_of(line):
    answer = b""
    while chunk := line.recv(65536):
        answer += chunk
    return answer


class Proxy:
    """Takes one request a connection and does to it what `manner` says."""

    MANNERS = ("whole", "lost before", "lost after", "cut request", "cut answer", "twice", "held")

    def __init__(self, port, manners, seed):
        self.port, self.manners, self.chance, self.lock = port, manners, random.Random(seed), threading.Lock()
        self.counts, self.shelf = {}, []
        self.door = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.own = self.door.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                line, _ = self.door.accept()
            except OSError:
                return
            threading.Thread(target=self.carry, args=(line,), daemon=True).start()

    def carry(self, line):
        try:
            with line:
                raw = read_request(line)
                if not raw:
                    return
                with self.lock:
                    manner = self.chance.choice(self.manners)
                    self.counts[manner] = self.counts.get(manner, 0) + 1
                    cut = self.chance.random()
                answer = self.treat(manner, raw, cut)
                if answer:
                    line.sendall(answer)
        except OSError:
            pass

    def treat(self, manner, raw, cut):
        if manner == "lost before":
            return None
        if manner == "cut request":
            with socket.create_connection(("127.0.0.1", self.port), 15) as line:
                line.sendall(raw[:int(cut * len(raw))])
            return None
        if manner == "twice":
            # The second copy may overtake the first.
            second = threading.Thread(target=sent_once, args=(self.port, raw))
            second.start()
            answer = sent_once(self.port, raw)
            second.join()
            return answer
        if manner == "held":
            # Swapped with its neighbour: the next request goes first.
            with self.lock:
                self.shelf.append(raw)
            time.sleep(0.05 + cut / 10)
        answer = sent_once(self.port, raw)
        if manner == "lost after":
            return None
        return answer[:int(cut * len(answer))] if manner == "cut answer" else answer

    def close(self):
        self.door.close()


def read_request(line):
    raw = b""
    line.settimeout(15)
    while b"\r\n\r\n" not in raw:
        chunk = line.recv(65536)
        if not chunk:
            return b""
        raw += chunk
    head, _, body = raw.partition(b"\r\n\r\n")
    size = next(int(field.split(b":")[1]) for field in head.split(b"\r\n") if field.lower().startswith(b"content-length"))
    while len(body) < size:
        chunk = line.recv(65536)
        if not chunk:
            return b""
        body += chunk
        raw += chunk
    return raw.replace(b"Connection: keep-alive", b"Connection: close")


class OneShot:
    """A client that opens a connection for each request, as through a bad network."""

    def __init__(self, port, token):
        self.port, self.token = port, token

    def file(self, key, slip):
        try:
            raw = sent_once(self.port, request_bytes(self.token, key, slip))
        except OSError:
            return None
        return parsed(raw)


def parsed(raw):
    head, found, body = raw.partition(b"\r\n\r\n")
    if not found:
        return None
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    if len(body) != int(headers.get("content-length", "-1")):
        return None
    return Answer(int(lines[0].split()[1]), headers, body)


def through(house, row, desk, manners, slips, clients=8):
    """Files slips through the proxy, each again with its key until it is ruled."""
    books, server = Books(house.seed), desk.start()
    proxy = Proxy(server.port, manners, house.seed)
    tries = [0]

    def work():
        client = OneShot(proxy.own, desk.token)
        while True:
            with books.lock:
                if books.next >= slips:
                    return
            key, slip = books.slip()
            for _ in range(60):
                tries[0] += 1
                answer = client.file(key, slip)
                books.hear(key, answer)
                if answer and answer.is_ruling:
                    break
            else:
                row.fail(f"{key} was never ruled")

    threads = [threading.Thread(target=work) for _ in range(clients)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    proxy.close()
    time.sleep(0.5)
    row.replay(books, server, list(books.sent))
    row.must(server.stop() == 0, "stop")
    rulings = desk.rulings()
    row.compare(books, rulings)
    row.must(set(rulings) == set(books.sent), "rows and keys differ")
    row.verify(desk)
    row.tried = len(books.sent)
    return proxy.counts, tries[0]


def lost_and_cut(house):
    """C5, C11: requests and answers lost or cut at any byte."""
    row = Figures("C5/C11 lost and cut on the way")
    desk = Desk.ready(house.binary, house.folder("c5"))
    manners = ("whole", "lost before", "lost after", "cut request", "cut answer")
    counts, tries = through(house, row, desk, manners, 2000 if house.long else 500)
    row.control = f"{tries - row.tried} retries were needed"
    row.must(tries > row.tried, "nothing was lost")
    row.note = ", ".join(f"{manner} {times}" for manner, times in sorted(counts.items()))
    return row


def doubled_and_swapped(house):
    """C9: every request twice, neighbours swapped."""
    row = Figures("C9 doubled and swapped")
    desk = Desk.ready(house.binary, house.folder("c9"))
    counts, _ = through(house, row, desk, ("twice", "held", "twice"), 1000 if house.long else 400)
    control = Desk.ready(house.binary, house.folder("c9-control"))
    # The same twice under two keys is two slips: the harness can see a double.
    server, books = control.start(), Books(house.seed)
    client = server.client()
    _, slip = books.slip()
    told = {client.file(key, slip).location for key in ("one", "two")}
    server.stop()
    row.must(len(told) == 2 and len(control.rulings()) == 2, "the control")
    row.control = "two keys are two rows"
    row.note = ", ".join(f"{manner} {times}" for manner, times in sorted(counts.items()))
    return row


def hang_up(house):
    """C6: the client closes right after sending; then everything is sent again."""
    row, books = Figures("C6 client hangs up after sending"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("c6"))
    server, slips = desk.start(), 1000
    for _ in range(slips):
        key, slip = books.slip()
        with socket.create_connection(("127.0.0.1", server.port), 10) as line:
            line.sendall(request_bytes(desk.token, key, slip))
    time.sleep(2)
    between = desk_rows(desk)
    row.doubled += sum(len(rows) - 1 for rows in between.values())
    client = server.client()
    for key, slip in books.sent.items():
        answer = client.file(key, slip)
        row.must(answer is not None and answer.is_ruling, f"{key} again")
        books.hear(key, answer)
        if key in between and answer is not None:
            row.changed += answer.location.rsplit("/", 1)[1] != between[key][0][0]
    server.stop()
    rulings = desk.rulings()
    row.compare(books, rulings)
    row.must(len(rulings) == slips, f"{len(rulings)} rows")
    row.verify(desk)
    row.tried = slips
    row.control = f"{len(between)} rows before the retry, {len(rulings)} after"
    row.must(0 < len(between), "no slip of a client that hung up was written")
    return row


def desk_rows(desk):
    """Read while the server runs; a copy of database and log is taken until it is consistent."""
    for _ in range(5):
        try:
            return desk.rulings()
        except Exception:
            time.sleep(0.3)
    return desk.rulings()


def same_key_at_once(house):
    """C2: one key from 32 connections at the same moment."""
    row, books = Figures("C2 one key from 32 connections"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("c2"))
    server = desk.start()
    for _ in range(50 if house.long else 20):
        key, slip = books.slip()
        gate = threading.Barrier(32)

        def work():
            client = server.client()
            gate.wait()
            books.hear(key, client.file(key, slip))

        threads = [threading.Thread(target=work) for _ in range(32)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        row.tried += 32
        row.changed += len(set(books.told.get(key, []))) - 1
    server.stop()
    row.compare(books, desk.rulings())
    row.verify(desk)
    row.control = f"{len(books.told)} keys, {sum(map(len, books.told.values()))} answers"
    return row
