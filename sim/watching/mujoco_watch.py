"""MujocoWatch: samples of a user's MuJoCo loop."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from sim.dynamics.gravity import GRAVITY, Gravity
from sim.engines.mujoco.warnings_as_errors import mujoco_warnings_as_errors
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import turns_between
from sim.recording.recording import Recording
from sim.robots.mjcf.callbacks import suspended_callbacks
from sim.robots.mjcf.compiled import FREE, compiled_of
from sim.robots.robot import Robot
from sim.watching.adjacent_views import DOUBLE, adjacent_views
from sim.watching.cause import Cause
from sim.watching.evidence import Evidence
from sim.watching.free_base import on_free_base
from sim.watching.mujoco_evidence import (
    is_foreign,
    left_out,
    own_resets,
    warnings_of_resets,
    with_causes,
)
from sim.watching.mujoco_laws import Laws, laws_in_file, laws_of, stated_gravity
from sim.watching.mujoco_loop import MujocoLoop, Resets
from sim.watching.mujoco_readback import Places, places_of, read_back
from sim.watching.mujoco_replay import Recorded, Replay, replay, with_steps_between
from sim.watching.own_torques import OWN_TORQUES, OwnTorques
from sim.watching.sample_store import SampleStore, require_samples, require_thread
from sim.watching.stepping import FEW, step_lengths
from sim.watching.writing import save_run

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_HEADER = struct.Struct("3d").pack
SLOW = 32  # samples, a power of two; what seldom changes is read once in so many
DENSE = 4  # first samples, in which forces on bodies may begin
FAR = 1e-7  # [rad or m] from where one step leads: a sample is missing, or has no step
EVEN = 1e-6  # of a step: steps a sample, other than before, that are no reset
MOST = 0.5  # share of steps from which on other inputs are looked for
Sample = Callable[..., None]


class MujocoWatch:
    """Watch of one robot of a MuJoCo model; created by `sim.watch`.

    Call ``sample()`` after each ``mj_step`` and `save` at the end. The argument of
    ``sample(torque)`` is the loop's assumption of the motor torques during this step, one number
    per joint of the robot [N·m or N] (default: ``qfrc_actuator + qfrc_applied``).
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        robot: Robot,
        gravity: Gravity | None,
        loose: tuple[str, ...] | None = None,
        file: str | Path | None = None,
    ) -> None:
        robot = _on_its_base(model, robot)
        self.model, self.data, self.robot, self.gravity = model, data, robot, gravity
        # Of the model's own robot: free bodies that are no part of it. None: it is of a file.
        self._loose, self._file = loose, file
        self._laws, self._former = laws_of(model), copy(model)
        self.places = places_of(model, robot)
        self.held = read_back(model, data, robot)
        self.timestep = float(model.opt.timestep)
        self._start = np.empty(mujoco.mj_stateSize(model, STATE))
        mujoco.mj_getState(model, data, self._start, STATE)
        mocap = [data.mocap_pos, data.mocap_quat] if model.nmocap else []
        self._views, self._columns = adjacent_views(
            [data.qpos, data.qvel, data.act, data.ctrl, data.qfrc_applied, *mocap]
        )
        self._fast = SampleStore(sum(map(len, self._views)) // DOUBLE)
        self._slow = SampleStore(3 + 6 * model.nbody + model.neq)
        self._option, self._external = model.opt, memoryview(data.xfrc_applied).cast("B")
        self._at_first, self._is_changing = bytes(self._external.nbytes) + self._active(), False
        self._own, self._restarts = OwnTorques(len(self.places.joint)), set[int]()
        self._thread, self._warnings = threading.get_ident(), warnings_of_resets(data)
        self.sample = self._sampler()
        self.sample()

    def _sampler(self) -> Sample:
        """Return ``sample`` with local references, as it takes a tenth of a step."""
        first, *more = self._views
        keep = self._fast.buffer.extend
        look, own, count, often = self._look, self._own, 0, 0

        def sample(torque: Any = None) -> None:
            """Record the state after a step; see `MujocoWatch`."""
            nonlocal count, often
            keep(first)
            for view in more:
                keep(view)
            if torque is not None:
                own.add(count, torque)
            if not count & often:
                often = look(count)
            count += 1

        return sample

    def _look(self, count: int) -> int:
        """Read slowly changing values: thread, time, its step, forces on bodies, equalities.

        Return a mask of the sample numbers without a look: none once the last two have changed.
        """
        require_thread(self._thread)
        values = self._external.tobytes() + self._active()
        self._slow.buffer += _HEADER(count, self.data.time, self._option.timestep) + values
        self._fast.spill()
        if values != self._at_first:
            self._is_changing = True
        return 0 if self._is_changing or count < DENSE else SLOW - 1

    def _active(self) -> bytes:
        """Return which equality constraints are on, as doubles."""
        return self.data.eq_active.astype(np.float64).tobytes() if self.model.neq else b""

    def save(self, folder: str | Path) -> Recording:
        """Judge the loop, name the causes of its differences, and write the folder of a run.

        Returns
        -------
        Recording
            Judged; ``sim check`` and all other commands read the folder.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        return save_run(self.evidence(), folder)

    def restart(self) -> None:
        """State that the loop sets a new state before the next step, as between episodes.

        It need not be called where the loop calls ``mj_resetData``, by which time runs back.
        """
        self._restarts.add(self._fast.count)

    def close(self) -> None:
        """Do nothing, since the watch changes nothing in MuJoCo."""

    def evidence(self) -> Evidence:
        """Return all steps so far, with the forces that MuJoCo names in each.

        A control callback of the loop has written its controls, which are recorded. It is called
        again only where they do not lead from sample to sample, as with several steps a sample.

        Raises
        ------
        EngineError
            If fewer than two steps were sampled.
        """
        with suspended_callbacks("control") as callbacks:
            judged = self._evidence()
        if not callbacks or not is_foreign(judged) or is_foreign(called := self._evidence()):
            return judged
        return called

    def _evidence(self) -> Evidence:
        rows = self._fast.rows()
        require_samples(len(rows) - 1, "mj_step")
        model, places = self.model, self.places
        qpos, qvel, act, ctrl, applied, *mocap = (rows[:, columns] for columns in self._columns)
        states = np.concatenate([qpos, qvel], axis=1)
        moved = np.any(states[1:] != states[:-1], axis=1)
        looks = self._looks(rows)
        is_still = ~moved & (np.abs(self.timestep * qvel[1:]).max(axis=1) > FAR)
        steps, repeated, is_reset = self._steps(looks, moved, is_still, self._are_far(qpos, qvel))
        kept = np.concatenate([[True], ~repeated])
        after = np.flatnonzero(kept)[1:]  # samples after a step, each with one before it
        earlier = ctrl[after - 1], applied[after - 1]
        qpos, qvel, act, ctrl, applied = (x[kept] for x in (qpos, qvel, act, ctrl, applied))
        q, qd = places.positions(qpos), qvel[:, places.v].T
        own = self._laws if self._loose is not None else self._laws_in_file()
        is_set = np.zeros(len(after), dtype=bool)
        restarts = np.searchsorted(after, sorted(self._restarts))
        is_set[restarts[restarts < len(after)]] = True
        resets = Resets(is_set, is_reset[~repeated], np.arange(len(after)))
        evidence = Evidence(
            engine="mujoco",
            robot=self.robot,
            gravity=self.gravity or stated_gravity(own) or GRAVITY,
            held=read_back(model, self.data, self.robot),
            dt=self.timestep,
            q=q[:, :-1],
            qd=qd[:, :-1],
            q_next=q[:, 1:],
            qd_next=qd[:, 1:],
            tau=np.zeros((len(q), q.shape[1] - 1)),
            torque_from="qfrc_actuator + qfrc_applied",
            steps=steps[~repeated],
            brake=np.zeros((len(q), q.shape[1] - 1)),
            repeated=int(repeated.sum()),
        )
        external = np.concatenate([_held(looks, kept), *(x[after] for x in mocap)], axis=1)
        recorded = Recorded(
            self._start, qpos, qvel, act, ctrl[1:], applied[1:], external, step_lengths(evidence)
        )
        with mujoco_warnings_as_errors(self.robot.name):
            if (evidence.steps > 1).any() and self._own.rows(0) is None:
                may_miss = resets.known | resets.possible
                whole, samples = with_steps_between(model, recorded, evidence.steps, may_miss)
                if whole is not None:
                    resets = resets.between(samples)
                    recorded, earlier = whole, (earlier[0][samples], earlier[1][samples])
                    evidence = _of_states(evidence, places, whole)
            evidence = evidence.with_step_lengths(recorded.lengths)
            recorded, replayed, is_late = _replay_with_inputs(model, recorded, places, *earlier)
        tau = acting = replayed.forces["actuator"] + replayed.forces["applied"]
        source = evidence.torque_from
        if (taken := self._own.rows(len(rows) - 1)) is not None:
            tau, source = taken[:, ~repeated], OWN_TORQUES
        evidence = replace(evidence, tau=tau, acting=acting, torque_from=source)
        loop = MujocoLoop(
            *(model, self._former, evidence, recorded, replayed, places, resets, is_late, own),
            unread=_unread(looks, kept) if len(recorded.ctrl) == len(after) else False,
        )
        judged = with_causes(loop)
        resets_seen = warnings_of_resets(self.data) - self._warnings
        notes = *evidence.named, *own_resets(judged, resets_seen), *left_out(self._loose or ())
        return replace(judged, named=(*judged.named, *notes))

    def _looks(self, rows: Array) -> Array:
        """Return rarely read values, and those of the last sample, if nothing has changed since."""
        looks, data = self._slow.rows(), self.data
        now = np.concatenate([data.qpos, data.qvel])
        last = [rows[-1, columns] for columns in self._columns[:2]]
        if looks[-1, 0] == len(rows) - 1 or not np.array_equal(now, np.concatenate(last)):
            return looks
        header = [len(rows) - 1, data.time, self._option.timestep]
        return np.vstack([looks, [*header, *data.xfrc_applied.flat, *data.eq_active]])

    def _laws_in_file(self) -> Laws:
        """Return further laws of the robot's file, if a force acts that a `Robot` cannot have."""
        return laws_in_file(self._file, self._laws) if self._file is not None else {}

    def _are_far(self, qpos: Array, qvel: Array) -> Mask:
        """Samples before which positions move more than in one step of the engine, (N,)."""
        q, v = self.places.positions(qpos), qvel[:, self.places.v].T
        is_rk4 = self.held.settings["integrator"] == "RK4"
        rate = (v[:, :-1] + v[:, 1:]) / 2 if is_rk4 else v[:, 1:]
        change = turns_between(self.robot.balls, q[:, :-1], q[:, 1:])
        return np.asarray(np.abs(change - self.timestep * rate).max(axis=0) > FAR)

    def _steps(self, looks: Array, moved: Mask, still: Mask, far: Mask) -> tuple[Any, Any, Any]:
        """Engine steps before each sample, as time shows them, and samples without any (N,).

        The third value is whether a reset is within the time of a sample, which has gone on for too
        few steps.

        A sample without a step is one whose position is `still` in spite of its speed (N,), or, as
        far as time has not gone on, has not `moved`. Where time has gone on for some steps more
        than there are samples, those are missing where positions move `far`, more than in one step.
        """
        count, time = looks[:, 0].astype(int), looks[:, 1]
        steps, repeated = np.ones(len(moved), dtype=np.intp), np.array(still)
        is_reset = np.zeros(len(moved), dtype=bool)
        for k in range(len(looks) - 1):
            own = count[k] + np.flatnonzero(~repeated[count[k] : count[k + 1]])
            taken = (time[k + 1] - time[k]) / looks[k : k + 2, 2].max()  # it may have changed
            if taken < own.size - 0.5:
                repeated[own[~moved[own]]] = True
                own = own[moved[own]]
            missing, at = round(taken) - own.size, own[far[own]]
            former = int(steps[count[k] - 1]) if count[k] else 1
            is_even = own.size and abs(taken / own.size - max(round(taken / own.size), 1)) < EVEN
            if taken < former * own.size - 0.5 and not (is_even and former > 1):  # a reset
                steps[own], is_reset[own] = former, looks[k, 2] == looks[k + 1, 2]
            elif taken > 1.5 * own.size > 0:
                steps[own] = round(taken / own.size)
            elif 0 < at.size <= missing and looks[k, 2] == looks[k + 1, 2]:
                steps[at] += missing // at.size
        steps[count[-1] :] = steps[count[-1] - 1] if count[-1] else 1
        is_reset[count[-1] :] = is_reset.any()  # the time of these samples is not known
        return steps, repeated, is_reset


def _on_its_base(model: mujoco.MjModel, robot: Robot) -> Robot:
    """Return the robot with the free joint of its root link in the model."""
    compiled, root = compiled_of(model), robot.links[0].name
    if root not in compiled.bodies:
        return robot
    free = [j for j in compiled.joints_of(compiled.bodies.index(root)) if model.jnt_type[j] == FREE]
    return on_free_base(robot, compiled.joints[free[0]]) if free else robot


def _of_states(evidence: Evidence, places: Places, r: Recorded) -> Evidence:
    """Return the evidence of single steps between the samples, with a note."""
    q, qd = places.positions(r.qpos), r.qvel[:, places.v].T
    count, none = len(r.ctrl), np.zeros((len(q), len(r.ctrl)))
    text = (
        f"{count - evidence.count} steps between the samples were replayed exactly, controls held"
    )
    return replace(
        evidence,
        q=q[:, :-1],
        qd=qd[:, :-1],
        q_next=q[:, 1:],
        qd_next=qd[:, 1:],
        tau=none,
        brake=none,
        steps=np.ones(count, dtype=np.intp),
        named=(Cause("steps between samples", text, is_error=False),),
    )


def _replay_with_inputs(
    model: mujoco.MjModel, recorded: Recorded, places: Places, ctrl: Array, applied: Array
) -> tuple[Recorded, Replay, bool]:
    """Return the replay with its inputs, and whether those were set before the last sample.

    `ctrl` (N, nu) and `applied` (N, nv) are the inputs at the sample before each step.
    """
    direct = replay(model, recorded, places)
    if direct.is_other.mean() < MOST:
        return recorded, direct, False
    late = replace(recorded, ctrl=ctrl, applied=applied)
    other = replay(model, late, places)
    if other.is_other[0]:  # the loop may set its first inputs without a sample before the step
        ctrl, applied = ctrl.copy(), applied.copy()
        ctrl[0], applied[0] = recorded.ctrl[0], recorded.applied[0]
        late = replace(recorded, ctrl=ctrl, applied=applied)
        other = replay(model, late, places)
    is_late = bool(other.is_other.mean() < FEW)
    return (late, other, True) if is_late else (recorded, direct, False)


def _held(looks: Array, kept: Array) -> Array:
    """Return forces on bodies, and equalities, of each step, as last read at its end."""
    samples = np.flatnonzero(kept)[1:]
    last = np.searchsorted(looks[:, 0], samples, side="right") - 1
    later = np.minimum(last + (looks[last, 0] != samples), len(looks) - 1)
    return looks[later, 3:]


def _unread(looks: Array, kept: Array) -> Mask:
    """Return the steps between two looks at forces and equalities that differ, (N,)."""
    samples = np.flatnonzero(kept)[1:]
    later = np.minimum(np.searchsorted(looks[:, 0], samples), len(looks) - 1)
    differ = np.any(looks[later, 3:] != looks[np.maximum(later - 1, 0), 3:], axis=1)
    return np.asarray(differ & (looks[later, 0] != samples))
