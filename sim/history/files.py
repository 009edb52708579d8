"""History on disk: ``results/history/<scenario>/``, a Parquet file of a few kB per run.

A file has a row for each check and each peak; the run's facts are JSON in its metadata. Files
change only by an acceptance of their run, so that branches merge without conflicts.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sim import shipped
from sim.comparison.baseline import ROOT, require_name
from sim.comparison.ledger import DESCRIPTION, read_ledger
from sim.errors import RecordingError
from sim.history.entry import HistoryEntry, Measured, RunConditions, entry_of, seconds_of
from sim.recording.files.whole_files import json_text, one_line, refusal, require_end, write_bytes
from sim.recording.schema.description import Run
from sim.recording.schema.migration import present_check_name

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

HISTORY = Path("results/history")
ENDING = ".parquet"
KEY = b"sim.history"
FORMAT = 1
COLUMNS = ("kind", "name", "channel", "value", "limit", "unit", "used")

WORDS, NUMBERS = ("kind", "name", "channel", "unit"), ("value", "limit", "used")

# Limits of a file and of its unpacked content: a run of 100 joints has 2000 rows and 100 kB. A text
# stored once in a dictionary may be in each row, so that texts have a limit of their own.
MOST_BYTES, MOST_ROWS, LONGEST_TEXT = 10_000_000, 50_000, 1000


def commit_of(folder: Path, since: str) -> tuple[str, bool]:
    """Return the commit of a folder, and whether the folder's tracked files are unchanged from it.

    A commit later than the run, `since` in ISO 8601, is not the run's: the result is then empty.
    """
    head = _git(folder, "log", "-1", "--format=%H %cI")
    if not head:
        return "", True
    commit, _, committed = head.partition(" ")
    if seconds_of(committed) > seconds_of(since):
        return "", True
    others = "--", ".", ":!results"  # output of runs and acceptances does not influence runs
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", *others)
    return commit, changed == ""


def commit_that_has(path: Path, since: str) -> str:
    """Return the first commit of a file from a time on, ISO 8601; empty if there is none."""
    log = _git(path.parent, "log", "--reverse", "--format=%H %cI", "--", path.name)
    for line in (log or "").splitlines():
        commit, _, committed = line.partition(" ")
        if seconds_of(committed) >= seconds_of(since):
            return commit
    return ""


def _git(folder: Path, *arguments: str) -> str | None:
    """Return the output of git; None if it is not installed, or the folder is in no repository."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def keep(
    run: Run,
    root: Path = HISTORY,
    *,
    accepted: str = "",
    who: str = "",
    reason: str = "",
) -> Path:
    """Write the history of a judged run; return the file.

    A recorded run is written again only to be accepted.

    Raises
    ------
    RecordingError
        If the run was not judged, or has no date, or the file cannot be written.
    """
    require_name(run.scenario)
    if run.verdict is None:
        raise RecordingError(f"The run of {run.scenario!r} has no verdict; run sim check first")
    seconds_of(run.provenance.created)
    path = root / run.scenario / _name(run)
    if path.exists() and not accepted:
        return path
    earlier = read_entry(path) if path.exists() else None
    commit, is_whole = commit_of(Path(), run.provenance.created)
    if earlier is not None:
        commit, is_whole = earlier.commit, earlier.commit_is_whole
    entry = entry_of(run, commit, commit_is_whole=is_whole)
    entry = replace(entry, accepted=accepted, who=who, reason=reason)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, _parquet(entry))
    except OSError as error:
        raise RecordingError(f"Cannot write {path}: {refusal(error)}") from None
    return path


def _name(run: Run) -> str:
    """Return a file name by time, for order, and by differences between runs of one second."""
    stamp = run.provenance.created.replace(":", "").replace("-", "").partition("+")[0]
    of_run = msgspec.json.encode((run.engine, run.method, run.parameters, run.provenance))
    return f"{stamp}-{hashlib.sha256(of_run).hexdigest()[:8]}{ENDING}"


def _parquet(entry: HistoryEntry) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows: list[dict[str, Any]] = [asdict(one) for one in entry.numbers]
    kinds = dict.fromkeys(WORDS, pa.string()) | dict.fromkeys(NUMBERS, pa.float64())
    about = {key: value for key, value in asdict(entry).items() if key != "numbers"}
    text = json_text({"format": FORMAT, **about})
    schema = pa.schema([(name, kinds[name]) for name in COLUMNS], metadata={KEY: text.encode()})
    block = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), block, compression="zstd")
    return block.getvalue()


