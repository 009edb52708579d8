r"""Results that follow from data alone, cached between processes in the user's cache folder.

The folder is ``$SIM_CACHE``, else ``$XDG_CACHE_HOME/sim``, by default ``~/.cache/sim``; on
Windows ``%LOCALAPPDATA%\sim\cache``. It may be removed at any time. If it is not accessible, or is
another user's, everything is computed anew.

An entry is a file of numeric arrays in NumPy's format after the hash of its bytes. Files of another
user are not read: some entries are compiled templates. The name of an entry is the hash of all data
that it follows from, so that it is never outdated: changed data have another name.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import io
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.versions import version_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

VARIABLE = "SIM_CACHE"  # environment variable
MOST_BYTES = 50_000_000  # of all entries; the least recently used are removed first
ENDING = ".npy"
_DIGEST = 32  # bytes of SHA-256

Arrays = tuple["NDArray[Any]", ...]


def cached_arrays(
    data: Sequence[bytes],
    compute: Callable[[], Arrays],
    packages: Sequence[str] = (),
    uses: Sequence[Callable[..., Any]] = (),
) -> Arrays:
    """Return arrays that follow from data, from the cache if possible.

    Parameters
    ----------
    data : sequence of bytes
        All data that the result follows from.
    compute : callable
        Computes the arrays. Its name and its source file are part of the key.
    packages : sequence of str
        Packages whose versions are part of the key, besides this package.
    uses : sequence of function
        Functions of other files that it uses; their source files are part of the key.
    """
    folder = cache_folder()
    if folder is None:
        return compute()
    path = folder / f"{_key(data, compute, packages, uses)}{ENDING}"
    arrays = _read(path)
    if arrays is None:
        arrays = compute()
        _write(path, arrays)
    return arrays


def cache_folder() -> Path | None:
    """Return the cache folder; None if the environment names none.

    A relative folder is ignored, as the XDG specification requires.
    """
    usual = [("XDG_CACHE_HOME", "sim"), ("HOME", ".cache/sim")]
    named = [("LOCALAPPDATA", "sim/cache")] if os.name == "nt" else usual
    for variable, below in ((VARIABLE, ""), *named):
        folder = Path(os.environ.get(variable, ""))
        if folder.is_absolute():
            return folder / below
    return None


def entries(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """Return the files of a cache folder, the least recently used first."""
    files = []
    for path in folder.glob(f"*{ENDING}"):
        with contextlib.suppress(OSError):  # another process may remove it
            files.append((path, path.stat()))
    return sorted(files, key=lambda entry: entry[1].st_mtime)


def _key(
    data: Sequence[bytes],
    compute: Callable[[], Arrays],
    packages: Sequence[str],
    uses: Sequence[Callable[..., Any]],
) -> str:
    parts = [compute.__qualname__.encode()]
    parts += [_text(inspect.getfile(function)) for function in (compute, *uses)]
    parts += [f"{name} {version_of(name)}".encode() for name in ("sim", *packages)]
    digest = hashlib.sha256()
    for part in (*parts, *data):
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


@cache
def _text(source: str) -> bytes:
    with contextlib.suppress(OSError):
        return Path(source).read_bytes()
    return b""


def _read(path: Path) -> Arrays | None:
    """Return the arrays of an entry; None if it is missing, damaged or another user's."""
    import numpy as np

    try:
        with path.open("rb") as file:
            user = getattr(os, "geteuid", None)
            if user is not None and os.fstat(file.fileno()).st_uid != user():
                return None
            digest, content = file.read(_DIGEST), file.read()
        if hashlib.sha256(content).digest() != digest:
            return None
        os.utime(path)
        block, arrays = io.BytesIO(content), []
        while block.tell() < len(content):
            arrays.append(np.load(block, allow_pickle=False))
    except (OSError, ValueError):
        return None
    return tuple(arrays)


def _write(path: Path, arrays: Arrays) -> None:
    """Write an entry whole or not at all, also with several writing processes."""
    import numpy as np

    block = io.BytesIO()
    for array in arrays:
        np.save(block, array, allow_pickle=False)
    content = block.getvalue()
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(prefix=".", suffix=".partial", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(partial).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(partial).unlink()
            raise
        if path.name < "1":  # for one in sixteen: scanning all entries is slower
            _remove_oldest(path.parent)


def _remove_oldest(folder: Path) -> None:
    files = entries(folder)
    size = sum(status.st_size for _, status in files)
    for path, status in files:
        if size <= MOST_BYTES:
            return
        path.unlink(missing_ok=True)
        size -= status.st_size
