# SPDX-License-Identifier: Apache-2.0
"""Computes the figures of analytics from their definitions, with numpy and scipy.

Each function takes an input, and returns figures: names and lists of numbers. It follows the definition in the doc
comment of what it checks, by the plainest way there is, without regard for speed. Moments are microseconds since 1970.
"""

from collections import Counter, defaultdict
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
from scipy.stats import binom, binomtest, norm

DAY = 86_400_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The start of 2022: no account followed another before the network began.
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


def median_of(figures, error=0.05):
    """The median, and the closest order statistics outside of which it is by half of the error at most on each side."""
    outside = int(binom.ppf(error / 2, len(figures), 0.5)) if figures else -1
    while outside >= 0 and binom.cdf(outside, len(figures), 0.5) > error / 2:
        outside -= 1
    if outside < 0:
        return None
    ordered = np.sort(np.array(figures))
    return [float(np.median(ordered)), float(ordered[outside]), float(ordered[len(ordered) - 1 - outside])]


def median(given):
    return {"figures": median_of(given["figures"]) or []}


def quantile(given):
    return {"figures": [float(np.quantile(given["figures"], q, method="linear")) for q in given["shares"]]}


# Audiences


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
        return min(
            ((at, count) for at, count in counts if at < until), key=lambda pair: abs(pair[0] - moment), default=None
        )

    last, length = within[-1], end - start
    # Counts of the last half day, or of the last half of a shorter range, show no growth.
    at_start = closest(start, last[0] - min(DAY, length) // 2 + 1)
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
    # The comparisons of one picture hold together.
    for name, comparisons in (("kind", 6), ("hour", 24 + 7), ("weekday", 24 + 7), ("week", 24 * 7)):
        found[name], found[f"{name}-rates"] = [], []
        for key in sorted(groups[name]):
            group = groups[name][key]
            known = median_of(group) if len(group) >= 10 else None
            sense = 0
            bounds = median_of(group, 0.05 / comparisons) if known else None
            if bounds and whole:
                sense = 1 if bounds[1] > whole[2] else -1 if bounds[2] < whole[1] else 0
            found[name] += [key, len(group), sense]
            found[f"{name}-rates"] += known or [None]
    return found


def posting_times(given):
    """How many accounts posted in each hour and on each weekday, compared with the average of the hours or weekdays."""
    now, hours, weekdays, left_out = given["now"], [], [], 0
    for account in given["accounts"]:
        posts = [at for at in account["posts"] if now - 28 * DAY <= at < now]
        span = now - min(account["posts"], default=now) if account["hasMore"] else 28 * DAY
        if not posts:
            continue
        there = [local(at, given["zone"]) for at in posts]
        if span < DAY:
            left_out += 1
        else:
            hours.append({moment.hour for moment in there})
        if span >= 7 * DAY:
            weekdays.append({moment.isoweekday() for moment in there})
    found = {"counts": [len(hours), left_out]}
    for name, numbers, accounts in (("hours", range(24), hours), ("weekdays", range(1, 8), weekdays)):
        size = len(accounts)
        counts = [sum(number in account for account in accounts) for number in numbers]
        share = sum(counts) / len(numbers) / size if size else 0
        senses = []
        for count in counts:
            chance = 2 * min(binom.cdf(count, size, share), binom.sf(count - 1, size, share))
            is_clear = size >= 10 and chance <= 0.05 / (24 + 7)
            senses.append((1 if count > share * size else -1) if is_clear else 0)
        found[f"{name}-senses"] = senses
        found[name] = [figure for count in counts for figure in wilson(count, size)] if size >= 10 else []
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


def fitted(counts):
    """What is known of the accuracy of a forecast; and the model, the day of the last count and the step, if used."""
    (last, series), step = regular(counts, 1, 3), 1
    if len(series) < 28:
        days = len(series)
        (last, series), step = regular(counts, 7, 2), 7
        if len(series) < 16:
            return {"days": [days, len(series)]}, None
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
        return found, None
    return found, (ETS(series), last, step)


def forecast(given):
    found, fit = fitted(given["counts"])
    if fit is None:
        return found
    model, last, step = fit
    steps = given["days"] // step
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
    counts = Counter(local(at, given["zone"]).date() for at in given["blocks"])
    if not counts:
        return {"waves": []}
    first, last = min(counts), max(counts)
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
    found = []
    for start, end in runs:
        low, high = start_of(start, given["zone"]), start_of(end + timedelta(days=1), given["zone"])
        inside = sum(count for day, count in counts.items() if start <= day <= end)
        found += [low, high, inside, usual]
    return {"waves": found}
