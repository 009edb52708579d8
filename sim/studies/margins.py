"""Margins: what is left of the joints' ranges and ratings, by kind, and the joint that binds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from sim.recording.verdicts import Check, DriveSizing
from sim.studies.case_row import Worst

# Names of the checks by the kind of margin; what binds of all of them is `margin`.
KINDS: Mapping[str, tuple[str, ...]] = {
    "torque": ("rated torque",),
    "speed": ("rated speed",),
    "range": ("lower end of range", "upper end of range"),
}
RATINGS = tuple(name for names in KINDS.values() for name in names)

# 1 - largest |power| / (rated torque · rated speed). A URDF rates no power: no check judges it, and
# it is not in `margin`.
POWER = "margin.power"
NAMES = ("margin", *(f"margin.{kind}" for kind in KINDS), POWER)


def checks_of(name: str) -> tuple[str, ...]:
    """The checks that a margin is made of; none for other responses."""
    return RATINGS if name == "margin" else KINDS.get(name.removeprefix("margin."), ())


def margins(
    pattern: str, checks: Iterable[Check], power: float | None
) -> dict[str, tuple[float | None, str]]:
    """The margins that a name or pattern asks for: 1 - share of the limit, 0 at the limit.

    A check that holds has none below 0: where it allows rounding, so does its margin. Negative
    beyond; None where a joint is beyond its range and no share tells how far. `margin` is the least
    of torque, speed and range, 1 where nothing is rated; of the others those that are rated.

    Parameters
    ----------
    pattern : str
        One of `NAMES`, or with ``*``.
    checks : iterable of Check
    power : float or None
        Largest share of the power that a joint's rated torque and speed make.
    """
    rated = [check for check in checks if check.name in RATINGS]
    found: dict[str, tuple[float | None, str]] = {}
    for name in (name for name in NAMES if fnmatchcase(name, pattern)):
        if name == POWER:
            if power is not None:
                found[name] = (1.0 - power, "1")
            continue
        own = [check for check in rated if check.name in checks_of(name)]
        if own or name == "margin":
            found[name] = (_least(own), "1")
    return found


def _least(checks: Sequence[Check]) -> float | None:
    used = [
        min(check.used, 1.0) if check.ok and check.used is not None else check.used
        for check in checks
    ]
    known = [share for share in used if share is not None]
    return None if len(known) < len(used) else 1.0 - max(known, default=0.0)


def power_used(sizing: Iterable[DriveSizing]) -> float | None:
    """Largest share of the power at rated torque and rated speed that a drive uses or takes back.

    None where no drive has both ratings.
    """
    shares = [
        max(abs(point.power or 0.0) for point in (one.peak_power, one.least_power)) / corner
        for one in sizing
        if one.torque_margin is not None and one.speed_margin is not None
        and (corner := one.torque_margin.rated * one.speed_margin.rated)
    ]  # fmt: skip
    return max(shares, default=None)


def joint_and_kind(check: str, one: Worst) -> str:
    """Of what a margin is used up, such as ``elbow_joint torque``."""
    kind = next(kind for kind, names in KINDS.items() if check in names)
    end = check if kind == "range" else kind
    return f"{one.channel.partition('.')[2]} {end}"