def read_entry(path: Path) -> HistoryEntry:
    """Return an entry from its file.

    Raises
    ------
    RecordingError
        If the file is damaged, too large, or not an entry of a history.
    """
    import pyarrow.parquet as pq

    try:
        require_end(path)
        if path.stat().st_size > MOST_BYTES:
            raise RecordingError(f"{path} is not a history file: it has over {MOST_BYTES} bytes")
        with pq.ParquetFile(path, read_dictionary=list(WORDS)) as file:
            text = (file.schema_arrow.metadata or {}).get(KEY)
            if text is None or tuple(file.schema_arrow.names) != COLUMNS:
                raise RecordingError(f"{path} is not a history file")
            _require_small(path, file)
            table = file.read(use_threads=False)
        for name in WORDS:
            _require_short(path, table[name])
        about, rows = msgspec.json.decode(text), table.to_pylist()
        return _entry(about, rows)
    except RecordingError:
        raise
    except Exception as error:  # a reader may raise anything on damaged bytes
        raise RecordingError(f"{path} cannot be read: {one_line(error)}") from None


def _require_small(path: Path, file: pq.ParquetFile) -> None:
    """Check the stated unpacked size of a file."""
    about = file.metadata
    groups = (about.row_group(k) for k in range(about.num_row_groups))
    size = sum(
        group.column(k).total_uncompressed_size for group in groups for k in range(len(COLUMNS))
    )
    if about.num_rows > MOST_ROWS or size > MOST_BYTES:
        raise RecordingError(
            f"{path} is not a history file: it has {about.num_rows} rows and unpacks to {size} "
            f"bytes; at most {MOST_ROWS} rows and {MOST_BYTES} bytes are read"
        )


def _require_short(path: Path, column: pa.ChunkedArray) -> None:
    import pyarrow as pa

    for chunk in column.chunks:
        texts = chunk.dictionary if isinstance(chunk, pa.DictionaryArray) else chunk
        if any(len(text) > LONGEST_TEXT for text in texts.to_pylist() if text is not None):
            raise RecordingError(
                f"{path} is not a history file: a text has over {LONGEST_TEXT} characters"
            )


def _entry(about: Mapping[str, Any], rows: list[dict[str, Any]]) -> HistoryEntry:
    facts = dict(about)
    if (number := facts.pop("format")) != FORMAT:
        raise ValueError(f"it has format {number}, this version of sim reads {FORMAT}")
    conditions = msgspec.convert(facts.pop("conditions"), RunConditions)
    numbers = tuple(msgspec.convert(row, Measured) for row in rows)
    numbers = tuple(replace(one, name=present_check_name(one.name)) for one in numbers)
    return msgspec.convert({**facts, "conditions": conditions, "numbers": numbers}, HistoryEntry)


def read_history(scenario: str, root: Path = HISTORY, baselines: Path = ROOT) -> list[HistoryEntry]:
    """Return all entries of a scenario by time, with acceptances in its baseline's ledger.

    Raises
    ------
    RecordingError
        If there is none, or a file is damaged or of another scenario.
    """
    require_name(scenario)
    entries = []
    for path in sorted((root / scenario).glob(f"*{ENDING}")):
        entry = read_entry(path)
        if entry.scenario != scenario:
            raise RecordingError(
                f"{path} is of scenario {entry.scenario!r}, not of {scenario!r}; move it to "
                f"{root / entry.scenario}"
            )
        entries.append(entry)
    known = {entry.accepted for entry in entries if entry.accepted}
    places = (baselines / scenario, shipped.baselines() / scenario)
    folder = next((one for one in places if (one / DESCRIPTION).is_file()), places[0])
    before = [
        HistoryEntry(
            scenario=scenario,
            made="",
            commit=commit_that_has(folder / DESCRIPTION, line.accepted),
            accepted=line.accepted,
            who=line.who,
            reason=line.reason,
            verdict="pass",
            conditions=RunConditions(urdf_sha256=line.urdf_sha256, versions=line.versions),
        )
        for line in read_ledger(folder)
        if line.accepted not in known
    ]
    if not entries and not before:
        there = ", ".join(scenarios(root, baselines))
        raise RecordingError(
            f"No run of {scenario!r} is kept in {root}, and it has no baseline in {baselines}; "
            f"kept scenarios: {there or 'none'}. Keep a run with: sim run {scenario} --keep"
        )
    return sorted([*before, *entries], key=lambda entry: entry.when)


def scenarios(root: Path = HISTORY, baselines: Path = ROOT) -> list[str]:
    """Return names of all scenarios that have a history or a baseline here."""
    names = {path.parent.name for path in root.glob(f"[!.]*/*{ENDING}")}
    return sorted(names | {path.parent.name for path in baselines.glob(f"[!.]*/{DESCRIPTION}")})
