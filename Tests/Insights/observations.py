# SPDX-License-Identifier: Apache-2.0
"""The snapshots of a listing, and the accounts on it that they show."""

from collections import Counter, defaultdict

from recompute import BEGINNING


def longest_order(times, now):
    """The positions of the most times that are in order and not after now; of several ways, the earliest times."""
    best = []
    for index, time in enumerate(times):
        if time > now:
            best.append(None)
            continue
        before = [chain for chain in best if chain and chain[1][0] <= time]
        length, ends, places = max(before, key=rank, default=(0, [], []))
        best.append((length + 1, [time] + ends, places + [index]))
    return max((chain for chain in best if chain), key=rank, default=(0, [], []))[2]


def rank(chain):
    return chain[0], [-time for time in chain[1]]


class Series:
    """The snapshots of a listing in their order; where the clock was wrong, with the times of their neighbours."""

    def __init__(self, snapshots, now):
        self.snapshots = [
            defaultdict(lambda: None, snapshot) for snapshot in sorted(snapshots, key=lambda one: one["number"])
        ]
        believed = longest_order([snapshot["endedAt"] for snapshot in self.snapshots], now)
        for index, snapshot in enumerate(self.snapshots):
            snapshot["isMisplaced"] = index not in believed
            if index in believed:
                snapshot["startedAt"] = min(snapshot["startedAt"], snapshot["endedAt"])
        for index, snapshot in enumerate(self.snapshots):
            if index in believed:
                continue
            before = [self.snapshots[place]["endedAt"] for place in believed if place < index]
            after = [self.snapshots[place]["startedAt"] for place in believed if place > index]
            start = before[-1] if before else after[0] if after else min(snapshot["startedAt"], now)
            snapshot["startedAt"], snapshot["endedAt"] = start, max(start, after[0] if after else now)
        # Between two of these, losses are told apart.
        self.edges = self.snapshots[:1] + [
            one for one in self.snapshots[1:] if one["isFull"] and not one["isDoubtful"] and not one["isMisplaced"]
        ]
        self.by_number = {snapshot["number"]: snapshot for snapshot in self.snapshots}

    def typical_distance(self):
        ends = [edge["endedAt"] for edge in self.edges][-11:]
        distances = sorted(b - a for a, b in zip(ends, ends[1:]))
        return distances[len(distances) // 2] if distances else None


class Stay:
    """The time that an account was listed, as shown by snapshots."""

    def __init__(self, stored, series):
        self.account, self.cause = stored["account"], stored["cause"]
        self.first, self.lost = stored["first"], stored["lost"]
        self.is_return, self.is_sampled = stored["isReturn"], stored["isSampled"]
        self.after, self.by = arrival(series, stored["first"])
        self.lost_after, self.lost_by = departure(series, stored["lost"]) if stored["lost"] else (None, None)
        self.is_from_before = self.after is None
        claimed, earliest = stored["claimed"], BEGINNING if self.after is None else self.after
        # A claim that contradicts the snapshots says nothing.
        self.dated = claimed if claimed is not None and earliest < claimed <= self.by else None
        self.came = self.dated if self.dated is not None or self.is_from_before else self.by


def before(series, number):
    """The snapshots before one, and the last of them that left no loss open."""
    earlier = [one for one in series.snapshots if one["number"] < number]
    certain = [one for one in earlier if one["isFull"] and not one["unconfirmed"]]
    return earlier, certain[-1] if certain else earlier[-1] if earlier else None


def arrival(series, number):
    """An account that came was missing from the snapshot before; one that is shown again only a full one finds."""
    snapshot = series.by_number[number]
    earlier, certain = before(series, number)
    known = certain if snapshot["isFull"] else earlier[-1] if earlier else None
    return known["startedAt"] if known else None, snapshot["endedAt"]


def departure(series, number):
    certain = before(series, number)[1]
    return certain["startedAt"] if certain else None, series.by_number[number]["endedAt"]


class Listing:
    """A listing: its snapshots, the stays that are stored, and how many stays were deleted."""

    def __init__(self, stored, now):
        self.series = Series(stored["snapshots"], now)
        self.stays = [Stay(stay, self.series) for stay in stored["stays"]]
        self.present = {stay["account"]: stay["claimed"] for stay in stored["stays"] if stay["lost"] is None}
        self.gained = Counter(stay["first"] for stay in stored["stays"])
        self.lost = Counter(stay["lost"] for stay in stored["stays"])

    def arrivals_deleted(self):
        """How many arrivals each snapshot but the first one counted that are no longer stored."""
        return [
            (one["number"], max(0, one["gained"] - self.gained[one["number"]])) for one in self.series.snapshots[1:]
        ]

    def losses_deleted(self):
        return [(one["number"], max(0, one["lost"] - self.lost[one["number"]])) for one in self.series.snapshots]

    def survivors_deleted(self):
        first = self.series.snapshots[0]
        return max(0, first["listed"] - self.gained[first["number"]])


class Member:
    """An account from its arrival to its departure; the own block may have hidden it in between."""

    def __init__(self, stays):
        self.first, self.last = stays[0], stays[-1]
        self.hidden = [stay.lost for stay in stays if stay.cause == "blocking"]
        self.shown = [stay.first for stay in stays[1:]]
        self.left = self.last.lost if self.last.cause != "blocking" else None


def members_of(listing):
    members = []
    for stay in listing.stays:
        last = members[-1][-1] if members else None
        if last and last.account == stay.account and last.cause == "blocking":
            members[-1].append(stay)
        else:
            members.append([stay])
    return [Member(stays) for stays in members]
