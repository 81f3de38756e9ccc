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


def claim_of(member):
    """The claim, where it is after the network began or the last snapshot without them, and not after the sighting."""
    earliest = BEGINNING if member["after"] is None else member["after"]
    if member["claimed"] is not None and earliest < member["claimed"] <= member["by"]:
        return member["claimed"]
    return None


def came_of(member):
    """The claim, or else the sighting."""
    claimed = claim_of(member)
    return claimed if claimed is not None or member["after"] is None else member["by"]


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


class Rows:
    """Periods, in rows that no snapshot divides: several in a row are those that one interval spans."""

    def __init__(self, given, start, end):
        self.periods = Periods(given["unit"], given["zone"], start, end)
        self.starts, self.ends = self.periods.starts, self.periods.ends
        self.moments = sorted(at for at, _ in given["counts"])
        self.borders = []
        for moment in self.moments:
            if moment < self.starts[0]:
                self.borders.append(0)
                continue
            number = self.number(moment)
            share = (moment - self.starts[number]) / (self.ends[number] - self.starts[number])
            border = number if share < 0.5 else number + 1
            # A snapshot one period after the one before it, give or take a quarter more, is one period later.
            if self.borders and self.borders[-1] == number - 1 and share < 0.75:
                border = number
            if self.borders and self.borders[-1] == number and share > 0.25:
                border = number + 1
            self.borders.append(border)
        joined = {border for low, high in zip(self.borders, self.borders[1:]) for border in range(low + 1, high)}
        first = [number for number in range(len(self.starts)) if number not in joined or number == 0]
        self.rows = [list(range(low, high)) for low, high in zip(first, first[1:] + [len(self.starts)])]
        self.row = {number: index for index, row in enumerate(self.rows) for number in row}
        self.intervals = [self.place(after, by) for after, by in zip(self.moments, self.moments[1:])]

    def number(self, moment):
        """The period of a moment; none if it is not within them."""
        found = [at for at, (start, end) in enumerate(zip(self.starts, self.ends)) if start <= moment < end]
        return found[0] if found else None

    def place(self, after, by):
        """The row of an interval, and the moment that stands for it."""
        before = [index for index, moment in enumerate(self.moments) if moment == after][0]
        low, high, middle = self.borders[before], self.borders[before + 1], after + (by - after) // 2
        if high > low:
            return self.row[low], min(max(middle, self.starts[low]), self.ends[low] - 1)
        return self.row.get(self.number(middle)), middle

    def arrival(self, member):
        """The period of an arrival and the moment that stands for it; no period if nobody knows it."""
        claimed = claim_of(member)
        if claimed is not None:
            return self.number(claimed), claimed
        if member["after"] is None:
            return None, None
        middle = member["after"] + (member["by"] - member["after"]) // 2
        number = self.number(middle)
        if member["by"] - member["after"] <= 1.5 * (self.ends[number] - self.starts[number]):
            return number, middle
        return None, None


