"""What the waits say."""

import math
import statistics

# How much is cut off at each end, by how long the two slips of a pair took together, which does not depend on which of
# them was quick. It is what else the machine did; with less cut off, that drowns the control on a busy one.
CUT = 0.1


class Figures:
    """One line: how much longer a slip waits with the bad word last. `z` is that in standard errors."""

    def __init__(self, build, waits):
        self.build, self.pairs = build, len(waits)
        self.first_us, self.last_us = (statistics.median(arm) / 1000 for arm in zip(*waits))
        cut = int(len(waits) * CUT)
        differences = [last - first for first, last in sorted(waits, key=sum)[cut:len(waits) - cut]]
        self.mean_ns = statistics.fmean(differences)
        self.z = self.mean_ns / (statistics.stdev(differences) / math.sqrt(len(differences)))

    def __str__(self):
        return (f"{self.build:<10}  {self.pairs} pairs  median {self.first_us:.1f} µs first, {self.last_us:.1f} µs last  "
                f"mean difference {self.mean_ns:+.0f} ns  z {self.z:+.2f}")
