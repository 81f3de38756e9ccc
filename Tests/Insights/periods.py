# SPDX-License-Identifier: Apache-2.0
"""Rows of periods, and who came and left in them."""

from collections import Counter, defaultdict

from figures import LATEST, figure
from observations import arrival, departure, members_of
from recompute import BEGINNING, Periods


class Flow:
    """Rows of periods, as the intervals between edges make them."""

    def __init__(self, listing, unit, zone, start, end):
        self.periods, self.edges = Periods(unit, zone, start, end), listing.series.edges
        borders = [self.border(edge["endedAt"]) for edge in self.edges]
        self.intervals, spans = list(zip(self.edges, self.edges[1:])), []
        for low, high in zip(borders, borders[1:]):
            spans.append((low, high) if low < high else None)
        owner = {period: span for span in spans if span for period in range(*span)}
        self.rows = defaultdict(list)
        for number, span in enumerate(spans):
            if span is None:
                period = borders[number]
                start = self.start(period)
                span_of = period - 1 if self.middle(number) < start else period
                span = owner.get(span_of, (span_of, span_of + 1))
            if 0 <= span[0] and span[1] <= len(self.periods.days):
                self.rows[span].append(number)

    def start(self, period):
        return self.periods.starts[period] if period < len(self.periods.days) else self.periods.ends[-1]

    def border(self, moment):
        """The number of the start that is closest to a moment."""
        for number, (start, end) in enumerate(zip(self.periods.starts, self.periods.ends)):
            if moment < end:
                return number if moment - start < (end - start) / 2 else number + 1
        return len(self.periods.days)

    def middle(self, number):
        first, second = self.intervals[number]
        return first["startedAt"] + (second["endedAt"] - first["startedAt"]) // 2

    def found_in(self, number):
        """The interval of what a snapshot found; none after the last edge."""
        for place, (first, second) in enumerate(self.intervals):
            if first["number"] < number <= second["number"]:
                return place
        return None


class Row:
    """What is counted in a row: of each of its periods the arrivals with a date, and of all of them everything else."""

    def __init__(self, parts, intervals=(), kind=None):
        self.parts, self.intervals, self.kind = parts, intervals, kind
        self.gained, self.returned, self.deleted = Counter(), Counter(), Counter()
        self.undated = self.lost = self.blockers = self.unexplained = self.hidden = self.shown = 0
        # The snapshots between which the losses were, if the row has no intervals.
        self.lost_between = None

    @property
    def arrivals(self):
        return sum((self.gained + self.returned + self.deleted).values()) + self.undated


def place_of(row, moment):
    """The period of a row in which an arrival is counted: the only one, or that of its date."""
    if len(row.parts) == 1:
        return 0
    times = enumerate(row.periods)
    return next((place for place, (low, high) in times if moment is not None and low <= moment < high), None)


def overlap(time, other):
    return max(time[0], other[0]), max(max(time[0], other[0]), min(time[1], other[1]))


def clamped(time, other):
    return tuple(min(max(moment, other[0]), other[1]) for moment in time)


