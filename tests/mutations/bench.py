"""Bench: a copy of the program, changed for a moment, and the process that runs it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Self

import sim
from sim.comparison import accept
from sim.recording import Recording
from tests.mutations.code_change import CodeChange
from tests.mutations.mutation import Mutation, Outcome, TextChange

PACKAGE = Path(sim.__file__).parent
SHARED = ("urdf", "meshes", "results", "verification")  # what the package looks for beside itself
SCENARIOS = Path(__file__).with_name("scenarios")
TESTS = Path(__file__).parents[1]
# of the environment: a process of the bench has another package, and is no worker of these tests
OURS = ("PYTHONPATH", "PYTEST_XDIST_WORKER")

Change = CodeChange | TextChange


class Bench:
    """A copy of program and scenarios in a folder; a context manager, which ends the process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.copy = folder / "copy"
        # what numba compiled stays: it knows of which text it is, and takes longer than any row
        bare = shutil.ignore_patterns("*.pyc", "*.tmp.*")
        shutil.copytree(PACKAGE, self.copy / "sim", ignore=bare)
        shutil.copytree(SCENARIOS, self.copy / "scenarios", ignore=bare)
        for name in SHARED:
            (self.copy / name).symlink_to(PACKAGE.parent / name)
        for path in (PACKAGE.parent / "scenarios").iterdir():  # what tests take of the shipped ones
            if path.is_file() and not (self.copy / "scenarios" / path.name).exists():
                (self.copy / "scenarios" / path.name).symlink_to(path)
        # One thread: a process that forks must not have more. Rows change NumPy's equations.
        single = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "SIM_FAST": "0"}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("process.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={k: v for k, v in os.environ.items() if k not in OURS} | single,
        )
        self.sound = cache(self._sound)
        self._seconds = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _sound(self, run: str) -> Path:
        """Folder of a run by the program as it is; must pass."""
        folder = self.folder / run.replace(" ", "_")
        folder.mkdir()
        said = self._ask(run=run, against=None, out=str(folder), compile=True)
        if said != Outcome():
            raise AssertionError(f"the run {run!r} without any change is not sound:\n{said}")
        return folder

    def solved(self, run: str, change: Change | None) -> Outcome:
        """What is said of a run by the changed program, and of how it differs from the sound one.

        Raises
        ------
        StaleError
            If what is changed is not there just once.
        """
        against = str(self.sound(run))
        with self._changed(change):
            return self._ask(run=run, against=against, compile=change is None)

    def judged(self, folder: Path, change: Change | None) -> Outcome:
        """What the changed program says of a run that is there."""
        with self._changed(change):
            return self._ask(check=str(folder), compile=change is None)

    def tested(self, test: str, change: Change | None) -> Outcome:
        """Whether a test fails with the changed program."""
        with self._changed(change):
            return self._ask(test=test, tests=str(TESTS), compile=change is None)

    def lied(self, mutation: Mutation) -> Path:
        """Folder of a run that lies."""
        assert mutation.lie is not None
        folder = self.folder / "lie"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.sound(mutation.run), folder)
        mutation.lie(Recording.read(folder)).write(folder)
        return folder

    def compared(self, mutation: Mutation, change: Change | None) -> Outcome:
        """What the changed program says of a run that lies, beside the sound one as its baseline.

        It accepts the baseline too, unless that is damaged between.
        """
        root = self.folder / "baselines"
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        (root / "tolerances.toml").write_text(mutation.rules, "utf-8")
        sound, lied = self.sound(mutation.run), self.lied(mutation)
        if mutation.damage is not None:
            mutation.damage(accept(Recording.read(sound), "it is sound", root))
        accepted = str(sound) if mutation.damage is None else None
        with self._changed(change):
            return self._ask(
                compare=str(lied), accept=accepted, root=str(root), compile=change is None
            )

    def applied(self, change: Change) -> tuple[Path, str]:
        """File of the copy, and its changed text."""
        return change.apply(self.copy / "sim" if isinstance(change, CodeChange) else self.copy)

    def check(self, change: Change) -> None:
        """Refuse a change that is stale."""
        if isinstance(change, CodeChange):
            change.check(self.copy / "sim")
        else:
            self.applied(change)

    @contextlib.contextmanager
    def _changed(self, change: Change | None) -> Iterator[None]:
        if change is None:
            yield
            return
        path, changed = self.applied(change)
        text, before = path.read_text("utf-8"), path.stat()
        try:
            path.write_text(changed, "utf-8")
            # a second of its own: of two texts of one size, Python compares the seconds alone
            self._seconds += 1
            os.utime(path, (before.st_atime, before.st_mtime + self._seconds))
            yield
        finally:
            path.write_text(text, "utf-8")
            # as old as it was: what is compiled of it is good again
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def _ask(self, **request: Any) -> Outcome:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"copy": str(self.copy), **request}) + "\n")
        self._process.stdin.flush()
        said = json.loads(self._process.stdout.readline())
        assert said.pop("program", str(self.copy)).startswith(str(self.copy))
        failing = tuple((name, channel) for name, channel in said.get("failing", ()))
        differing, words = (tuple(said.get(key, ())) for key in ("differing", "words"))
        return Outcome(failing, differing, said.get("error", ""), words)
