# SPDX-License-Identifier: Apache-2.0
"""Computes figures of analytics a second time.

usage: main.py METRIC FILE

FILE holds a list of inputs as JSON. A list of what the function of the metric says about each of them is printed.
"""

import json
import sys
from collections import defaultdict

import recompute
import schedules

METRICS = {
    function.__name__.replace("_", "-"): function
    for function in (
        recompute.zone_changes,
        recompute.calendar,
        recompute.share,
        recompute.median,
        recompute.quantile,
        recompute.follow_back,
        recompute.composition,
        recompute.top,
        recompute.trend,
        recompute.engagement,
        recompute.posting_times,
        recompute.forecast,
        recompute.goal,
        recompute.waves,
        schedules.complaints,
    )
}

if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        # A member that is nil is left out of the file.
        inputs = json.load(file, object_hook=lambda members: defaultdict(lambda: None, members))
    print(json.dumps([METRICS[sys.argv[1]](given) for given in inputs]))