def flow(given):
    counts = sorted(given["counts"])
    if not counts:
        return defaultdict(list)
    first, last = counts[0][0], counts[-1][0]
    arrivals = [moment for moment in map(came_of, given["members"]) if moment is not None]
    start, end = max(BEGINNING, min(arrivals + [first])), last + 1
    if given["time"]:
        end = max(end, given["time"][1])
    rows = Rows(given, start, end)
    low, high = given["time"] or (start, end)
    low, high = min(max(low, start), end), min(max(high, start), end)
    if low == high:
        rows.rows = []
    names = ("starts", "ends", "gained", "returned", "undated", "lost", "atStart", "coverage", "churn", "net")
    found = {name: [] for name in names}
    for index, row in enumerate(rows.rows):
        begin, over = rows.starts[row[0]], rows.ends[row[-1]]
        is_cut = len(row) == 1 and bool(given["time"])
        cut = (max(begin, low), min(over, high)) if is_cut else (begin, over)
        if not (cut[0] < high and low < cut[1] and cut[0] < cut[1]):
            continue

        def counts_here(moment):
            return len(row) > 1 or not given["time"] or low <= moment < high

        gained, returned, undated, lost = Counter(), Counter(), 0, 0
        for member in given["members"]:
            if member["left"] is not None:
                place, moment = rows.place(member["leftAfter"], member["left"])
                lost += place == index and counts_here(moment)
            number, moment = rows.arrival(member)
            if number is None and member["after"] is not None:
                place, moment = rows.place(member["after"], member["by"])
                if place == index and len(row) > 1:
                    undated += 1
                elif place == index and counts_here(moment):
                    (returned if member["isReturn"] else gained)[row[0]] += 1
            elif number in row and counts_here(moment):
                (returned if member["isReturn"] else gained)[number] += 1
        at_border = [at for at, border in enumerate(rows.borders) if border == row[0]]
        known = [count for at, count in counts if at <= cut[0]]
        at_start = known[-1] if known else None
        if at_border and cut[0] == begin:
            at_start = counts[min(at_border, key=lambda at: (abs(rows.moments[at] - begin), -at))][1]
        if not any(place == index and counts_here(moment) for place, moment in rows.intervals):
            coverage = 0 if cut[0] < first else 1
        elif len(row) > 1:
            coverage = 3
        else:
            coverage = 2 if cut != (begin, over) or begin < first or last < over else 4
        is_open, is_seen = coverage < 2, cut[0] <= last
        net = sum(gained.values()) + sum(returned.values()) + undated - lost
        found["starts"].append(cut[0])
        found["ends"].append(cut[1])
        found["gained"] += [gained[number] for number in row]
        found["returned"] += [returned[number] for number in row]
        found["undated"].append(undated)
        found["lost"].append(None if is_open else lost)
        found["net"].append(None if is_open or not is_seen else net)
        found["atStart"].append(at_start)
        found["coverage"].append(coverage)
        found["churn"].append(lost / at_start if at_start and not is_open else None)
    return found


def cohorts(given):
    counts = sorted(given["counts"])
    first, last = counts[0][0], counts[-1][0]
    members = [member for member in given["members"] if not member["isReturn"] and came_of(member) is not None]
    if not members:
        return {"starts": [], "sizes": [], "survivors": []}
    arrivals = [member["after"] if claim_of(member) is None else claim_of(member) for member in members]
    rows = Rows(given, max(BEGINNING, min(arrivals)), last + 1)
    groups = defaultdict(list)
    for member in members:
        number, _ = rows.arrival(member)
        if number is not None:
            groups[number].append(member)

    def row_of_loss(member):
        row = rows.place(member["leftAfter"], member["left"])[0]
        return -1 if row is None else row

    lost_undated = [
        row_of_loss(member)
        for member in given["members"]
        if member["after"] is None and member["isSampled"] and claim_of(member) is None and member["left"] is not None
    ]
    of_survivors = sum(len(group) for group in groups.values() if any(member["after"] is None for member in group))
    found = {"starts": [], "sizes": [], "survivors": []}
    for index, number in enumerate(sorted(groups)):
        group = groups[number]
        is_old = any(member["after"] is None for member in group)
        is_unseen = len(rows.rows[rows.row[number]]) > 1 and any(member["after"] is not None for member in group)
        found["starts"].append(rows.starts[number])
        found["sizes"].append(len(group))
        found["survivors"].append(int(is_old or is_unseen))
        retained, shares = [], []
        for later in range(number, len(rows.starts)):
            if rows.ends[later] > last:
                continue
            row = rows.row[later]
            if rows.ends[later] < first or rows.rows[row][-1] != later:
                retained.append(None)
                shares += [None, None, None]
                continue
            left = sum(member["left"] is None or row_of_loss(member) > row for member in group)
            retained.append(left)
            if not is_old or not lost_undated:
                shares += [left / len(group), None, None]
                continue
            gone = sum(place <= row for place in lost_undated)
            rest = len(lost_undated) - gone
            part = len(group) / of_survivors
            shares.append((left + part * rest) / (len(group) + part * len(lost_undated)))
            # Every way in which those without a date can belong to this cohort.
            ways = [(left + b) / (len(group) + a + b) for a in range(gone + 1) for b in (0, rest)]
            shares += [min(ways), max(ways)]
        found[f"retained-{index}"] = retained
        found[f"shares-{index}"] = shares
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
    within = [(at, count) for at, count in counts if at < end]
    if not within:
        return {"figures": []}

    def closest(moment, until):
        """The count that is closest to a moment, of those before another one."""
        return min(((at, count) for at, count in counts if at < until), key=lambda pair: abs(pair[0] - moment), default=None)

    last, length = within[-1], end - start
    at_start = closest(start, last[0])
    if at_start is None:
        return {"figures": [last[1], None, None, None]}
    before, change = closest(start - length, at_start[0]), None
    if before and abs(at_start[0] - start) <= length / 4 and abs(before[0] - start + length) <= length / 4:
        change = at_start[1] - before[1]
    return {"figures": [last[1], last[1] - at_start[1], at_start[0], change]}


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


