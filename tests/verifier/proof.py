#!/usr/bin/env python3
"""Checks a proof of adjudge about a log, knowing nothing but docs/ledger.md and RFC 9162.

usage: proof.py inclusion PROOF KEY CHECKPOINT LEAF
       proof.py consistency PROOF KEY NEWER OLDER

PROOF is what the server answered, KEY its verifier key, the others signed checkpoints; LEAF is the entry's line. Exit code
0: proved. 1: not proved, and one line says why. 2: not called properly. Python 3.8 or later, standard library only.
"""

import json, sys
from pathlib import Path

from verify import need, read_checkpoint, read_key, sha256, unbase64


def node(left, right):
    return sha256(b"\x01", left, right)


def fold(place, last, root, path, both=False):
    """RFC 9162 sections 2.1.3.2 and 2.1.4.2: the root of the larger log, and with `both` that of the smaller."""
    smaller = root
    for hash in path:
        need(last > 0, "the proof is too long")
        if place % 2 or place == last:
            root, smaller = node(hash, root), node(hash, smaller)
            while place % 2 == 0 and place:
                place, last = place // 2, last // 2
        else:
            root = node(root, hash)
        place, last = place // 2, last // 2
    need(last == 0, "the proof is too short")
    return (root, smaller) if both else root


def check_inclusion(proof, path, size, root, line):
    seq, leaf = proof["seq"], json.loads(line)
    need(proof["size"] == size and 0 <= seq < size, "the proof is about a log of another size")
    need((leaf["log"], leaf["seq"]) == (proof["log"], seq), "the entry is not the one that the proof names")
    hashed = sha256(b"\x00", line)
    need(unbase64(proof["leaf_hash"]) == hashed, "the entry is not the one that the proof is about")
    need(fold(seq, size - 1, hashed, path) == root, "the entry is not in the log that was signed")
    return f"entry {seq} is in the log of {size}"


def check_consistency(proof, path, size, root, older):
    _, old_size, old_root = older
    need((proof["from"], proof["to"]) == (old_size, size), "the proof is about logs of other sizes")
    need(unbase64(proof["from_root"]) == old_root, "the proof begins with another root")
    if old_size in (0, size):
        need(not path and (old_size == 0 or old_root == root), "the log is not the one that was signed earlier")
        return f"{old_size} and {size} are one log"
    if old_size & (old_size - 1) == 0:
        path = [old_root] + path
    need(path, "the proof is too short")
    place, last = old_size - 1, size - 1
    while place % 2:
        place, last = place // 2, last // 2
    found, smaller = fold(place, last, path[0], path[1:], both=True)
    need(smaller == old_root and found == root, "the log does not begin with the one that was signed earlier")
    return f"the log of {size} begins with the log of {old_size}"


def check(kind, proof, key, newer, other):
    proof = json.loads(Path(proof).read_text())
    name = f"adjudge/{proof['log']}"
    key = read_key(Path(key), name)
    _, size, root = read_checkpoint(Path(newer), name, *key)
    path = [unbase64(hash) for hash in proof["proof"]]
    need(all(len(hash) == 32 for hash in path), "a hash has another length")
    need(unbase64(proof["root" if kind == "inclusion" else "to_root"]) == root, "the proof ends with another root")
    if kind == "inclusion":
        return check_inclusion(proof, path, size, root, Path(other).read_bytes().rstrip(b"\n"))
    return check_consistency(proof, path, size, root, read_checkpoint(Path(other), name, *key))


if __name__ == "__main__":
    if len(sys.argv) != 6 or sys.argv[1] not in ("inclusion", "consistency"):
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    try:
        print(check(*sys.argv[1:]))
    except (ValueError, KeyError, OSError) as error:
        sys.exit(print(f"not proved: {error}") or 1)
