"""Torques of a prescribed motion for other payloads, speeds and gravities ("what if").

The path is prescribed; the torque of each joint at each position of the path is::

    tau = r² (D0 + Σ D_k θ_k) + γ (G0 + Σ G_k θ_k) + r V + f sign(qd) + E

r is the speed over the run's (the same path r times as fast), γ gravity over 9.81 m/s², θ the ten
parameters of the payload about the tool frame (`sim.dynamics.payload_terms`), V viscous friction
and dampers, f Coulomb friction, E springs and forces that depend on the path. Where loops move
joints, all terms are those of the drives. D and G of a payload that is picked up apply from pick-up
to release. The page holds these curves as Chebyshev series and redraws the torques without a model.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from sim.checks.robot_by_description import known_elements, robot_by_description
from sim.checks.run_view import RunView
from sim.dynamics.payload_terms import body_numbers
from sim.errors import SimError
from sim.kinematics.jacobian import chain_length
from sim.maths.arrays import Array, distinct
from sim.recording.recording import Recording
from sim.recording.schema.description import Run
from sim.reports.page.html_tables import command_words
from sim.reports.page.quantising import planes
from sim.reports.page.sampled_pieces import STEP, Piece, largest_errors, pieces
from sim.reports.page.what_if_ratings import JointRatings, ratings_of, weakest_rating
from sim.reports.page.what_if_reasons import why_no_loads, why_no_payload, why_not
from sim.reports.page.what_if_terms import (
    BLOCKS,
    POINT,
    STANDARD,
    Carried,
    Setting,
    Terms,
    direction,
    is_carried,
    payload,
)
from sim.robots.loop import Loop
from sim.robots.robot import Robot

FLOOR = 5e-6  # relative to the sum of a joint's curves: smallest size of a torque curve
NOISE = 1e-14  # relative to the same sum: rounding of the motion
NOTHING = 1e-9  # relative to the largest torque of all joints: a smaller torque is rounding
LARGEST = 150_000  # bytes of a page's curves, before compression to less than half
UNRATED = 10.0  # end of the payload slider without a limiting rating [kg]
BAD = 1e-6  # relative to a joint's peak: less accurate curves are not shown
PAYLOADS = ("payload", "load", "mass")  # parameter names of a carried mass in scenarios
SCALED = 401  # samples at which the size of curves is measured


class WhatIfFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Data from which the page's script computes torques for the sliders.

    Parameters
    ----------
    shape : list of float
        Payload inertia S about its mass centre over m k², xx xy xz yy yz zz; k is its radius of
        gyration. A ball, or a payload without inertia, has ½ on the diagonal.
    run, most : Setting
        Settings of the run, and ends of the sliders.
    pieces : list of (float, float, int)
        Start and end [s], and number of coefficients per curve.
    worth : list of float
        Value of a step of each curve.
    width : int
        Bytes of a coefficient in the block.
    error : float
        Largest difference of the curves from the model, relative to each joint's peak.
    notes : list of str
        Quantities that the sliders change, and effects that they ignore.
    settable : dict of str to str
        Parameter of the scenario that sets each slider.
    command, tail : list of str
        Words of the command that makes the run, before and after the settable parameters.
    """

    duration: float
    joints: list[JointRatings]
    shape: list[float]
    run: Setting
    most: Setting
    pieces: list[tuple[float, float, int]]
    worth: list[float]
    width: int
    error: float
    notes: list[str]
    settable: dict[str, str]
    command: list[str]
    tail: list[str]


class WhatIf(msgspec.Struct, frozen=True, eq=False):
    """Packed curves of a run for other payloads, or the reason why there are none."""

    facts: WhatIfFacts | None = None
    block: bytes = b""
    why: str | None = None


def what_if(recording: Recording) -> WhatIf:
    """Return the curves of a run for other payloads, speeds and gravities, or why not."""
    try:
        why = why_not(recording.run)
        return WhatIf(why=why) if why else _curves(RunView(recording))
    except SimError as error:
        return WhatIf(why=f"the model of the run cannot be restored: {error}")


