"""Rules: tolerances of channels, in a file that a person can read and sign.

``tolerances.toml`` is in the folder of the baselines:

    [[rule]]
    channels = "tau.*"          # names or patterns
    relative = 1e-5             # of the channel's own peak
    absolute = 0.02             # besides, in `unit`
    unit = "N·m"
    scenario = "ur10_*"         # default: all
    reason = "the drives' cards promise no more"

The first rule that matches a channel applies; if none does, `default_rule`. The rounding of the
channel is added to every limit (`sim.comparison.rounding`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec import Struct

from sim import shipped
from sim.errors import RecordingError

FILE = "tolerances.toml"

# A larger difference is a change, not noise: two runs of one model on two machines differ by
# rounding, 1e-10 of the peak, and the method itself is accurate to 2e-6.
RTOL = 1e-6


class Rule(Struct, frozen=True):
    """Allowed difference of the channels that match a pattern.

    Parameters
    ----------
    channels : str
        Name or pattern, as in ``tau.*``.
    relative : float
        Share of the channel's own peak.
    absolute : float
        In addition, in `unit`.
    unit : str
        Unit of `absolute`: that of the channels.
    scenario : str
        Name or pattern of the scenarios to which it applies.
    reason : str
        Reason for the rule.
    source : str
        File and place of the rule, for the report.
    """

    channels: str
    relative: float
    absolute: float
    unit: str
    scenario: str
    reason: str
    source: str

    @property
    def text(self) -> str:
        """Short text of the rule, next to a number."""
        parts = [f"{self.relative:.3g} of the peak"] if self.relative else []
        parts += [f"{self.absolute:.3g} {self.unit}"] if self.absolute else []
        return f"{' + '.join(parts) or '0'} ({self.source})"


def default_rule(rtol: float | None = None) -> Rule:
    """Return the rule for channels without another; `rtol` of the peak instead of `RTOL`.

    Raises
    ------
    RecordingError
        If `rtol` is not positive.
    """
    if rtol is None:
        return Rule("*", RTOL, 0.0, "", "*", "above noise", "default")
    if not (math.isfinite(rtol) and rtol > 0):
        raise RecordingError(
            f"A relative tolerance must be a positive number such as 1e-6, got {rtol}"
        )
    return Rule("*", rtol, 0.0, "", "*", "given", "--rtol")


def find_rules(path: Path | None = None) -> tuple[Rule, ...]:
    """Return the rules of a file, or of ``tolerances.toml`` with the baselines; may be empty.

    Raises
    ------
    RecordingError
        As in `read_rules`.
    """
    if path is not None:
        return read_rules(path)
    for folder in (Path("results/baselines"), shipped.baselines()):
        if (folder / FILE).is_file():
            return read_rules(folder / FILE)
    return ()


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    """A rule as written in a file."""

    channels: str
    reason: str
    relative: float = 0.0
    absolute: float = 0.0
    unit: str = ""
    scenario: str = "*"


class _RuleFile(msgspec.Struct, forbid_unknown_fields=True):
    rule: list[_Row] = []


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Return the rules of a file.

    Raises
    ------
    RecordingError
        If it cannot be read, or a rule lacks a field, has an unknown field or a negative number;
        the message names file and rule.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe may never end
            raise RecordingError(f"{path} cannot be read as rules: it is not a file")
        rows = msgspec.toml.decode(path.read_bytes(), type=_RuleFile).rule
    except RecordingError:
        raise
    # too many digits or nested brackets raise errors that are not the reader's own
    except (OSError, ValueError, RecursionError, msgspec.DecodeError) as error:
        raise RecordingError(f"{path} cannot be read as rules: {error}") from None
    return tuple(_rule(row, path, f"rule {k}") for k, row in enumerate(rows, 1))


def _rule(row: _Row, path: Path, number: str) -> Rule:
    wrong = None
    if not (row.channels.strip() and row.reason.strip()):
        wrong = "'channels' and 'reason' must not be empty"
    for name, size in (("relative", row.relative), ("absolute", row.absolute)):
        if not (math.isfinite(size) and size >= 0):
            wrong = f"{name} = {size} must be finite and not negative"
    if row.absolute and not row.unit:
        wrong = "'absolute' requires 'unit'"
    if wrong is not None:
        raise RecordingError(f"{path}, {number}: {wrong}")
    return Rule(**msgspec.structs.asdict(row), source=f"{path.name}, {number}")


def rules_for(scenario: str, rules: Sequence[Rule], units: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return the rules for a scenario whose channels have these units.

    Raises
    ------
    RecordingError
        If one of them matches no channel, or has another unit than a matching channel.
    """
    own_rules = tuple(rule for rule in rules if fnmatchcase(scenario, rule.scenario))
    for rule in own_rules:
        names = [channel for channel in units if fnmatchcase(channel, rule.channels)]
        if not names:
            raise RecordingError(
                f"{rule.source}: {rule.channels!r} matches no channel of {scenario!r}; its groups "
                f"are {', '.join(_groups(units))}. Restrict the rule to its scenarios: "
                'scenario = "…"'
            )
        for name in names:
            if rule.absolute and units[name] != rule.unit:
                raise RecordingError(
                    f"{rule.source}: {name} is in {units[name]}, but the rule has {rule.unit}"
                )
    return own_rules


def rule_for(channel: str, rules: Sequence[Rule], default: Rule) -> Rule:
    """Return the first rule that matches a channel."""
    return next((rule for rule in rules if fnmatchcase(channel, rule.channels)), default)


def _groups(channels: Collection[str]) -> list[str]:
    return list(dict.fromkeys(channel.partition(".")[0] for channel in channels))
