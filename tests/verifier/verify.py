#!/usr/bin/env python3
"""Verifies an exported log of adjudge, knowing nothing but docs/ledger.md.

usage: verify.py FOLDER LOG [CHECKPOINT ...]
       verify.py FOLDER --all

FOLDER holds LOG.jsonl, LOG.checkpoint and LOG.vkey. A CHECKPOINT is one that was
kept elsewhere, older or newer. With --all every log of FOLDER is verified, those that
were closed are compared with what their continuations say, and none may be missing. Exit code 0: whole. 1: broken, and one line says
what. 2: not called properly. Python 3.8 or later, standard library only.
"""

import base64, hashlib, json, re, sys
from datetime import datetime
from pathlib import Path


def need(claim, what):
    if not claim:
        raise ValueError(what)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unbase64(text):
    data = base64.b64decode(text, validate=True)
    need(base64.b64encode(data).decode() == text, "base64 is not written plainly")
    return data


# Ed25519 (RFC 8032 section 5.1) in affine coordinates: slow, short, for public data
# only. Most other languages have it in a library, and then these 20 lines are one.
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(a, b):
    (x1, y1), (x2, y2) = a, b
    k = D * x1 * x2 * y1 * y2
    return (x1 * y2 + x2 * y1) * pow(1 + k, -1, P) % P, (y1 * y2 + x1 * x2) * pow(1 - k, -1, P) % P


def times(n, point):
    half = times(n // 2, add(point, point)) if n else (0, 1)
    return add(half, point) if n % 2 else half


def point(data):
    sign, y = divmod(int.from_bytes(data, "little"), 2**255)
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    # A point of small order would fit signatures that no key holder made.
    need(y < P and x * x % P == square and times(8, (x, y)) != (0, 1), "a key or signature is no usable point")
    return x if x % 2 == sign else P - x, y


def is_signed(public, text, signature):
    s = int.from_bytes(signature[32:], "little")
    need(len(signature) == 64 and s < ORDER, "a signature is not one")
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + text).digest(), "little") % ORDER
    base = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    return times(s, base) == add(point(signature[:32]), times(k, point(public)))


def read_key(path, name):
    # A name may hold a +, and so may base64: the two parts on the right have fixed lengths.
    parts = re.fullmatch(r"(\S+)\+([0-9a-f]{8})\+(\S{44})\n", path.read_bytes().decode())
    need(parts and parts[1] == name, f"{path} is not the key of {name}")
    typed = unbase64(parts[3])
    need(typed[0] == 1 and sha256(name.encode(), b"\n", typed)[:4].hex() == parts[2], f"{path} is damaged")
    return bytes.fromhex(parts[2]), typed[1:]


def read_checkpoint(path, name, key_id, public):
    note = path.read_bytes().decode()
    text, _, signatures = note.rpartition("\n\n")
    lines = text.split("\n")
    need(len(lines) >= 3 and all(lines) and not re.search(r"[\x00-\x09\x0b-\x1f]", note), f"{path} is no checkpoint")
    need(lines[0] == name and re.fullmatch("0|[1-9][0-9]*", lines[1]), f"{path} is about another log or has no size")
    found = re.findall("\u2014 (\\S+) (\\S+)\n", signatures)
    need("".join(f"\u2014 {who} {what}\n" for who, what in found) == signatures, f"{path} has a line too many")
    ours = [unbase64(what)[4:] for who, what in found if (who, unbase64(what)[:4]) == (name, key_id)]
    valid = [is_signed(public, f"{text}\n".encode(), signature) for signature in ours]
    need(valid and all(valid), f"{path} is not signed by this key")
    return path, int(lines[1]), unbase64(lines[2])


def whole(text):
    need(abs(int(text)) < 2**53, "a number is too large")
    return int(text)


def in_order(members):
    return dict(sorted(members, key=lambda member: member[0].encode("utf-16-be")))


