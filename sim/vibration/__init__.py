"""Natural frequencies, modes and the response to a load, of robots with elastic drives."""

from sim.vibration.load_step import LoadStep, load_step
from sim.vibration.modes import Mode, Modes, modes
from sim.vibration.run_modes import RunModes, run_modes

__all__ = ["LoadStep", "Mode", "Modes", "RunModes", "load_step", "modes", "run_modes"]
