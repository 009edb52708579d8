"""Commands on a nearly full disk: each must complete, or print one line and change nothing.

    python -m tools.full_disk [KIB ...]

creates a disk in memory (a tmpfs, in a namespace of its own), writes a run and a baseline to it,
leaves so many KiB free (steps up to 4 MiB by default), and calls every command that writes. Status
2 must come with one line on stderr that names the file and the reason, and the disk must be
unchanged to the bit: no partial and no leftover files. Runs that were complete before the disk was
full may remain. A study keeps its finished cases, and with more space it resumes and gives the same
tables. Exits with 1 at the first deviation.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sim.recording.files.run_folders import DESCRIPTION
from sim.recording.recording import Recording

SIM = (sys.executable, "-c", "import sim; sim.main()")
COMMANDS = (
    "run two_link --out two_link",
    "run two_link --out two_link --no-report --junit checks.xml",
    "run two_link --out deep/new",
    "run two_link",
    "run two_link adams_pendulum --out several --junit checks.xml",
    "run --from two_link --out again",
    "report two_link",
    "report two_link --out page.html",
    "accept two_link --reason again",
    "check two_link --junit checks.xml",
    "export two_link table.csv",
    "export two_link table.xlsx",
    "export two_link table.mat",
    "export two_link table.parquet",
    "export two_link table.tab",
    "export two_link drives.adm",
    "plot two_link tau.* --out curves.csv",
    "plot two_link tau.* --out curves.png",
    "compare --all --runs . --out compared --junit checks.xml",
    "play two_link --video film.gif --fps 10",
    "play two_link --video film.mp4 --fps 10",
    "play two_link --video still.png",
    "play two_link --sheet 4 --out poses.png",
)
STUDY = "sweep two_link --vary load=0:2:12 --method ideal --dt 0.01 --workers 1 --out study"
STEPS = (0, 4, 16, 64, 128, 256, 512, 1024, 2048, 4096)  # KiB
ROOM = 64 * 1024  # KiB, enough space
REASONS = ("No space left on device", "File too large", "no room left")


class LostError(Exception):
    """A command broke its promise."""


@dataclass(frozen=True)
class Disk:
    """A small disk: a folder on which a tmpfs is mounted.

    Parameters
    ----------
    folder : Path
    """

    folder: Path

    def leave(self, free: int | None) -> None:
        """Resize the disk to so many free KiB, or to enough space with None."""
        used = 0 if free is None else _used(self.folder)
        size = f"size={used + (ROOM if free is None else free)}k"
        subprocess.run(("mount", "-o", f"remount,{size}", self.folder), check=True)


@contextmanager
def disk() -> Iterator[Disk]:
    """Create a disk, removed at the end of the block.

    Raises
    ------
    subprocess.CalledProcessError
        If this user may not mount.
    """
    folder = Path(tempfile.mkdtemp(prefix="sim-disk-"))
    try:
        subprocess.run(("mount", "-t", "tmpfs", "-o", f"size={ROOM}k", "sim", folder), check=True)
        try:
            yield Disk(folder)
        finally:
            subprocess.run(("umount", "-l", folder), check=True)
    finally:
        folder.rmdir()


def prepare(folder: Path) -> None:
    """Create a baseline, and the run ``two_link`` with a page, which differs from it."""
    for words in (
        "run two_link --out first --no-report",
        "accept first --reason first",
        "run two_link --out two_link --set load=0.4",
    ):
        subprocess.run((*SIM, *words.split()), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(folder / "first")


def require_word(folder: Path, words: str) -> str:
    """Call a command once; return its message if it was refused.

    Raises
    ------
    LostError
        If it broke its promise.
    """
    before = _content(folder)
    done = _called(folder, words)
    after = _content(folder)
    said = f"sim {words}: status {done.returncode}, {done.stderr.strip() or 'nothing said'}"
    hidden = [name for name in after if Path(name).parts[0].startswith(".")]
    if hidden or any(".partial" in name for name in after):
        raise LostError(f"{said}; left over: {', '.join(hidden or after)}")
    if done.returncode == 2:
        _require_one_line(folder, said, done.stderr)
        changed = sorted(name for name in before if after.get(name) != before[name])
        more = sorted(set(after) - set(before) - _of_whole_runs(folder, after))
        if changed or more:
            raise LostError(f"{said}; changed: {changed}, left over: {more}")
    elif done.returncode not in (0, 1) or done.stderr:
        raise LostError(said)
    return done.stderr.strip() if done.returncode == 2 else ""


def require_study(small: Disk, free: int, tables: dict[str, bytes]) -> str:
    """Call the study's command, and after a refusal again with more space; return the message.

    Parameters
    ----------
    tables : dict of str to bytes
        Its output with enough space.

    Raises
    ------
    LostError
        If it loses a finished case, or gives other tables.
    """
    small.leave(free)
    study = small.folder / "study"
    done = _called(small.folder, STUDY)
    said = f"sim {STUDY}: status {done.returncode}, {done.stderr.strip()}"
    kept = _rows(study)
    if done.returncode == 2:
        _require_one_line(small.folder, said, done.stderr.splitlines(keepends=True)[-1])
        left = {path.name for path in study.iterdir()} if study.exists() else set()
        whole = {"study.json", "cases.jsonl", "study.html", *tables}
        if (left and not kept.endswith(b"\n")) or left - whole:
            raise LostError(f"{said}; left over: {sorted(left)} and {kept[-80:]!r}")
    elif done.returncode != 1:  # some cases fail their checks
        raise LostError(said)
    small.leave(None)
    if done.returncode == 2:
        again = _called(small.folder, "sweep --resume study" if kept else STUDY)
        said = f"{said}; then status {again.returncode}, {again.stderr.strip()}"
        if again.returncode != 1:
            raise LostError(said)
    if not _rows(study).startswith(kept):
        raise LostError(f"{said}; finished cases are lost")
    if any((study / name).read_bytes() != table for name, table in tables.items()):
        raise LostError(f"{said}; the tables are others")
    last = done.stderr.strip().splitlines()[-1]
    lines = kept.count(b"\n")
    return f"{last} ({lines} cases kept)" if done.returncode == 2 else "done"


def _called(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    command = (*SIM, *words.split())
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _rows(study: Path) -> bytes:
    log = study / "cases.jsonl"
    return log.read_bytes() if log.is_file() else b""


def restore(folder: Path, kept: Path) -> None:
    """Restore the folder from its copy."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(kept, folder, dirs_exist_ok=True)