def check_leaf(line, log, seq, before):
    need(line.endswith(b"\n") and len(line) <= 2**20 + 1, "its line is cut off or too long")
    text = line[:-1].decode()
    leaf = json.loads(text, parse_int=whole, parse_float=whole, parse_constant=whole, object_pairs_hook=in_order)
    # Keys that are there twice, other spellings, white space and CR all show in the text written anew.
    need(json.dumps(leaf, ensure_ascii=False, separators=(",", ":")) == text, "it is not canonical JSON")
    need(list(leaf) == ["actor", "at", "kind", "log", "payload", "seq", "v"], "its fields are not those of an entry")
    types = [type(value) for value in [*leaf.values(), *leaf["actor"].values()]]
    need(types == [dict, str, str, str, dict, int, int, str, str, str], "its fields are not of the right types")
    need(list(leaf["actor"]) == ["id", "name", "role"], "its actor is not one")
    need((leaf["log"], leaf["seq"], leaf["v"]) == (log, seq, 1), "its log, place or version is another")
    time = datetime.strptime(leaf["at"], "%Y-%m-%dT%H:%M:%S.%fZ").isoformat(timespec="microseconds") + "Z"
    runs_on = before <= leaf["at"] or leaf["kind"] == "clock-confirmed"
    need(runs_on and leaf["at"] == time, "its time runs back or is not of its form")
    return time


def root_of(hashes):
    if len(hashes) < 2:
        return hashes[0] if hashes else sha256()
    half = 1 << ((len(hashes) - 1).bit_length() - 1)
    return sha256(b"\x01", root_of(hashes[:half]), root_of(hashes[half:]))


def verify(folder, log, outside):
    name, hashes, time = f"adjudge/{log}", [], ""
    key = read_key(folder / f"{log}.vkey", name)
    checkpoints = [read_checkpoint(path, name, *key) for path in [folder / f"{log}.checkpoint", *outside]]
    lines = open(folder / f"{log}.jsonl", "rb")
    for line in iter(lambda: lines.readline(2**20 + 2), b""):
        try:
            time = check_leaf(line, log, len(hashes), time)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"entry {len(hashes)}: {error}") from error
        hashes.append(sha256(b"\x00", line[:-1]))
    for path, size, root in checkpoints:
        need(size <= len(hashes), f"the log has {len(hashes)} entries, {path} {size}: entries are missing")
        need(root_of(hashes[:size]) == root, f"one of the entries 0 to {size - 1} is not the one that {path} covers")
    need(checkpoints[0][1] == len(hashes), f"entry {checkpoints[0][1]}: from here on nothing is signed")
    return f"whole, {len(hashes)} entries, root {root_of(hashes).hex()}"


def as_it_lies(folder, log):
    lines = (folder / f"{log}.jsonl").read_bytes().splitlines(keepends=True)
    return len(lines), base64.b64encode(root_of([sha256(b"\x00", line[:-1]) for line in lines])).decode()


def verify_all(folder):
    logs = {path.name[:-len(path.suffix)] for path in folder.iterdir() if path.suffix in (".jsonl", ".vkey", ".checkpoint")}
    opened, closed, found = {"server"}, {}, []
    for log in sorted(logs, key=lambda log: int(re.split("[~+]", log + "~1")[1])):
        for line in (folder / f"{log}.jsonl").read_bytes().splitlines():
            leaf = json.loads(line)
            if leaf["kind"] == "log-opened":
                opened.add(leaf["payload"]["opened"])
            if leaf["kind"] == "restored":
                closed.update({one["log"]: one for one in leaf["payload"]["closed"]})
    empty = {log for log, one in closed.items() if one["size"] == 0}
    need(opened | set(closed) <= logs | empty, f"logs are missing: {sorted((opened | set(closed)) - logs - empty)}")
    for log in sorted(logs):
        lost = 0
        if log in closed:
            one = closed[log]
            need(as_it_lies(folder, log) == (one["size"], one["root"]), f"{log} is not as it was when it was closed")
            lost = max(0, (one["checkpoint"] or one)["size"] - one["size"])
        found.append(f"{log}: {verify(folder, log, [])}" + (f", closed, {lost} more are lost" if log in closed else ""))
    return "\n".join(found)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    try:
        if sys.argv[2] == "--all":
            sys.exit(print(verify_all(Path(sys.argv[1]))))
        print(f"{sys.argv[2]}: {verify(Path(sys.argv[1]), sys.argv[2], list(map(Path, sys.argv[3:])))}")
    except (ValueError, OSError) as error:
        sys.exit(print(f"{sys.argv[2]}: broken: {error}") or 1)
