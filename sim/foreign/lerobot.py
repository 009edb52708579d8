"""LeRobot data sets: `meta/info.json` describes the vectors in a Parquet file.

A column such as ``observation.state`` has a vector in each row. Its entries become columns,
``observation.state.elbow`` if the data set names them, otherwise ``observation.state_0`` and so on.
Missing times follow from frames and the data set's rate.

References
----------
https://github.com/huggingface/lerobot, LeRobotDataset formats 2.0 to 3.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from sim.errors import ForeignError
from sim.foreign.foreign_table import ForeignColumn, column_of_numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from sim.maths.arrays import Array

INFO = Path("meta/info.json")
FASTEST = 1e6  # frames per second
UPWARDS = 4  # levels of folders above a file in which the description may be


@dataclass(frozen=True)
class DataSet:
    """Metadata of a data set; empty for other files.

    Parameters
    ----------
    fps : float or None
        Frames per second.
    names : dict of str to list of str
        Names of the entries of vectors.
    """

    fps: float | None = None
    names: dict[str, list[str]] = field(default_factory=dict)


def data_set_of(path: Path) -> DataSet:
    """Return the data set to which a file belongs.

    Raises
    ------
    ForeignError
        If its description cannot be read.
    """
    for folder in list(path.absolute().parents)[:UPWARDS]:
        if (folder / INFO).is_file():
            break
    else:
        return DataSet()
    try:
        info = msgspec.json.decode((folder / INFO).read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ForeignError(f"{folder / INFO} cannot be read: {error}") from None
    if not isinstance(info, dict):
        raise ForeignError(f"{folder / INFO} is not a description of a LeRobot data set")
    features = info.get("features")
    names = {
        str(title): joint_names
        for title, feature in (features if isinstance(features, dict) else {}).items()
        if isinstance(feature, dict) and (joint_names := _names(feature.get("names")))
    }
    fps = info.get("fps")
    is_rate = isinstance(fps, int | float) and 0 < fps < FASTEST
    return DataSet(float(fps) if is_rate and fps is not None else None, names)


def _names(value: Any) -> list[str]:
    """Return names of entries: a list, or a list under a key such as ``motors``."""
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return list(value) if is_list else []


def entries_of(title: str, column: pa.ChunkedArray, about: DataSet) -> Iterator[ForeignColumn]:
    """Yield the entries of a column of vectors as columns; none if their lengths differ."""
    vectors = column.combine_chunks()
    flat = np.asarray(vectors.flatten().to_numpy(zero_copy_only=False), dtype=np.float64)
    size, rest = divmod(flat.size, max(len(vectors), 1))
    lengths = vectors.value_lengths().to_numpy(zero_copy_only=False)
    if not size or rest or not np.all(lengths == size):
        return
    names = about.names.get(title, [])
    for k, values in enumerate(flat.reshape(-1, size).T):
        is_named = len(names) == size
        yield column_of_numbers(f"{title}.{names[k]}" if is_named else f"{title}_{k}", None, values)


def times_of(titles: Sequence[str], frames: Array | None, about: DataSet) -> ForeignColumn | None:
    """Return times of frames, if a file of a data set has none [s]."""
    has_times = {"timestamp", "time", "t"} & {title.casefold() for title in titles}
    if has_times or frames is None or about.fps is None:
        return None
    return column_of_numbers("t", "s", frames / about.fps)