class Tally:
    """The rows of a listing in a time range."""

    def __init__(self, listing, unit, zone, time):
        series, self.listing = listing.series, listing
        first, last = series.snapshots[0]["endedAt"], series.snapshots[-1]["endedAt"]
        start = max(BEGINNING, min([first] + [stay.came for stay in listing.stays if stay.came is not None]))
        end = max(last + 1, min(time[1] if time else 0, LATEST))
        self.range = clamped(time, (start, end)) if time else (-LATEST, LATEST)
        self.flow = Flow(listing, unit, zone, start, end)
        self.first, self.last_edge = first, self.flow.edges[-1]["endedAt"]
        periods = list(zip(self.flow.periods.starts, self.flow.periods.ends))
        self.before = [
            Row([overlap((low, min(high, first)), self.range)], kind="survivors")
            for low, high in periods
            if low < first
        ]
        self.between = {span: self.row(span, numbers, periods) for span, numbers in sorted(self.flow.rows.items())}
        rest = [(low, high) for low, high in periods if high > self.last_edge]
        rest = [(period, overlap((max(period[0], self.last_edge), period[1]), self.range)) for period in rest]
        rest = [(period, part) for period, part in rest if part[0] < part[1]]
        self.after = Row([part for _, part in rest], kind="unobserved")
        self.after.periods = [period for period, _ in rest]
        for row, period in zip(self.before, periods):
            row.periods, row.whole = [period], period
        for member in members_of(listing):
            self.count(member)
        self.count_deleted()

    def row(self, span, numbers, periods):
        parts, shown = [periods[number] for number in range(*span)], numbers
        if len(parts) == 1:
            parts = [overlap(parts[0], self.range)]
            shown = [number for number in numbers if self.range[0] <= self.flow.middle(number) < self.range[1]]
        row = Row(parts, shown)
        row.periods = [periods[number] for number in range(*span)]
        row.whole = row.periods[0][0], row.periods[-1][1]
        return row

    def row_of(self, interval, bounds):
        """The row in which an interval is counted; none if a range cuts it off."""
        if interval is None:
            # After the last edge, what is known to be in the range.
            return self.after if self.range[0] <= bounds[0] and bounds[1] <= self.range[1] else None
        return next((row for row in self.between.values() if interval in row.intervals), None)

    def count(self, member):
        first = member.first
        if first.is_from_before:
            for row in self.before:
                if first.dated is not None and self.is_in(first.dated, row):
                    row.gained[0] += 1
        else:
            self.arrive(first)
        for number in member.hidden:
            self.find("hidden", number)
        for number in member.shown:
            self.find("shown", number)
        if member.left is not None:
            self.find("lost", member.left)
            if member.last.cause == "blocked-by":
                self.find("blockers", member.left)

    def is_in(self, moment, row):
        """Whether a survivor came in the period of a row, and in the range."""
        return row.whole[0] <= moment < row.whole[1] and self.range[0] <= moment < self.range[1]

    def find(self, name, number, count=1):
        bounds = departure(self.listing.series, number)
        row = self.row_of(self.flow.found_in(number), bounds)
        if row:
            setattr(row, name, getattr(row, name) + count)
        if row and count and name == "lost":
            known = row.lost_between or bounds
            row.lost_between = min(known[0], bounds[0]), max(known[1], bounds[1])

    def arrive(self, first):
        # A date is never after the snapshot that first saw the account, whatever ran at that time.
        interval, moment = self.flow.found_in(first.first), first.dated
        row = self.row_of(interval, (first.after, first.by) if moment is None else (moment, moment))
        if row is None:
            return
        place = place_of(row, moment)
        if place is None:
            row.undated += 1
        else:
            (row.returned if first.is_return else row.gained)[place] += 1

    def count_deleted(self):
        """What the snapshots counted, and is no longer stored."""
        for number, count in self.listing.arrivals_deleted():
            if not count:
                continue
            row = self.row_of(self.flow.found_in(number), arrival(self.listing.series, number))
            if row and place_of(row, None) is None:
                row.undated += count
            elif row:
                row.deleted[0] += count
        for number, count in self.listing.losses_deleted():
            for name in ("lost", "unexplained") if count else ():
                self.find(name, number, count)

    def rows(self):
        """Those that overlap the range, in order; of a period with a row, the rest only if something is known of it.

        Nor is there a rest that is only the period of the last edge, or a row of an interval that is not in the range.
        """
        before, between, after = list(self.before), list(self.between.values()), self.after
        if before and between and not before[-1].arrivals:
            if between[0].whole[0] <= before[-1].parts[0][0] < between[0].whole[1]:
                before.pop()
        enclosed = before + between
        is_known = after.arrivals or after.lost or after.hidden or after.shown
        if after.parts and enclosed and not is_known:
            low, high = after.periods[0]
            is_open = len(after.parts) == 1 and low <= self.last_edge < high
            if is_open or enclosed[-1].whole[0] <= after.parts[0][0] < enclosed[-1].whole[1]:
                after.parts.pop(0)
                after.periods.pop(0)
        rows = enclosed + ([after] if after.parts else [])
        low, high = self.range
        rows = [row for row in rows if row.parts[0][0] < high and low < row.parts[-1][1]]
        times = [(row, observed(row, self.flow) if len(row.parts) > 1 else None) for row in rows]
        return [row for row, time in times if time is None or (time[0] < high and low < time[1])]


def coverage(row, flow):
    """How far snapshots cover a row; None for a whole one."""
    if row.kind or not row.intervals:
        return row.kind or "unobserved"
    after, before = observed(row, flow)
    share = (before - after) / (row.whole[1] - row.whole[0])
    is_cut = (row.parts[0][0], row.parts[-1][1]) != row.whole
    if is_cut or share < 0.75:
        return "partial"
    return "interval" if len(row.parts) > 1 or share > 1.25 else None


def observed(row, flow):
    """The start of the first snapshot and the end of the last one between which the row was counted."""
    if row.kind or not row.intervals:
        return None
    return flow.intervals[row.intervals[0]][0]["startedAt"], flow.intervals[row.intervals[-1]][1]["endedAt"]


def note_of(cover, is_known):
    if cover == "survivors":
        return cover if is_known else "unobserved"
    if cover == "unobserved":
        return "at-least" if is_known else cover
    return cover


def flow_rows(listing, unit, zone, time):
    tally, rows = Tally(listing, unit, zone, time), []
    for row in tally.rows():
        rows += flow_figures(row, tally.flow)
    return rows


def flow_figures(row, flow):
    cover, between, rows = coverage(row, flow), observed(row, flow), []
    time = row.parts[0][0], row.parts[-1][1]

    def add(key, value, during, unit="count", **others):
        others = {"note": note_of(cover, value is not None), **others}
        rows.append(figure("flow", key, value, unit, time=during, **others))

    for place, part in enumerate(row.parts):
        for key, counter in (("gained", row.gained), ("returned", row.returned)):
            if row.deleted[place]:
                add(key, None, part, note="pruned")
            else:
                # 0 is a number only where snapshots enclose the period, and no other.
                is_counted = len(row.parts) == 1 and between
                add(key, counter[place] if counter[place] or is_counted else None, part)
    add("lost", row.lost if between or row.lost else None, time)
    add("net", row.arrivals - row.lost if between else None, time)
    others = ("lost-blocked-by", row.blockers), ("gained-undated", row.undated), ("hidden", row.hidden)
    for key, count in (*others, ("shown-again", row.shown)):
        if count:
            add(key, count, time)
    start = flow.intervals[row.intervals[0]][0]["listed"] if between else 0
    if start:
        add("churn-rate", row.lost / start, time, "share")
    for found in rows:
        bounds = between or (row.lost_between if found["key"].startswith("lost") else None) or (None, None)
        found["after"], found["before"] = bounds
    return rows
