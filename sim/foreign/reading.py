"""A file of another program as a table, by the end of its name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType

from sim.errors import ForeignError
from sim.foreign.adams_req import read_req
from sim.foreign.adams_res import read_res
from sim.foreign.columnar import read_columnar
from sim.foreign.delimited import read_delimited
from sim.foreign.foreign_table import ForeignTable
from sim.foreign.html_table import read_html
from sim.foreign.matlab import read_matlab
from sim.foreign.ros_log import is_bag, read_ros_log
from sim.foreign.spreadsheet import read_spreadsheet

READERS: Mapping[str, Callable[[Path], ForeignTable]] = MappingProxyType(
    {
        **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat", ".asc"), read_delimited),
        **dict.fromkeys((".xlsx", ".xlsm"), read_spreadsheet),
        **dict.fromkeys((".htm", ".html"), read_html),
        ".mat": read_matlab,
        ".parquet": read_columnar,
        ".res": read_res,
        ".req": read_req,
        **dict.fromkeys((".bag", ".mcap", ".db3"), read_ros_log),
    }
)


def is_foreign_file(name: str) -> bool:
    """Whether a name is that of a file, or ends as the file of another program does."""
    path = Path(name)
    return path.is_file() or (not path.is_dir() and path.suffix.lower() in READERS)


def read_foreign(
    path: Path, sheet: str | None = None, joints: Collection[str] = ()
) -> ForeignTable:
    """The table in a file of another program.

    Parameters
    ----------
    path : Path
    sheet : str, optional
        Which sheet of a spreadsheet, or topic of a recording of ROS.
    joints : collection of str
        Joints of the robot that a recording of ROS is of.

    Raises
    ------
    ForeignError
        If files of this kind are not read, or this one cannot be.
    """
    reader = read_ros_log if is_bag(path) else READERS.get(path.suffix.lower())
    if reader is None:
        kinds = ", ".join(READERS)
        old = "; save it as .xlsx" if path.suffix.lower() == ".xls" else ""
        raise ForeignError(f"{path} is of no kind that is read; these are: {kinds}{old}")
    if reader is read_ros_log:
        return read_ros_log(path, sheet, joints)
    if sheet is None:
        return reader(path)
    if reader is read_spreadsheet:
        return read_spreadsheet(path, sheet)
    raise ForeignError(
        f"{path.name} has no sheets and no topics; --sheet is for .xlsx, --topic for bags"
    )
