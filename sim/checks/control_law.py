"""Recorded commands against the law in the run's description, and hashes of scripts and laws."""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from sim.checks.control import Numbers, instants
from sim.checks.judgement import Judgement
from sim.checks.limits import CANCELLED
from sim.checks.robot_by_description import drive_of_fields, robot_by_description
from sim.checks.run_view import RunView
from sim.control import Cascade, ComputedTorque, PDGravity, StringLaw
from sim.dynamics.control_axes import ControlAxes
from sim.dynamics.control_loop import Law, Sensed
from sim.errors import RecordingError, SimError
from sim.maths.arrays import Array
from sim.motion.typed_drive import CHANNELS, parse_typed_function
from sim.recording.files.whole_files import sha256
from sim.recording.recorded_robot import with_kept_loops
from sim.recording.schema.control_facts import STRINGS, ControllerFacts, KnownRobotFacts
from sim.recording.schema.description import Run
from sim.recording.schema.element_facts import NamesFacts, value_of
from sim.robots import Robot, read_urdf

VECTORS = ("pose", "gravity")  # array parameters of laws, never one number for all joints

Definition = ast.FunctionDef | ast.ClassDef
LAWS = {law.__name__: law for law in (PDGravity, ComputedTorque, Cascade)}

# Law and run are evaluated alike; the reference is evaluated at a differently rounded time.
LAW = 1e-9
MOST_INSTANTS = 200  # for a law without internal state


def script_at_hand(run: Run) -> Path | None:
    """Return the script of a run, if its file has the hash in the description."""
    if run.script is None:
        return None
    try:
        is_same = sha256(Path(run.script.path)) == run.script.sha256
    except (RecordingError, OSError, ValueError):
        return None
    return Path(run.script.path) if is_same else None


def hashes_of_law(run: Run, facts: ControllerFacts) -> set[str]:
    """Return hashes of all definitions of the law in the run's script; empty if not available.

    A law is hashed as `inspect.getsource` returns it.
    """
    script, name = script_at_hand(run), facts.law.rpartition(".")[2]
    if script is None:
        return set()
    try:
        text = script.read_text("utf-8")
        lines = text.splitlines(keepends=True)
        starts = [_first_line(node) for node in ast.walk(ast.parse(text)) if _defines(node, name)]
        blocks = ["".join(inspect.getblock(lines[start:])) for start in starts]
    except (OSError, ValueError, SyntaxError, RecursionError):
        return set()
    return {hashlib.sha256(block.encode()).hexdigest() for block in blocks}


def _defines(node: ast.AST, name: str) -> bool:
    return isinstance(node, Definition) and node.name == name


def _first_line(node: ast.AST) -> int:
    assert isinstance(node, Definition)
    return min(one.lineno for one in (node, *node.decorator_list)) - 1


def unchecked_sources(run: Run) -> Iterator[str]:
    """Yield the sources that cannot be judged, as text."""
    if run.script is not None and script_at_hand(run) is None:
        yield (
            f"not checked: the hash of script {run.script.path}, whose file is missing or has "
            "changed since the run"
        )
    facts = run.controller
    if not isinstance(facts, ControllerFacts) or facts.source_sha256 is None:
        return
    if not hashes_of_law(run, facts):
        yield f"not checked: the hash of law {facts.law!r}, whose script is not available"


def control_law(view: RunView) -> Iterator[Judgement]:
    """Check the model's commands against the law in the description, including its delay.

    The law is rebuilt from its name, parameters and model robot, or from its expressions, and
    receives the sensed values of the table. A law that is a Python function is not executed: only
    the initial commands during the delay are judged. Nothing is judged where the controller's
    instants are between samples.

    Raises
    ------
    SimError
        If the description has an impossible robot.
    """
    facts = view.run.controller
    if not isinstance(facts, ControllerFacts):
        return
    yield _contradictions(view, facts)
    if facts.sample_time < view.dt * (1 - 1e-6):
        return
    replay = _Replay(view, facts)
    replayed = replay.commands()
    for row, joint in enumerate(view.row_names):
        channel = f"command.{joint}"
        command = view.analytic(channel)
        error = np.zeros_like(command)
        waits = replay.is_known & (replay.k < facts.delay)
        error[waits] = np.abs(command[waits])
        limit = 0.0
        if replayed is not None:
            at, values = replayed
            error[at] = np.abs(command[at] - values[row])
            limit = LAW * float(np.max(np.abs(values), initial=0.0)) + CANCELLED
        yield view.judge_errors("control law", channel, error, limit)


def unchecked_parts(view: RunView) -> list[str]:
    """Return the parts of a controller's description that no table can confirm, as text."""
    facts = view.run.controller
    if not isinstance(facts, ControllerFacts):
        return []
    limits = [(name, facts.limits[name]) for name in view.row_names if name in facts.limits]
    unreached = [
        name for name, most in limits if np.all(np.abs(view.analytic(f"command.{name}")) <= most)
    ]
    parts = [f"not checked: rule {facts.rule!r} of the controller's solver"]
    if unreached:
        names = ", ".join(unreached)
        parts.append(f"not checked: largest torque of {names}, which no command exceeds")
    if has_unknown_law(view):
        parts.append("not checked: commands and delay of the controller, whose law is a program")
    return parts


def has_unknown_law(view: RunView) -> bool:
    """Whether the run has a controller whose law is missing in its description."""
    facts = view.run.controller
    return isinstance(facts, ControllerFacts) and not (facts.names or facts.known)


