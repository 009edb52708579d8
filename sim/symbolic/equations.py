"""Equations of motion of a robot's first joints: derivation, check and output.

All equations pass a numerical check before they leave this package: M, C qd and g come from
Newton–Euler, which uses neither energies nor symbols; C itself from the Lagrangian model's
Christoffel symbols.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sim.dynamics import lagrange
from sim.dynamics.gravity import GRAVITY
from sim.dynamics.joint_forces import has_joint_forces
from sim.dynamics.newton_euler import inverse_dynamics
from sim.errors import ModelError, ScenarioError, in_one_line
from sim.kinematics.loop_equations import passive_joints
from sim.kinematics.tree import tree_of
from sim.maths.arguments import checked
from sim.maths.arrays import Array, columns
from sim.recording.schema.provenance import text_hash
from sim.robots.robot import Robot
from sim.showing.one_line import one_line
from sim.symbolic.derivation import READABLE, SymbolicTerms, derive
from sim.symbolic.steps import Steps, steps_of
from sim.symbolic.written import c_code, latex, plain_text
from sim.versions import version_of

STATES = 100
LIMIT = 1e-12  # relative to the size of each entry; two formulations agree to some 1e-15
FASTEST = 2.0  # rad/s or m/s; largest speed of the states
FARTHEST = 1.0  # m; largest position of prismatic joints

MOST = 3  # joints that a reader can follow; each more makes the text two to four times longer


@dataclass(frozen=True)
class NumericalProof:
    """Largest relative differences of symbols from numbers at random states.

    Parameters
    ----------
    states : int
    M, C, g : float
        Largest differences, relative to the possible size of the entry.
    """

    states: int
    M: float
    C: float
    g: float

    @property
    def holds(self) -> bool:
        """Whether all are within the limit; NaN is not."""
        return all(error <= LIMIT for error in (self.M, self.C, self.g))

    def __str__(self) -> str:
        return (
            f"M within {self.M:.0e}, C within {self.C:.0e}, g within {self.g:.0e} (relative) "
            f"at {self.states} states, by Newton-Euler"
        )


def prove(robot: Robot, steps: Steps) -> NumericalProof:
    """Compare the steps with the numerical model at random states, all other joints at zero.

    Raises
    ------
    ModelError
        If they differ by more than the limit.
    """
    q, qd = _states(robot, len(steps.terms.q))
    proof = _compare(robot, q, qd, *steps.evaluate(q, qd))
    if not proof.holds:
        raise ModelError(
            f"The equations of robot {robot.name!r} are withheld because their verification "
            f"failed: {proof}; at most {LIMIT:g} is allowed. Please report this with the URDF"
        )
    return proof


def _states(robot: Robot, K: int) -> tuple[Array, Array]:
    """Return positions and velocities of the first K joints, (K, STATES)."""
    draw = np.random.default_rng(0)
    reach = np.array([np.pi if row.is_angle else FARTHEST for row in robot.coordinates[:K]])
    q, qd = draw.uniform(-1, 1, (2, K, STATES))
    return q * reach[:, None], qd * FASTEST


def _compare(robot: Robot, q: Array, qd: Array, M: Array, C: Array, g: Array) -> NumericalProof:
    K, N = q.shape
    whole, rates, still = np.zeros((3, len(robot.coordinates), N))
    whole[:K], rates[:K] = q, qd
    no_weight = (0.0, 0.0, 0.0)
    unit = np.eye(len(robot.coordinates))
    columns = [
        inverse_dynamics(robot, whole, still, still + unit[:, [k]], no_weight)[:K] for k in range(K)
    ]
    wanted_M = np.stack(columns, axis=1)
    wanted_Cqd = inverse_dynamics(robot, whole, rates, still, no_weight)[:K]
    wanted_C = lagrange.coriolis(robot, whole, rates)[:K, :K]
    wanted_g = inverse_dynamics(robot, whole, still, still, GRAVITY)[:K]
    # Size of entries in which sums cancel, from the largest inertias |M_ij|² <= M_ii M_jj.
    inertia = np.sqrt(np.einsum("iiN->iN", wanted_M).max(axis=1))
    mass = sum(part.mass for part in tree_of(robot).masses)
    of_M = np.outer(inertia, inertia)[..., None]
    of_C = np.maximum(FASTEST * of_M, np.abs(wanted_C).max(axis=2, keepdims=True))
    of_g = np.linalg.norm(GRAVITY) * np.sqrt(mass) * inertia[:, None]
    error_C = max(
        _largest_error(C - wanted_C, of_C),
        _largest_error(np.einsum("ijN,jN->iN", C, qd) - wanted_Cqd, FASTEST * of_C.sum(axis=1)),
    )
    return NumericalProof(
        N, _largest_error(M - wanted_M, of_M), error_C, _largest_error(g - wanted_g, of_g)
    )


def _largest_error(error: Array, size: Array) -> float:
    """Return the largest relative error; for a size of zero any error is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(error == 0, 0.0, np.abs(error) / size)
    return float(np.max(share))


