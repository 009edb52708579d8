"""Certificate of a conversion: torques of the written file by other programs against the original.

M qdd + C qd + g of each joint is compared at the same random states, without friction, springs,
limits and couplings. The original is also computed by the program of its own format, which shows
that the file was read here as intended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sim.conversion.comparison import OURS, TorqueComparison, TorqueReference, reference_of
from sim.conversion.original import Format, Original
from sim.conversion.programs import OWN_PROGRAM, PROGRAMS
from sim.conversion.sdf_pairs import names_in_sdf
from sim.conversion.written import Written
from sim.maths.arrays import Array

STATES = 1000


@dataclass(frozen=True, eq=False)
class Certificate:
    """Result of the check of a conversion.

    Parameters
    ----------
    source, out : str
    formats : tuple of (Format, Format)
        Of the original and of the written file.
    joints, units : tuple of str
        The compared rows.
    peaks : ndarray, shape (n,)
        Largest torque of each.
    states : int
    omissions : tuple of str
        Parts of the original that the file lacks.
    comparisons : tuple of TorqueComparison
    notes : tuple of str
    """

    source: str
    out: str
    formats: tuple[Format, Format]
    joints: tuple[str, ...]
    units: tuple[str, ...]
    peaks: Array
    states: int
    omissions: tuple[str, ...]
    comparisons: tuple[TorqueComparison, ...]
    notes: tuple[str, ...]

    @property
    def deciding(self) -> tuple[TorqueComparison, ...]:
        """Comparisons that decide the verdict: those of installed programs."""
        return tuple(one for one in self.comparisons if one.is_judged and one.agrees is not None)

    @property
    def ok(self) -> bool:
        """Whether no judging program has other torques or refuses the file."""
        return all(one.agrees for one in self.deciding)

    @property
    def verdict(self) -> str:
        """Verdict in one line."""
        if wrong := [one for one in self.deciding if not one.agrees]:
            texts = (
                f"{one.program} {'has other torques' if one.errors is not None else 'refuses it'}"
                for one in wrong
            )
            return f"not certified: {'; '.join(texts)}"
        others = [
            one.program for one in self.deciding if one.program != OURS and not one.of_original
        ]
        if not others:
            return "no independent verdict: only sim has read the file back"
        return f"certified by {', '.join(others)}"


def certify(
    original: Original,
    output: Written,
    out: Path,
    kind: Format,
    *,
    reader: str | None = None,
    count: int = STATES,
) -> Certificate:
    """Compare a written file with its original.

    Parameters
    ----------
    original : Original
    output, out, kind : Written, Path, Format
        The written content, its file and format.
    reader : str, optional
        A key of `PROGRAMS` by which the file is judged (default: that of its format).
    count : int
        Number of states.
    """
    reference = reference_of(original, count)
    judge = OWN_PROGRAM.get(kind) if reader is None else reader
    compared = [reference.read_back(out, kind, output)]
    programs = {key: one for key, one in PROGRAMS.items() if kind in one.torque or key == judge}
    comparisons = reference.compare(programs, out, kind, output)
    compared += [replace(one, is_judged=key == judge) for key, one in comparisons.items()]
    compared += _of_original(reference, original)
    return Certificate(
        str(original.path),
        str(out),
        (original.format, kind),
        reference.tree.row_names,
        tuple(row.units.effort for row in reference.tree.coordinates),
        reference.peaks,
        count,
        (*original.left_out, *output.omissions),
        tuple(compared),
        (*original.repairs, *_notes(compared, kind)),
    )


def _of_original(reference: TorqueReference, original: Original) -> Iterator[TorqueComparison]:
    """Yield the original by the program of its format; a refusal there decides nothing."""
    if (key := OWN_PROGRAM.get(original.format)) is None:
        return
    rotors = [original.rotors.get(name, 0.0) for name in reference.tree.row_names]
    reference = replace(reference, rotors=np.array(rotors))  # each joint there has its own
    names = names_in_sdf(original.robot) if original.format == "SDF" else Written("")
    with original.as_file() as path:
        one = reference.compare({key: PROGRAMS[key]}, path, original.format, names)[key]
    # a file that is repaired here is a different robot elsewhere
    decides = one.errors is not None and not original.repairs
    yield replace(one, of_original=True, is_judged=decides or not one.is_installed)


def _notes(compared: Sequence[TorqueComparison], kind: Format) -> Iterator[str]:
    if kind == "ADAMS":
        yield "no other program here reads .adm; run the deck in ADAMS to be sure"
    for one in compared:
        if one.is_judged and not one.is_installed:
            what = "the original" if one.of_original else "the file"
            package = PROGRAMS[one.program.lower()].package
            yield f"{one.program} is not installed and has not judged {what}: pip install {package}"
