# SPDX-License-Identifier: Apache-2.0
"""Computes the analytics once more, from their definitions: python recompute.py INPUT OUTPUT, both JSON.

The definitions are those of docs/ANALYTICS.md and of the doc comments; statistics come from numpy and scipy, calendars from
datetime and zoneinfo. Times are microseconds since 1970.
"""
import json
import sys
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
from scipy import stats

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
NETWORK_BEGAN = 1_640_995_200_000_000


def local(moment, zone):
    return (EPOCH + timedelta(microseconds=moment)).astimezone(zone)


def micros(moment):
    return (moment - EPOCH) // timedelta(microseconds=1)


def period(moment, unit, zone):
    """The period that a moment is in: its name, its start and the start of the next one."""
    day = local(moment, zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    if unit == "day":
        start, end, name = day, day + timedelta(days=1), day.strftime("%Y-%m-%d")
    elif unit == "week":
        start = day - timedelta(days=day.weekday())
        end = start + timedelta(days=7)
        year, week, _ = day.isocalendar()
        name = f"{year}-W{week:02}"
    elif unit == "month":
        start = day.replace(day=1)
        end = (start + timedelta(days=32)).replace(day=1)
        name = day.strftime("%Y-%m")
    else:
        start = day.replace(month=1, day=1)
        end = start.replace(year=start.year + 1)
        name = day.strftime("%Y")
    return name, micros(start.replace(tzinfo=zone)), micros(end.replace(tzinfo=zone))


def came(member):
    claimed, after, by = member.get("claimed"), member.get("after"), member["by"]
    lower = NETWORK_BEGAN if after is None else after
    if claimed is not None and lower < claimed <= by:
        return claimed
    return None if after is None else by


def periods_between(first, last, unit, zone):
    found = [period(first, unit, zone)]
    while found[-1][2] <= last:
        found.append(period(found[-1][2], unit, zone))
    return found


def wilson(count, size):
    interval = stats.binomtest(count, size).proportion_ci(method="wilson")
    return [count / size, interval.low, interval.high]


def median_interval(figures):
    """Between the order statistics outside of which the median lies with at most 2.5 % on either side."""
    ordered = np.sort(figures)
    n = len(ordered)
    skipped = int(stats.binom.ppf(0.025, n, 0.5))
    while stats.binom.cdf(skipped, n, 0.5) > 0.025:
        skipped -= 1
    skipped = max(0, skipped)
    return [float(np.median(ordered)), float(ordered[skipped]), float(ordered[n - 1 - skipped])]


def growth(members, zone):
    dated = sorted(c for m in members if m.get("after") is None and (c := came(m)) is not None)
    last_of_day = {}
    for number, moment in enumerate(dated, 1):
        last_of_day[period(moment, "day", zone)[0]] = number
    return sorted(last_of_day.items())


def flows(members, counts, unit, zone):
    first, last = min(c[0] for c in counts), max(c[0] for c in counts)
    arrivals = [c for m in members if (c := came(m)) is not None]
    rows = []
    for name, start, end in periods_between(min([first] + arrivals), last, unit, zone):
        inside = [m for m in members if (c := came(m)) is not None and start <= c < end]
        gained = sum(1 for m in inside if not m["isReturn"])
        lost = sum(1 for m in members if m.get("left") is not None and start <= m.get("left") < end)
        before = [c for c in sorted(counts) if c[0] <= start]
        churn = lost / before[-1][1] if before and before[-1][1] > 0 and end > first else None
        rows.append([name, gained, len(inside) - gained, lost, churn])
    return rows


def cohorts(members, counts, unit, zone):
    first, last = min(c[0] for c in counts), max(c[0] for c in counts)
    groups = defaultdict(list)
    for member in members:
        moment = came(member)
        if moment is not None and not member["isReturn"]:
            groups[period(moment, unit, zone)].append(member)
    rows = []
    for (name, start, _), group in sorted(groups.items(), key=lambda item: item[0][1]):
        retained = []
        for _, _, end in periods_between(start, last, unit, zone):
            if end > last:
                break
            there = sum(1 for m in group if m.get("left") is None or m.get("left") >= end)
            retained.append(None if end < first else there)
        rows.append([name, len(group), retained])
    return rows


def follow_back(pairs):
    delays = [(b - a) / 1e6 for a, b in pairs if a is not None and b is not None and b >= a]
    return [float(q) for q in np.quantile(delays, [0.25, 0.5, 0.75])]


def engagement(posts, zone):
    rates = defaultdict(list)
    for post in posts:
        if post["followers"] <= 0:
            continue
        rate = post["interactions"] / post["followers"]
        moment = local(post["at"], zone)
        for key in ["all", f"hour-{moment.hour}", f"weekday-{moment.isoweekday()}"]:
            rates[key].append(rate)
    return {key: median_interval(group) for key, group in rates.items() if len(group) >= 10}


def smooth(series, alpha, beta, phi):
    """ETS(A,Ad,N): the recursions of Hyndman et al. (2008), section 3.4."""
    head = series[:8]
    level, trend, squares = series[0], (head[-1] - head[0]) / (len(head) - 1), 0.0
    for value in series[1:]:
        error = value - (level + phi * trend)
        level, trend = level + phi * trend + alpha * error, phi * trend + beta * error
        squares += error * error
    return squares, level, trend


def forecast(series, days):
    best = None
    for phi in [0.8, 0.85, 0.9, 0.94, 0.97, 0.98]:
        for alpha in [0.1, 0.27, 0.44, 0.61, 0.78, 0.95]:
            for share in [0.02, 0.1, 0.3, 0.6, 0.9]:
                fit = smooth(series, alpha, alpha * share, phi)
                if best is None or fit[0] < best[0][0]:
                    best = (fit, alpha, alpha * share, phi)
    (squares, level, trend), alpha, beta, phi = best
    sigma2 = squares / max(1, len(series) - 1 - 5)
    rows = []
    for h in range(1, days + 1):
        damped = sum(phi**i for i in range(1, h + 1))
        # Table 6.2 there, for the additive damped trend: c_j = alpha + beta * (phi + ... + phi^j).
        variance = sigma2 * (1 + sum((alpha + beta * sum(phi**i for i in range(1, j + 1))) ** 2 for j in range(1, h)))
        rows.append([level + damped * trend, float(np.sqrt(variance))])
    return rows


def main():
    with open(sys.argv[1]) as file:
        data = json.load(file)
    zone = ZoneInfo(data["zone"])
    answer = {
        "wilson": [wilson(c, n) for c, n in data["shares"]],
        "medians": [median_interval(figures) for figures in data["samples"]],
        "growth": growth(data["members"], zone),
        "flows": {u: flows(data["members"], data["counts"], u, zone) for u in ["day", "week", "month", "year"]},
        "cohorts": cohorts(data["members"], data["counts"], "month", zone),
        "followBack": follow_back(data["pairs"]),
        "engagement": engagement(data["posts"], zone),
        "forecast": forecast([float(v) for v in data["series"]], 60),
    }
    with open(sys.argv[2], "w") as file:
        json.dump(answer, file)


main()
