"""When: what happens in a run as soon as a condition of time and state holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from sim.errors import ScenarioError
from sim.maths.arguments import checked
from sim.robots.names import NO_NAMES, Names
from sim.robots.payload import Payload
from sim.showing.one_line import one_line

if TYPE_CHECKING:
    from sim.dynamics.force_element import ForceElement
    from sim.dynamics.request import Request
    from sim.motion.joint_motion import JointMotion


@checked
@dataclass(frozen=True)
class EndRun:
    """The run ends, with the last sample at or before the event."""

    def __str__(self) -> str:
        return "end the run"


@checked
@dataclass(frozen=True)
class SwitchOff:
    """A force, or the torque of a joint's motor, is zero, or a joint's drive lets go, from then on.

    Parameters
    ----------
    name : str
        Of a force between markers, linear if it is a `Spring`, of a contact, or of a joint
        with a drive; under one that prescribes its motion it is free from then on.
    """

    name: str

    def __str__(self) -> str:
        return f"switch off {self.name}"


@checked
@dataclass(frozen=True)
class SwitchOn:
    """A force, the torque of a joint's motor or its drive acts from then on.

    One that events switch on and never off does not act before. A joint must move there as a drive
    that prescribes its motion does, to 1e-6.

    Parameters
    ----------
    name : str
        As `SwitchOff` has it.
    """

    name: str

    def __str__(self) -> str:
        return f"switch on {self.name}"


@checked
@dataclass(frozen=True)
class Attach:
    """The robot carries a payload from then on; see `PickUp`, which has a time.

    Parameters
    ----------
    payload : Payload
    name : str
        How `Release` and the tables call it.
    """

    payload: Payload
    name: str = "payload"

    def __str__(self) -> str:
        return f"attach {self.name}"


@checked
@dataclass(frozen=True)
class Release:
    """The robot lets go of the payload `name`."""

    name: str = "payload"

    def __str__(self) -> str:
        return f"release {self.name}"


@checked
@dataclass(frozen=True, eq=False)
class StartMotion:
    """The drives of a motion begin, their TIME counted from then on.

    Before, each joint of theirs holds the position that its drive starts from, and a motor gives no
    torque.

    Parameters
    ----------
    motion : JointMotion
        Of joints that the scenario's own motion does not drive.
    """

    motion: JointMotion

    def __str__(self) -> str:
        return f"start {', '.join(self.motion.drives)}"


# Times [s] and values from then on.
Steps = Sequence[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class ValueReaders:
    """Parts of a scenario that read values set by events."""

    forces: tuple[ForceElement, ...]
    requests: tuple[Request, ...]
    motion: JointMotion


@dataclass(frozen=True, eq=False)
class Evaluate:
    """A function of the state is evaluated; others of the scenario read its value from then on.

    Parameters
    ----------
    name : str
        By which `remake` knows it.
    function : str
        Of what the event's condition may name.
    remake : callable
        Steps by name -> what of the scenario reads the values.
    """

    name: str
    function: str
    remake: Callable[[Mapping[str, Steps]], ValueReaders]

    def __str__(self) -> str:
        return f"evaluate {self.name}"


Action = Evaluate | EndRun | SwitchOff | SwitchOn | Attach | Release | StartMotion


@checked
@dataclass(frozen=True, eq=False)
class When:
    """Actions that happen as soon as a condition becomes true.

    Parameters
    ----------
    condition : str
        Two functions of TIME and of the state with one of ``>=``, ``<=`` and ``=`` between them,
        such as ``DZ(tip) <= 0.2``. It happens when the condition turns from false to true; with
        ``=`` when the difference of the two changes its sign. Each link is a marker of its own name
        and each joint has two, ``<joint>.i`` on its child and ``<joint>.j`` on its parent, with
        their z along its axis: ``AZ(hinge.i, hinge.j)`` is its angle, ``WZ(hinge.i, hinge.j,
        hinge.j)`` its speed.
    then : Action or sequence of Action
        `EndRun`, `SwitchOff`, `SwitchOn`, `Attach`, `Release`, `StartMotion`.
    names : Names
        What else the condition may name.
    repeat : bool
        Whether it happens each time that the condition becomes true, and at the start if it is true
        there; or only the first time, and must be false at the start.
    waits : bool
        Whether one that is true at the start waits there until it has been false, as is assumed of
        a SENSOR of ADAMS that ends a simulation.

    Raises
    ------
    ScenarioError
        If the condition has no comparison or `then` is no action.
    """

    condition: str
    then: Action | tuple[Action, ...]
    _: KW_ONLY
    names: Names = NO_NAMES
    repeat: bool = False
    waits: bool = False

    def __post_init__(self) -> None:
        then = self.then if isinstance(self.then, tuple | list) else (self.then,)
        for action in then:
            if not isinstance(action, Action):
                raise ScenarioError(
                    f"{self.label}: what happens then must be sim.EndRun, SwitchOff, SwitchOn, "
                    f"Attach, Release or StartMotion, got {type(action).__name__}"
                )
        if not then:
            raise ScenarioError(f"{self.label}: nothing happens then; give an action")
        object.__setattr__(self, "then", tuple(then))
        if not isinstance(self.names, Names):
            raise ScenarioError(f"{self.label}: names must be a sim.Names, got {self.names!r}")

    def __repr__(self) -> str:
        return one_line(f"When {self.condition}:", ", ".join(map(str, self.actions)))

    @property
    def label(self) -> str:
        """Beginning of messages."""
        return f"Event {self.condition!r}"

    @property
    def actions(self) -> tuple[Action, ...]:
        """Actions of the event."""
        return self.then if isinstance(self.then, tuple) else (self.then,)
