"""Records for the kernels: a robot, the forces on it, and memory for one of its states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.dynamics.kernels.compiling import Late, record
from sim.maths.arrays import Array, Mask

Indices = NDArray[np.intp]


@record
class BodyWork:
    """One state of n bodies, in the world."""

    M: Array  # (n, n), lower half of the mass matrix
    bias: Array  # (n,), C qd + g
    R: Array  # (n, 3, 3)
    p: Array  # (n, 3)
    v: Array  # (n, 3)
    w: Array  # (n, 3)
    a: Array  # (n, 3), accelerations for qdd = 0 …
    wd: Array  # … and angular ones
    Jv: Array  # (n, n, 3), Jacobians of the bodies' mass centres …
    G: Array  # … and of their rotation, along the principal axes
    center: Array  # (n, 3), mass centres
    principal: Array  # (n, 3, 3), principal axes
    force: Array  # (n, 3), force on each body for qdd = 0 …
    moment: Array  # … and moment, along its principal axes


@record
class Bodies:
    """The n moving bodies of a tree, each moved by its joint along or about its z axis."""

    parent: Indices  # (n,); -1: the ground
    slides: Mask  # (n,)
    T: Array  # (n, 4, 4), pose in the parent at q = 0
    mass: Array  # (n,)
    com: Array  # (n, 3)
    axes: Array  # (n, 3, 3), principal axes
    moments: Array  # (n, 3), principal moments of inertia
    gravity: Array  # (3,)
    ball: Indices  # (n,), which of a ball's three bodies it is, from 1 on; 0: none
    work: BodyWork


@record
class JointWork:
    """One state of n joints, of which f are loose."""

    q_tree: Array  # (n_tree,)
    qd_tree: Array
    M: Array  # (n, n), lower half of the mass matrix of the independent joints, with rotors
    bias: Array  # (n,), C qd + g
    L: Array  # (f, f), Cholesky's factor of M of the loose joints …
    x: Array  # … and (f,), a right-hand side
    still: Array  # (n,), zeros
    motor: Array  # (n,), efforts of motors …
    acting: Array  # … and of elements
    effort: Array  # (n,), total effort without friction
    qdd: Array  # (n,)
    loss: Array  # (n,), friction
    spare: Array  # (n,), what is left of the dry friction that holds a stuck joint


@record
class Joints:
    """The n independent joints of a tree with n_tree."""

    S: Array  # (n_tree, n), q_tree = S q + q_0
    q_0: Array  # (n_tree,)
    viscous: Array  # (n, n), friction; (0, 0) without any
    coulomb: Array  # (n_tree,), friction
    free: Mask  # (n,)
    held: Mask  # (n,)
    loose: Indices  # joints that are not held
    rotors: Array  # (n,), inertia of rotors at the joints
    stuck: Indices  # free joints that dry friction holds
    work: JointWork


@record
class FrictionWork:
    """Frictions of g gears and k laws at one state, c = g + k; see `dry_friction.fit_friction`."""

    dry: Array  # (c,)
    rest: Array  # (k, 6)
    more: Array  # (k, c, 6)
    y_0: Array  # (g,)
    carried: Array  # (g, c)
    slip: Array  # (k,)
    passing: Array  # (g,), E
    A: Array  # (c, c + r), matrix of Newton's method, and slopes of D by r known frictions …
    lacking: Array  # … and (c,), residuals
    step: Array  # (c,)
    load: Array  # (6,), load of one joint …
    slope: Array  # … and slope of its pressing force by the load
    unit: Array  # (c, n), accelerations per unit of each friction …
    unit_tree: Array  # … and (c, n_tree)
    qdd_tree: Array  # (n_tree,)


@record
class Friction:
    """Joints that slide on dry friction: the constant part, and g gears and k laws.

    See `sim.dynamics.kernels.dry_friction`.
    """

    joints: Indices  # sliding joints …
    sense: Array  # … and the sense of their motion, 1 or -1
    constant: Array  # (n,), friction without load, in the sense of the motion
    units: Array  # (c, n), torque of a unit of each friction at the independent joints
    rows: Indices  # (k,), tree joints whose loads enter the laws
    factors: Array  # (k, 5), for |F_across|, |F_along|, |M_across|, |M_along| and |F|
    slips: Array  # (k, n_tree), surface speeds per joint speed, in stiction velocities
    preload: Array  # (k,)
    most: Array  # (k,)
    mu_static: Array  # (k,)
    mu_dynamic: Array  # (k,)
    gears: Indices  # (g,), joints
    gear_sense: Array  # (g,)
    inertia: Array  # (g,), inertia of rotors at the joints
    viscous: Array  # (g,), friction of rotors …
    coulomb: Array  # … and (g,), in the sense of the motion
    efficiency: Array  # (2, g)
    at_once: int  # rounds in which all gears with a wrong sense change it; later only the last
    elastic: Indices  # motors of elastic gears that lose torque
    elastic_sense: Array
    elastic_efficiency: Array  # (2, …)
    work: FrictionWork


@record
class HeldFriction:
    """Dry friction of joints with given accelerations: k laws of tree joints, and g gears."""

    rows: Indices  # (k,), tree joints …
    factors: Array  # … and (k, 5), as in `Friction`
    slips: Array  # (k,), surface speeds per joint speed, in stiction velocities
    preload: Array  # (k,)
    most: Array  # (k,)
    mu_static: Array  # (k,)
    mu_dynamic: Array  # (k,)
    gears: Indices  # (g,), joints, ascending
    inertia: Array  # (g,), inertia of rotors at the joints
    viscous: Array  # (g,), friction of rotors …
    dry: Array  # … and (2, g), forwards and backwards
    efficiency: Array  # (2, g)
    is_elastic: Mask  # (g,)
    load: Array  # (6,), load of one joint …
    slope: Array  # … and slope of its pressing force by the load


@record
class JointForces:
    """Motors and linear elements of n joints; arrays without content are empty."""

    edges: Array  # (pieces + 1,), times between which torques are Chebyshev series …
    series: Array  # … (pieces, n, degree + 1)
    at_zero: Array  # (n,), efforts of elements at q = qd = 0
    stiffness: Array  # (n, n)
    damping: Array  # (n, n)


@record
class MarkerForces:
    """Forces between markers, whose components are expressions."""

    body: Indices  # (m,), body of each marker
    origin: Array  # (m, 3), in the body
    axes: Array  # (m, 3, 3), in the body
    code: Indices  # (lines, 5), instruction of `expressions` and its four arguments
    constants: Array  # the first is the upper bound of the time
    hinges: Array  # (angles, 1 + n_tree), value at zero, and sign of each joint
    # (F, 7): markers i and j; the marker along whose axes the components are, or -1 for the line
    # from j to i; whether there is a reaction; the first of its programs; for a bushing the index
    # of its three turning stiffnesses in the constants; whether it acts, or only provides values
    forces: Indices
    programs: Indices  # (P, 2), first and last line of each; in the order of evaluation
    counted: Indices  # (A, 3), angles counted by a state: axis, markers i and j


@record
class Loops:
    """Equations of L closed loops."""

    ends: Indices  # (L, 2), bodies a and b
    frames: Array  # (L, 2, 4, 4), poses of the loop's two frames in these bodies
    kinds: Indices  # (rows, 2), loop and kind of each equation
    # (rows, 6): two vectors; or the length first; or for a function its first line, the line after
    # its last, and whether it reads an angle with uncounted turns
    vectors: Array
    code: Indices  # code of the functions, as in `MarkerForces`
    constants: Array
    hinges: Array


@record
class MarkerWork:
    """Forces between markers, and their values at the last evaluated state."""

    bodies: Bodies
    markers: MarkerForces
    axes: Array  # (m, 3, 3), axes of markers in the world
    p: Array  # (m, 3)
    v: Array  # (m, 3)
    w: Array  # (m, 3)
    stack: Array  # stack of the expressions
    components: Array  # (2, 3), of one force
    acting: Array  # (F, 18), force, torque and point on i and on j, at their origins, world axes
    torque: Array  # (n_tree,), generalised force of all at the joints
    rates: Array  # (A,), rates of the counted angles
    values: Array  # (P,), values of the programs


@record
class System:
    """A mechanism in constant modes, and the slices of its parts in the solver's state."""

    bodies: Bodies
    joints: Joints
    friction: Friction
    driven: HeldFriction
    stuck: HeldFriction  # of free joints that dry friction holds
    forces: JointForces
    between: MarkerWork
    applied: Array  # (n_tree, 6), wrenches on bodies in the loads of joints, along the bodies' axes
    at_qd: int
    at_motor: int
    at_loss: int
    at_external: int
    slack: Array  # (2,), for rounding at a stuck joint: a share of its limit, and [N·m or N]


