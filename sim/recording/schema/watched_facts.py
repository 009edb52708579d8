"""Facts about a watched loop: settings of the engine, and explanations of its torques.

A number that JSON does not have, NaN or infinite, is None when a description is read back.
"""

from __future__ import annotations

from sim.recording.schema.base import Facts, Vector


class CauseFacts(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """One identified cause of a difference between the loop's torques and the analytic model.

    Parameters
    ----------
    kind : str
        Key of the cause, equal in all versions.
    where : str
        Joint, link or engine setting.
    text : str
        The cause with its number and its uncertainty.
    remedy : str
        Line of code that corrects it.
    share : float
        Largest torque explained by it, relative to the joint's peak.
    is_error : bool
        False if it explains a torque that is not wrong, such as a torque limit.
    alternatives : tuple of str
        Other causes that fit equally well.
    """

    kind: str
    where: str = ""
    text: str
    remedy: str = ""
    share: float | None = 0.0
    is_error: bool = True
    alternatives: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Return the cause in one line, for display."""
        also = f"; {', '.join(self.alternatives)} would fit as well" if self.alternatives else ""
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"{self.text}{also}{remedy}"


class WatchedEngine(Facts, frozen=True, kw_only=True, omit_defaults=True):
    """Contents of the engine of a watched loop, read back from it.

    Parameters
    ----------
    gravity : tuple of float
        [m/s²]
    base : tuple of float
        Position [m] and quaternion x y z w of the root link in the world.
    dt : float
        Time step [s].
    settings : mapping of str to number or text
        Solver, substeps, iterations and the like, by the engine's own names.
    masses : mapping of str to float
        For each link [kg].
    """

    gravity: Vector
    base: tuple[float, ...]
    dt: float
    settings: dict[str, float | str]
    masses: dict[str, float]


class WatchedFacts(Facts, frozen=True, kw_only=True):
    """A loop that was watched rather than run.

    Parameters
    ----------
    engine : WatchedEngine
    torque_from : str
        Source of the motor torques.
    residual : float
        Largest difference of any torque, relative to its joint's peak.
    left : float
        Residual after all causes; None if no step can be judged.
    causes : tuple of CauseFacts
        In descending order of their share.
    allowances : mapping of str to float
        Torque of each joint by which the engine may differ, as it stores the robot [N·m or N].
    """

    engine: WatchedEngine
    torque_from: str
    residual: float | None
    left: float | None
    causes: tuple[CauseFacts, ...]
    allowances: dict[str, float]

    @property
    def errors(self) -> tuple[CauseFacts, ...]:
        """Causes that make the loop wrong."""
        return tuple(cause for cause in self.causes if cause.is_error)

    @property
    def soft_stops(self) -> tuple[str, ...]:
        """Joints at stops of their own file in an engine, where that is no error."""
        notes = (one for one in self.causes if one.kind == "joint limit" and not one.is_error)
        return tuple(joint for one in notes for joint in one.where.split(", "))
