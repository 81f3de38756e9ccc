# SPDX-License-Identifier: Apache-2.0
"""Counts of the profile, and what is computed from them: growth, cards, forecast, goal, segments; and follow-backs."""

from scipy.stats import norm

from figures import LATEST, figure
from observations import longest_order
from recompute import DAY, Periods, fitted, follow_back, wilson


def growth(given, listing, profile):
    """The survivors of the first snapshot by the day they came, and the counts of the profile."""
    survivors = [stay for stay in listing.stays if stay.is_from_before]
    asked = [stay for stay in survivors if stay.is_sampled]
    dated = sorted(stay.came for stay in asked if stay.came is not None)
    everyone = sorted(stay.came for stay in survivors if stay.came is not None)
    deleted = listing.survivors_deleted()
    undated = len(survivors) - len(everyone) + deleted
    is_sample = len(asked) < len(survivors) and bool(dated)
    shown, rows = dated if is_sample else everyone, []
    days = Periods("day", given["zone"], shown[0], shown[-1] + 1) if shown else None
    for start, end in zip(days.starts, days.ends) if days else []:
        known = sum(moment < end for moment in shown)
        if not any(start <= moment < end for moment in shown):
            continue
        row = figure("growth", "followers", known, time=(None, min(end, shown[-1])), note="survivors")
        if is_sample:
            whole, unknown = len(survivors), len(asked) - len(dated)
            row["value"] = rounded(known / len(dated) * (whole + deleted))
            row["sample"] = len(dated)
            # Those who were asked without result, and those who were deleted, may have come at any time.
            row["low"] = wilson(known, len(asked))[1] * whole
            row["high"] = wilson(known + unknown, len(asked))[2] * whole + deleted
        rows.append(row)
    counts = [figure("growth", "followers", count, time=(None, at), note="counted") for at, count in latest(profile)]
    if not profile:
        sure = [(one["endedAt"], one["listed"]) for one in listing.series.snapshots if not one["isDoubtful"]]
        counts = [figure("growth", "followers", count, time=(None, at), note="listed") for at, count in latest(sure)]
    return rows, counts, [figure("growth", "undated", undated)] if undated else []


def rounded(value):
    """Halves away from zero."""
    return int(value + 0.5)


def latest(counts):
    """Of several counts of one time, the last one."""
    return sorted(dict(counts).items())


def growth_shown(given, listing, profile, time):
    survivors, counts, undated = growth(given, listing, profile)
    if not given["showsWholeGrowth"]:
        counts = [row for row in counts if time[0] <= row["to"] < time[1]]
        earlier = [row for row in survivors if row["to"] < time[0]]
        survivors = [row for row in survivors if time[0] <= row["to"] < time[1]]
        # The curve begins with the number at the start of the period.
        if earlier and listing.series.snapshots[0]["endedAt"] > time[0]:
            survivors = [dict(earlier[-1], to=time[0])] + survivors
    return survivors + counts + undated


def follow_backs(follows, followers):
    found = follow_back({"follows": follows.present.items(), "followers": followers.present.items()})
    names = ("followed-back", "not-followed-back", "followed-first", "undated")
    rows = [figure("follow-back", name, count) for name, count in zip(names, found["counts"])]
    for name, quartile in zip(("lower-quartile", "median", "upper-quartile"), found["quartiles"]):
        rows.append(figure("follow-back", name, quartile, "seconds", sample=found["counts"][0]))
    return rows