def _contradictions(view: RunView, facts: ControllerFacts) -> Judgement:
    """Count contradictions in the description: the law, its kind and source, idle joints."""
    names, sources = set(view.row_names), hashes_of_law(view.run, facts)
    wrong = [
        bool(facts.strings) != (facts.law == STRINGS),
        isinstance(facts.known, KnownRobotFacts) and facts.law not in LAWS,
        bool(facts.limits.keys() - names),
        facts.source_sha256 is not None and bool(sources) and facts.source_sha256 not in sources,
        *(name not in names for name in facts.idle),
        *(bool(np.any(view.analytic(f"command.{n}"))) for n in names.intersection(facts.idle)),
    ]
    try:
        _law(view, facts)
    except RecordingError:
        wrong.append(True)
    return view.judge_count("controller description", f"command.{view.row_names[0]}", sum(wrong))


def _law(view: RunView, facts: ControllerFacts) -> Law | None:
    """Return the law; None if the description does not contain it.

    Raises
    ------
    RecordingError
        If there is no such law, or its parameters are invalid.
    """
    robot = with_kept_loops(robot_by_description(view), view.recording)
    try:
        if facts.strings:
            names = facts.names
            if not isinstance(names, NamesFacts):
                return None  # of a run by an earlier version
            return StringLaw(robot, facts.strings, value_of(names))
        if not isinstance(facts.known, KnownRobotFacts) or facts.law not in LAWS:
            return None
        known = _known_robot(view, facts.known)
        if known is None:
            return None
        parameters = {
            name: values if name in VECTORS or len(values) > 1 else values[0]
            for name, values in facts.parameters.items()
        }
        return LAWS[facts.law](known, **parameters)  # type: ignore[arg-type]
    except (SimError, TypeError, IndexError) as error:
        raise RecordingError(f"The run's description has no such controller: {error}") from None


def _known_robot(view: RunView, facts: KnownRobotFacts) -> Robot | None:
    """Return the robot of the law; None if its loops are not those of the run."""
    text = facts.urdf or view.recording.urdf
    if text is None:
        return None
    robot = replace(read_urdf(text), T_0b=np.array(facts.T_0b, dtype=np.float64))
    if facts.loops:
        robot = with_kept_loops(robot, view.recording)
        if tuple(loop.name for loop in robot.loops) != facts.loops:
            return None
    return robot.with_drives({name: drive_of_fields(name, x) for name, x in facts.drives.items()})


class _Replay:
    """Controller instants at samples, and the law's commands there.

    `at`, `k` and `is_known` (N,) are those of `sim.checks.control.instants`.
    """

    def __init__(self, view: RunView, facts: ControllerFacts) -> None:
        self.view, self.facts = view, facts
        self.at, self.k, self.is_known = instants(view, facts)

    def commands(self) -> tuple[Numbers, Array] | None:
        """Return M samples at which commands take effect, and commands (n, M); None if unknown."""
        view, facts = self.view, self.facts
        try:
            law = _law(view, facts)
        except SimError:
            return None  # which fails in another check
        qdd_ref = self._qdd_ref if isinstance(law, ComputedTorque) else None
        if law is None or (isinstance(law, ComputedTorque) and qdd_ref is None):
            return None
        samples, first = np.unique(self.at, return_index=True)
        if not self.is_known[first].all():
            return None
        k, delay = self.k[first], facts.delay
        acts = np.flatnonzero(k + delay <= k[-1])
        if not isinstance(law, Cascade | StringLaw) and acts.size > MOST_INSTANTS:
            picked = np.linspace(0, acts.size - 1, MOST_INSTANTS).round().astype(np.intp)
            acts = acts[np.unique(picked)]
        robot = robot_by_description(view)
        axes = ControlAxes.of(robot, facts.sensed_at)
        commands, state = [], None
        for one in acts:
            sensed = self._sensor_values(axes, int(samples[one]), float(k[one] * facts.sample_time))
            if qdd_ref is not None:
                sensed = sensed._replace(qdd_ref=qdd_ref[:, samples[one]])
            try:
                command, state = law(sensed, state)
            except SimError:
                return None
            commands.append(axes.at_motors(np.asarray(command)))
        smooth = ~view.corner[samples[acts]]
        values = np.reshape(commands, (len(commands), len(view.row_names))).T
        return samples[acts[smooth] + delay], values[:, smooth]

    def _sensor_values(self, axes: ControlAxes, sample: int, t: float) -> Sensed:
        at = {group: rows[:, sample] for group, rows in self._rows.items()}
        q, qd = axes.as_sensed(at["sensed"]), axes.as_sensed(at["sensed_qd"])
        q_ref, qd_ref = axes.as_wanted(at["reference"]), axes.as_wanted(at["reference_qd"])
        unknown = np.zeros(len(axes.names))  # accelerations, which no table contains
        return Sensed(t, self.facts.sample_time, q, qd, q_ref, qd_ref, unknown)

    @cached_property
    def _rows(self) -> dict[str, Array]:
        """Return the groups of channels that are inputs of a law, (n, N) each."""
        groups = ("sensed", "sensed_qd", "reference", "reference_qd")
        return dict(zip(groups, self.view.analytic_rows(*groups), strict=True))

    @cached_property
    def _qdd_ref(self) -> Array | None:
        """Return reference accelerations of the law's joints, (n', N), by the typed drives."""
        view = self.view
        names = ControlAxes.of(robot_by_description(view)).names
        typed = {drive.joint: drive for drive in view.run.drives}
        if view.run.robot.loops or not typed.keys() <= set(names):
            return None
        rows = np.zeros((len(names), view.t.size))
        orders = {"q": 2, "qd": 1, "qdd": 0}
        for row, name in enumerate(names):
            if name not in typed:
                continue
            function = parse_typed_function(typed[name].function)
            order = orders.get(CHANNELS.get(typed[name].level, ""))
            if function is None or order is None:
                return None
            rows[row] = function.derivatives(view.t)[order]
        return rows
