"""The container image."""

import subprocess

from floor import ROOT, Figures


def image(house):
    """Everything that scripts/image asserts of the Dockerfile, built and run without a registry."""
    row = Figures("image Dockerfile without a registry")
    ran = subprocess.run([ROOT / "scripts/image"], capture_output=True, text=True)
    proved = [line for line in ran.stdout.splitlines() if line.startswith("ok ")]
    row.tried = len(proved)
    row.must(ran.returncode == 0, f"scripts/image: {ran.stderr[-600:]}")
    row.control = next((line.removeprefix("ok  ") for line in proved if "without a server" in line), "")
    row.must(row.control, "the health check was not tried without a server")
    row.note = ran.stdout.strip().rpartition("\n")[2]
    return row
