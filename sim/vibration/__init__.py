"""Natural frequencies, modes and the response to a load, of robots with elastic drives."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.vibration.load_step import LoadStep, load_step
    from sim.vibration.modes import Mode, Modes, modes
    from sim.vibration.run_modes import RunModes, run_modes
else:
    load_names_on_use(__name__)
