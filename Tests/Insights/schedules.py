# SPDX-License-Identifier: Apache-2.0
"""Computes every number of `stats` over a stored history a second time, and compares both with what really happened.

The rules are those of docs/ANALYTICS.md, followed by the plainest way there is, without regard for speed.
"""

from collections import defaultdict
from itertools import zip_longest

from blocks import block_rows
from cohorts import cohort_rows
from curves import card_rows, counts_of, follow_backs, forecast_rows, goal_rows, growth_shown, segment_rows
from figures import FIELDS, LATEST
from observations import Listing
from periods import flow_rows
from recompute import BEGINNING, DAY


def time_of(given, listings, counts):
    """The period that the numbers are about."""
    if given["period"]:
        return given["period"]
    moments = [stay.came for stay in listings["followers"].stays if stay.came is not None]
    moments += [listings["followers"].series.snapshots[0]["endedAt"]]
    moments += [count[0] for side in counts.values() for count in sorted(side)[:1]]
    return [min([given["now"], *moments]), given["now"] + 1]


def unit_of(given, time, distance):
    """A unit that suits the period, and not finer than snapshots are taken."""
    if given["unit"]:
        return given["unit"]
    length, distance = time[1] - time[0], distance or 0
    if length < 46 * DAY and distance <= 1.5 * DAY:
        return "day"
    if length < 401 * DAY and distance <= 10.5 * DAY:
        return "week"
    return "month" if distance <= 45 * DAY else "year"


def wanted_rows(given):
    """Every number, by its metric."""
    history, now = given["history"], given["now"]
    listings = {
        side: Listing(history[side], now) for side in ("followers", "follows", "blocks") if history[side]["snapshots"]
    }
    counts = {name: counts_of(history, listings, name, now) for name in ("followers", "follows", "posts")}
    time = time_of(given, listings, counts)
    followers, zone = listings["followers"], given["zone"]
    unit = unit_of(given, time, followers.series.typical_distance())
    return {
        "cards": card_rows(listings, counts, time, now),
        "flow": flow_rows(followers, unit, zone, [min(time[0], now + 1), min(time[1], now + 1)]),
        "cohorts": cohort_rows(followers, zone),
        "blocks": block_rows(listings, unit, zone, time),
        "growth": growth_shown(given, followers, counts["followers"], time),
        "follow-back": follow_backs(listings["follows"], followers) if "follows" in listings else [],
        "forecast": forecast_rows(counts["followers"]),
        "goal": goal_rows(history["goal"], counts["followers"]),
        "segments": segment_rows(history["segments"]),
    }


def differences(found, wanted):
    """Rows that differ, of those with the same key and time, or that only one side has."""

    def keyed(rows):
        groups = defaultdict(list)
        for row in rows:
            groups[row["key"], row["from"], row["to"]].append(row)
        return groups

    ours, theirs = keyed(found), keyed(wanted)
    for key in sorted(set(ours) | set(theirs), key=str):
        for one, other in zip_longest(ours[key], theirs[key]):
            if one is None or other is None:
                yield f"{'missing' if one is None else 'too many'}: {text(one or other)}"
            elif not all(agree(one[field], other[field]) for field in FIELDS):
                yield f"{text(one)}, not {text(other)}"


def text(row):
    return f"{row['metric']} {row['key']} " + " ".join(
        f"{field}={row[field]}" for field in FIELDS if row[field] is not None
    )


def agree(one, other):
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return one == other
    return abs(one - other) <= 1e-9 * max(1, abs(one), abs(other))


