# SPDX-License-Identifier: Apache-2.0
"""Computes the figures of analytics from their definitions, with numpy and scipy.

usage: recompute.py METRIC FILE

FILE holds a list of inputs as JSON. The answer is a list of figures: for each input, names and lists of numbers. Each
function follows the definition in the doc comment of what it checks, by the plainest way there is, without regard for
speed. Moments are microseconds since 1970.
"""

import json
import sys
from collections import Counter, defaultdict
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
from scipy.stats import binom, binomtest, norm

DAY = 86_400_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The start of 2022: nobody followed anybody before the network began.
BEGINNING = 1_640_995_200_000_000


# Calendars


def local(moment, zone):
    return (EPOCH + timedelta(microseconds=moment)).astimezone(ZoneInfo(zone))


def first_day(day, unit):
    if unit == "day":
        return day
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def next_first_day(day, unit):
    if unit == "month":
        return (day + timedelta(days=31)).replace(day=1)
    if unit == "year":
        return date(day.year + 1, 1, 1)
    return day + timedelta(days=7 if unit == "week" else 1)


def start_of(day, zone):
    """The first moment of a day: where midnight is skipped, that of the jump; where it comes twice, the first."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone), fold=0)
    return (midnight.astimezone(timezone.utc) - EPOCH) // timedelta(microseconds=1)


class Periods:
    """The periods that have a part in the time from the first moment to before the last one."""

    def __init__(self, unit, zone, first, end):
        self.unit, self.zone, self.days = unit, zone, []
        if first < end:
            day = self.day(first)
            while start_of(day, zone) < end:
                self.days.append(day)
                day = next_first_day(day, unit)
        self.starts = [start_of(day, zone) for day in self.days]
        self.ends = [start_of(next_first_day(day, unit), zone) for day in self.days]

    def day(self, moment):
        return first_day(local(moment, self.zone).date(), self.unit)


def zone_changes(given):
    """When the clocks of a zone change, and to what, from 2021 to the end of 2027."""
    zone = given["zone"]

    def east(second):
        return int(datetime.fromtimestamp(second, ZoneInfo(zone)).utcoffset().total_seconds())

    start, end = 1_609_459_200, 1_830_297_600
    moments, offsets, last = [], [], east(start)
    for day in range(start, end, 86_400):
        if east(day + 86_400) == last:
            continue
        low, high = day, day + 86_400
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if east(middle) == last else (low, middle)
        last = east(high)
        moments.append(high * 1_000_000)
        offsets.append(last)
    return {"start": [east(start)], "moments": moments, "offsets": offsets}


def calendar(given):
    zone, found = given["zone"], defaultdict(list)
    for moment in given["moments"]:
        there = local(moment, zone)
        found["hour"].append(there.hour)
        found["weekday"].append(there.isoweekday())
        for unit in ("day", "week", "month", "year"):
            day = first_day(there.date(), unit)
            found[unit] += [start_of(day, zone), start_of(next_first_day(day, unit), zone)]
    return found


# Samples


def share(given):
    return {"figures": wilson(given["count"], given["size"])}


def wilson(count, size):
    interval = binomtest(count, size).proportion_ci(method="wilson")
    return [count / size, interval.low, interval.high]


def median_of(figures):
    """The median, and the closest order statistics outside of which it is with 2.5 % at most on either side."""
    if len(figures) < 6:
        return None
    ordered = np.sort(np.array(figures))
    outside = int(binom.ppf(0.025, len(ordered), 0.5))
    while binom.cdf(outside, len(ordered), 0.5) > 0.025:
        outside -= 1
    return [float(np.median(ordered)), float(ordered[outside]), float(ordered[len(ordered) - 1 - outside])]


def median(given):
    return {"figures": median_of(given["figures"]) or []}


def quantile(given):
    return {"figures": [float(np.quantile(given["figures"], q, method="linear")) for q in given["shares"]]}


# Audiences


def came_of(member):
    """The claim, where it is after the network began or the last snapshot without them, and not after the sighting."""
    earliest = BEGINNING if member["after"] is None else member["after"]
    if member["claimed"] is not None and earliest < member["claimed"] <= member["by"]:
        return member["claimed"]
    return None if member["after"] is None else member["by"]


def growth(given):
    periods = Periods(given["unit"], given["zone"], 0, 0)
    before = [member for member in given["members"] if member["after"] is None]
    asked = [member for member in before if member["isSampled"]]
    dated = [moment for moment in map(came_of, asked) if moment is not None]
    sampled = len(asked) < len(before) and len(dated) > 0
    everyone = [moment for moment in map(came_of, before) if moment is not None]
    shown = dated if sampled else everyone
    undated, open_dates = len(before) - len(everyone), len(asked) - len(dated)
    counts = sorted(given["counts"])
    moments, survivors, low, high = [], [], [], []
    for day in sorted({periods.day(moment) for moment in shown}):
        end = start_of(next_first_day(day, given["unit"]), given["zone"])
        known = sum(moment < end for moment in shown)
        moments.append(min(end, max(shown)))
        if sampled:
            survivors.append(known / len(dated) * len(before))
            # Those asked without an answer may all have come later, or all have been there.
            low.append(wilson(known, len(asked))[1] * len(before))
            high.append(wilson(known + open_dates, len(asked))[2] * len(before))
        else:
            survivors.append(known)
    return {
        "survivorMoments": moments,
        "survivors": survivors,
        "low": low,
        "high": high,
        "undated": [undated],
        "seam": [counts[0][0]] if counts else [],
        "moments": [at for at, _ in counts],
        "counts": [count for _, count in counts],
    }


def flow(given):
    counts = sorted(given["counts"])
    if not counts:
        return defaultdict(list)
    first, last = counts[0][0], counts[-1][0]
    arrivals = [moment for moment in map(came_of, given["members"]) if moment is not None]
    start, end = min(arrivals + [first]), last + 1
    if given["time"]:
        start, end = max(start, given["time"][0]), min(end, given["time"][1])
    periods = Periods(given["unit"], given["zone"], start, end)
    from_when, until_when = given["time"] or (min(arrivals + [first]), last + 1)
    gained, returned, lost = Counter(), Counter(), Counter()
    for member in given["members"]:
        came = came_of(member)
        if came is not None and from_when <= came < until_when:
            (returned if member["isReturn"] else gained)[periods.day(came)] += 1
        if member["left"] is not None and from_when <= member["left"] < until_when:
            lost[periods.day(member["left"])] += 1
    names = ("starts", "ends", "gained", "returned", "lost", "atStart", "coverage", "churn", "net")
    found = {name: [] for name in names}
    for day, begin, end in zip(periods.days, periods.starts, periods.ends):
        cut = (max(begin, given["time"][0]), min(end, given["time"][1])) if given["time"] else (begin, end)
        known = [count for at, count in counts if at <= cut[0]]
        at_start = known[-1] if known else None
        if cut[1] <= first:
            coverage = 0
        elif cut != (begin, end) or begin < first or last < end:
            coverage = 1
        else:
            # The time between two snapshots must not be much longer than the period.
            wide = [
                1
                for (one, _), (other, _) in zip(counts, counts[1:])
                if one < end and begin < other and other - one > 1.5 * (end - begin)
            ]
            coverage = 2 if wide else 3
        found["starts"].append(cut[0])
        found["ends"].append(cut[1])
        found["gained"].append(gained[day])
        found["returned"].append(returned[day])
        found["lost"].append(lost[day])
        found["net"].append(gained[day] + returned[day] - lost[day])
        found["atStart"].append(at_start)
        found["coverage"].append(coverage)
        found["churn"].append(lost[day] / at_start if at_start and coverage != 0 else None)
    return found


def cohorts(given):
    first, last = given["snapshots"]
    members = [member for member in given["members"] if not member["isReturn"] and came_of(member) is not None]
    if not members:
        return {"starts": [], "sizes": [], "survivors": []}
    periods = Periods(given["unit"], given["zone"], min(map(came_of, members)), last + 1)
    groups = defaultdict(list)
    for member in members:
        groups[periods.day(came_of(member))].append(member)
    lost_undated = [
        member["left"]
        for member in given["members"]
        if member["after"] is None and member["isSampled"] and came_of(member) is None and member["left"] is not None
    ]
    of_survivors = sum(len(group) for group in groups.values() if any(member["after"] is None for member in group))
    found = {"starts": [], "sizes": [], "survivors": []}
    for number, day in enumerate(sorted(groups)):
        group = groups[day]
        is_old = any(member["after"] is None for member in group)
        found["starts"].append(start_of(day, given["zone"]))
        found["sizes"].append(len(group))
        found["survivors"].append(int(is_old))
        retained, shares = [], []
        for start, end in zip(periods.starts, periods.ends):
            if start < start_of(day, given["zone"]) or end > last:
                continue
            if end < first:
                retained.append(None)
                shares += [None, None, None]
                continue
            left = sum(member["left"] is None or member["left"] >= end for member in group)
            retained.append(left)
            if not is_old or not lost_undated:
                shares += [left / len(group), None, None]
                continue
            gone = sum(moment < end for moment in lost_undated)
            later = len(lost_undated) - gone
            part = len(group) / of_survivors
            shares.append((left + part * later) / (len(group) + part * len(lost_undated)))
            # Every way in which those without a date can belong to this cohort.
            ways = [(left + b) / (len(group) + a + b) for a in range(gone + 1) for b in (0, later)]
            shares += [min(ways), max(ways)]
        found[f"retained-{number}"] = retained
        found[f"shares-{number}"] = shares
    return found


def follow_back(given):
    followers = {account: moment for account, moment in given["followers"]}
    waiting = first = undated = 0
    delays = []
    for account, moment in given["follows"]:
        if account not in followers:
            waiting += 1
        elif moment is None or followers[account] is None:
            undated += 1
        elif followers[account] < moment:
            first += 1
        else:
            delays.append((followers[account] - moment) / 1e6)
    quartiles = [float(q) for q in np.quantile(delays, [0.25, 0.5, 0.75])] if delays else []
    return {"counts": [len(delays), waiting, first, undated], "quartiles": quartiles}


def composition(given):
    counts = Counter(value for value in given["values"] if value is not None)
    ordered = sorted(counts.items(), key=lambda part: (-part[1], part[0]))
    known = sum(counts.values())
    return {
        "keys": [int(key[1:]) for key, _ in ordered],
        "counts": [count for _, count in ordered],
        "shares": [figure for _, count in ordered for figure in wilson(count, known)],
        "unknown": [len(given["values"]) - known],
    }


def top(given):
    followers = sorted(given["followers"], key=lambda entry: (-entry[1], entry[0]))[: given["most"]]
    did = [(name, likes + reposts + quotes) for name, likes, reposts, quotes in given["interactions"]]
    did = sorted((entry for entry in did if entry[1] > 0), key=lambda entry: (-entry[1], entry[0]))[: given["most"]]
    asked = [(name, wilson(count, size)) for name, count, size in given["influence"] if size > 0]
    asked = sorted(asked, key=lambda entry: (-entry[1][0], entry[0]))[: given["most"]]

    def numbers(entries):
        return [int(entry[0][-4:], 8) for entry in entries]

    return {
        "followers": [entry[1] for entry in followers],
        "followerNames": numbers(followers),
        "interactions": [entry[1] for entry in did],
        "interactionNames": numbers(did),
        "influence": [figure for entry in asked for figure in entry[1]],
        "influenceNames": numbers(asked),
    }


def trend(given):
    counts, (start, end) = sorted(given["counts"]), given["time"]
    within = [count for at, count in counts if at < end]
    if not within:
        return {"figures": []}

    def count(moment):
        """The last count by then, where that is a tenth of the time old at most, or a day."""
        known = [(at, count) for at, count in counts if at <= moment]
        return known[-1][1] if known and moment - known[-1][0] <= max(DAY, (end - start) // 10) else None

    at_start, before = count(start), count(start - (end - start))
    change = None if at_start is None else within[-1] - at_start
    change_before = None if at_start is None or before is None else at_start - before
    return {"figures": [within[-1], change, change_before]}


# Posts


def engagement(given):
    rates, groups = [], defaultdict(lambda: defaultdict(list))
    for post in given["posts"]:
        if not post["followers"] or post["followers"] < 0:
            continue
        rate = sum(max(0, count) for count in post["counts"]) / post["followers"]
        there = local(post["at"], given["zone"])
        rates.append(rate)
        for bit in range(6):
            if post["kinds"] & (1 << bit):
                groups["kind"][1 << bit].append(rate)
        groups["hour"][there.hour].append(rate)
        groups["weekday"][there.isoweekday()].append(rate)
        groups["week"][there.isoweekday() * 24 + there.hour].append(rate)
    whole = median_of(rates) if len(rates) >= 10 else None
    found = {"all": whole or []}
    for name in ("kind", "hour", "weekday", "week"):
        found[name], found[f"{name}-rates"] = [], []
        for key in sorted(groups[name]):
            group = groups[name][key]
            known = median_of(group) if len(group) >= 10 else None
            sense = 0
            if known and whole:
                sense = 1 if known[1] > whole[2] else -1 if known[2] < whole[1] else 0
            found[name] += [key, len(group), sense]
            found[f"{name}-rates"] += known or [None]
    return found


# Forecasts


class ETS:
    """ETS(A,Ad,N), as chapter 2 of Hyndman et al. has it, with the parameters of the grid that fit best."""

    def __init__(self, series):
        best = None
        for phi in (0.8, 0.85, 0.9, 0.94, 0.97, 0.98):
            for alpha in (0.1, 0.27, 0.44, 0.61, 0.78, 0.95):
                for part in (0.02, 0.1, 0.3, 0.6, 0.9):
                    errors, level, slope = self.run(series, alpha, alpha * part, phi)
                    squares = float(np.sum(np.square(errors)))
                    if best is None or squares < best:
                        best = squares
                        self.alpha, self.beta, self.phi = alpha, alpha * part, phi
                        self.level, self.slope = level, slope
        # Three parameters and two starting values are fitted.
        self.deviation = (best / max(1, len(series) - 1 - 5)) ** 0.5

    @staticmethod
    def run(series, alpha, beta, phi):
        level, start = series[0], series[:8]
        slope = float(np.mean(np.diff(start))) if len(start) > 1 else 0.0
        errors = []
        for value in series[1:]:
            errors.append(value - level - phi * slope)
            level, slope = level + phi * slope + alpha * errors[-1], phi * slope + beta * errors[-1]
        return errors, level, slope

    def simulate(self, days, random=None, paths=1):
        """What becomes of the model under random errors, or without any."""
        level, slope, found = np.full(paths, self.level), np.full(paths, self.slope), []
        for _ in range(days):
            error = random.normal(0, self.deviation, paths) if random is not None else np.zeros(paths)
            found.append(level + self.phi * slope + error)
            level = level + self.phi * slope + self.alpha * error
            slope = self.phi * slope + self.beta * error
        return found


def daily(counts):
    """The last count of each day, gaps of three days at most joined straight, from the last longer gap on."""
    last = {}
    for at, count in sorted(counts):
        last[at // DAY] = float(count)
    days = sorted(last)
    while any(b - a > 4 for a, b in zip(days, days[1:])):
        days = days[1 + next(index for index, pair in enumerate(zip(days, days[1:])) if pair[1] - pair[0] > 4) :]
    if not days:
        return None, []
    wanted = np.arange(days[0], days[-1] + 1)[-730:]
    return days[-1], [float(value) for value in np.interp(wanted, days, [last[day] for day in days])]


def forecast(given):
    last, series = daily(given["counts"])
    if len(series) < 28:
        return {"days": [len(series)]}
    ahead = min(30, len(series) // 4)
    errors, unchanged, truths = [], [], []
    for origin in range(len(series) * 2 // 3, len(series) - ahead + 1, max(1, (len(series) // 3 - ahead) // 8)):
        truth = series[origin + ahead - 1]
        errors.append(abs(ETS(series[:origin]).simulate(ahead)[-1][0] - truth))
        unchanged.append(abs(series[origin - 1] - truth))
        truths.append(abs(truth))
    test = [np.mean(errors), np.mean(unchanged), np.mean(truths), ahead, len(errors)]
    found = {"backtest": [float(figure) for figure in test]}
    if test[0] > test[1] or test[0] > 0.1 * test[2]:
        return found
    model = ETS(series)
    paths = model.simulate(given["days"], np.random.default_rng(1), given["paths"])
    found["expected"] = [max(0, float(step[0])) for step in model.simulate(given["days"])]
    found["moments"] = [(last + step + 1) * DAY for step in range(given["days"])]
    found["deviations"] = [float(np.std(step)) for step in paths]
    found["z"] = [float(norm.ppf(0.9)), float(norm.ppf(0.975))]
    return found


def goal(given):
    value, start, wanted = given["value"], given["start"], given["goal"]
    if value >= wanted:
        done = 1
    else:
        done = min(1, max(0, (value - start) / (wanted - start))) if wanted > start else 0

    def first(figures):
        return next((at for at, figure in zip(given["moments"], figures) if figure >= wanted), None)

    reached = value >= wanted
    return {"figures": [done] + [None if reached else first(given[name]) for name in ("expected", "high", "low")]}


# Blocks


def waves(given):
    counts, flows = Counter(local(at, given["zone"]).date() for at in given["blocks"]), given["flows"]
    if not counts:
        return {"waves": []}
    seen = [flow for flow in flows if flow["coverage"] != 0]
    days = [local(flow["start"], given["zone"]).date() for flow in seen] + list(counts)
    first, last = min(days), max(days)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    taken = set()
    while True:
        others = [day for day in days if day not in taken]
        mean = sum(counts[day] for day in others) / len(others) if others else 0
        more = {day for day in days if counts[day] >= 5 and counts[day] >= 4 * mean}
        if more <= taken:
            break
        taken |= more
    runs = []
    for day in sorted(taken):
        if runs and (day - runs[-1][1]).days <= 2:
            runs[-1][1] = day
        else:
            runs.append([day, day])
    quiet = [day for day in days if not any(start <= day <= end for start, end in runs)]
    usual = sum(counts[day] for day in quiet) / len(quiet) if quiet else 0

    def net(low, high, fewest):
        known = [flow["net"] for flow in flows if flow["coverage"] == 3 and low <= flow["start"] and flow["end"] <= high]
        return sum(known) / len(known) if len(known) >= fewest else None

    found = []
    for start, end in runs:
        low, high = start_of(start, given["zone"]), start_of(end + timedelta(days=1), given["zone"])
        inside = sum(count for day, count in counts.items() if start <= day <= end)
        found += [low, high, inside, usual]
        found += [net(low - 14 * DAY, low, 7), net(low, high, 1), net(high, high + 14 * DAY, 7)]
    return {"waves": found}


METRICS = {
    function.__name__.replace("_", "-"): function
    for function in (
        zone_changes, calendar, share, median, quantile, growth, flow, cohorts, follow_back, composition, top, trend,
        engagement, forecast, goal, waves,
    )
}

if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        # A member that is nil is left out of the file.
        inputs = json.load(file, object_hook=lambda members: defaultdict(lambda: None, members))
    print(json.dumps([METRICS[sys.argv[1]](given) for given in inputs]))
