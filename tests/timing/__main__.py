"""Whether time tells where the bad word stands: `scripts/timing [--pairs N] [--seed N]`. Prints one line a build. Exit 0
when nothing is seen of the program (|z| < 3) and early exit is seen of its control (|z| > 10); else 1."""

import argparse
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "faults"))

from figures import Figures  # noqa: E402
from hall import Hall  # noqa: E402
from pairs import Words, drawn  # noqa: E402

# Unmeasured slips of either kind before the pairs.
WARM_UP = 500


def measured(build, binary, pairs, seed):
    """Files all pairs with one server of its own."""
    chance = random.Random(seed)
    words = Words.built_in()
    with Hall(binary, slips=2 * (pairs + WARM_UP)) as hall:
        for _ in range(WARM_UP):
            bad, good = words.play(chance)
            hall.line.ask(hall.request([*good, good[0]]), b"acceptable")
            hall.line.ask(hall.request([bad, *good]), b"unacceptable")
        files = [drawn(words, hall, chance) for _ in range(pairs)]
        return Figures(build, hall.waits(files))


def main():
    said = argparse.ArgumentParser(prog="scripts/timing", description=__doc__)
    said.add_argument("--plain", required=True, help=argparse.SUPPRESS)
    said.add_argument("--early", required=True, help=argparse.SUPPRESS)
    said.add_argument("--pairs", type=int, default=60_000, help="pairs of slips a build (60000)")
    said.add_argument("--seed", type=int, default=1)
    args = said.parse_args()
    print(f"seed {args.seed}, {args.pairs} pairs a build, bad word first against last", flush=True)
    plain = measured("plain", args.plain, args.pairs, args.seed)
    print(plain, flush=True)
    early = measured("early exit", args.early, args.pairs, args.seed)
    print(early, flush=True)
    if abs(plain.z) >= 3:
        print("FAILED: the time tells where the bad word stands")
    if abs(early.z) <= 10:
        print("FAILED: early exit was not seen, so that nothing is proved: take more pairs or a quieter machine")
    return 0 if abs(plain.z) < 3 and abs(early.z) > 10 else 1


if __name__ == "__main__":
    sys.exit(main())
