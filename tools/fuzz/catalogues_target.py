"""Catalogues of motors or gears: read, then a pair is selected for a run of two joints.

The first line of an input is ``motors`` or ``gears``; the rest is the text of the catalogue.
"""

from __future__ import annotations

import random
import tempfile
from functools import cache
from pathlib import Path

from rich.console import Console

from sim import shipped
from sim.errors import SimError
from sim.recording.recording import Recording
from sim.sizing import read_gears, read_motors, size_motors
from sim.sizing.to_terminal import document, to_terminal
from tests.helpers.short_runs import short_run
from tools.fuzz.mutation import NUMBERS, TEXT_CHANGES, text_mutated
from tools.fuzz.target import BrokenError, refusal

KINDS = ("motors", "gears")
WORDS = (
    *"# torque N·m mNm; speed 1/min rad/s inertia kg·cm² mass kg , ,, ; name source ratio".split(),
    *"efficiency efficiency_back friction torque_peak speed_max torque_standstill".split(),
    *("resistance ohm", "temperature_max", "temperature °C", '"', "\n", "-1", "made up"),
)


class CataloguesTarget:
    """A catalogue of motors or of gears, with the shipped one of the other kind."""

    name = "catalogues"
    suffix = ".csv"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-catalogues-")
        self.file = Path(self._folder.name) / "catalogue.csv"

    def seeds(self) -> list[bytes]:
        """Return the shipped catalogues."""
        return [f"{kind}\n".encode() + _shipped(kind).read_bytes() for kind in KINDS]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Change a number, word or line."""
        kind, _, text = data.partition(b"\n")

        def cell(text: str, chance: random.Random) -> str:
            lines = text.splitlines()
            k = chance.randrange(len(lines)) if lines else 0
            cells = lines[k].split(",") if lines else [""]
            cells[chance.randrange(len(cells))] = chance.choice((*NUMBERS, *WORDS))
            return "\n".join([*lines[:k], ",".join(cells), *lines[k + 1 :]])

        def many(text: str, chance: random.Random) -> str:
            *above, last = text.splitlines() or [""]
            count = chance.choice((10, 300))
            return "\n".join([*above, last, *(f"n{k}{last}" for k in range(count))])

        changes = [*TEXT_CHANGES, cell, cell, cell, cell, many]
        return kind + b"\n" + text_mutated(text, chance, changes, 30_000)

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Read the catalogue, and select."""
        kind, _, text = data.partition(b"\n")
        self.file.write_bytes(text)
        of_motors = kind != b"gears"
        try:
            motors = read_motors(self.file if of_motors else _shipped("motors"))
            gears = read_gears(_shipped("gears") if of_motors else self.file)
            sizing = size_motors(_run(), motors, gears)
        except SimError as error:
            return refusal(error)
        with tempfile.TemporaryFile("w") as nowhere:
            for part in to_terminal(sizing):
                Console(file=nowhere).print(part)
        document(sizing)
        if not all(one.holds == (max(one.shares.values()) <= 1) for one in sizing.choices):
            raise BrokenError("a pair holds whose share of a rating is above 1, or the reverse")
        return f"{len(motors)} motors, {len(gears)} gears, {sizing.holds}"

    def parts(self, data: bytes) -> list[bytes]:
        """Return its lines."""
        return data.splitlines(keepends=True)

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the text of some lines."""
        return b"".join(parts)


def _shipped(kind: str) -> Path:
    return shipped.scenarios() / f"made_up_{kind}.csv"


@cache
def _run() -> Recording:
    return short_run()


TARGET = CataloguesTarget
