"""Baselines: accepted results of scenarios, with reviewer, time and reason.

A baseline's folder contains ``baseline.json``, with the conditions of the run and the ledger of all
acceptances, and three files referenced with their hashes: every sample of the run in steps far
below its tolerance (`sim.comparison.compact`), some instants to the last bit, and the robot. The
description is replaced last, by one move, so that there is always one complete baseline.

`accept` makes a run the baseline of its scenario, with a line in the ledger.
"""

from __future__ import annotations

import getpass
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from sim import shipped
from sim.comparison.compact import read_compact, step_below, write_compact
from sim.comparison.ledger import (
    CURVES,
    DESCRIPTION,
    INSTANTS,
    ROBOT,
    Acceptance,
    LedgerEntry,
    read_ledger,
)
from sim.comparison.rounding import noises, roundings
from sim.comparison.sameness import digest
from sim.comparison.tolerance import RTOL
from sim.errors import RecordingError
from sim.recording.files.locks import exclusive
from sim.recording.files.staging import NO_RIGHT, require_possible
from sim.recording.files.table_files import read_table, write_table
from sim.recording.files.whole_files import decode_text, refusal, sha256, write_bytes
from sim.recording.held_tables import as_field, frames_when_read, recorded_of
from sim.recording.recorded_run import require_step
from sim.recording.recording import Recording
from sim.recording.schema.channels import group_of
from sim.recording.schema.description import Conditions, description_text, read_sealed, with_seal
from sim.reference.alignment import samples_at
from sim.showing.one_line import count_text, one_line

if TYPE_CHECKING:
    import pandas as pd


ROOT = Path("results/baselines")

# Quantisation steps per tolerance of a channel: the loss is far below the tolerance.
STEPS = 8

# Names of a baseline's files, also of earlier formats and of interrupted writes.
OURS = re.compile(
    rf"(({CURVES}|{INSTANTS})-[0-9a-f]{{16}}\.parquet|{ROBOT}-[0-9a-f]{{16}}\.urdf"
    rf"|baseline\.parquet|\.({CURVES}|{INSTANTS}|{ROBOT})\.partial)"
)

# Approximate number of instants kept to the last bit, to separate rounding from small changes.
KEPT_INSTANTS = 100


@frames_when_read("recorded", "exact")
@dataclass(frozen=True, eq=False)
class Baseline:
    """An accepted result.

    Parameters
    ----------
    recorded : pandas.DataFrame
        Every sample of the compared channels, in multiples of `steps`.
    run : Acceptance
    urdf : str
        Text of the robot.
    steps : mapping of str to float
        Quantisation step of each channel, in its unit.
    exact : pandas.DataFrame
        Some of the samples to the last bit.
    """

    recorded: pd.DataFrame
    run: Acceptance
    urdf: str | None
    steps: Mapping[str, float]
    exact: pd.DataFrame

    def __repr__(self) -> str:
        table = recorded_of(self)
        size = f"{count_text(len(table.columns), 'channel')} × {count_text(len(table), 'sample')}"
        return one_line(f"Baseline of {self.run.scenario}:", size)


def find_baseline(name: str, root: Path = ROOT) -> Baseline:
    """Return the baseline of a scenario, from the working folder's `root` or a shipped one.

    Raises
    ------
    RecordingError
        If there is none, its files are damaged or of another, or the name is no folder name.
    """
    require_name(name)
    for folder in (root / name, shipped.baselines() / name):
        if (folder / DESCRIPTION).is_file():
            return read_baseline(folder)
    raise RecordingError(
        f"Scenario {name!r} has no baseline in {root} or among the shipped ones; "
        "accept a run with `sim accept RUN --reason TEXT`"
    )


def read_baseline(folder: Path) -> Baseline:
    """Return the baseline in a folder, which is named after its scenario.

    Raises
    ------
    RecordingError
        If its files are missing, damaged or of another baseline.
    """
    path = folder / DESCRIPTION
    run = read_sealed(path, Acceptance, "accept a run of", migrates=True)
    if run.scenario != folder.resolve().name:
        raise RecordingError(
            f"{path} belongs to {run.scenario!r}, but is in the place of the baseline of "
            f"{folder.resolve().name!r}"
        )
    if not run.ledger or set(run.files) != {CURVES, INSTANTS, ROBOT}:
        raise RecordingError(f"{path} names no {CURVES}, {INSTANTS} and {ROBOT}, or no reviewer")
    paths = {kind: _unchanged_file(folder, name) for kind, name in run.files.items()}
    recorded, steps = read_compact(paths[CURVES], run.times)
    require_step(path, run)
    exact = read_table(paths[INSTANTS], run.settings.samples)
    if list(exact.columns) != list(recorded.columns):
        raise RecordingError(f"{paths[INSTANTS]} has different channels than {paths[CURVES]}")
    samples_at(recorded.index.to_numpy(), exact.index.to_numpy())
    return Baseline(as_field(recorded), run, decode_text(paths[ROBOT]), steps, as_field(exact))


def baselines_in(root: Path = ROOT) -> tuple[str, ...]:
    """Return names of the scenarios with a baseline in `root`."""
    return tuple(sorted(path.parent.name for path in root.glob(f"*/{DESCRIPTION}")))


def _unchanged_file(folder: Path, name: str) -> Path:
    """Return the file of this name, if it is unchanged since it was accepted."""
    if Path(name).name != name:
        raise RecordingError(
            f"{folder / DESCRIPTION} names {name!r}, which is not a file in that folder"
        )
    path = folder / name
    if sha256(path)[:16] != Path(name).stem.rpartition("-")[2]:
        raise RecordingError(f"{path} has changed since it was accepted")
    return path