@record
class MarchWork:
    """One step of a march."""

    K: Array  # (16, size), rates at the stages
    F: Array  # (7, size), polynomials of the solution within it
    after: Array  # (size,), state at the end of the step …
    at: Array  # … and state at a stage
    rate: Late  # `joint_rates.rate` …
    act: Late  # … `marker_forces.act_between_markers` …
    may_touch: Late  # … and `marching.may_touch`


class State(NamedTuple):
    """Inputs of expressions: time, joints of the tree, and the elements' own states."""

    t: float
    q: Array
    qd: Array
    own_states: Array


def workspace_for(n: int) -> BodyWork:
    """Memory for a state of n bodies."""
    v, w, a, wd, center, force, moment = np.empty((7, n, 3))
    (R, principal), (Jv, G) = np.empty((2, n, 3, 3)), np.empty((2, n, n, 3))
    M, bias, p = np.empty((n, n)), np.empty(n), np.empty((n, 3))
    return BodyWork(M, bias, R, p, v, w, a, wd, Jv, G, center, principal, force, moment)


def joint_work(tree: int, n: int, loose: int) -> JointWork:
    """Return memory for a state of n joints."""
    q_tree, qd_tree = np.empty((2, tree))
    still, motor, acting, effort, qdd, loss, bias, spare = np.zeros((8, n))
    return JointWork(
        q_tree, qd_tree, np.empty((n, n)), bias, np.empty((loose, loose)), np.empty(loose),
        still, motor, acting, effort, qdd, loss, spare,
    )  # fmt: skip