def regular(counts, step, most):
    """The last count of each day, gaps of so many steps joined straight, from the last longer gap on, each step."""
    last = {}
    for at, count in sorted(counts):
        last[at // DAY] = float(count)
    days = sorted(last)
    while any(b - a > (most + 1) * step for a, b in zip(days, days[1:])):
        gaps = [index for index, (a, b) in enumerate(zip(days, days[1:])) if b - a > (most + 1) * step]
        days = days[1 + gaps[0] :]
    if not days:
        return None, []
    wanted = np.arange(days[-1], days[0] - 1, -step)[: 730 // step][::-1]
    return days[-1], [float(value) for value in np.interp(wanted, days, [last[day] for day in days])]


def forecast(given):
    (last, series), step = regular(given["counts"], 1, 3), 1
    if len(series) < 28:
        days = len(series)
        (last, series), step = regular(given["counts"], 7, 2), 7
        if len(series) < 16:
            return {"days": [days, len(series)]}
    ahead = min(30 // step, len(series) // 4)
    errors, unchanged, truths = [], [], []
    for origin in range(len(series) * 2 // 3, len(series) - ahead + 1, max(1, (len(series) // 3 - ahead) // 8)):
        truth = series[origin + ahead - 1]
        errors.append(abs(ETS(series[:origin]).simulate(ahead)[-1][0] - truth))
        unchanged.append(abs(series[origin - 1] - truth))
        truths.append(abs(truth))
    test = [np.mean(errors), np.mean(unchanged), np.mean(truths), ahead * step, len(errors)]
    found = {"backtest": [float(figure) for figure in test]}
    if test[0] > test[1] or test[0] > 0.1 * test[2]:
        return found
    model, steps = ETS(series), given["days"] // step
    paths = model.simulate(steps, np.random.default_rng(1), given["paths"])
    found["expected"] = [max(0, float(point[0])) for point in model.simulate(steps)]
    found["moments"] = [(last + step * (number + 1)) * DAY for number in range(steps)]
    found["deviations"] = [float(np.std(point)) for point in paths]
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
    seen = [flow for flow in flows if flow["coverage"] > 1]
    ends = [moment for flow in seen for moment in (flow["start"], flow["end"] - 1)]
    days = [local(moment, given["zone"]).date() for moment in ends] + list(counts)
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
        known = [flow for flow in flows if flow["coverage"] > 2 and low <= flow["start"] and flow["end"] <= high]
        days = sum(flow["days"] for flow in known)
        return sum(flow["net"] for flow in known) / days if days >= fewest else None

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
