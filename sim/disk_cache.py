r"""Results that follow from data alone, kept between processes in the user's cache folder.

The folder is ``$SIM_CACHE``, else ``$XDG_CACHE_HOME/sim``, by default ``~/.cache/sim``; on
Windows ``%LOCALAPPDATA%\sim\cache``. It may be removed at any time. Where it cannot be written or
read, or is another user's, everything is computed anew.

An entry is a file of numeric arrays in NumPy's format, which can execute nothing, behind the hash
of its bytes. Its name is the hash of all that the result follows from, so that an entry never gets
out of date: what has changed is looked for under another name.
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

VARIABLE = "SIM_CACHE"  # of the environment
MOST_BYTES = 50_000_000  # of all entries; those not used for longest are removed first
ENDING = ".npy"
_DIGEST = 32  # bytes of SHA-256

Arrays = tuple["NDArray[Any]", ...]


def cached_arrays(
    data: Sequence[bytes],
    compute: Callable[[], Arrays],
    packages: Sequence[str] = (),
    uses: Sequence[Callable[..., Any]] = (),
) -> Arrays:
    """Arrays that follow from some data, from the cache where they are in it.

    Parameters
    ----------
    data : sequence of bytes
        All that the result follows from.
    compute : callable
        Computes the arrays. Its name and its source file are part of the key.
    packages : sequence of str
        Whose versions are part of the key, besides that of this package.
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
    """The folder of the cache; None where the environment names none.

    A relative folder is ignored, as the specification of XDG requires.
    """
    usual = [("XDG_CACHE_HOME", "sim"), ("HOME", ".cache/sim")]
    named = [("LOCALAPPDATA", "sim/cache")] if os.name == "nt" else usual
    for variable, below in ((VARIABLE, ""), *named):
        folder = Path(os.environ.get(variable, ""))
        if folder.is_absolute():
            return folder / below
    return None


def entries(folder: Path) -> list[tuple[Path, os.stat_result]]:
    """The files of a cache folder, the one that was not used for longest first."""
    files = []
    for path in folder.glob(f"*{ENDING}"):
        with contextlib.suppress(OSError):  # another process removes it
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
    """The arrays of an entry; None where there is none, or it is damaged or another user's."""
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
    """Write an entry that appears whole or not at all, however many processes write it."""
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
        if path.name < "1":  # of one in sixteen: to look at all entries takes longer than to write
            _remove_oldest(path.parent)


def _remove_oldest(folder: Path) -> None:
    files = entries(folder)
    size = sum(status.st_size for _, status in files)
    for path, status in files:
        if size <= MOST_BYTES:
            return
        path.unlink(missing_ok=True)
        size -= status.st_size
