"""Local code: the Python files outside installed packages that a script executes or may execute.

A script named by the user may import anything, and its imports are recorded. A script named by a
description may come from another person: it may import only files whose content is allowed. In both
cases local modules are compiled from their source: a ``__pycache__`` delivered in an archive could
contain anything.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import machinery
from pathlib import Path
from types import CodeType, ModuleType

from msgspec import Struct

from sim import shipped
from sim.errors import ScenarioError
from sim.showing.one_line import shorten_list

_EXECUTED: dict[Path, str] = {}  # hashes of texts by resolved path

MOST_FILES = 1000  # followed through the imports of one script
# Folders of installed packages from a .pth file or PYTHONPATH, before any script changes it.
_SITES = tuple(p for p in sys.path if Path(p).name in {"site-packages", "dist-packages"})
_OUR_CODE = Path(__file__).resolve().parents[1]


class _FromSource(machinery.SourceFileLoader):
    """Loader that compiles a file from its text and reports the hash of exactly that text."""

    def __init__(self, name: str, path: str, watch: CodeWatch) -> None:
        super().__init__(name, path)
        self._watch = watch
        self.digest = ""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the file; compiled copies are ignored."""
        data = self.get_data(self.path)
        self.digest = hashlib.sha256(data).hexdigest()
        self._watch.note(self.path, self.digest)
        return self.source_to_code(data, self.path)


@dataclass(eq=False)
class CodeWatch:
    """Finder of local modules that precedes Python's own, and records or refuses them.

    Parameters
    ----------
    allowed : frozenset of str, optional
        SHA-256 of the files that may be executed; default: all.
    """

    allowed: frozenset[str] | None = None
    executed: set[str] = field(default_factory=set)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> machinery.ModuleSpec | None:
        """Return the spec of a local module; None for any other."""
        spec = machinery.PathFinder.find_spec(name, path, target)
        origin = None if spec is None else spec.origin
        if spec is None or spec.loader is None or origin is None or is_library(origin):
            return None
        if isinstance(spec.loader, machinery.SourceFileLoader):
            spec.loader = _FromSource(name, origin, self)
        else:  # a binary extension, a compiled file, a module in an archive
            self.note(origin, _digest(Path(origin)))
        return spec

    def note(self, path: str, digest: str) -> None:
        """Record that a file is about to be executed.

        Raises
        ------
        ScenarioError
            If it is not allowed.
        """
        if self.allowed is not None and digest not in self.allowed and not is_shipped(Path(path)):
            raise ScenarioError(refusal_text([path]))
        self.executed.add(digest)


class Permission(Struct, frozen=True):
    """Local code that a script named by a description may execute.

    Parameters
    ----------
    allowed : frozenset of str, optional
        SHA-256 of the files (default: all, as the user trusts the script).
    """

    allowed: frozenset[str] | None = None

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Apply it to all code executed in the block, which is not recorded as known code."""
        with _watching(CodeWatch(self.allowed)):
            yield


def permission() -> Permission | None:
    """Return the permission in force; None while the user's own scripts are executed."""
    watch = current_watch()
    return None if watch is None else Permission(watch.allowed)


def current_watch() -> CodeWatch | None:
    """Return the watch in force."""
    return next((one for one in sys.meta_path if isinstance(one, CodeWatch)), None)


@contextmanager
def watched_code() -> Iterator[CodeWatch]:
    """Yield the watch in force, or a new one that allows everything.

    Where only known code may be executed, the search path of modules is restored at the end, so
    that the next process, or a library imported later, does not search the script's folder.
    """
    if (watch := current_watch()) is None:
        with _watching(CodeWatch()) as new:
            yield new
        return
    before = list(sys.path)
    try:
        yield watch
    finally:
        if watch.allowed is not None:
            sys.path[:] = before


@contextmanager
def _watching(watch: CodeWatch) -> Iterator[CodeWatch]:
    finders = sys.meta_path
    place = next((k for k, one in enumerate(finders) if one is machinery.PathFinder), len(finders))
    finders.insert(place, watch)
    try:
        yield watch
    finally:
        finders.remove(watch)


def load_module(name: str, path: Path) -> ModuleType:
    """Execute the text of a Python file as a module, within `watched_code`.

    It is in `sys.modules` while and after it is executed.
    """
    watch = current_watch()
    assert watch is not None
    loader = _FromSource(name, str(path), watch)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    _EXECUTED[path.resolve()] = loader.digest
    return module


