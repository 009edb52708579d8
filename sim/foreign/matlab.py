"""MATLAB's .mat, up to version 7: variables, structs of variables, and matrices by columns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import MOST_NUMBERS, ForeignColumn, ForeignTable, column_of_numbers
from sim.foreign.text_file import bytes_of
from sim.maths.arrays import Array

HDF5 = b"\x89HDF"
HEAD = 1024  # bytes that contain the version of a file
WIDEST = 1000  # columns of one matrix: larger ones are not curves
LARGEST = 1_000_000_000  # bytes of memory for the content of a file, without its reader
PATIENCE = 120.0  # seconds; the largest file takes about ten

# SciPy's reader is written in C and does not check the file: a damaged one can crash the process
# or claim all memory. It is therefore tried in another process, whose failure can be reported.
_TRIAL = f"""
import sys
import numpy as np
from scipy.io import loadmat, whosmat
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + {LARGEST}, resource.RLIM_INFINITY))
except (ImportError, OSError, ValueError):
    pass


def numbers(value):
    if isinstance(value, dict):
        return sum(map(numbers, value.values()))
    return value.size if isinstance(value, np.ndarray) else 1


try:
    said = sum(np.prod(shape, dtype=float) for _, shape, _ in whosmat(sys.argv[1], appendmat=False))
    if said <= {MOST_NUMBERS}:
        said = numbers(loadmat(sys.argv[1], appendmat=False, simplify_cells=True))
    if said > {MOST_NUMBERS}:
        raise ValueError(f"it holds {{said:.0f}} numbers, and at most {MOST_NUMBERS} are read; "
                         "leave out variables or samples")
except BaseException as error:
    said = str(error) or "its contents need more than {LARGEST / 1e9:g} GB of memory"
    sys.stdout.buffer.write(said.encode("utf-8", "replace"))
    sys.stdout.flush()
    sys.exit(9)
"""
_REFUSED = 9


def read_matlab(path: Path) -> ForeignTable:
    """Return the curves of a .mat file.

    A vector is a column with the name of its variable, ``results.q`` in a struct. Each column of a
    matrix with as many rows as there are times is a column, ``q(1)``, ``q(2)``, …

    Raises
    ------
    ForeignError
        If it cannot be read, is of version 7.3, or contains no vector of numbers.
    """
    from scipy.io import loadmat

    head = bytes_of(path)[:HEAD]
    if head.startswith(HDF5) or head[512:516] == HDF5 or b"MATLAB 7.3" in head[:128]:
        raise ForeignError(
            f"{path.name} is a .mat file of version 7.3 (HDF5), which is not read; save it in "
            "MATLAB with save(…, '-v7')"
        )
    if fault := _fault(path):
        raise ForeignError(f"{path.name} cannot be read as a .mat file: {fault}")
    try:
        content = loadmat(str(path), appendmat=False, simplify_cells=True)
    except Exception as error:  # SciPy's reader raises any error on a damaged file
        raise ForeignError(f"{path.name} cannot be read as a .mat file: {error}") from None
    variables = {name: value for name, value in content.items() if not name.startswith("__")}
    if not (columns := tuple(_columns(variables, ""))):
        raise ForeignError(f"{path.name} has no vector of numbers")
    return ForeignTable(f"{path.name} (MATLAB)", columns)


def _fault(path: Path) -> str:
    """Return why another process could not read the file; empty if it could, or did not start."""
    try:
        trial = subprocess.run(
            [sys.executable, "-P", "-c", _TRIAL, str(path.absolute())],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"its reader finds no end in {PATIENCE:g} s"
    except OSError:
        return ""
    if trial.returncode == _REFUSED:
        return trial.stdout.decode("utf-8", "replace")
    return "it is damaged, and its reader crashes on it" if trial.returncode < 0 else ""


def _columns(variables: Mapping[str, object], block: str) -> Iterator[ForeignColumn]:
    arrays = {name: value for name, value in variables.items() if isinstance(value, np.ndarray)}
    lengths = [value.size for value in arrays.values() if value.ndim == 1 and value.size > 1]
    for name, value in variables.items():
        title = f"{block}.{name}" if block else name
        if isinstance(value, Mapping):
            yield from _columns(value, title)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
            if value.ndim == 1 and value.size > 1:
                yield column_of_numbers(title, None, value, block)
            elif value.ndim == 2 and min(value.shape) >= 1:
                yield from _of_matrix(title, value, lengths, block)


def _of_matrix(
    title: str, matrix: Array, lengths: list[int], block: str
) -> Iterator[ForeignColumn]:
    """Yield the columns of a matrix, or its rows if only they are as long as the other vectors."""
    if matrix.shape[0] not in lengths and matrix.shape[1] in lengths:
        matrix = matrix.T
    if matrix.shape[0] > 1 and matrix.shape[1] <= WIDEST:
        for k in range(matrix.shape[1]):
            yield column_of_numbers(f"{title}({k + 1})", None, matrix[:, k], block)
