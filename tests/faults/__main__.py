"""Faults against the real server: `scripts/faults [--long] [--seed N] [NAME …]`. Prints one row a fault; a row's
control is what shows that the harness would have seen a failure. Exit 0 when nothing was lost, doubled, changed,
ruled falsely or left unverified, and every control worked; else 1."""

import argparse
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import clock  # noqa: E402
import crashes  # noqa: E402
import damage  # noqa: E402
import disk  # noqa: E402
import image  # noqa: E402
import keys  # noqa: E402
import lexica  # noqa: E402
import lists  # noqa: E402
import network  # noqa: E402
import people  # noqa: E402
import postgres  # noqa: E402
import power  # noqa: E402
import tamper  # noqa: E402
import traced  # noqa: E402
from floor import Figures, table  # noqa: E402

FAULTS = {
    "a1": crashes.kill_under_load,
    "a2": traced.kill_at_each_call,
    "a3": traced.eio_at_each_call,
    "a4": traced.sync_before_answer,
    "a5": power.power_cuts,
    "a7": crashes.kill_during_start,
    "a9": crashes.second_server,
    "a10": tamper.put_back,
    "a12": tamper.random_changes,
    "a13": crashes.hooks,
    "a15": crashes.gates,
    "b1": disk.full,
    "b3": disk.read_only,
    "b4": disk.descriptors,
    "b6": disk.locked,
    "b8": disk.slow,
    "b8-queue": disk.queue_full,
    "b9": disk.taken_away,
    "b10": disk.no_database,
    "c1": keys.repeated,
    "c2": network.same_key_at_once,
    "c3": keys.reused,
    "c4": keys.malformed_keys,
    "c5": network.lost_and_cut,
    "c6": network.hang_up,
    "c7": keys.same_key_of_others,
    "c9": network.doubled_and_swapped,
    "f1": lexica.harmed,
    "f4": lists.bad_lists,
    "f5": lexica.bad_indexes,
    "f6": lists.fingerprints,
    "f7": lists.odd_lists,
    "f17": lexica.killed_import,
    "g1": clock.starts_before_the_newest_entry,
    "g2": clock.starts_far_after_the_newest_entry,
    "g3": clock.leaps_while_running,
    "h11": people.sign_ins_while_others_play,
    "v36": lexica.flipped_index,
    "overwritten": damage.overwritten,
    "log-removed": damage.log_removed,
    "memory": damage.short_of_memory,
    "lost-commits": damage.lost_commits,
    "image": image.image,
}
ON_POSTGRES = {
    "d1": postgres.restarts,
    "d2": postgres.two_servers,
    "d4": postgres.unsafe_settings,
    "d5": postgres.stalled,
    "d6": postgres.older_state,
    "d7": postgres.another_key,
    "d8": postgres.both_engines,
    "v28": postgres.database_down,
}
MOUNTS = {"b1", "b3"}
TRACES = {"a2", "a3", "a4", "b3", "b8", "b8-queue"}
# Takes minutes and much of the machine: only with --long, or by its name.
LONG = {"image"}


class House:
    """What every fault is given: the binaries, a seed, and a place for folders."""

    def __init__(self, args):
        self.binary, self.hooks = pathlib.Path(args.binary).resolve(), pathlib.Path(args.hooks).resolve()
        self.seed, self.long = args.seed, args.long
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="adjudge-faults-"))
        self.chance = random.Random(args.seed)

    def folder(self, name):
        path = self.scratch / name
        shutil.rmtree(path, ignore_errors=True)
        return path


def why_not(name):
    """What keeps a fault from being tried here."""
    if name in MOUNTS and not disk.can_mount():
        return "no right to mount a tmpfs (needs root and unshare)"
    if name == "image" and os.geteuid() != 0:
        return "no right to build an image (needs root)"
    if name in TRACES and shutil.which("strace") is None:
        return "no strace (apt-get install strace)"
    if name in ON_POSTGRES and not list(pathlib.Path("/usr/lib/postgresql").glob("*/bin")):
        return "no Postgres (apt-get install postgresql)"
    return None


def tried(house, name, cluster):
    house.chance = random.Random(f"{house.seed} {name}")
    began = time.monotonic()
    try:
        rows = FAULTS[name](house) if name in FAULTS else ON_POSTGRES[name](house, cluster)
    except Exception:
        traceback.print_exc()
        rows = Figures(name)
        rows.fail("the harness could not go on")
    rows = rows if isinstance(rows, list) else [rows]
    for row in rows:
        state = "ok" if row.is_clean else "FAILED"
        print(f"{state}  {row.fault}: tried {row.tried} in {time.monotonic() - began:.0f} s; {row.control}; {row.note}", flush=True)
    return rows


def main():
    says = argparse.ArgumentParser(prog="scripts/faults", description=__doc__)
    says.add_argument("names", nargs="*", metavar="NAME", help=f"some of {' '.join([*FAULTS, *ON_POSTGRES])}; default all")
    says.add_argument("--long", action="store_true", help="as many tries as a release deserves")
    says.add_argument("--seed", type=int, default=1)
    says.add_argument("--binary", required=True, help=argparse.SUPPRESS)
    says.add_argument("--hooks", required=True, help=argparse.SUPPRESS)
    args = says.parse_args()
    names = args.names or [name for name in [*FAULTS, *ON_POSTGRES] if args.long or name not in LONG]
    unknown = [name for name in names if name not in FAULTS and name not in ON_POSTGRES]
    if unknown:
        says.error(f"no such fault: {' '.join(unknown)}")
    house, rows, cluster, skipped = House(args), [], None, []
    print(f"seed {house.seed}{', long' if house.long else ''}, folders in {house.scratch}")
    try:
        for name in names:
            if reason := why_not(name):
                skipped.append(f"{name}: {reason}")
                continue
            if name in ON_POSTGRES and cluster is None:
                cluster = postgres.Cluster()
            rows += tried(house, name, cluster)
    finally:
        if cluster:
            cluster.close()
        shutil.rmtree(house.scratch, ignore_errors=True)
    print()
    table(rows)
    for line in skipped:
        print(f"skipped {line}")
    sys.exit(0 if all(row.is_clean for row in rows) else 1)


main()
