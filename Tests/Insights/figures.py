# SPDX-License-Identifier: Apache-2.0
"""A row of `stats`."""

LATEST = 253_402_300_799_999_999
FIELDS = ("unit", "from", "to", "after", "before", "value", "low", "high", "sample", "note")


def figure(metric, key, value, unit="count", time=(None, None), **others):
    """A row of `stats`."""
    row = dict.fromkeys(FIELDS)
    row.update(metric=metric, key=key, value=value, unit=unit)
    row["from"], row["to"] = time
    row.update(others)
    return row