def executed_text(path: Path) -> str:
    """Return the SHA-256 of a file's text as executed by `load_module`, or else as it is now."""
    return _EXECUTED.get(path.resolve()) or _digest(path)


def require_all_code_allowed(path: Path) -> None:
    """Refuse a file of code that Python does not import, where only known code may be executed.

    Raises
    ------
    ScenarioError
    """
    watch = current_watch()
    if watch is not None and watch.allowed is not None and not is_shipped(path):
        raise ScenarioError(refusal_text([path]))


def refusal_text(files: Sequence[str | Path]) -> str:
    """Return the message about files that may not be executed."""
    verb, it, them = ("is", "it is", "it") if len(files) == 1 else ("are", "they are", "them")
    return (
        f"{shorten_list(files, 5)} {verb} not executed: {it} code that you have not run here by "
        f"name; read {them}, and add --trust to execute it"
    )


def is_shipped(path: Path) -> bool:
    """Whether a file is a scenario, a verification case or a robot shipped with the package."""
    resolved = path.resolve()
    folders = (shipped.scenarios(), shipped.verification(), shipped.urdf())
    return any(resolved.is_relative_to(folder.resolve()) for folder in folders)


@cache
def is_library(path: str) -> bool:
    """Whether a file belongs to Python, an installed package, or the code of this package."""
    file = Path(os.path.normpath(path))
    return path in {"built-in", "frozen"} or any(
        file.is_relative_to(root) for root in library_roots()
    )


@cache
def library_roots() -> tuple[Path, ...]:
    """Folders of Python, of installed packages, and of this package's code."""
    named = sysconfig.get_paths()
    roots = {named[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    roots |= {*site.getsitepackages(), site.getusersitepackages(), *_SITES, str(_OUR_CODE)}
    return tuple({path for root in roots for path in (Path(root), Path(root).resolve())})


def loaded_below(folder: Path) -> frozenset[str]:
    """Return the SHA-256 of the local modules below a folder that this process has loaded."""
    return _loaded_below(folder, len(sys.modules))


@lru_cache(maxsize=16)
def _loaded_below(folder: Path, modules: int) -> frozenset[str]:
    start = f"{folder.resolve()}{os.sep}"
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    local = {file for file in files if isinstance(file, str) and file.startswith(start)}
    return frozenset(_digest(Path(file)) for file in local if not is_library(file)) - {""}


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def imported_files(script: Path) -> dict[Path, str]:
    """Return the script and the local modules that its text imports, with their hashes.

    Imports anywhere in a file are followed through local modules; nothing is executed. A module
    whose name is computed at run time is not listed: `CodeWatch` handles it.
    """
    hashes: dict[Path, str] = {}
    above = [str(script.resolve().parent), *sys.path]
    waiting: list[tuple[Path, list[str]]] = [(script, above)]
    while waiting and len(hashes) < MOST_FILES:
        path, package = waiting.pop()
        if path in hashes or (digest := _digest(path)) == "":
            continue
        hashes[path] = digest
        if path.suffix == ".py":
            for origin, inside in _imports_of(path, package, above):
                waiting.append((origin, inside))
    return hashes


def _imports_of(
    path: Path, package: list[str], above: list[str]
) -> Iterator[tuple[Path, list[str]]]:
    """Yield local files that a file imports, each with the folders of its relative imports."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return  # it cannot be executed either
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files_of(alias.name.split("."), above)
        elif isinstance(node, ast.ImportFrom):
            start = above
            if node.level:
                ups = [os.pardir] * (node.level - 1)
                start = [os.path.normpath(Path(place, *ups)) for place in package]
            parts = (node.module or "").split(".") if node.module else []
            for alias in node.names:
                yield from _files_of([*parts, alias.name], start)


def _files_of(parts: Sequence[str], places: list[str]) -> Iterator[tuple[Path, list[str]]]:
    """Yield the local files of a dotted name, from the first part on."""
    package = places
    for part in parts:
        try:
            spec = machinery.PathFinder.find_spec(part, places)
        except (ImportError, ValueError):
            return
        if spec is None:
            return
        inside = spec.submodule_search_locations
        package = list(inside) if inside is not None else package
        if spec.origin is not None:
            if is_library(spec.origin):
                return
            yield Path(spec.origin), package
        if inside is None:
            return
        places = list(inside)
