"""Ledger of a baseline: reviewer, time, reason and difference from the previous one."""

from __future__ import annotations

from pathlib import Path

import msgspec

from sim.errors import RecordingError
from sim.recording.schema.description import UNREADABLE, Conditions

DESCRIPTION = "baseline.json"
CURVES, INSTANTS, ROBOT = "curves", "instants", "robot"


class WorstChannel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Difference of a channel from the previous baseline, its tolerance `limit` then, in `unit`."""

    channel: str
    worst: float | None
    limit: float
    unit: str
    at: float


class LedgerEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One line of the ledger.

    Parameters
    ----------
    accepted : str
        Time, as in ISO 8601.
    who, reason : str
        As typed.
    level : str
        Agreement of the run with the previous baseline; ``new`` for the first.
    changes : tuple of str
        Changes of the inputs, as text.
    worst : tuple of WorstChannel
        Channels farthest beyond or nearest to their limits.
    versions : mapping of str to str
        Of packages that can change a number.
    urdf_sha256, digest : str
        Of the robot, and of the accepted values.
    """

    accepted: str
    who: str
    reason: str
    level: str
    changes: tuple[str, ...] = ()
    worst: tuple[WorstChannel, ...] = ()
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    urdf_sha256: str
    digest: str


class Acceptance(Conditions, frozen=True, kw_only=True):
    """Content of ``baseline.json``: the conditions of the accepted run, and the ledger.

    Parameters
    ----------
    digest : str
        Of the values of all compared channels, see `digest`.
    noise : mapping of str to float
        Noise of each channel by rounding, see `sim.comparison.rounding`.
    files : mapping of str to str
        Names of the files of curves, of instants and of the robot; each contains its hash.
    ledger : tuple of Entry
        All acceptances, the present one last.
    """

    digest: str
    noise: dict[str, float]
    files: dict[str, str]
    ledger: tuple[LedgerEntry, ...]

    @property
    def reason(self) -> str:
        """Reason of the present acceptance."""
        return self.ledger[-1].reason


class _Earlier(msgspec.Struct):
    """Acceptances of an earlier description; before format 3 it had one, without a name."""

    ledger: tuple[LedgerEntry, ...] = ()
    reason: str = ""
    accepted: str = ""


def read_ledger(folder: Path) -> tuple[LedgerEntry, ...]:
    """Return the acceptances so far; none if there is no baseline yet.

    Raises
    ------
    RecordingError
        If there is one and its ledger cannot be read.
    """
    path = folder / DESCRIPTION
    if not path.is_file():
        return ()
    try:
        content = msgspec.json.decode(path.read_bytes(), type=_Earlier)
    except (OSError, *UNREADABLE) as error:
        raise RecordingError(
            f"The ledger in {path} cannot be read, and it is not overwritten: {error}; restore "
            "the file, or move the folder"
        ) from None
    if content.ledger or not content.reason:
        return content.ledger
    only = LedgerEntry(
        accepted=content.accepted,
        who="not recorded",
        reason=content.reason,
        level="new",
        urdf_sha256="",
        digest="",
    )
    return (only,)
