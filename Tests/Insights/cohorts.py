# SPDX-License-Identifier: Apache-2.0
"""How many of those who came in a month are still there."""

from collections import defaultdict

from figures import figure
from observations import arrival, members_of
from periods import Flow
from recompute import BEGINNING


class Cohorts:
    """The accounts by the month in which they came, if that is known."""

    def __init__(self, listing, zone):
        self.listing = listing
        self.members = [member for member in members_of(listing) if not member.first.is_return]
        moments = [came_after(member.first) for member in self.members]
        # Of accounts that were deleted, the snapshot that found them.
        moments += [
            listing.series.by_number[number]["endedAt"] for number, gained in listing.arrivals_deleted() if gained
        ]
        moments = [moment for moment in moments if moment is not None]
        last = listing.series.snapshots[-1]["endedAt"]
        start = max(BEGINNING, min(moments)) if moments else None
        self.flow = Flow(listing, "month", zone, start, max(start, last) + 1) if moments else None

    def place(self, interval):
        """The place of the row of an interval among the rows."""
        spans = sorted(self.flow.rows)
        return next((place for place, span in enumerate(spans) if interval in self.flow.rows[span]), None)

    def row_of(self, period):
        spans = sorted(self.flow.rows)
        return next((place for place, span in enumerate(spans) if span[0] <= period < span[1]), None)

    def period(self, member):
        first = member.first
        if first.dated is not None:
            times = zip(self.flow.periods.starts, self.flow.periods.ends)
            return next((number for number, (low, high) in enumerate(times) if low <= first.dated < high), None)
        row = None if first.is_from_before else self.place(self.flow.found_in(first.first))
        span = sorted(self.flow.rows)[row] if row is not None else (0, 0)
        return span[0] if span[1] == span[0] + 1 else None

    def lost_in(self, member):
        return self.place(self.flow.found_in(member.left)) if member.left is not None else None


def came_after(stay):
    return stay.dated if stay.dated is not None else stay.after


def cohort_rows(listing, zone):
    cohorts = Cohorts(listing, zone)
    if cohorts.flow is None:
        return []
    groups, periods = defaultdict(list), cohorts.flow.periods
    for member in cohorts.members:
        groups[cohorts.period(member)].append(member)
    groups.pop(None, None)
    pruned = set()
    for number, gained in listing.arrivals_deleted():
        after, by = arrival(listing.series, number)
        if gained:
            times = enumerate(zip(periods.starts, periods.ends))
            pruned |= {place for place, (low, high) in times if high > after and low <= by}
    survivors = sum(len(group) for group in groups.values() if any(member.first.is_from_before for member in group))
    rows = []
    for number in sorted(set(groups) | pruned):
        rows += cohort(cohorts, number, groups[number], number in pruned, survivors)
    return rows


def cohort(cohorts, number, group, is_pruned, survivors):
    periods, spans = cohorts.flow.periods, sorted(cohorts.flow.rows)
    row = cohorts.row_of(number)
    is_several = row is not None and spans[row][1] - spans[row][0] > 1
    is_old = any(member.first.is_from_before for member in group)
    is_unseen = is_several and any(not member.first.is_from_before for member in group)
    note = "pruned" if is_pruned else "survivors" if is_old or is_unseen else None
    time = periods.starts[number], periods.ends[number]
    rows = [figure("cohorts", "size", None if is_pruned else len(group), time=time, note=note)]
    if is_pruned:
        return rows
    last, seen = cohorts.flow.edges[-1]["endedAt"], min(member.first.first for member in group)
    for later in range(number, len(periods.days)):
        row = cohorts.row_of(later)
        if periods.ends[later] > last or row is None or spans[row][1] != later + 1:
            continue
        # Without a later snapshot that finds losses, nothing could have been lost.
        intervals = [place for span in spans[: row + 1] for place in cohorts.flow.rows[span]]
        if not any(cohorts.flow.intervals[place][1]["number"] > seen for place in intervals):
            continue
        share, low, high = remaining(cohorts, group, row, is_old, survivors)
        rows.append(
            figure(
                "cohorts",
                f"retained-{later - number}",
                share,
                "share",
                time=time,
                low=low,
                high=high,
                sample=len(group),
                note=note,
            )
        )
    return rows


def remaining(cohorts, group, row, is_old, survivors):
    """The share of a cohort that is there at the end of a row, and its bounds if some who left have no date."""
    left = sum(not (lost is not None and lost <= row) for lost in map(cohorts.lost_in, group))
    undated = [
        cohorts.lost_in(member)
        for member in cohorts.members
        if member.first.is_from_before
        and member.first.is_sampled
        and member.first.dated is None
        and member.left is not None
    ]
    undated = [lost for lost in undated if lost is not None]
    deleted = cohorts.listing.survivors_deleted()
    if not is_old or not (undated or deleted):
        return left / len(group), None, None
    places = [cohorts.place(cohorts.flow.found_in(number)) for number, lost in cohorts.listing.losses_deleted() if lost]
    is_over = max((place for place in places if place is not None), default=-1) <= row
    gone = sum(place <= row for place in undated)
    rest, part = len(undated) - gone, len(group) / survivors
    # Those who were deleted are taken to be gone.
    share = (left + part * rest) / (len(group) + part * (len(undated) + deleted))
    # Every way in which those without a date can belong to this cohort.
    ways = [
        (left + there) / (len(group) + away + there)
        for away in range(gone + deleted + 1)
        for there in (0, rest + (0 if is_over else deleted))
    ]
    return share, min(ways), max(ways)
