"""`When`: actions triggered in a run by a condition of time and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from msgspec import Struct

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
    """End the run, with the last sample at or before the event."""

    def __str__(self) -> str:
        return "end the run"


PHASE_END = "PHASE_END"


@checked
class EndPhase(Struct, frozen=True):
    """End the present phase of a run, and the run itself in its last phase.

    Parameters
    ----------
    ends : tuple of float
        Times at which the phases end at the latest [s]. The next phase begins where an event ends
        the one before.
    name : str
        Name of the sensor, by which a phase ignores it.
    ignored : tuple of int
        Phases that the event does not end, from 0.
    switches : tuple of tuple of SwitchOff or SwitchOn
        Switches at the beginning of each phase.
    durations : tuple of float
        Duration of each phase that ends this long after it began; 0 for the others [s]. If there
        are any, an event may wait for the end of the present phase, the variable `PHASE_END`.
    """

    ends: tuple[float, ...] = ()
    name: str = ""
    ignored: tuple[int, ...] = ()
    switches: tuple[tuple[SwitchOff | SwitchOn, ...], ...] = ()
    durations: tuple[float, ...] = ()

    def end_of(self, phase: int, begin: float) -> float:
        """Return the latest end of a phase that began at a time [s]."""
        duration = self.durations[phase] if self.durations else 0.0
        return begin + duration if duration else self.ends[phase]

    def __str__(self) -> str:
        if not self.ends:
            return "end the run"
        phases = enumerate(self.switches, 1)
        texts = "; ".join(f"phase {k}: {', '.join(map(str, one))}" for k, one in phases if one)
        return f"end a phase of the run ({texts})" if texts else "end a phase of the run"


@checked
@dataclass(frozen=True)
class SwitchOff:
    """Switch off a force, the torque of a joint's motor or a joint's drive from then on.

    Parameters
    ----------
    name : str
        Name of a force between markers (linear if it is a `Spring`), of a contact, or of a joint
        with a drive; a joint with a prescribed motion is free from then on.
    """

    name: str

    def __str__(self) -> str:
        return f"switch off {self.name}"


@checked
@dataclass(frozen=True)
class SwitchOn:
    """Let a force, the torque of a joint's motor or its drive act from then on.

    An element that events switch on and never off does not act before. One that they also switch
    off acts from the start, unless ``When("TIME >= 0", SwitchOff(name))`` is among them. A joint
    with a prescribed motion must move like its drive at that time, to 1e-6.

    Parameters
    ----------
    name : str
        As in `SwitchOff`.
    """

    name: str

    def __str__(self) -> str:
        return f"switch on {self.name}"


@checked
@dataclass(frozen=True)
class Attach:
    """Attach a payload to the robot from then on; see `PickUp`, which has a time.

    Parameters
    ----------
    payload : Payload
    name : str
        Name in `Release` and in the tables.
    """

    payload: Payload
    name: str = "payload"

    def __str__(self) -> str:
        return f"attach {self.name}"


@checked
@dataclass(frozen=True)
class Release:
    """Release the payload `name`."""

    name: str = "payload"

    def __str__(self) -> str:
        return f"release {self.name}"


@checked
@dataclass(frozen=True, eq=False)
class StartMotion:
    """Start the drives of a motion, with TIME counted from then on.

    Before, each of its joints holds the start position of its drive, and motors exert no torque.

    Parameters
    ----------
    motion : JointMotion
        Motion of joints that the scenario's own motion does not drive.
    """

    motion: JointMotion

    def __str__(self) -> str:
        return f"start {', '.join(self.motion.drives)}"


# Times [s] and values from these times on.
Steps = Sequence[tuple[float, float]]


class ValueReaders(Struct, frozen=True, eq=False):
    """Parts of a scenario that read values set by events."""

    forces: tuple[ForceElement, ...]
    requests: tuple[Request, ...]
    motion: JointMotion


class Evaluate(Struct, frozen=True, eq=False):
    """Evaluate a function of the state, whose value other functions read from then on.

    Parameters
    ----------
    name : str
        Name for `remake`.
    function : str
        Function with the names available to the event's condition.
    remake : callable
        Steps by name -> parts of the scenario that read the values.
    """

    name: str
    function: str
    remake: Callable[[Mapping[str, Steps]], ValueReaders]

    def __str__(self) -> str:
        return f"evaluate {self.name}"


Action = Evaluate | EndRun | EndPhase | SwitchOff | SwitchOn | Attach | Release | StartMotion


@checked
@dataclass(frozen=True, eq=False)
class When:
    """Actions triggered when a condition becomes true.

    Parameters
    ----------
    condition : str
        Two functions of TIME and state separated by ``>=``, ``<=`` or ``=``, such as
        ``DZ(tip) <= 0.2``. The event is when the condition turns from false to true; with ``=``
        when the difference changes sign. Each link is a marker of its own name, and each joint has
        two, ``<joint>.i`` on its child and ``<joint>.j`` on its parent, with z along its axis:
        ``AZ(hinge.i, hinge.j)`` is its angle, ``WZ(hinge.i, hinge.j, hinge.j)`` its speed.
    then : Action or sequence of Action
        `EndRun`, `SwitchOff`, `SwitchOn`, `Attach`, `Release`, `StartMotion`.
    names : Names
        Further names available to the condition.
    repeat : bool
        Whether the event occurs each time that the condition becomes true, also at the start; or
        only the first time, in which case the condition must be false at the start.
    waits : bool
        Whether a condition that is true at the start must first become false, as is assumed for an
        ADAMS SENSOR that ends a simulation.

    Raises
    ------
    ScenarioError
        If the condition has no comparison or `then` is not an action.
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
            raise ScenarioError(f"{self.label}: no action given; give an action")
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