class Truth:
    """What really happened, at the moments at which the snapshots read the listing."""

    def __init__(self, given):
        self.accounts = given["truth"]["accounts"]
        self.reads = {int(number): moment for number, moment in given["reads"].items()}

    @staticmethod
    def stays(account):
        return [(stay["came"], stay["left"] if stay["left"] is not None else LATEST) for stay in account["stays"]]

    def follows(self, account, moment):
        return any(came <= moment < left for came, left in self.stays(account))

    @staticmethod
    def is_hidden(account, moment):
        return account["hiddenFrom"] is not None and account["hiddenFrom"] <= moment < account["hiddenUntil"]

    def is_listed(self, account, moment):
        return self.follows(account, moment) and not self.is_hidden(account, moment)

    def count(self, moment):
        return sum(self.is_listed(account, moment) for account in self.accounts)

    def came(self, start, end):
        """The fewest arrivals, of accounts that are listed at the end and were not at the start; and the most."""
        most = sum(start < came <= end for account in self.accounts for came, _ in self.stays(account))
        fewest = sum(
            not self.is_listed(account, start) and self.is_listed(account, end)
            for account in self.accounts
            if account["hiddenFrom"] is None
        )
        return fewest, most

    def left(self, start, end):
        """The fewest departures, of accounts that were listed at the start and left by the end; and the most."""
        most = sum(start < left <= end for account in self.accounts for _, left in self.stays(account))
        fewest = sum(
            self.is_listed(account, start) and not self.follows(account, end)
            for account in self.accounts
            if account["hiddenFrom"] is None
        )
        return fewest, most

    def hidden_ever(self):
        return sum(account["hiddenFrom"] is not None for account in self.accounts)


def contradictions(given):
    """Rows of flows and counts that what really happened contradicts."""
    truth, listing = Truth(given), Listing(given["history"]["followers"], given["now"])
    rows, seen = [row for row in given["rows"] if row["metric"] == "flow"], defaultdict(list)
    for row in rows:
        if row["note"] in ("at-least", "survivors"):
            if row["key"] == "lost" and row["value"] > truth.left(BEGINNING, given["now"])[1]:
                yield f"fewer left: {text(row)}"
        elif row["after"] is not None:
            seen[row["after"], row["before"]].append(row)
        elif row["value"] is not None:
            yield f"no snapshot shows {text(row)}"
    for between, found in seen.items():
        yield from wrong_rows(given, truth, listing, between, found)
    yield from wrong_counts(given, truth)


def wrong_rows(given, truth, listing, between, found):
    """What is wrong in the rows of the time between two edges."""
    edges = listing.series.edges
    low = next((place for place, edge in enumerate(edges) if edge["startedAt"] == between[0]), None)
    high = next((place for place, edge in enumerate(edges) if edge["endedAt"] == between[1]), None)
    if low is None or high is None or low >= high:
        yield f"no two edges are around {text(found[0])}"
        return
    values = defaultdict(int)
    for row in found:
        values[row["key"]] += row["value"] or 0
    grown = edges[high]["listed"] - edges[low]["listed"]
    if values["net"] + values["shown-again"] - values["hidden"] != grown:
        yield f"the listing grew by {grown}: {text(found[0])} and so on"
    moments = [truth.reads[edge["number"]] for edge in edges[low : high + 1]]
    pairs = list(zip(moments, moments[1:]))
    is_pruned = any(count for _, count in listing.arrivals_deleted() + listing.losses_deleted())
    # What was left open was found later.
    is_open = any(one["unconfirmed"] for one in listing.series.snapshots)
    slack = truth.hidden_ever() if is_pruned else 0
    fewest, most = (sum(bounds) for bounds in zip(*[truth.left(*pair) for pair in pairs]))
    if not is_open and not fewest <= values["lost"] <= most + slack:
        yield f"{fewest} to {most} left: {text(found[0])} and so on"
    came = values["gained"] + values["returned"] + values["gained-undated"] + values["shown-again"]
    fewest, most = (sum(bounds) for bounds in zip(*[truth.came(*pair) for pair in pairs]))
    if not is_open and not is_pruned and not fewest <= came <= most + truth.hidden_ever():
        yield f"{fewest} to {most} came: {text(found[0])} and so on"


def wrong_counts(given, truth):
    """Counts that are not those of the profile, which has the listed followers and a fixed number of others."""
    counts = [row for row in given["rows"] if row["metric"] == "growth" and row["note"] == "counted"]
    for row in counts:
        if given["unlisted"] is None:
            yield f"the profile showed no count: {text(row)}"
        elif row["value"] != truth.count(row["to"]) + given["unlisted"]:
            yield f"the profile showed {truth.count(row['to']) + given['unlisted']}, not {text(row)}"


def complaints(given):
    """What of the rows of a case is wrong."""
    found = []
    for metric, rows in wanted_rows(given).items():
        found += differences([row for row in given["rows"] if row["metric"] == metric], rows)
    return found + list(contradictions(given))
