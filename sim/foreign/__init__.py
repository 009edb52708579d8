"""Results of other programs and of machines: their tables read, their columns named and in SI."""

from sim.foreign.foreign_table import ForeignColumn, ForeignTable
from sim.foreign.mapped_curves import MappedCurve, MappedTable, mapped
from sim.foreign.naming import Naming, naming_of
from sim.foreign.reading import is_foreign_file, read_foreign

__all__ = [
    "ForeignColumn",
    "ForeignTable",
    "MappedCurve",
    "MappedTable",
    "Naming",
    "is_foreign_file",
    "mapped",
    "naming_of",
    "read_foreign",
]