def forecasts(counts, days):
    """What is known of the accuracy, and the points of a forecast, each with its expected count and its deviation."""
    found, fit = fitted(counts)
    if fit is None:
        return found, []
    (model, last, step), points = fit, []
    for steps in range(1, days // step + 1):
        fading = [sum(model.phi**power for power in range(1, ahead + 1)) for ahead in range(steps + 1)]
        weights = [model.alpha + model.beta * fading[ahead] for ahead in range(1, steps)]
        deviation = model.deviation * (1 + sum(weight**2 for weight in weights)) ** 0.5
        points.append(((last + step * steps) * DAY, model.level + fading[steps] * model.slope, deviation))
    return found, points


def bound(mean, deviation, share):
    """The bounds of an interval of normal errors, as no count is negative."""
    z = norm.ppf((1 + share) / 2)
    return max(0, mean - z * deviation), max(0, mean + z * deviation)


def forecast_rows(counts):
    found, points = forecasts(counts, 365)
    if "days" in found:
        names = zip(("days-counted", "weeks-counted"), found["days"])
        return [figure("forecast", name, count, note="too-short") for name, count in names]
    error, unchanged, _, _, number = found["backtest"]
    if not points:
        return [figure("forecast", "backtest-error", error, sample=int(number), note="too-inaccurate")]
    step, rows = points[1][0] - points[0][0], []
    for at, mean, deviation in points[: 90 * DAY // step]:
        for key, share in (("expected-80", 0.8), ("expected-95", 0.95)):
            low, high = bound(mean, deviation, share)
            rows.append(figure("forecast", key, max(0, mean), time=(None, at), low=low, high=high))
    for key, value in (("backtest-error", error), ("backtest-error-of-no-change", unchanged)):
        rows.append(figure("forecast", key, value, sample=int(number)))
    return rows


def goal_rows(goal, counts):
    if not goal or not counts:
        return []
    value, wanted, (found, points) = counts[-1][1], goal["goal"], forecasts(counts, 365)
    likely = [(at, mean, *bound(mean, deviation, 0.8)) for at, mean, deviation in points]
    progress = 1 if value >= wanted else 0
    if value < wanted and wanted > goal["start"]:
        progress = min(1, max(0, (value - goal["start"]) / (wanted - goal["start"])))
    rows = [figure("goal", key, number) for key, number in (("goal", wanted), ("followers", value))]
    rows.append(figure("goal", "progress", progress, "share"))
    times = {
        key: next((point[0] for point in likely if value < wanted <= max(0, point[place])), None)
        for key, place in (("expected", 1), ("earliest", 3), ("latest", 2))
    }
    for key, at in times.items():
        if at is not None:
            rows.append(figure("goal", key, at, "moment", time=(None, at)))
    if times["expected"] is None:
        why = "too-short" if "days" in found else "not-within-forecast" if points else "too-inaccurate"
        note = "reached" if value >= wanted else why
        rows.append(figure("goal", "expected", None, "moment", note=note))
    return rows


def segment_rows(segments):
    return [
        figure("segments", segment["name"], count, time=(None, at), note=segment["predicate"])
        for segment in segments
        for at, count in sorted(zip(segment["moments"], segment["counts"]))
    ]


def counts_of(history, listings, name, now):
    """The counts of the profile that are certain; before the first of them, those that the snapshots kept."""
    recorded = history["counts"]
    order = longest_order([count["at"] for count in recorded], now)
    known = [recorded[place] for place in order]
    first = known[0]["at"] if known else LATEST
    kept = [
        (one["startedAt"], one["counted"])
        for one in (listings[name].series.snapshots if name in listings else [])
        if one["startedAt"] < first and not one["isMisplaced"] and is_certain(one) and one["counted"] is not None
    ]
    certain = [(one["at"], one[name]) for one in known if not one["isDoubted"] and one[name] is not None]
    return kept + certain


def is_certain(snapshot):
    """Whether the AppView that gave the count is not known to lack more followers than a late count may."""
    return not snapshot["isDoubtful"] and snapshot["doubted"] <= max(3, snapshot["listed"] // 200)


def closest(counts, moment):
    """Of two that are as close, the earlier one."""
    return min(counts, key=lambda count: (abs(count[0] - moment), count[0]), default=None)


def card(key, counts, time, now):
    """A count, its change, and the change before; and the time of the count, if it is not that of the present."""
    counts = sorted(counts, key=lambda count: count[0])
    within = [count for count in counts if count[0] < time[1]]
    if not within:
        return [], None
    (at, value), length = within[-1], time[1] - time[0]
    is_past = time[1] < now
    end = time[1] if is_past else now
    moment = at if end - at > DAY else end if is_past else None
    rows = [figure("cards", key, value, time=(None, moment))]
    # Two counts of one morning show no growth.
    start = closest([count for count in counts if count[0] <= at - max(min(DAY, length) // 2, 1)], time[0])
    if start:
        rows.append(figure("cards", f"{key}-change", value - start[1], time=(start[0], at)))
        before = closest([count for count in counts if count[0] < start[0]], time[0] - length)
        if before and abs(start[0] - time[0]) <= length / 4 and abs(before[0] - time[0] + length) <= length / 4:
            rows.append(figure("cards", f"{key}-change-before", start[1] - before[1], time=(before[0], start[0])))
    return rows, (value, moment)


def card_rows(listings, counts, time, now):
    rows, values = [], {}
    for key in ("followers", "follows", "posts"):
        found, values[key] = card(key, counts[key], time, now)
        rows += found
    followers, follows = values["followers"], values["follows"]
    if followers and follows and follows[0] > 0:
        moments = [moment for _, moment in (followers, follows) if moment is not None]
        at = min(moments, default=None)
        rows.append(figure("cards", "ratio", followers[0] / follows[0], "ratio", time=(None, at)))
    if "follows" in listings and not time[1] < now:
        present = [set(listings[side].present) for side in ("follows", "followers")]
        mutuals, note = len(present[0] & present[1]), None
        if followers and followers[0] > len(present[1]):
            note = "at-least"
        at = min(listings[side].series.snapshots[-1]["endedAt"] for side in ("follows", "followers"))
        at = at if now - at > DAY else None
        rows.append(figure("cards", "mutuals", mutuals, time=(None, at), note=note))
        if follows and follows[0] > 0:
            rate = min(1, mutuals / follows[0])
            rows.append(figure("cards", "mutual-rate", rate, "share", time=(None, at), note=note))
    if "blocks" in listings:
        listed = [(one["endedAt"], one["listed"]) for one in listings["blocks"].series.snapshots]
        rows += card("blocks", listed, time, now)[0]
    return rows
