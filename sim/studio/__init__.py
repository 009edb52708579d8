"""Browser window that writes scenario scripts, runs them and shows their verdicts."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.studio.read_script import OpenedScript, read_script
    from sim.studio.server import serve
    from sim.studio.setup import Drive, Setup, Table
    from sim.studio.write_script import write_script
else:
    load_names_on_use(__name__)
