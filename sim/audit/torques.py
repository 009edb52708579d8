"""Agreement of torques at the same states by all formulations and available engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sim.audit.finding import Finding, Severity
from sim.audit.other_programs import (
    is_package_installed,
    mjcf_torque,
    mujoco_torque,
    pinocchio_torque,
)
from sim.audit.states import StateSamples
from sim.dynamics import lagrange, newton_euler
from sim.dynamics.gravity import GRAVITY
from sim.engine_names import ENGINES, EngineName, default_engine
from sim.engines.contract import ModelReadback
from sim.engines.opening import open_engine
from sim.maths.arrays import Array
from sim.robots.robot import Robot

# Of a joint's peak. Programs keep ten digits of a URDF's numbers and turn tensors into principal
# axes; a program with a different robot has a far larger difference.
SAME = 1e-6
NOT_INSTALLED = "not installed"
NO_BALLS = "compared only of robots without balls"
_NO_REFUSALS = (NOT_INSTALLED, NO_BALLS)
SMALL = 1e-6  # of the largest peak: the least that a joint is measured by, where it has no load
Torque = Callable[[Robot, StateSamples], Array]
OTHERS: Mapping[str, tuple[str, Torque]] = MappingProxyType(
    {"Pinocchio": ("pinocchio", pinocchio_torque), "MuJoCo": ("mujoco", mujoco_torque)}
)
# "MuJoCo" is its own URDF importer, "MuJoCo engine" the model of runs with MuJoCo.
TITLES: Mapping[EngineName, str] = MappingProxyType(
    {
        name: f"{facts.title} engine" if facts.title in OTHERS else facts.title
        for name, facts in ENGINES.items()
    }
)
BULLET = TITLES["bullet"]
OWN = ("Lagrange", "Newton–Euler", *TITLES.values())
_, *SECOND_CHOICES = ENGINES  # runs are possible without these
# Of a joint's peak. Below, a deviating engine has read the same robot: PyBullet loses digits for
# point masses. A check of the run reports it where it matters.
DIGITS_LOST = 1e-4


class Torques(Struct, frozen=True, eq=False):
    """Joint torques M qdd + C qd + g at the same states by several programs, without friction.

    Parameters
    ----------
    joints, units : tuple of str
        Names of the rows, and N·m or N of each.
    states : States
    by : mapping of str to ndarray, shape (n, N)
        Torques by the name of the program.
    absent : mapping of str to str
        Reason why a program gave none.
    held : tuple of str and ModelReadback, or None
        An engine, and its read-back of the robot after loading: PyBullet, or MuJoCo if that is not
        installed. None if loading failed.
    """

    joints: tuple[str, ...]
    units: tuple[str, ...]
    states: StateSamples
    by: Mapping[str, Array]
    absent: Mapping[str, str]
    held: tuple[str, ModelReadback] | None

    @property
    def middle(self) -> Array:
        """The median of all programs, shape (n, N)."""
        return np.median(list(self.by.values()), axis=0)

    @property
    def peaks(self) -> Array:
        """Largest torque of each joint, shape (n,)."""
        return np.abs(self.middle).max(axis=1, initial=0.0)

    @property
    def not_asked(self) -> Mapping[str, str]:
        """Programs without torques whose absence is not a finding, and reasons."""
        return {
            name: why
            for name, why in self.absent.items()
            if name not in OWN or why == NOT_INSTALLED
        }

    @property
    def of_translated_text(self) -> Torques:
        """Torques without programs that refuse the URDF translated from another format."""
        absent = self.absent.items()
        reasons = {name: why for name, why in absent if name not in OTHERS or why in _NO_REFUSALS}
        return replace(self, absent=reasons)

    def off(self, program: str) -> Array:
        """Return the deviation of a program from the median, over each joint's peak, shape (n,)."""
        worst = np.abs(self.by[program] - self.middle).max(axis=1, initial=0.0)
        return worst / self._scale()

    def disagreement(self) -> Array:
        """Return the largest spread of torques, relative to each joint's peak, shape (n,)."""
        spread = np.ptp(list(self.by.values()), axis=0).max(axis=1, initial=0.0)
        return np.asarray(spread / self._scale())

    def outlier(self, joint: int) -> str | None:
        """Return the program with the largest deviation at a joint; None without an outlier."""
        if self.disagreement()[joint] <= SAME:
            return None
        off = {name: float(self.off(name)[joint]) for name in self.by}
        outliers = [name for name, far in off.items() if far > SAME]
        return max(outliers, key=off.__getitem__) if 2 * len(outliers) < len(off) else None

    def _scale(self) -> Array:
        floor = SMALL * max(self.peaks.max(initial=0.0), 1e-9)
        return np.maximum(self.peaks, floor)


