"""Pieces of a run that are smooth except for dry friction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import FrictionModes, Mechanism
from sim.dynamics.grips import GripChange, Grips
from sim.dynamics.hybrid import HybridDynamics
from sim.dynamics.passages import Passage, Watch
from sim.dynamics.prescription import Prescription
from sim.dynamics.shape_contact import Contact
from sim.dynamics.single_state.switch import is_on
from sim.dynamics.solver import DenseSolution
from sim.kinematics.forward import Kinematics
from sim.maths.arrays import Array
from sim.maths.sampling import SAME_TIME

# Least number of steps of a run, in which the modes of dry friction are checked; more if loads or
# motors act, whose torque tables have knots. With loads the number of samples per step is also
# limited, so that no short contact with a stop or the ground is stepped over.
FEWEST_STEPS, FEWEST_UNDER_LOADS, MOST_SAMPLES = 10, 50, 20

# Breaks closer to each other or to a sample than this fraction of the run are merged.
APART = 1e-12


class SmoothPiece(Struct, frozen=True, eq=False):
    """A part of a run that is smooth except for dry friction."""

    mechanism: Mechanism
    begin: float
    end: float
    t: Array  # samples of the piece
    longest_step: float
    is_sampled: bool  # a sampled law reads the state at its beginning
    progress: Callable[[int], None] | None
    longest_implicit_step: float
    longest_in_contact: float  # while shapes touch or may touch
    is_stiff: bool = False  # its steps are implicit
    watch: Watch | None = None  # conditions whose events end it

    def report(self, samples: int) -> None:
        """Report that further samples are reached."""
        if self.progress is not None and samples:
            self.progress(samples)


class MotionSegment(Struct, frozen=True, eq=False):
    """Motion in constant modes, up to the end of a piece or the next change of a mode."""

    modes: FrictionModes
    t: Array  # samples of the segment
    states: Array  # states at the samples
    end: float
    y: Array  # state at the end
    step: float  # proposed length of the next step [s]
    changed: int | None  # joint that leaves its mode
    singular: tuple[float, ...] = ()  # times at which closed loops passed singular poses
    passed: Passage | None = None  # event of a condition at its end
    is_stiff: bool = False  # its steps were implicit
    grips: Grips | None = None  # of contacts with stiction
    regripped: GripChange | None = None  # those that leave their modes


def smooth_pieces(
    stages: Sequence[tuple[float, HybridDynamics]],
    prescription: Prescription,
    t: Array,
    loads: ElementSum | None,
    progress: Callable[[int], None] | None,
    longest: float = np.inf,
) -> Iterator[SmoothPiece]:
    """Yield the parts of a run between corners, changes of dynamics and samples of a law.

    Explicit steps in them are no longer than `longest` [s].
    """
    span = float(t[-1] - t[0])
    near = APART * span
    begins = onto_samples(t, np.array([begin for begin, _ in stages]), SAME_TIME)
    hold = None if prescription.actuation is None else prescription.actuation.hold
    instants = np.empty(0) if hold is None else onto_samples(t, np.arange(t[0], t[-1], hold), near)
    breaks = np.unique([*onto_samples(t, prescription.corners, near), *begins, *instants])
    breaks = breaks[(breaks > t[0]) & (breaks < t[-1])]
    breaks = breaks[np.diff(breaks, append=np.inf) > near]
    edges = [float(t[0]), *breaks.tolist(), float(t[-1])]
    has_motors = prescription.actuation is not None
    most = span / _fewest_steps(has_others(loads), has_motors, t.size)
    most_in_contact = span / _fewest_steps(loads is not None, has_motors, t.size)
    for begin, end in pairwise(edges):
        dynamics = stages[int(np.searchsorted(begins, begin, side="right")) - 1][1]
        last = end == t[-1]
        inside = (t >= begin) & ((t < end) | last)
        middle = 0.5 * (begin + end)
        acting = None if loads is None else loads.during(middle)
        driven = prescription.during(middle)
        mechanism = Mechanism(dynamics, driven, acting, until=end - 2 * near)
        is_sampled = bool((np.abs(instants - begin) <= near).any())
        step = min(most, longest)
        options = t[inside], step, is_sampled, progress, most, most_in_contact
        yield SmoothPiece(mechanism, begin, end, *options)


def _fewest_steps(has_loads: bool, has_motors: bool, samples: int) -> float:
    steps = FEWEST_UNDER_LOADS if has_loads or has_motors else FEWEST_STEPS
    return max(steps, samples / MOST_SAMPLES) if has_loads else steps


def shapes_in(loads: ElementSum | None) -> list[Contact]:
    """Return the contacts of shapes among loads."""
    return [one for one in (loads.elements if loads else ()) if isinstance(one, Contact)]


def has_others(loads: ElementSum | None) -> bool:
    """Whether there are loads besides contacts of shapes, whose distances machine code watches."""
    if loads is None or not is_on():
        return loads is not None
    return len(shapes_in(loads)) < len(loads.elements)


def first_passage(
    piece: SmoothPiece, solution: DenseSolution, end: float, changed: int | None
) -> tuple[float, int | None, Passage | None]:
    """Return the end of a step of a piece, the joint that changes its mode, and the event there.

    Parameters
    ----------
    solution : callable
        Time [s] -> state within the step, with its beginning `t_old`.
    end, changed
        Those of the step without conditions.
    """
    if piece.watch is None:
        return end, changed, None
    mechanism = piece.mechanism

    def states(t: Array) -> Kinematics:
        y = solution(t)
        q, qd, _ = mechanism.motion(t, y)
        if mechanism.loads is not None:
            return mechanism.loads.at(t, q, qd, y[mechanism.layout.elements]).kinematics
        return Kinematics(mechanism.dynamics.robot, q, qd)

    passage = piece.watch.first_passage(float(solution.t_old), end, piece.t, states)
    return (end, changed, None) if passage is None else (passage.t, None, passage)


def onto_samples(t: Array, times: Array, near: float) -> Array:
    """Return the times, moved onto samples that are closer than `near`."""
    after = np.clip(np.searchsorted(t, times), 1, t.size - 1)
    nearest = np.where(times - t[after - 1] < t[after] - times, t[after - 1], t[after])
    return np.where(np.abs(nearest - times) <= near, nearest, times)