def require_name(scenario: str) -> None:
    """Check that a baseline is in a folder with its scenario's name."""
    if scenario in ("", ".", "..") or Path(scenario).name != scenario or "\\" in scenario:
        raise RecordingError(
            f"The scenario name {scenario!r} is not a valid folder name; a baseline "
            "requires a plain name such as 'ur10_step'"
        )


def accept(
    recording: Recording,
    reason: str,
    root: Path = ROOT,
    *,
    who: str = "",
    entry: Mapping[str, object] | None = None,
) -> Path:
    """Make a run the baseline of its scenario; return the baseline's folder.

    Parameters
    ----------
    recording : Recording
    reason, who : str
        For the ledger; `who` is the reviewer (default: the user of this machine).
    root : Path
        Folder of all baselines.
    entry : mapping, optional
        ``level``, ``changes`` and ``worst`` of the ledger's line: the differences from the previous
        baseline.

    Raises
    ------
    RecordingError
        If the run has failed its checks, its scenario's name is invalid as a folder name, the
        reason is empty, or the folder cannot be written.
    """
    run = recording.run
    require_acceptable(recording)
    if not reason.strip():
        raise RecordingError("A reason is required: --reason TEXT must not be empty")
    folder = root / run.scenario
    require_possible(folder.resolve())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with exclusive(folder):  # another process may accept at the same time
            _require_ours(folder.resolve())
            _accept(recording, folder, reason, who, entry)
    except OSError as error:
        remedy = "; change to a writable folder" if error.errno in NO_RIGHT else ""
        raise RecordingError(f"Cannot write to {folder}: {refusal(error)}{remedy}") from None
    return folder


def _accept(
    recording: Recording, folder: Path, reason: str, who: str, entry: Mapping[str, object] | None
) -> None:
    run, earlier = recording.run, read_ledger(folder)
    line = LedgerEntry(
        accepted=datetime.now(UTC).isoformat(timespec="seconds"),
        who=who.strip() or _user(),
        reason=reason.strip(),
        versions={"python": run.provenance.python, **run.provenance.versions},
        urdf_sha256=run.robot.urdf_sha256,
        digest=digest(recording.recorded),
        **({"level": "new"} if entry is None else dict(entry)),
    )
    try:
        described = _write_files(recording, folder, (*earlier, line))
    finally:
        for kind in (CURVES, INSTANTS, ROBOT):
            _half(folder, kind).unlink(missing_ok=True)
    write_bytes(folder / DESCRIPTION, description_text(with_seal(described)))
    _remove_others(folder, {DESCRIPTION, *described.files.values()})


def require_acceptable(recording: Recording) -> None:
    """Check that a run may become a baseline.

    Raises
    ------
    RecordingError
        If it has not passed its checks, or its scenario's name is invalid as a folder name.
    """
    run = recording.run
    if run.verdict != "pass":
        raise RecordingError(
            f"The run of {run.scenario!r} has verdict {run.verdict!r}; "
            "only a run that passes its checks can become a baseline"
        )
    require_name(run.scenario)


def _write_files(recording: Recording, folder: Path, ledger: tuple[LedgerEntry, ...]) -> Acceptance:
    """Write the files of a baseline under new names, and return their description."""
    run = recording.run
    channels = [c for c in map(str, recording.recorded.columns) if group_of(c).is_compared]
    table = recording.recorded[channels]
    peaks = {str(c): float(np.max(np.abs(table[c].to_numpy()))) for c in table}
    noise = noises(table, run.settings.dt)
    rounding = roundings(peaks, noise, run)
    steps = {c: step_below((RTOL * peaks[c] + rounding[c]) / STEPS) for c in peaks}
    stride = -(-len(table) // KEPT_INSTANTS)
    rows = np.unique([*range(0, len(table), stride), len(table) - 1])
    fresh = {kind: _half(folder, kind) for kind in (CURVES, INSTANTS, ROBOT)}
    write_compact(fresh[CURVES], table, steps, run.units)
    write_table(fresh[INSTANTS], table.iloc[rows], run.units)
    fresh[ROBOT].write_bytes((recording.urdf or "").encode("utf-8"))
    files = {}
    for kind, path in fresh.items():
        ending = ".urdf" if kind == ROBOT else ".parquet"
        files[kind] = f"{kind}-{sha256(path)[:16]}{ending}"
        path.replace(folder / files[kind])
    conditions = {name: getattr(run, name) for name in Conditions.__struct_fields__}
    del conditions["seal"]
    # the location of meshes belongs to one machine, a baseline to all
    conditions["robot"] = replace(run.robot, mesh_folder=None)
    return Acceptance(
        **conditions, digest=ledger[-1].digest, noise=noise, files=files, ledger=ledger
    )


def _half(folder: Path, kind: str) -> Path:
    return folder / f".{kind}.partial"


def _require_ours(folder: Path) -> None:
    """Check that a folder is a baseline's, so that no other folder is replaced."""
    others = any(path.name[0] != "." for path in folder.iterdir())
    if others and not (folder / DESCRIPTION).is_file():
        raise RecordingError(
            f"{folder} contains other files and no {DESCRIPTION}; choose an empty or a new folder"
        )


def _remove_others(folder: Path, names: set[str]) -> None:
    """Remove the files of earlier baselines; other files are kept."""
    for path in folder.iterdir():
        ours = OURS.fullmatch(path.name) is not None
        if ours and path.name not in names:
            path.unlink(missing_ok=True)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a machine without a name for its user
        return "unknown"
