"""Rows of studies made up from shares of ratings, for tests of what their pages say."""

from __future__ import annotations

from sim.studies.case_rows import CaseRow, Rating
from sim.studies.report.pictures.study_data import data_of

UNITS = {"torque": "N·m", "speed": "rad/s", "range": "rad"}
CHECKS = {"torque": "rated torque", "speed": "rated speed", "range": "upper position limit"}
CHANNELS = {"torque": "tau", "speed": "qd", "range": "q"}


def row(parameters, shares, *, reason="", factors=None, draw=None, limit=100.0):
    """A case; `shares` by names such as ``elbow torque``, of a rating of 100."""
    ratings, responses = {}, {}
    for name, share in shares.items():
        joint, _, kind = name.rpartition(" ")
        ok = share is not None and share <= 1 + 1e-9
        channel = f"{CHANNELS[kind]}.{joint}"
        ratings.setdefault(CHECKS[kind], {})[channel] = Rating(share, limit, UNITS[kind], ok)
        if kind == "torque":
            responses[f"peak {channel}"] = (limit * share, "N·m")
    passed = not reason and all(r.ok for one in ratings.values() for r in one.values())
    return CaseRow(
        key=str(parameters),
        parameters=parameters,
        status="pass" if passed else "fail",
        reason=reason,
        ratings=ratings,
        responses=responses,
        factors=factors or {},
        draw=draw,
    )


def rows_over(name, values, **shares):
    """A case for each value; `shares` are functions of it, by ``elbow_torque``."""
    return [
        row({name: x}, {key.replace("_", " "): share(x) for key, share in shares.items()})
        for x in values
    ]


def data_from(rows, **units):
    """The numbers of some rows."""
    return data_of(rows, units)
