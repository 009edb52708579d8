"""Inputs of a case other than its script: files, modules, environment variables.

A finished case is reused only if all of them are unchanged. Files are those opened by Python
(observed by an audit hook), not those that a library opens itself.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType

from sim import shipped
from sim.robots.local_code import library_roots
from sim.scenario import known_code
from sim.scenario.script import MODULE as SCRIPTS

ENVIRONMENT = "environment variable "
SHIPPED = "shipped "  # prefix of a shipped file, whose path differs between machines
DIGITS = 32  # of a SHA-256
MISSING = "missing"
REMEMBERED = 16  # number of earlier files that count too, as a script may cache their content

_OUR_CODE = Path(__file__).resolve().parents[2]


class _InputTracker:
    """Files and variables read by this process; a singleton, since an audit hook is permanent."""

    def __init__(self) -> None:
        self.thread = 0  # observed thread; 0 for none
        self.names: set[str] = set()  # paths, and names of variables, of the current case
        self.outputs: set[str] = set()
        self.first: dict[str, set[str]] = {}  # of each study's first case: it loads the script
        self.recent: OrderedDict[str, None] = OrderedDict()
        self.modules: set[str] = set()
        self.modules_then = -1  # their number when they were last inspected
        sys.addaudithook(self._observe)

    def _observe(self, event: str, args: tuple[object, ...]) -> None:
        if event == "open" and threading.get_ident() == self.thread:
            path, mode, flags = args
            is_read = "r" in mode or "+" in mode if isinstance(mode, str) else _is_reading(flags)
            if isinstance(path, str | bytes | os.PathLike):
                (self.names if is_read else self.outputs).add(_absolute_path(os.fsdecode(path)))

    def note_variable(self, name: str) -> None:
        """Record an environment variable, if the case's own code reads it."""
        if threading.get_ident() == self.thread and _is_read_by_script(sys._getframe(2)):
            self.names.add(ENVIRONMENT + name)

    def collect(self, study: str, without: Iterable[str]) -> list[str]:
        """Return names detected for a case, and those of earlier cases that apply to it."""
        left_out = [_absolute_path(path) for path in without]
        names = {
            name
            for name in self.names - self.outputs | self._own_modules()
            if not (_is_library(name) or any(_is_in(name, path) for path in left_out))
        }
        always = self.first.setdefault(study, names)
        for name in sorted(names - always):
            self.recent[name] = None
            self.recent.move_to_end(name)
        while len(self.recent) > REMEMBERED:
            self.recent.popitem(last=False)
        return sorted(names | always | set(self.recent))

    def _own_modules(self) -> set[str]:
        """Return files of the loaded modules, without this program and scenario scripts.

        The study's own script is identified by its hash; scripts of other runs are not inputs.
        """
        if len(sys.modules) != self.modules_then:
            self.modules_then = len(sys.modules)
            loaded = [
                module
                for name, module in list(sys.modules.items())
                if name != "__main__" and not name.startswith(SCRIPTS)
            ]
            files = (getattr(module, "__file__", None) for module in loaded)
            self.modules = {_absolute_path(f) for f in files if isinstance(f, str)}
        return self.modules


def _absolute_path(path: str) -> str:
    """Return an absolute path with links unresolved, since a link may be redirected."""
    return os.path.abspath(path)  # noqa: PTH100 `Path.absolute` leaves dots, `resolve` no links


def _is_reading(flags: object) -> bool:
    return isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR) != os.O_WRONLY


class _TrackedEnvironment(os._Environ):  # type: ignore[type-arg]
    """Environment that records which variables are read."""

    def __getitem__(self, key: str) -> str:
        if isinstance(key, str):
            _tracker().note_variable(key)
        return str(super().__getitem__(key))


@cache
def _tracker() -> _InputTracker:
    return _InputTracker()


def _is_read_by_script(frame: FrameType | None) -> bool:
    """Whether the code that reads a variable is not a library."""
    ours = (os.__file__, "<frozen os>", "<frozen _collections_abc>")
    while frame is not None and (
        frame.f_code.co_filename in ours or frame.f_code.co_filename.endswith("_collections_abc.py")
    ):
        frame = frame.f_back
    if frame is None:
        return False
    path = Path(frame.f_code.co_filename)
    if path == Path(known_code.__file__):
        return False
    return path.is_relative_to(_OUR_CODE) or not _is_library(str(path))


@cache
def _is_library(path: str) -> bool:
    """Whether a file belongs to Python, an installed package, or the code of this package."""
    if path.endswith((".pyc", ".so")) or path.startswith("<"):
        return True
    file = os.path.normcase(Path(path))
    libraries, ours = _roots()
    return not any(_is_in(file, root) for root in ours) and any(
        _is_in(file, root) for root in libraries
    )


@cache
def _roots() -> tuple[list[str], list[str]]:
    """Return the folders of libraries, and those of shipped scenarios and robots among them."""
    system = ("/proc", "/sys", "/dev", "/etc") if os.name == "posix" else ()
    ours = (shipped.scenarios(), shipped.urdf())
    return [*map(os.path.normcase, (*library_roots(), *system))], [*map(os.path.normcase, ours)]


@contextmanager
def track_inputs(inputs: dict[str, str], study: str, without: Iterable[str] = ()) -> Iterator[None]:
    """Add to `inputs` the names and hashes of everything read for a case in the block.

    Parameters
    ----------
    inputs : dict of str to str
        In the format of `find_changes`.
    study : str
        Study of the case.
    without : iterable of str
        Ignored files and folders.
    """
    tracker = _tracker()
    before, kind = tracker.thread, type(os.environ)
    tracker.thread, tracker.names = threading.get_ident(), set()
    os.environ.__class__ = _TrackedEnvironment
    try:
        yield
    finally:
        tracker.thread, os.environ.__class__ = before, kind
        inputs.update((_label(name), _state(name)) for name in tracker.collect(study, without))


def _is_in(name: str, path: str) -> bool:
    return name == path or name.startswith(path + os.sep)


def find_changes(inputs: Mapping[str, str]) -> list[str]:
    """Return the names of inputs that have changed."""
    return [label for label, state in inputs.items() if _state(_name(label)) != state]


def _label(name: str) -> str:
    """Return a name as stored."""
    root = str(shipped.root()) + os.sep
    return SHIPPED + name.removeprefix(root) if name.startswith(root) else name


def _name(label: str) -> str:
    if label.startswith(SHIPPED):
        return str(shipped.root() / label.removeprefix(SHIPPED))
    return label


def _state(name: str) -> str:
    """Return the hash of a file or of a variable's value; `MISSING` if there is none."""
    if name.startswith(ENVIRONMENT):
        if (value := os.environ.get(name.removeprefix(ENVIRONMENT))) is None:
            return MISSING
        return hashlib.sha256(os.fsencode(value)).hexdigest()[:DIGITS]
    try:
        known = Path(name).stat()
        if stat.S_ISREG(known.st_mode):
            return _file_state(name, known.st_mtime_ns, known.st_size, known.st_ino)
    except (OSError, ValueError):
        pass
    return MISSING


@cache
def _file_state(name: str, *_: int) -> str:
    with Path(name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]
