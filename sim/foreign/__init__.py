"""Tables by other programs and machines: reading, naming of columns, conversion to SI."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.foreign.foreign_table import ForeignColumn, ForeignTable
    from sim.foreign.map_curves import (
        MappedCurve,
        MappedTable,
        channel_columns,
        map_curves,
        own_curves,
    )
    from sim.foreign.naming import Naming, naming_of
    from sim.foreign.reading import is_foreign_file, read_foreign
else:
    load_names_on_use(__name__)