def _require_one_line(folder: Path, said: str, line: str) -> None:
    one = line.count("\n") == 1 and line.startswith("sim: ")
    if not (one and any(reason in line for reason in REASONS)):
        raise LostError(said)
    if not any(word.strip(":;,").startswith((str(folder), "/tmp")) or "." in word or "/" in word
               for word in line.split()[1:]):  # fmt: skip
        raise LostError(f"{said}; no file is named")


def _content(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def _of_whole_runs(folder: Path, names: dict[str, bytes | None]) -> set[str]:
    """Return names of files and folders of readable runs."""
    whole: set[str] = set()
    for name in names:
        path = folder / name
        if path.name == DESCRIPTION:
            Recording.read(path.parent)
            above = path.parent.relative_to(folder)
            whole.update(other.as_posix() for other in (above, *above.parents))
            whole.update(other for other in names if (folder / other).is_relative_to(path.parent))
    return whole


def _used(folder: Path) -> int:
    """Return the size of the disk's files [KiB]."""
    told = os.statvfs(folder)
    return (told.f_blocks - told.f_bfree) * told.f_frsize // 1024


def main(steps: tuple[int, ...]) -> None:
    """Run every command at every step; print a line each with the steps at which it was refused."""
    with disk() as small, tempfile.TemporaryDirectory() as kept:
        prepare(small.folder)
        shutil.copytree(small.folder, kept, dirs_exist_ok=True)
        for words in COMMANDS:
            sys.stdout.write(f"sim {words}\n")
            for free in steps:
                small.leave(free)
                told = require_word(small.folder, words) or "done"
                sys.stdout.write(f"{free:6} KiB  {told.replace(str(small.folder), '...')}\n")
                sys.stdout.flush()
                small.leave(None)
                restore(small.folder, Path(kept))
        sys.stdout.write(f"sim {STUDY}\n")
        _called(small.folder, STUDY)
        study = small.folder / "study"
        tables = {name: (study / name).read_bytes() for name in ("cases.csv", "cases.parquet")}
        for free in steps:
            restore(small.folder, Path(kept))
            told = require_study(small, free, tables)
            sys.stdout.write(f"{free:6} KiB  {told.replace(str(small.folder), '...')}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    if "SIM_IN_NAMESPACE" not in os.environ:
        os.environ |= {"SIM_IN_NAMESPACE": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
        root = () if os.geteuid() == 0 else ("--user", "--map-root-user")
        again = ("unshare", "--mount", *root, sys.executable, "-m", "tools.full_disk")
        os.execvp(again[0], (*again, *sys.argv[1:]))
    try:
        main(tuple(map(int, sys.argv[1:])) or STEPS)
    except LostError as lost:
        sys.exit(f"lost: {lost}")