def _curves(view: RunView) -> WhatIf:
    run, names = view.run, view.row_names
    robot = robot_by_description(view)
    if why := why_no_payload(view, robot):
        return WhatIf(why=why)
    motion = [f"{of}.{name}" for of in ("q", "qd", "qdd") for name in names]
    driven = np.array([k for k, name in enumerate(names) if name not in run.settings.passive])
    carried, own = payload(robot)
    terms = Terms(
        robot,
        _with_loops(robot, run),
        known_elements(view, robot),
        view.t,
        lambda k: view.analytic_at(motion, k).reshape(3, len(names), k.size),
        direction(run.settings.gravity),
        is_carried(run.events, view.t),
        driven,
    )
    torques = [f"tau.{names[k]}" for k in driven]
    largest = np.max([_peak(view.analytic(torque)) for torque in torques])
    if why := why_no_loads(terms, float(largest)):
        return WhatIf(why=why)
    gravity = float(np.linalg.norm(run.settings.gravity))
    most = _ends(view, terms, carried, own, gravity, torques)
    scale = body_numbers(most.mass, np.full(3, most.x), most.mass * 0.2**2 * np.eye(3))
    factors = np.repeat([1.0, 1.0, 1.0, *scale, *scale[:4], 1.0, 1.0], driven.size)

    def scaled_curves(k: NDArray[np.intp]) -> Array:
        return terms.at(k, own) * factors[:, None]

    size, whole = _sizes(
        scaled_curves(distinct(np.linspace(0, view.t.size - 1, SCALED).astype(int)))
    )
    worth = np.array([float(f"{one:.3e}") for one in STEP * size / factors])  # short in the page
    size = worth * factors / STEP
    jumps = [*run.settings.corners, *(event.t for event in run.events)]
    smooth = pieces(
        view.t, [*jumps, *run.settings.bends], jumps, scaled_curves, size, NOISE * whole
    )
    weights = _weights(own, gravity / STANDARD, driven.size) * worth
    off = _error(view, terms, smooth, weights, jumps)
    if not off <= BAD:
        sudden = any(element.is_sudden for element in terms.loads.elements)
        why = "an end stop is reached" if sudden else "the motion is not smooth between its samples"
        return WhatIf(
            why=f"smooth pieces of the curves deviate by {off:.1g} of a joint's peak torque: "
            f"{why}, or other forces act"
        )
    block, width = planes([_zigzag(piece) for piece in smooth])
    if len(block) > LARGEST:
        return WhatIf(
            why=f"the motion has {len(smooth)} smooth pieces, "
            f"whose curves need {len(block) / 1e6:.1f} MB"
        )
    settable = _settable(view, carried)
    first, last = command_words(run, settable.values())
    if "speed" in settable:
        last = last[: last.index("--dt")]  # the step need not fit another duration
    facts = WhatIfFacts(
        duration=float(view.t[-1] - view.t[0]),
        joints=ratings_of(terms),
        shape=carried.shape,
        run=carried.setting(gravity),
        most=most,
        pieces=[(piece.a, piece.b, piece.whole.shape[1]) for piece in smooth],
        worth=worth.tolist(),
        width=width,
        error=off,
        notes=[*_notes(run)],
        settable=settable,
        command=[*map(shlex.quote, first)],
        tail=[*map(shlex.quote, last)],
    )
    return WhatIf(facts, block)


def _notes(run: Run) -> Iterator[str]:
    if run.events:
        yield "The payload is the one the run picks up, while it is carried."
    if any(joint.drive is not None for joint in run.robot.joints):
        yield (
            "For joints with a drive train, torques are on the link side; "
            "motors and gears have their own ratings."
        )


def _with_loops(robot: Robot, run: Run) -> Robot | None:
    """Return the robot with its loops, if they move joints."""
    if not run.settings.passive:
        return None
    return robot.with_loops(*(Loop(**msgspec.structs.asdict(one)) for one in run.robot.closures))


