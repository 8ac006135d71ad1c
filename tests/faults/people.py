"""People at the door while others play: what a crowd that signs in costs those who wait for a ruling."""

import os
import selectors
import signal
import socket
import threading
import time
import urllib.parse

from floor import Books, Desk, Figures

CROWD = 200
# Signing in is limited by address. All of 127.0.0.0/8 is this machine, so a crowd comes from five of them.
FROM_ONE_ADDRESS = 40
SLIPS_A_SECOND = 20


class Pace:
    """Files slips at a steady pace from the moment it is made, each timed from when it was due: a slip that waits for the
    one before it has waited as long as its players."""

    def __init__(self, server, books):
        self.server, self.books, self.took, self.refused = server, books, [], 0
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.file)
        self.thread.start()

    def file(self):
        client, began = self.server.client(), time.monotonic()
        for number in range(120 * SLIPS_A_SECOND):
            due = began + number / SLIPS_A_SECOND
            if self.stopping.wait(max(0.0, due - time.monotonic())):
                return
            key, slip = self.books.slip()
            answer = client.file(key, slip)
            self.took.append(time.monotonic() - due)
            self.books.hear(key, answer)
            self.refused += not (answer and answer.is_ruling)

    def stop(self):
        """The 99th percentile in milliseconds, and of how many."""
        self.stopping.set()
        self.thread.join()
        took = sorted(self.took)
        return 1000 * took[min(len(took) - 1, int(0.99 * len(took)))], len(took)


def crowd(port, people, wave):
    """Sends all sign-ins at once and waits for all answers: status -> how many, and how long the last one took."""
    ways, told = selectors.DefaultSelector(), {}
    began = time.monotonic()
    for number in range(CROWD):
        name, passphrase = people[number % len(people)]
        line = socket.create_connection(("127.0.0.1", port), 30, (f"127.0.{wave}.{1 + number // FROM_ONE_ADDRESS}", 0))
        body = urllib.parse.urlencode({"name": name, "secret": passphrase})
        line.sendall((f"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
                      "Content-Type: application/x-www-form-urlencoded\r\n"
                      f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode())
        ways.register(line, selectors.EVENT_READ)
    while ways.get_map() and time.monotonic() < began + 30:
        for key, _ in ways.select(1):
            head = key.fileobj.recv(65536)
            status = int(head.split(b" ")[1]) if head.startswith(b"HTTP/") else 0
            told[status] = told.get(status, 0) + 1
            ways.unregister(key.fileobj)
            key.fileobj.close()
    return told, time.monotonic() - began


def sign_ins_while_others_play(house):
    """H11: 200 sign-ins at once, several times, while slips are filed at a steady pace. A figure: p99 idle and during."""
    row, books = Figures("H11 200 sign-ins at once"), Books(house.seed)
    desk = Desk.ready(house.binary, house.folder("h11"))
    people = []
    for number in range(8):
        made = desk.done("staff", "add", f"Person {number}", "--role", "director", "--tournament", "lagos")
        people.append((f"Person {number}", made.strip()))
    server = desk.start()
    seconds, waves = (30, 6) if house.long else (10, 3)
    pace = Pace(server, books)
    time.sleep(seconds)
    idle, idle_count = pace.stop()
    refused = pace.refused

    pace, told, longest = Pace(server, books), {}, 0.0
    for wave in range(1, waves + 1):
        answers, took = crowd(server.port, people, wave)
        longest = max(longest, took)
        for status, count in answers.items():
            told[status] = told.get(status, 0) + count
        row.tried += sum(answers.values())
    during, during_count = pace.stop()
    refused += pace.refused

    # A server that stands still for a moment is seen by the same stopwatch.
    pace = Pace(server, books)
    for _ in range(3):
        time.sleep(0.5)
        os.kill(server.pid, signal.SIGSTOP)
        time.sleep(0.4)
        os.kill(server.pid, signal.SIGCONT)
    time.sleep(0.3)
    stopped, _ = pace.stop()
    refused += pace.refused
    row.must(server.stop() == 0, "the server did not stop with 0")
    row.must(row.tried == CROWD * waves, f"only {row.tried} sign-ins were answered")
    row.must(set(told) <= {303, 403, 429, 503}, f"sign-ins were answered with {told}")
    row.must(told.get(303, 0) > 0, "nobody came in")
    row.must(refused == 0, f"{refused} slips were not ruled")
    row.must(stopped > 300, "the stopwatch does not see a server that stands still for 400 ms")
    row.compare(books, desk.rulings())
    row.verify(desk)
    turned_away = ", ".join(f"{count} x {status}" for status, count in sorted(told.items()) if status != 303)
    row.control = f"p99 {stopped:.0f} ms where the server is stopped for 400 ms"
    row.note = (f"p99 of a slip {idle:.1f} ms idle (of {idle_count}), {during:.1f} ms meanwhile (of {during_count}), ratio "
                f"{during / idle:.1f}; {told.get(303, 0)} came in, turned away {turned_away or 'none'}; a crowd took up to {longest:.1f} s")
    return row
