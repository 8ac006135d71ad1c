"""The clock of the machine goes wrong: a start before the newest entry, one far after it, a leap while the server runs."""

import json
import subprocess
import time

from floor import GOOD, ROOT, Desk, Figures

HOUR, DAY = 3600, 24 * 3600


class Machine:
    """A desk whose programs are told another time, which can be changed while they run."""

    def __init__(self, house, name):
        self.desk = Desk.ready(house.binary, house.folder(name))
        self.offset = self.desk.folder / "offset"
        self.library = house.scratch / "clock.so"
        if not self.library.exists():
            source = ROOT / "tests/faults/clock.c"
            subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, source], check=True)
        new = self.desk.folder / "new.txt"
        new.write_text("\n".join([*GOOD, "QIX"]) + "\n")
        self.desk.done("lexicon", "import", new, "--id", "NEW")
        self.filed = 0
        self.set(0)

    def set(self, seconds):
        """Sets the clock so many seconds before or after the real time."""
        following = self.offset.with_suffix(".next")
        following.write_text(str(seconds))
        following.rename(self.offset)

    def start(self):
        return self.desk.start(more={"LD_PRELOAD": str(self.library), "CLOCK_OFFSET": str(self.offset)})

    def switch(self, days):
        """The division plays with the list that has QIX from that day on."""
        day = time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * DAY))
        self.desk.done("division", "set", "lagos", "A", "--lexicon", "NEW", "--from", day)

    def challenge(self, server):
        """Files QIX for a table of its own: the ruling, and what the ledger has of it."""
        self.filed += 1
        slip = {"division": "A", "table": self.filed, "words": ["QIX"]}
        answer = server.client().file(f"clock-{self.filed}", slip)
        ruling = json.loads(answer.body).get("ruling") if answer else None
        entries = [json.loads(leaf) for leaf in self.desk.leaves()]
        return ruling, [entry["at"] for entry in entries if entry["kind"] == "slip-ruled"][-1]


def doubt(server):
    """What `/readyz` says of the clock; it must be ready all the same."""
    answer = server.get("/readyz")
    return json.loads(answer.body).get("clock") if answer.status == 200 else "not ready"


def soon(holds):
    for _ in range(50):
        if holds():
            return True
        time.sleep(0.1)
    return False


def starts_before_the_newest_entry(house):
    """G1: the division was switched by its day, power is lost, and the machine starts with an earlier clock."""
    row, machine = Figures("G1 clock before the newest entry"), Machine(house, "g1")
    server = machine.start()
    before, _ = machine.challenge(server)
    machine.switch(2)
    server.kill()
    machine.set(3 * DAY)
    server = machine.start()
    switched, switched_at = machine.challenge(server)
    row.must(doubt(server) is None, "a clock that runs on is doubted")
    server.kill()
    for number, clock in enumerate((0, -400 * DAY, 3 * DAY - HOUR)):
        machine.set(clock)
        server = machine.start()
        ruling, at = machine.challenge(server)
        row.tried += 1
        row.false += ruling != "acceptable"
        row.must(at >= switched_at, f"the time goes back from {switched_at} to {at}")
        row.must("before the newest entry" in (doubt(server) or ""), f"/readyz says nothing of a clock {clock} s off")
        # The log says it with the first look at the ledger, which comes a moment after the start.
        row.must(soon(lambda: "before the newest entry" in server.said()), "the log says nothing")
        switched_at = at
        server.kill() if number % 2 else server.stop()
    row.verify(machine.desk)
    row.must((before, switched) == ("unacceptable", "acceptable"), f"the switch by date does not show: {before}, {switched}")
    row.control = f"QIX is {before} before the switch, {switched} after it"
    return row


def starts_far_after_the_newest_entry(house):
    """G2: the clock is 31 days ahead at a start, which is doubted until a director confirms the right time."""
    row, machine = Figures("G2 clock far after the newest entry"), Machine(house, "g2")
    machine.set(31 * DAY)
    server = machine.start()
    row.must("more than 30 days" in (doubt(server) or ""), "/readyz says nothing")
    _, ahead = machine.challenge(server)
    server.kill()
    server = machine.start()
    row.must(doubt(server) is not None, "the next start forgets it")
    machine.set(0)
    confirmed = subprocess.run([machine.desk.binary, "clock", "confirm"], env=machine.desk.environment(),
                               capture_output=True, text=True, check=False)
    row.must(confirmed.returncode == 0, confirmed.stderr)
    row.must(soon(lambda: doubt(server) is None), "a confirmed clock is doubted")
    _, back = machine.challenge(server)
    row.must(back < ahead, f"the time does not follow the clock: {ahead}, {back}")
    row.tried += 3
    row.must(server.stop() == 0, "the server did not stop with 0")
    row.verify(machine.desk)
    row.control = f"an entry of {ahead[:10]} before, of {back[:10]} after"
    return row


def leaps_while_running(house):
    """G3: the clock leaps while slips are filed. Time stands or runs on; it never goes back."""
    row, machine = Figures("G3 clock leaps while running"), Machine(house, "g3")
    machine.set(HOUR)
    server = machine.start()
    _, last = machine.challenge(server)
    first = last
    leaps = [house.chance.randrange(-2 * DAY, 2 * DAY) for _ in range(40 if house.long else 12)]
    for leap in [*leaps, 0]:
        machine.set(leap)
        _, at = machine.challenge(server)
        row.tried += 1
        row.must(at >= last, f"the time goes back from {last} to {at} after a leap to {leap} s")
        last = at
    row.must(soon(lambda: doubt(server) is not None), "/readyz does not say that the clock is behind")
    machine.set(60 * DAY)
    row.must(soon(lambda: doubt(server) is not None), "a leap of 60 days is not doubted")
    row.must(server.stop() == 0, "the server did not stop with 0")
    row.verify(machine.desk)
    row.control = f"entries from {first[:16]} to {last[:16]}"
    return row
