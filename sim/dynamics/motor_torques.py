"""MotorTorques: motor torques at a state, as a force element of a robot at rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sim.dynamics.force_element import ElementState, ForceElement
from sim.dynamics.marker_force import sides_read
from sim.errors import ScenarioError
from sim.functions.syntax import evaluate
from sim.kinematics.moving_frame import Pair
from sim.kinematics.small_change import ChangeReading, SmallChange
from sim.kinematics.state_reading import StateReading
from sim.maths.arrays import Array
from sim.robots.actuation import Actuation, TorqueOverTime, WrittenActuation, WrittenLaw
from sim.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class MotorTorques(ForceElement):
    """Torques of motors as functions of time and as laws of the state.

    Parameters
    ----------
    over_time : callable
        Times (N,) [s] -> torques (n, N) of motors that depend on time alone [N·m or N].
    laws : tuple of WrittenLaw
        Laws of the other motors.
    """

    over_time: Callable[[Array], Array]
    laws: tuple[WrittenLaw, ...] = ()

    @classmethod
    def of(cls, actuation: Actuation) -> MotorTorques:
        """Return the motors of a motion.

        Raises
        ------
        ScenarioError
            If a law has states with rates of their own.
        """
        if isinstance(actuation, TorqueOverTime):
            return cls(actuation.torque)
        if not isinstance(actuation, WrittenActuation):
            raise ScenarioError(
                f"Torques of {type(actuation).__name__} are not functions of time and state and "
                "have no derivatives; define the motors by expressions"
            )
        if actuation.states:
            raise ScenarioError(
                f"The law of a motor has internal states "
                f"({', '.join(actuation.state_names)}), which small motions do not have; write "
                "the torque as a function of the joints' state"
            )
        return cls(actuation.over_time, tuple(actuation.torque_laws))

    def title(self, robot: Robot) -> str:
        """Return a description of the laws, such as "the motor of joint 'hinge' acts on it"."""
        names = " and ".join(repr(robot.row_names[law.row]) for law in self.laws)
        return f"the motor of joint {names} acts on it" if names else "motors act on it"

    def joint_efforts(self, at: ElementState) -> Array:
        """Return the torques, (n_tree, N) [N·m or N]; see `ForceElement`.

        Raises
        ------
        ScenarioError
            If one is not finite; names joint and time.
        """
        torque = np.array(self.over_time(at.t))
        for law in self.laws:
            state = StateReading(at.t, at.kinematics, law.names)
            torque[law.row] = law.expression.value(at.t, state) / law.ratio
        if not np.isfinite(torque).all():
            row, k = np.argwhere(~np.isfinite(torque))[0]
            raise ScenarioError(
                f"Torque of joint {at.robot.row_names[row]!r}: it is not finite at "
                f"t = {at.t[k]:.6g} s"
            )
        return _on_tree(at.robot, torque)

    def effort_changes(self, small: SmallChange) -> Pair:
        """Return the torques and their slopes; see `ForceElement`."""
        torque = np.array(self.over_time(small.t))
        slope = np.zeros_like(torque)
        for law in self.laws:
            state = ChangeReading(small, law.names)
            with np.errstate(all="ignore"):
                value = evaluate(law.expression.tree, small.time, state)
            torque[law.row], slope[law.row] = value.value / law.ratio, value.first / law.ratio
            if not np.isfinite(slope[law.row]).all():
                raise ScenarioError(
                    f"Torque of joint {small.kinematics.robot.row_names[law.row]!r}: its "
                    "derivative is not finite at this pose, so that the motion cannot be "
                    "linearised; use another pose"
                )
        return _on_tree(small.kinematics.robot, torque), _on_tree(small.kinematics.robot, slope)

    def sides(self, small: SmallChange) -> Iterator[Array]:
        """Yield the sides of the laws' switches; see `ForceElement`."""
        for law in self.laws:
            yield from sides_read(law.expression.tree, law.names, small)


def _on_tree(robot: Robot, rows: Array) -> Array:
    """Return values of the independent joints (n, N) at their tree joints, (n_tree, N)."""
    total = np.zeros((len(robot.tree_coordinates), rows.shape[1]))
    total[[robot.tree_row_names.index(name) for name in robot.row_names]] = rows
    return total
