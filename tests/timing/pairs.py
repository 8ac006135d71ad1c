"""The slips of a pair: the same eight words, the bad one first in one and last in the other."""

import json
import pathlib
import subprocess

from floor import ROOT, Failed

TILES = 15


class Words:
    """The longest words of the built-in lexicon, and words as long that are not in it."""

    def __init__(self, listed):
        self.listed = frozenset(listed)
        self.longest = sorted(word for word in self.listed if len(word) == TILES)

    @classmethod
    def built_in(cls):
        """Read from the crate that the program was built with."""
        asked = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
        ran = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
        if ran.returncode != 0:
            raise Failed(f"cargo metadata: {ran.stderr}")
        crate = next(one for one in json.loads(ran.stdout)["packages"] if one["name"] == "wordnik_list")
        text = (pathlib.Path(crate["manifest_path"]).parent / "src/words/all.txt").read_text()
        return cls(word.upper() for word in text.split() if word.isascii() and word.isalpha())

    def play(self, chance):
        """A bad word and seven good ones. The bad one is wrong in its last letter: it is walked as far as a good one."""
        while True:
            bad = chance.choice(self.longest)[:-1] + chance.choice("BJQVXZ")
            if bad not in self.listed:
                return bad, chance.sample(self.longest, 7)


class Pair:
    """Two requests in the order in which they are sent."""

    def __init__(self, requests, bad_first_goes_first):
        self.requests, self.bad_first_goes_first = requests, bad_first_goes_first

    def by_arm(self, waits):
        """The waits, that of the slip with the bad word first before the other."""
        return waits if self.bad_first_goes_first else waits[::-1]


def drawn(words, hall, chance):
    bad, good = words.play(chance)
    plays = [[bad, *good], [*good, bad]]
    bad_first_goes_first = chance.random() < 0.5
    if not bad_first_goes_first:
        plays.reverse()
    return Pair([hall.request(play) for play in plays], bad_first_goes_first)