def _ends(
    view: RunView, terms: Terms, carried: Carried, own: Array, gravity: float, torques: list[str]
) -> Setting:
    """Return the ends of the sliders, which lie beyond the ratings."""
    every = distinct(np.linspace(0, view.t.size - 1, SCALED).astype(int))
    rows = terms.at(every, own).reshape(BLOCKS, -1, every.size)
    theta = body_numbers(1.0, carried.com)
    slope = np.tensordot(theta, rows[3:13], 1)
    slope += gravity / STANDARD * np.tensordot(theta[:4], rows[13:17], 1)
    empty = np.abs(view.analytic_at(torques, every) - carried.mass * slope)
    rated = np.array([weakest_rating(terms.robot, int(k)) for k in terms.driven])
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.maximum(rated[:, None] - empty, 0.0) / np.abs(slope)
    heaviest = float(np.nanmin(room, initial=np.inf))
    most = max(3.0 * carried.mass, 1.6 * heaviest if np.isfinite(heaviest) else 0.0)
    mass = most if most > POINT else UNRATED
    reach = max(0.25 * chain_length(terms.robot), 2.0 * float(np.abs(carried.com).max()), 0.05)
    x = y = z = _round_up(reach)
    spread = _round_up(max(0.2, 2.0 * carried.spread))
    return Setting(_round_up(mass), x, y, z, spread, speed=2.5, gravity=15.0)


def _round_up(value: float) -> float:
    """Round up to the next of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten."""
    ten = float(10.0 ** np.floor(np.log10(value)))
    steps = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return float(f"{next(s * ten for s in steps if s * ten >= value * (1 - 1e-9)):.6g}")


def _sizes(rows: Array) -> tuple[Array, Array]:
    """Return the size of each curve, and the total size of its joint's torques, (K,) each."""
    peak = np.abs(rows).max(axis=1).reshape(BLOCKS, -1)
    whole = np.broadcast_to(peak.sum(axis=0) - peak[2], peak.shape).copy()
    whole[2] = peak[2].max()  # speeds are not summed with torques; at rest there is only rounding
    whole = np.where(whole > 0.0, whole, 1.0)
    return np.maximum(peak, FLOOR * whole).ravel(), whole.ravel()


def _weights(own: Array, gamma: float, n: int) -> Array:
    """Return the weights of the curves in the run's torques without dry friction, (n, K)."""
    parts = [1.0, gamma, 0.0, *own, *(gamma * own[:4]), 1.0, 1.0]
    return np.hstack([part * np.eye(n) for part in parts])


def _error(
    view: RunView, terms: Terms, smooth: list[Piece], weights: Array, jumps: Sequence[float]
) -> float:
    """Return the largest distance from the model's torques, over each joint's peak."""
    names = [view.row_names[k] for k in terms.driven]
    dry = dict(zip(names, terms.dry, strict=True))

    def torque(name: str) -> Array:
        return view.analytic(f"tau.{name}") - dry[name] * np.sign(view.analytic(f"qd.{name}"))

    peak = np.array([_peak(torque(name)) for name in names])
    peak[peak <= NOTHING * peak.max()] = max(float(peak.max()), np.finfo(float).tiny)
    apart = largest_errors(view.t, map(torque, names), smooth, jumps, weights)
    return float(np.max(apart / peak))


def _peak(values: Array) -> float:
    return float(max(values.max(), -values.min()))


def _zigzag(piece: Piece) -> NDArray[np.uint64]:
    return ((piece.whole << 1) ^ (piece.whole >> 63)).astype(np.uint64).ravel()


def _settable(view: RunView, carried: Carried) -> dict[str, str]:
    """Return the scenario parameter of each slider, where its value is that of the run."""
    known = [(name, "mass", carried.mass) for name in PAYLOADS]
    known.append(("period", "speed", view.run.settings.duration))
    return {
        key: name
        for name, key, value in known
        if isinstance(has := view.run.parameters.get(name), int | float)
        and abs(has - value) <= 1e-9 * abs(value)
    }
