# SPDX-License-Identifier: Apache-2.0
"""Blocks by the account, lost followers that block it, and waves of them."""

from figures import figure
from periods import Tally, clamped, coverage, note_of, observed
from recompute import DAY, Periods


def block_rows(listings, unit, zone, time):
    """The blocks by the account, and the lost followers that block it."""
    own = OwnBlocks(listings.get("blocks"), unit, zone, time)
    tally = Tally(listings["followers"], unit, zone, time)
    rows, seen, found = tally.rows(), set(), []
    # A period that snapshots enclose is not shown again for the rest of it.
    enclosed = {period for row in rows if observed(row, tally.flow) for period in row.periods}
    for row in rows:
        between, cover = observed(row, tally.flow), coverage(row, tally.flow)
        parts = [
            pair for pair in zip(row.periods, row.parts) if pair[0] not in seen and (between or pair[0] not in enclosed)
        ]
        seen.update(period for period, _ in parts)
        if not parts:
            continue
        shown = [own.part(period, part if between else clamped(period, time)) for period, part in parts]
        is_known = not row.unexplained and (between or row.blockers)
        note = note_of("unobserved" if cover == "survivors" else cover, is_known) or "lost-followers"
        during = shown[0]["from"], shown[-1]["to"]
        count = figure("blocks", "blocked-by", row.blockers if is_known else None, time=during, note=note)
        count["note"] = "pruned" if row.unexplained else note
        count["after"], count["before"] = between or (None, None)
        found.append([*shown, count])
    found = own.beside(found, seen)
    full = [any(figure["value"] for figure in row) for row in found]
    if any(full):
        found = found[full.index(True) : len(full) - full[::-1].index(True)]
    else:
        found = []
    return [figure for row in found for figure in row] + wave_rows(
        Tally(listings["followers"], "day", zone, None), zone
    )


class OwnBlocks:
    """The blocks by the account."""

    def __init__(self, listing, unit, zone, time):
        self.unit, self.zone, self.time, self.cover = unit, zone, time, {}
        self.moments = [stay.came for stay in listing.stays if stay.came is not None] if listing else []
        tally = Tally(listing, unit, zone, time) if listing else None
        for row in tally.rows() if tally else []:
            for period in row.periods:
                if observed(row, tally.flow) or period not in self.cover:
                    self.cover[period] = coverage(row, tally.flow)

    def part(self, period, counted):
        cover = self.cover.get(period, "unobserved")
        count = sum(counted[0] <= moment < counted[1] for moment in self.moments)
        # 0 is a number only where snapshots enclose the period, and no other.
        value = count if count or cover in (None, "partial") else None
        return figure("blocks", "blocking", value, time=tuple(counted), note=note_of(cover, value is not None))

    def beside(self, rows, seen):
        """The rows, and periods before and after them that have blocks."""
        within = [moment for moment in self.moments if self.time[0] <= moment < self.time[1]]
        if not within:
            return rows
        periods = Periods(self.unit, self.zone, min(within), max(within) + 1)
        others = [period for period in zip(periods.starts, periods.ends) if period not in seen]
        for period in others:
            during = clamped(period, self.time)
            rows.append(
                [self.part(period, during), figure("blocks", "blocked-by", None, time=during, note="unobserved")]
            )
        return sorted(rows, key=lambda row: row[0]["from"])


def wave_rows(tally, zone):
    """Waves of blockers among the lost, on days that snapshots tell from those around them."""
    flow, rows = tally.flow, tally.rows()
    known = [
        row for row in rows if len(row.parts) == 1 and coverage(row, flow) in (None, "interval") and not row.unexplained
    ]
    if not known:
        return []
    days = Periods("day", zone, known[0].parts[0][0], known[-1].parts[0][1])
    counts = {days.starts.index(row.parts[0][0]): row.blockers for row in known}
    taken = set()
    while True:
        others = [count for day, count in counts.items() if day not in taken]
        mean = sum(others) / len(others) if others else 0
        more = {day for day, count in counts.items() if count >= 5 and count >= 4 * mean}
        if more <= taken:
            break
        taken |= more
    runs = []
    for day in sorted(taken):
        if runs and day - runs[-1][1] <= 2:
            runs[-1][1] = day
        else:
            runs.append([day, day])
    quiet = [count for day, count in counts.items() if not any(low <= day <= high for low, high in runs)]
    usual = sum(quiet) / len(quiet) if quiet else 0
    return [found for run in runs for found in wave(run, days, counts, usual, rows, flow)]


def wave(run, days, counts, usual, rows, flow):
    low, high = days.starts[run[0]], days.ends[run[1]]
    figures = {
        "wave-blocks": sum(count for day, count in counts.items() if run[0] <= day <= run[1]),
        "wave-usual-blocks": usual,
        "wave-net-before": average_net(rows, flow, low - 14 * DAY, low, 7),
        "wave-net-meanwhile": average_net(rows, flow, low, high, 1),
        "wave-net-after": average_net(rows, flow, high, high + 14 * DAY, 7),
    }
    return [figure("blocks", key, value, time=(low, high)) for key, value in figures.items()]


def average_net(rows, flow, low, high, fewest):
    """The net growth of the rows in a time that snapshots enclose, divided by the days that they cover."""
    inside = [row for row in rows if low <= row.parts[0][0] and row.parts[-1][1] <= high]
    inside = [row for row in inside if coverage(row, flow) in (None, "interval")]
    if sum(len(row.parts) for row in inside) < fewest:
        return None
    times = [(observed(row, flow), row) for row in inside]
    days = sum((time[1] - time[0]) / (row.whole[1] - row.whole[0]) * len(row.parts) for time, row in times)
    return sum(row.arrivals - row.lost for row in inside) / days