@dataclass(frozen=True, eq=False)
class Equations:
    """M(q) qdd + C(q, qd) qd + g(q) = tau of a robot's first joints, checked numerically.

    Parameters
    ----------
    robot : Robot
    terms : SymbolicTerms
        M, C and g, their symbols and constants, as sympy objects.
    steps : Steps
        The same, with common subexpressions computed once.
    proof : NumericalProof
        Differences of the steps, and of the terms as written, from the robot's numbers.
    """

    robot: Robot
    terms: SymbolicTerms
    steps: Steps
    proof: NumericalProof

    def __repr__(self) -> str:
        return one_line(
            f"Equations of {self.robot.name}:",
            f"{len(self.terms.q)} of {len(self.robot.coordinates)} joints",
            f"{self.steps.operations} operations",
            f"proved at {self.proof.states} states",
        )

    def evaluate(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array, Array]:
        """Return M and C, (K, K, N), and g, (K, N), at states of the K joints.

        Parameters
        ----------
        q, qd : array_like, shape (K, N)
            [rad or m], [rad/s or m/s]

        Raises
        ------
        ValueError
            If a shape is not (K, N).
        """
        q, qd = columns(len(self.terms.q), q=q, qd=qd)
        return self.steps.evaluate(q, qd)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Scope of the equations, omitted effects, and their proof."""
        robot, K = self.robot, len(self.terms.q)
        named = ", ".join(f"q{k + 1} {name}" for k, name in enumerate(self.terms.joints))
        others = robot.row_names[K:]
        followers = [joint.name for joint in robot.tree_joints if joint.mimic is not None]
        versions = f"sim {version_of('sim')}, sympy {version_of('sympy')}"
        notes = (
            f"M(q) qdd + C(q, qd) qd + g(q) = tau of robot {robot.name}: {named}",
            *([f"locked at zero: {', '.join(others)}"] if others else []),
            *([f"followers are in it: {', '.join(followers)}"] if followers else []),
            *([f"closed loops stay closed: {len(robot.loops)}"] if robot.loops else []),
            f"not included: {self._left_out()}",
            f"proved: {self.proof}",
            f"written by {versions}, from a URDF of SHA-256 {text_hash(robot.text)[:16]}",
        )
        return tuple(map(in_one_line, notes))

    def _left_out(self) -> str:
        """Return loads on the robot that are not part of M, C or g, as text."""
        joints = self.robot.tree_joints
        rubbing = [j.name for j in joints if j.damping or j.friction or j.friction_law is not None]
        parts = [f"friction of {', '.join(rubbing)}"] if rubbing else ["friction"]
        if has_joint_forces(self.robot):
            parts.append(f"springs and stops of {', '.join(j.name for j in joints if j.forces)}")
        return "; ".join([*parts, "rotors and gears, unless they are links of the URDF"])

    def text(self) -> str:
        """Return the equations as text: two joints in full, more in intermediate steps."""
        return plain_text(self._readable_steps, self.notes)

    def latex(self) -> str:
        r"""Return the equations in LaTeX, for a document with ``\usepackage{amsmath}``."""
        return latex(self._readable_steps, self.notes)

    def c(self) -> str:
        """Return a function in C99 that fills M, C and g."""
        return c_code(self.robot.name, self.steps, self.notes)

    @property
    def _readable_steps(self) -> Steps:
        """Steps for a reader: entries in full if they are short enough."""
        return steps_of(self.terms, joined=False) if self._is_readable else self.steps

    @property
    def _is_readable(self) -> bool:
        return len(self.terms.q) <= READABLE


@checked
def equations(robot: Robot, joints: int = 2, *, anyway: bool = False) -> Equations:
    """Derive symbolic M, C and g of a robot's first joints by sympy, checked at 100 states.

    All other joints are locked at zero. Joints that follow others by ``<mimic>`` are included,
    ``q_tree = S q + q_0``. Friction, springs and rotors are not part of M, C and g.

    Parameters
    ----------
    joints : int
        Number of independent joints, from the first on.
    anyway : bool
        Allow more than three joints, whose equations are too long to read.

    Raises
    ------
    ScenarioError
        If there are fewer joints, or more than three without `anyway`; if sympy is missing.
    ModelError
        If a loop positions joints, if these joints move no mass, or if the result fails its check.
    """
    _require_derivable(robot, joints, anyway=anyway)
    robot = robot.without_drives()
    terms = derive(robot, joints)
    steps = steps_of(terms)
    proof = prove(robot, steps)
    if joints <= READABLE:
        prove(robot, steps_of(terms, joined=False))
    return Equations(robot, terms, steps, proof)


def _require_derivable(robot: Robot, joints: int, *, anyway: bool) -> None:
    there = len(robot.coordinates)
    if isinstance(joints, bool) or not isinstance(joints, int | np.integer):
        raise ScenarioError(f"`joints` is a whole number of joints, 1 to {there}; got {joints!r}")
    if not there:
        raise ScenarioError(f"Robot {robot.name!r} has no joint that moves, so no equations")
    if not 1 <= joints <= there:
        raise ScenarioError(
            f"Robot {robot.name!r} has equations of 1 to {there} joints "
            f"({', '.join(robot.row_names)}); got {joints}"
        )
    if joints > MOST and not anyway:
        raise ScenarioError(
            f"The equations of {joints} joints are too long to read: each joint "
            f"beyond {MOST} makes them two to four times longer; --anyway (anyway=True) derives "
            "them"
        )
    robot.require_no_balls("equations as symbols are derived of hinges and slides only")
    passive = passive_joints(robot)
    if passive.any():
        names = ", ".join(np.array(robot.row_names)[passive])
        raise ModelError(
            f"Closed loops position joints {names} of robot {robot.name!r}, by equations that have "
            "no closed form here; the equations of trees and of joints that follow by <mimic> are "
            "derived"
        )
    S = robot.coupling[0][:, :joints]
    labels = [name for name, row in zip(robot.tree_row_names, S, strict=True) if row.any()]
    if not tree_of(robot).masses:
        raise ModelError(
            f"Nothing that joints {', '.join(labels)} of robot {robot.name!r} move has a mass; "
            "give its links an <inertial>"
        )
    if importlib.util.find_spec("sympy") is None:
        raise ScenarioError(
            "Equations as symbols are derived by sympy, which is not installed: "
            "pip install 'sim[equations]'"
        )