def torques_of(
    robot: Robot, states: StateSamples, *, others: bool = True, mjcf: Path | None = None
) -> Torques:
    """Return torques by Lagrange, Newton–Euler, PyBullet, and by Pinocchio and MuJoCo if installed.

    MuJoCo is called twice: by its own import of the text, and as the engine of a run; a third time
    with the original MJCF file, if any. Without `others` only the engine of runs is called, since
    the others take a second to load.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # NaN and infinity are reported below
        by = {
            "Lagrange": lagrange.inverse_dynamics(robot, states.q, states.qd, states.qdd),
            "Newton–Euler": newton_euler.inverse_dynamics(robot, states.q, states.qd, states.qdd),
        }
    absent: dict[str, str] = {}
    held: dict[str, ModelReadback] = {}

    def ask(name: str, module: str, answer: Callable[[], Array]) -> None:
        if not is_package_installed(module):
            absent[name] = NOT_INSTALLED
            return
        try:
            by[name] = answer()
        except Exception as error:  # any error of another program is reported, not raised
            absent[name] = _one_line(error)

    def ask_engine(name: EngineName) -> None:
        ask(TITLES[name], ENGINES[name].module, lambda: _engine(name, robot, states, held))

    own_engine, *rest = sorted(ENGINES, key=lambda name: name != default_engine())
    ask_engine(own_engine)
    if others and robot.ball_names:
        absent |= dict.fromkeys(OTHERS, NO_BALLS)
    elif others:
        for name, (module, torque) in OTHERS.items():
            ask(name, module, partial(torque, robot, states))
    if others and mjcf is not None:
        ask("MJCF", "mujoco", partial(mjcf_torque, mjcf, robot, states))
    for engine in rest if others else ():
        ask_engine(engine)
    for name in [name for name, tau in by.items() if not np.isfinite(tau).all()]:
        absent[name] = "its torques are not finite"
        del by[name]
    units = tuple(row.units.effort for row in robot.coordinates)
    holder = next(iter(held.items()), None)
    return Torques(robot.row_names, units, states, by, absent, holder)


def _engine(
    name: EngineName, robot: Robot, states: StateSamples, holding: dict[str, ModelReadback]
) -> Array:
    """Return torques by an engine; its model's read-back is added to `holding`."""
    q, qd, qdd = robot.on_tree(states.q, states.qd, states.qdd)
    with open_engine(name, robot, GRAVITY) as engine:
        holding[ENGINES[name].title] = engine.readback()
        every = np.ones(len(q), dtype=bool)
        _, effort = engine.hybrid_dynamics(q, qd, qdd, every, np.zeros_like(q))
    return robot.coupling[0].T @ effort


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def disagreements(torques: Torques, light: Sequence[Finding] = ()) -> Iterator[Finding]:
    """Yield a finding per joint where programs differ, and per program that cannot load the file.

    If joints lack inertia, the findings `light`, PyBullet's torques are also wrong at other joints:
    it inverts the mass matrix.
    """
    lacking = ", ".join(one.link_or_joint for one in light)
    for name, why in torques.absent.items():
        if why in _NO_REFUSALS:
            continue
        engine = name in OWN
        is_left = not engine or any(title in torques.by for title in TITLES.values())
        text = f"{name} refuses this robot: {why}"
        by = "".join(f" by {ENGINES[x].title}" for x in ENGINES if TITLES[x] == name and is_left)
        remedy = (
            f"no run{by} is possible" if engine else f"correct this before comparing with {name}"
        )
        grave: Severity = "note" if is_left else "error"
        yield Finding(grave, "program-refuses", "robot", None, text, remedy)
    size = torques.disagreement()
    for k, joint in enumerate(torques.joints):
        if size[k] <= SAME:
            continue
        who = torques.outlier(k)
        text = (
            f"torques differ by {size[k]:.2g} of the peak {torques.peaks[k]:.4g} {torques.units[k]}"
        )
        verdict = "no majority" if who is None else f"{who} is the outlier"
        has_failed = any(
            torques.off(name)[k] > (DIGITS_LOST if name in TITLES.values() else SAME)
            for name in OWN
            if name in torques.by
        )
        remedy = "check the findings on this joint's link and the model that program read"
        if lacking and who == BULLET:
            verdict += f" because {lacking} moves no inertia"
            remedy = (
                f"give the body moved by {lacking} inertia; all other programs agree on this joint"
            )
        yield Finding(
            "error" if has_failed else "note",
            "torques-differ",
            joint,
            None,
            f"{text}; {verdict}",
            remedy,
        )
