"""Result of the comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sim.showing.fragments import html_list, html_table
from sim.showing.one_line import count_text, one_line
from sim.showing.shares import share_text

Level = Literal["bit", "rounding", "tolerance", "outside"]

MOST_ROWS = 10  # rows of a table in a notebook

WORDS: dict[Level, str] = {
    "bit": "same to the bit",
    "rounding": "same to rounding",
    "tolerance": "inside tolerance",
    "outside": "differs",
}

BOTH_METHODS = "(both methods)"  # ends a rule that includes both methods' residual


@dataclass(frozen=True)
class Difference:
    """Difference of one channel from its reference.

    Parameters
    ----------
    channel : str
    worst, limit : float
        Largest magnitude of the difference, and its limit, in `unit`.
    unit : str
    at : float
        Time of `worst` [s].
    diverges : float or None
        First time at which the limit is exceeded [s].
    ok : bool
    rule : str
        Origin of the limit, as text.
    rounding : float
        Possible rounding of the channel, a part of the limit, in `unit`.
    """

    channel: str
    worst: float
    limit: float
    unit: str
    at: float
    diverges: float | None
    ok: bool
    rule: str = ""
    rounding: float = 0.0

    @property
    def used(self) -> float:
        """Used share of the limit, 1 at the limit."""
        if self.limit == 0:
            return 0.0 if self.worst == 0 else float("inf")
        return self.worst / self.limit


@dataclass(frozen=True)
class Shift:
    """The run is the reference, later by `seconds` (earlier if negative); `left` is the residual.

    Parameters
    ----------
    seconds : float
    left : float
        Root-mean-square share of the difference that the shift does not explain.
    """

    seconds: float
    left: float

    @property
    def text(self) -> str:
        """Text of the shift."""
        way = "later" if self.seconds > 0 else "earlier"
        return (
            f"the run is {1e3 * abs(self.seconds):.4g} ms {way}; this shift explains the "
            "difference except for "
            f"{100 * self.left:.2g} %"
        )


@dataclass(frozen=True)
class Comparison:
    """Outcome of a comparison.

    Parameters
    ----------
    differences : tuple of Difference
        Those beyond their limits first, then by the used share.
    missing, new : tuple of str
        Channels that only the reference, or only the run has.
    notes : tuple of str
        Other differences: a duration, a verdict.
    ok : bool
        Whether both sides have the same channels, all within their limits, over one duration, and
        the run has not failed its own checks.
    level : {"bit", "rounding", "tolerance", "outside"}
        Agreement of the run.
    changes : tuple of str
        Changes of the inputs, as text: from the reference to the run.
    shift : Shift or None
        Time shift that explains the difference, if any.
    """

    differences: tuple[Difference, ...]
    missing: tuple[str, ...]
    new: tuple[str, ...]
    notes: tuple[str, ...]
    ok: bool
    level: Level = "outside"
    changes: tuple[str, ...] = ()
    shift: Shift | None = None

    @classmethod
    def of_curves(
        cls, differences: Iterable[Difference], notes: Iterable[str], *, failed: bool = False
    ) -> Comparison:
        """Return the outcome of curves of both sides, and of a run that may have failed."""
        ordered = tuple(sorted(differences, key=lambda d: (d.ok, -d.used)))
        ok = all(d.ok for d in ordered) and not failed
        return cls(ordered, (), (), tuple(notes), ok, "tolerance" if ok else "outside")

    def __repr__(self) -> str:
        sides = {"missing": self.missing, "new": self.new}
        return one_line(
            "Comparison:",
            self.word,
            count_text(len(self.differences), "channel"),
            *(f"{len(channels)} {side}" for side, channels in sides.items() if channels),
            self._nearest,
        )

    def _repr_html_(self) -> str:
        rows = (
            (
                d.channel,
                f"{d.worst:.3g}",
                f"{d.limit:.3g}",
                d.unit,
                share_text(d.used),
                f"{d.at:.4g}",
            )
            for d in self.differences[:MOST_ROWS]
        )
        heads = ("channel", "largest difference", "limit", "unit", "of the limit", "at [s]")
        one_sided = [f"only the reference has {channel}" for channel in self.missing]
        one_sided += [f"only the run has {channel}" for channel in self.new]
        shift = [] if self.shift is None else [self.shift.text]
        details = html_list([*self.notes, *shift, *self.changes, *one_sided])
        return html_table(repr(self).strip("<>"), heads, rows) + details

    @property
    def _nearest(self) -> str:
        """Channel that determines the outcome."""
        if (first := self.first) is not None:
            return f"first beyond limit: {first.channel} at {first.diverges:.4g} s"
        if not self.differences:
            return ""
        nearest = max(self.differences, key=lambda d: d.used)
        return f"closest to limit: {nearest.channel}, {share_text(nearest.used)}"

    @property
    def word(self) -> str:
        """Level as text; a run that agrees but is otherwise not the same "differs"."""
        return WORDS[self.level]

    @property
    def diverges(self) -> float | None:
        """First time at which any channel exceeds its limit [s]."""
        times = [d.diverges for d in self.differences if d.diverges is not None]
        return min(times, default=None)

    @property
    def first(self) -> Difference | None:
        """Channel that exceeds its limit first; of several the one with the largest share."""
        exceeding = [d for d in self.differences if d.diverges is not None]
        return min(exceeding, key=lambda d: (d.diverges, -d.used), default=None)

    @property
    def used(self) -> float:
        """Largest share of a limit that a channel uses."""
        return max((d.used for d in self.differences), default=0.0)
