"""Largest speed and payload, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from sim.capacity.fit_time import AGREED, FitTime, RatingBound
from sim.capacity.largest_payload import LargestPayload
from sim.capacity.rated_motion import RatedMotion
from sim.capacity.time_optimal import TimeOptimal
from sim.engine_names import ENGINES
from sim.recording.recording import Recording
from sim.reports.terminal.sentences import Sentence, label_sentence
from sim.reports.terminal.tables import FittedTable, number
from sim.robots.drive_train import DriveTrain
from sim.robots.motor_curve import MotorCurve
from sim.robots.robot import Robot

if TYPE_CHECKING:
    from rich.console import RenderableType

ROWS = 4  # lines of a sentence
PROVED = 1e-6  # of a rating: an engine with a larger difference from the model's peak disagrees
OF_MOTORS = ("power", "motor curve")
CHANNELS = {"torque": ("tau",), "speed": ("qd",), "power": ("tau", "qd")}


@dataclass(frozen=True)
class SpeedProof:
    """Use of the limiting rating by a run at the largest speed.

    Parameters
    ----------
    engine : str
    share : float
        Largest used share at the run's samples.
    expected : float
        The same by the motion at these samples: 1 if the peak is at one of them.
    """

    engine: str
    share: float
    expected: float

    @property
    def ok(self) -> bool:
        """Whether the engine has the same share."""
        return abs(self.share - self.expected) <= PROVED

    @classmethod
    def of(cls, fit: FitTime, recording: Recording) -> SpeedProof:
        """Compute the proof from a recording of ``fit.scenario``."""
        bound, motion = fit.binding, RatedMotion.of(fit.scenario)
        engine = ENGINES[recording.run.engine].title
        row = motion.robot.row_names.index(bound.joint) if bound.what in OF_MOTORS else 0
        train = motion.robot.drives.get(row) if bound.what in OF_MOTORS else None
        if train is not None and train.motor_curve is not None:
            return cls(engine, *_motor_shares(fit, motion, recording, row, train))
        (qd_tree,) = motion.robot.on_tree(motion.q, motion.qd)[1:]
        curves = dict(zip(motion.robot.tree_row_names, qd_tree, strict=True))
        curves = {f"qd.{name}": row for name, row in curves.items()}
        curves |= {
            f"tau.{n}": x for n, x in zip(motion.robot.row_names, motion.torque(), strict=True)
        }
        on_samples = np.isin(motion.t, fit.scenario.times)
        names = [f"{channel}.{bound.joint}" for channel in CHANNELS[bound.what]]
        theirs = np.prod([np.asarray(recording[name]) for name in names], axis=0)
        model = np.prod([curves[name][on_samples] for name in names], axis=0)
        share, expected = (float(np.abs(x).max()) / bound.rating for x in (theirs, model))
        return cls(engine, share, expected)


def _motor_shares(
    fit: FitTime, motion: RatedMotion, recording: Recording, row: int, train: DriveTrain
) -> tuple[float, float]:
    """Return the largest shares of a motor's power or line, by an engine's run and the motion."""
    name, N = motion.robot.row_names[row], abs(train.ratio)
    on_samples = np.isin(motion.t, fit.scenario.times)
    torque, speed = (np.asarray(recording[f"{x}.{name}"]) for x in ("motor_tau", "motor_qd"))
    model = motion.torque()[row, on_samples] / N, motion.qd[row, on_samples] * N
    curve = train.motor_curve or MotorCurve()
    if fit.binding.what == "power":
        curve = MotorCurve(power=fit.binding.rating)
    shares = [float(curve.shares(tau, w).max()) for tau, w in ((torque, speed), model)]
    return shares[0], shares[1]


def to_terminal(
    fit: FitTime,
    heaviest: LargestPayload | None = None,
    least: TimeOptimal | None = None,
    proof: SpeedProof | None = None,
) -> list[RenderableType]:
    """Return the result, the bounds of joints, unchecked ratings, and the second formulation."""
    robot, first = fit.motion.robot, fit.binding
    parts: list[RenderableType] = [label_sentence("fit time", _answer(fit), _style(fit.ok), ROWS)]
    parts.append(_table(robot, fit.bounds, "speed-up"))
    if heaviest is not None:
        parts.append(label_sentence("payload", _heaviest(heaviest), _style(heaviest.ok), ROWS))
        parts.append(_table(robot, heaviest.bounds, "additional [kg]"))
    if least is not None:
        parts += [label_sentence("minimum", text, _style(least.ok), ROWS) for text in _least(least)]
    if unrated := fit.ratings.missing(robot):
        parts.append(label_sentence("unrated", ", ".join(unrated), "dim", ROWS))
    if fit.scale:
        parts.append(_check_sentence("at the largest speed", fit.used))
    if heaviest is not None and heaviest.mass:
        parts.append(_check_sentence("with the largest payload", heaviest.used))
    if proof is not None:
        words = (
            f"simulated at the largest speed by {proof.engine}: {first.joint} at "
            f"{proof.share:.6f} of its rated {first.what}"
        )
        parts.append(label_sentence("run", words, _style(proof.ok), ROWS))
    return parts


def document(
    fit: FitTime,
    heaviest: LargestPayload | None = None,
    least: TimeOptimal | None = None,
    proof: SpeedProof | None = None,
) -> dict[str, object]:
    """Return results as one JSON document."""
    content: dict[str, object] = {
        "robot": fit.motion.robot.name,
        "scale": fit.scale,
        "duration": fit.duration if fit.scale else None,
        "bounds": _rows(fit.bounds, "scale"),
        "unrated": list(fit.ratings.missing(fit.motion.robot)),
        "used": fit.used,
        "ok": fit.ok,
    }
    if heaviest is not None:
        content["payload"] = {
            "mass": heaviest.mass,
            "frame": heaviest.frame,
            "com": list(heaviest.com),
            "bounds": _rows(heaviest.bounds, "mass"),
            "used": heaviest.used,
            "ok": heaviest.ok,
        }
    if least is not None:
        content["least"] = {
            "duration": least.duration,
            "stretches": least.stretches,
            "scale": least.fit.scale,
            "deviation": least.deviation,
            "binding": asdict(least.fit.binding),
            "used": least.fit.used,
            "ok": least.ok,
        }
    if proof is not None:
        content["run"] = {"engine": proof.engine, "used": proof.share, "ok": proof.ok}
    return content


def _rows(bounds: Sequence[RatingBound], name: str) -> list[dict[str, object]]:
    return [
        {name: bound.value, **{key: x for key, x in asdict(bound).items() if key != "value"}}
        if isfinite(bound.value)
        else {name: None, "joint": bound.joint}
        for bound in bounds
    ]


def _answer(fit: FitTime) -> str:
    first = fit.binding
    if not fit.scale:
        return (
            f"at any speed, {first.joint} exceeds its rated {first.what} at t = {first.t:.4g} s: "
            "the static torque exceeds the rating"
        )
    pace = "as fast" if fit.scale >= 1 else "as fast: ratings are exceeded at the original speed"
    return (
        f"{fit.scale:.6g} times {pace}, {fit.duration:.6g} s instead of "
        f"{fit.motion.duration:.6g} s; limited by {first.joint} rated {first.what}"
    )


def _heaviest(heaviest: LargestPayload) -> str:
    first = heaviest.binding
    if not heaviest.mass:
        return f"0 kg: {first.joint} already exceeds its rated {first.what} at t = {first.t:.4g} s"
    where = ", ".join(f"{x:g}" for x in heaviest.com)
    return (
        f"+{heaviest.mass:.6g} kg at ({where}) m of {heaviest.frame}, at the original speed; "
        f"limited by {first.joint} rated {first.what}"
    )


def _least(least: TimeOptimal) -> list[str]:
    """Return the minimum time, and its correction by the check between grid points."""
    stops = (
        f", with {least.stretches - 1} stops where the path reverses" if least.stretches > 1 else ""
    )
    pace = least.fit.scale
    judged = f"slowed down by {100 * (1 - pace):.2g} %" if pace < 1 else f"{pace:.6g} times faster"
    return [
        f"{least.duration:.6g} s along the same path, rest to rest{stops}, by toppra; jerk is "
        "not bounded",
        f"{judged} after a check between grid points; maximum utilisation then "
        f"{least.fit.used:.6f}; deviation from the path at most {least.deviation:.1e} rad or m",
    ]


def _check_sentence(when: str, share: float) -> Sentence:
    """Describe the maximum utilisation by the other formulation."""
    words = f"{when}: maximum utilisation {100 * share:.4f} % (Lagrange's equations)"
    return label_sentence("check", words, _style(abs(share - 1) <= AGREED), ROWS)


def _table(robot: Robot, bounds: Sequence[RatingBound], heading: str) -> FittedTable:
    """Return the speed-up or payload that each joint alone allows."""
    units = {row.name: row.units for row in robot.tree_coordinates}
    rows = FittedTable(("joint", heading, "reaches rated", "rating", "at t"), ("rating", "at t"))
    for bound in bounds:
        if not isfinite(bound.value):
            rows.add_row(bound.joint, "any", "none", "", "")
            continue
        unit = {
            "torque": units[bound.joint].effort,
            "speed": units[bound.joint].velocity,
            "power": "W",
            "motor curve": f"{units[bound.joint].effort} at rest",
        }
        rating = f"{number(bound.rating)} {unit[bound.what]}"
        cells = (f"{bound.value:.6g}", bound.what, rating, f"{bound.t:.4f} s")
        rows.add_row(bound.joint, *cells)
    return rows


def _style(ok: bool) -> str:
    return "" if ok else "red"