def friction_work(gears: int, laws: int, known: int, tree: int, n: int) -> FrictionWork:
    """Return memory for the frictions of a state."""
    c = gears + laws
    dry, lacking, step = np.zeros((3, c))
    y_0, passing = np.empty((2, gears))
    load, slope = np.empty((2, 6))
    return FrictionWork(
        dry, np.empty((laws, 6)), np.empty((laws, c, 6)), y_0, np.empty((gears, c)),
        np.empty(laws), passing, np.empty((c, c + known)), lacking, step, load, slope,
        np.zeros((c, n)), np.empty((c, tree)), np.empty(tree),
    )  # fmt: skip


def marker_work(bodies: Bodies, markers: MarkerForces) -> MarkerWork:
    """Return forces between markers, with memory for a state."""
    m, f = len(markers.body), len(markers.forces)
    (p, v, w), axes, stack = (
        np.empty((3, m, 3)),
        np.empty((m, 3, 3)),
        np.empty(len(markers.code) + 1),
    )
    acting, torque, rates = (
        np.zeros((f, 18)),
        np.zeros(len(bodies.parent)),
        np.zeros(len(markers.counted)),
    )
    values = np.zeros(len(markers.programs))
    return MarkerWork(
        bodies, markers, axes, p, v, w, stack, np.empty((2, 3)), acting, torque, rates, values
    )
