"""accept: make a run the baseline of its scenario, with a line in the ledger."""

from __future__ import annotations

import getpass
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from sim.comparison.baseline import ROOT, require_name
from sim.comparison.compact import step_below, write_compact
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
from sim.recording.files.table_files import write_table
from sim.recording.files.whole_files import refusal, sha256, write_bytes
from sim.recording.recording import Recording
from sim.recording.schema.channels import group_of
from sim.recording.schema.description import Conditions, description_text, with_seal

# Quantisation steps per tolerance of a channel: the loss is far below the tolerance.
STEPS = 8

# Names of a baseline's files, also of earlier formats and of interrupted writes.
OURS = re.compile(
    rf"(({CURVES}|{INSTANTS})-[0-9a-f]{{16}}\.parquet|{ROBOT}-[0-9a-f]{{16}}\.urdf"
    rf"|baseline\.parquet|\.({CURVES}|{INSTANTS}|{ROBOT})\.partial)"
)

# Approximate number of instants kept to the last bit, to separate rounding from small changes.
KEPT_INSTANTS = 100


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
    """Write the files of a baseline under names of their own, and return their description."""
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
