"""Machine code of one state, by numba: the sums of `single_state.instant` and a Runge–Kutta loop.

Only `single_state.machine_code` imports this, where numba is installed. Everything is checked
against the NumPy path, which is easier to read; here are the same equations, number by number.
They stay in one file, and get from others no constant but those of the method: numba looks at the
file of a function and at no other. What only stands between `march` and `rate` is inlined always:
else each of these functions is compiled with all of `rate` within, 6 s of 23.

References
----------
Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, section II.10 (DOP853).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

from sim.maths.arrays import Array, Mask

Kernel = TypeVar("Kernel")


def _as_it_is(**how: object) -> Callable[[Kernel], Kernel]:
    """Nothing is compiled."""
    return lambda kernel: kernel


def _lying_at(address: int, shape: int | tuple[int, ...], kind: type) -> NDArray[Any]:
    """The array of a shape whose numbers begin at an address; the caller keeps them alive."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    return np.ndarray(shape, kind, memoryview((ctypes.c_char * size).from_address(int(address))))


if TYPE_CHECKING:
    njit = _as_it_is
else:
    try:
        from numba import carray, njit, types
        from numba.extending import intrinsic

        @intrinsic
        def _pointer(typing, address):
            def cast(context, builder, signature, arguments):
                kind = context.get_value_type(types.voidptr)
                return builder.inttoptr(arguments[0], kind)

            return types.voidptr(types.intp), cast

        @njit
        def _lying_at(address, shape, kind):
            return carray(_pointer(address), shape, kind)

    except ImportError:  # it stays a program in Python then, which only tests run
        njit = _as_it_is

Numbers = NDArray[np.intp]
# three numbers that need no memory: what is in arrays is allocated, counted and freed
Vector = tuple[float, float, float]
ORIGIN: Vector = (0.0, 0.0, 0.0)
# parent, slides, pose in the parent at q = 0, mass, mass centre, principal axes and moments of each
# body; gravity; which of a ball's three rows a body is, 1 to 3, or 0
Robot = tuple[Numbers, Mask, Array, Array, Array, Array, Array, Array, Numbers]
# the fields of `single_state.friction.OneStateFriction`, mu apart; when a friction fits:
# part of itself, part of the load, least determinant; where the transition to sliding ends
FrictionData = tuple[
    Numbers, Array, Numbers, Array, Array, Array, Array, Array, Array, Array, Array
]
# M, bias, R, p, Jv, G, w, alpha, mass centres, principal axes, forces and moments on bodies
Workspace = tuple[
    Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array, Array
]  # fmt: skip
# coupling S (n_tree, n) and q_0, viscous friction (n, n) of independent joints, Coulomb friction of
# the tree's; which joints are free, held, and the numbers of those that are not held; inertia (n,)
# of rotors at the joints
Joints = tuple[Array, Array, Array, Array, Mask, Mask, Numbers, Array]
# of motors: ends of pieces of time, coefficients (pieces, n, degree + 1) of Chebyshev series; of
# linear elements in joints: efforts (n,) at q = qd = 0, stiffness and damping (n, n); all of them
# empty where there are none
Forces = tuple[Array, Array, Array, Array, Array]
# markers: bodies (m,), origins (m, 3) and axes (m, 3, 3) in them; code of expressions (K, 5): an
# operation and its four arguments; constants, the first the time after which time stands still;
# angles of hinges (L, 1 + n_tree): at zero, and the sign of each tree joint; forces (F, 5): markers
# i and j, the marker along whose axes the components are (-1: along the line from j to i), whether
# there is a reaction, the first of its expressions, and of a bushing where the constants have its
# three stiffnesses of turning; where expressions begin and end (P, 2); angles whose turns are
# counted by a state each (A, 3): axis, markers i and j
MarkerForces = tuple[Numbers, Array, Array, Numbers, Array, Array, Numbers, Numbers, Numbers]
# rates of the tree's joints, states of motors' laws, and the values of the expressions before one
Beside = tuple[Array, Array, Array]
System = tuple[Robot, Joints, FrictionData, Forces, MarkerForces]
# velocities, angular velocities, accelerations and angular accelerations (n, 3) of bodies
BodyMotion = tuple[Array, Array, Array, Array]
# rotations, origins, velocities and angular velocities of bodies; places, velocities, angular
# velocities and axes of markers; of both, with a stack (K + 1,) and two vectors
BodyPlaces = tuple[Array, Array, Array, Array]
Seen = tuple[Array, Array, Array, Array]
MarkerMemory = tuple[BodyPlaces, Seen, Array, Array]
# bodies a and b of each loop (L, 2), poses of its two frames in them (L, 2, 4, 4); loop and kind of
# each equation (rows, 2), its two vectors (rows, 6), or the length first, or the numbers of the
# first line of a function and of that behind its last, and whether it says turns of an angle; code,
# constants and angles of functions, as those of forces
Loops = tuple[Numbers, Array, Numbers, Array, Numbers, Array, Array]
# of a matrix: U, the inverse singular values, zero where dropped, Vᵀ, and all singular values
LoopModes = tuple[Array, Array, Array, Array]
# where in the solver's state qd, works of motors, losses and the work of loads begin
Places = tuple[int, int, int, int]
# relative and absolute tolerance, longest step [s], checks in a step
Limits = tuple[float, Array, float, int]

# Of rates in a step that its error does not weigh: `sim.dynamics.explicit_steps`.
FARTHER, LOOSE, TOO_LARGE = 10.0, 1e3, 1e8

# What a march ends with.
REACHED, CHANGED, PAUSED, FAILED = 0, 1, 2, 3

# Kinds of loop equations, as `sim.kinematics.loop_rows` has them.
ALONG, SQUARE, LENGTH, TWIST, FUNCTION = 0, 1, 2, 3, 4

# Operations of the code of expressions: a number, the time, an angle of hinges, …
NUMBER, NOW, ANGLE, ADD, TIMES, DIVIDE, POWER, NEGATE = range(8)
# … functions of the last values, …
UNARY = (
    "ABS", "ACOS", "ASIN", "ATAN", "COS", "COSH", "EXP", "LOG", "LOG10", "SIN", "SINH", "SQRT",
    "TAN", "TANH",
)  # fmt: skip
ABS, ACOS, ASIN, ATAN, COS, COSH, EXP, LOG, LOG10, SIN, SINH, SQRT, TAN, TANH = range(8, 22)
MIN, MAX, STEP, STEP5 = range(22, 26)
# … and of markers i, j, the axes of k, as seen from l; of x, y or z of k: the first and two more,
# those of velocities and of turning a multiple of three apart.
DISTANCE, APPROACH, SPEED, TURNING, SHIFT, VELOCITY, TURN = 26, 27, 28, 29, 30, 33, 36
# Of laws of motors: a state of their own, the rate of an angle of hinges, the value of an earlier
# expression, and which of three values a sign chooses.
OWN, HINGE_RATE, EARLIER, SWITCH = 39, 40, 41, 42
# The angle of markers i and j about x, y or z of j, with the turns of the state whose number is one
# less than the third argument, or in a half turn where that is 0; a spline, whose numbers are
# among the constants.
PROJECTED, CURVE = 43, 46
# Of functions of loops: DM, DX, DY, DZ, AX, AY and AZ of b as seen from a.
SEEN = 47
EVEN = 1e-9  # of a function of a loop, what rounding makes of the same change by each turn
HALF_TURN = 1e-2  # rad; as near to it NumPy says that an angle jumps
FAR = 1.2 * np.pi  # rad; a ball beyond is turned the other way round to where it is

MOST_ROUNDS = 25
HALVINGS = 40  # of a part of a step, to find where in it a joint that starts at rest still slides
STAGES = 12
A = np.zeros((16, 16))
A[:STAGES, :STAGES], A[13:] = DOP853.A, DOP853.A_EXTRA
A[STAGES, :STAGES] = DOP853.B
C = np.concatenate([DOP853.C, [1.0], DOP853.C_EXTRA])
E3, E5, D = np.array(DOP853.E3), np.array(DOP853.E5), np.array(DOP853.D)


@njit(cache=True)
def _row(A: Array, i: int) -> Vector:
    return A[i, 0], A[i, 1], A[i, 2]


@njit(cache=True)
def _column(A: Array, i: int, k: int) -> Vector:
    """The k-th column of the i-th of several matrices."""
    return A[i, 0, k], A[i, 1, k], A[i, 2, k]


@njit(cache=True)
def _set_row(A: Array, i: int, v: Vector) -> None:
    A[i, 0], A[i, 1], A[i, 2] = v


@njit(cache=True)
def _scale(factor: float, v: Vector) -> Vector:
    return factor * v[0], factor * v[1], factor * v[2]


@njit(cache=True)
def _sum(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@njit(cache=True)
def _difference(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@njit(cache=True)
def _product(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(cache=True)
def _rotate(R: Array, i: int, v: Vector) -> Vector:
    """The i-th of several rotations, times v."""
    x = R[i, 0, 0] * v[0] + R[i, 0, 1] * v[1] + R[i, 0, 2] * v[2]
    y = R[i, 1, 0] * v[0] + R[i, 1, 1] * v[1] + R[i, 1, 2] * v[2]
    return x, y, R[i, 2, 0] * v[0] + R[i, 2, 1] * v[1] + R[i, 2, 2] * v[2]


@njit(cache=True)
def _cross(a: Array, b: Array, c: Array) -> None:
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]


@njit(cache=True)
def _dot(a: Array | Vector, b: Array | Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True)
def _times(A: Array, v: Array, u: Array) -> None:
    """u = A v."""
    for i in range(3):
        u[i] = A[i, 0] * v[0] + A[i, 1] * v[1] + A[i, 2] * v[2]


@njit(cache=True)
def _back(A: Array, v: Array, u: Array) -> None:
    """u = Aᵀ v."""
    for i in range(3):
        u[i] = A[0, i] * v[0] + A[1, i] * v[1] + A[2, i] * v[2]


@njit(cache=True)
def _rotation(q: Array, R: Array) -> None:
    """exp(q), as `sim.maths.rotation_vectors.rotations_of_vectors` has it."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
    angle = np.sqrt(square)
    if angle < 1e-2:
        sine = 1.0 - square / 6.0 * (1.0 - square / 20.0)
        versine = 0.5 - square / 24.0 * (1.0 - square / 30.0)
    else:
        half = np.sin(0.5 * angle) / angle
        sine, versine = np.sin(angle) / angle, 2.0 * half * half
    for a in range(3):
        for b in range(3):
            R[a, b] = versine * (q[a] * q[b])
    for a in range(3):
        R[a, a] += 1.0 - versine * square
        after, last = (a + 1) % 3, (a + 2) % 3
        R[after, last] -= sine * q[a]
        R[last, after] += sine * q[a]


@njit(cache=True)
def turn_vector(q: Array, w: Array, rate: Array) -> None:
    """The rate of q under ω, as `sim.maths.rotation_vectors.rates_of_vectors` has it."""
    square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2]
    angle = np.sqrt(square)
    if angle < 1e-2:
        factor = (1.0 + square / 60.0 * (1.0 + square / 42.0)) / 12.0
    else:
        factor = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / square
    once, twice = np.empty(3), np.empty(3)
    _cross(q, w, once)
    _cross(q, once, twice)
    for k in range(3):
        rate[k] = w[k] + 0.5 * once[k] + factor * twice[k]


@njit(cache=True)
def _pose_ball(row: int, q: Array, R: Array, i: int) -> None:
    """Rotation of body i, one of a ball's three, whose z is along x, y or z of its child.

    Where it would be without any turn it is already.
    """
    if row > 1:  # that of the body before, from one column to the next
        for a in range(3):
            for b in range(3):
                R[i, a, b] = R[i - 1, a, (b + 1) % 3]
        return
    turned = np.empty((3, 3))
    _rotation(q[i : i + 3], turned)
    for a in range(3):
        still = R[i, a, 0], R[i, a, 1], R[i, a, 2]
        for b in range(3):
            R[i, a, (b + 2) % 3] = _dot(still, (turned[0, b], turned[1, b], turned[2, b]))


@njit(cache=True)
def pose_bodies(robot: Robot, q: Array, R: Array, p: Array) -> None:
    """Rotations (n, 3, 3) and origins (n, 3) of all bodies in the world."""
    parent, slides, T, ball = robot[0], robot[1], robot[2], robot[8]
    for i in range(q.size):
        up = parent[i]
        x, y, z, place = _column(T, i, 0), _column(T, i, 1), _column(T, i, 2), _column(T, i, 3)
        if up >= 0:
            x, y, z = _rotate(R, up, x), _rotate(R, up, y), _rotate(R, up, z)
            place = _sum(_row(p, up), _rotate(R, up, place))
        if slides[i]:
            place = _sum(place, _scale(q[i], z))
        elif ball[i] == 0:
            c, s = np.cos(q[i]), np.sin(q[i])
            x, y = (
                (x[0] * c + y[0] * s, x[1] * c + y[1] * s, x[2] * c + y[2] * s),
                (y[0] * c - x[0] * s, y[1] * c - x[1] * s, y[2] * c - x[2] * s),
            )
        _set_row(p, i, place)
        for a in range(3):
            R[i, a, 0], R[i, a, 1], R[i, a, 2] = x[a], y[a], z[a]
        if ball[i] > 0:
            _pose_ball(ball[i], q, R, i)


@njit(cache=True)
def move_bodies(robot: Robot, q: Array, qd: Array, work: Workspace) -> None:
    """M, C qd + g, and of each body the wrench that moves it without qdd."""
    M, bias = work[0], work[1]
    pose_bodies(robot, q, work[2], work[3])
    _rotate_bodies(robot, qd, work)
    M[:], bias[:] = 0.0, 0.0
    for b in range(q.size):
        if robot[3][b] > 0.0:
            accumulate_body(robot, qd, work, b)
            _add_body(robot, work, b)


@njit(cache=True)
def _rotate_bodies(robot: Robot, qd: Array, work: Workspace) -> None:
    """Angular velocities of all bodies, and accelerations without qdd."""
    parent, slides, ball, R, w, alpha = robot[0], robot[1], robot[8], work[2], work[6], work[7]
    turn, gyration, before = np.empty(3), np.empty(3), np.empty(3)
    for i in range(qd.size):
        up = parent[i]
        for k in range(3):
            w[i, k] = w[up, k] if up >= 0 else 0.0
            alpha[i, k] = alpha[up, k] if up >= 0 else 0.0
            turn[k] = 0.0 if slides[i] else R[i, k, 2] * qd[i]
            before[k] = w[i, k]
        if ball[i] > 1:
            first = parent[i + 1 - ball[i]]
            for k in range(3):
                before[k] = w[first, k] if first >= 0 else 0.0
        _cross(before, turn, gyration)
        for k in range(3):
            w[i, k] += turn[k]
            alpha[i, k] += gyration[k]


@njit(cache=True)
def accumulate_body(robot: Robot, qd: Array, work: Workspace, b: int) -> None:
    """Jacobians of body b, and the force and the moment that it takes without qdd."""
    parent, slides, _, mass, com, axes, moments, gravity, ball = robot
    _, _, R, p, Jv, G, w, alpha, centre, own, force, spin = work
    z, twice, lever, v = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _times(R[b], com[b], centre[b])
    for k in range(3):
        centre[b, k] += p[b, k]
        force[b, k] = -gravity[k]
        for c in range(3):
            own[b, k, c] = _dot(R[b, k], axes[b, :, c])
    j = b
    while j >= 0:
        for k in range(3):
            z[k] = R[j, k, 2]
            lever[k] = centre[b, k] - p[j, k]
            twice[k] = 2.0 * w[j, k] - (0.0 if slides[j] else z[k] * qd[j])
        if ball[j] > 0:
            first, child = parent[j + 1 - ball[j]], j + 3 - ball[j]
            for k in range(3):
                twice[k] = w[child, k] + (w[first, k] if first >= 0 else 0.0)
        if slides[j]:
            Jv[b, j], G[b, j] = z, 0.0
        else:
            _cross(z, lever, Jv[b, j])
            _back(own[b], z, G[b, j])
        _cross(twice, Jv[b, j], v)
        for k in range(3):
            force[b, k] += v[k] * qd[j]
        j = parent[j]
    _back(own[b], w[b], v)
    _back(own[b], alpha[b], spin[b])
    for k in range(3):
        after, last = (k + 1) % 3, (k + 2) % 3
        force[b, k] *= mass[b]
        spin[b, k] *= moments[b, k]
        spin[b, k] += (moments[b, last] - moments[b, after]) * v[after] * v[last]


@njit(cache=True)
def _add_body(robot: Robot, work: Workspace, b: int) -> None:
    """What body b adds to the lower half of M and to the bias."""
    parent, mass, moments = robot[0], robot[3], robot[6]
    M, bias, Jv, G, force, spin = work[0], work[1], work[4][b], work[5][b], work[10], work[11]
    i = b
    while i >= 0:
        bias[i] += _dot(Jv[i], force[b]) + _dot(G[i], spin[b])
        j = i
        while j >= 0:
            turning = 0.0
            for k in range(3):
                turning += moments[b, k] * G[i, k] * G[j, k]
            M[i, j] += mass[b] * _dot(Jv[i], Jv[j]) + turning
            j = parent[j]
        i = parent[i]


@njit(cache=True)
def factorize(M: Array) -> None:
    """Cholesky's factor of the lower half of M, in its place; no numbers where it has none."""
    n = len(M)
    for j in range(n):
        for i in range(j, n):
            x = M[i, j]
            for k in range(j):
                x -= M[i, k] * M[j, k]
            M[i, j] = np.sqrt(x) if i == j else x / M[j, j]


@njit(cache=True)
def substitute(L: Array, x: Array) -> None:
    """x by forward and backward substitution, in its place."""
    n = x.size
    for i in range(n):
        for k in range(i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]


@njit(cache=True)
def load(robot: Robot, work: Workspace, joint: int, qdd: Array, still: bool, wrench: Array) -> None:
    """What a joint carries (6,), along axes with z along the joint's; `still`: the state's, too."""
    parent, mass, moments = robot[0], robot[3], robot[6]
    R, p, Jv, G, centre, own, force, spin = (
        work[2], work[3], work[4], work[5], work[8], work[9], work[10], work[11],
    )  # fmt: skip
    F, N = np.zeros(3), np.zeros(3)
    f, t, v, lever = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for b in range(joint, qdd.size):
        if mass[b] == 0.0:
            continue
        up = b
        while up > joint:
            up = parent[up]
        if up != joint:
            continue
        for k in range(3):
            f[k] = force[b, k] if still else 0.0
            t[k] = spin[b, k] if still else 0.0
        j = b
        while j >= 0:
            for k in range(3):
                f[k] += mass[b] * Jv[b, j, k] * qdd[j]
                t[k] += moments[b, k] * G[b, j, k] * qdd[j]
            j = parent[j]
        for k in range(3):
            lever[k] = centre[b, k] - p[joint, k]
            F[k] += f[k]
        _times(own[b], t, v)
        _cross(lever, f, t)
        for k in range(3):
            N[k] += v[k] + t[k]
    _back(R[joint], F, wrench[:3])
    _back(R[joint], N, wrench[3:])


@njit(cache=True)
def solve_friction(data: FrictionData, qd: Array, rest: Array, more: Array, dry: Array) -> bool:
    """Whether dry frictions are found that fit the loads that they cause, and the frictions."""
    joints, _, following, steady, most, coulomb, _, speed, mu_s, mu_d, rules = data
    settled, rounding, soundest, sliding = rules
    count = following.size
    A, lacking, load, slope = np.empty((count, count)), np.empty(count), np.empty(6), np.empty(6)
    dry[:] = steady
    for x in following:
        dry[x] = 0.0
    for _ in range(MOST_ROUNDS):
        largest, heaviest, worst = dry.max(), 0.0, 0.0
        for row in range(count):
            x = following[row]
            for k in range(6):
                load[k] = rest[row, k]
                for y in range(joints.size):
                    load[k] += more[row, y, k] * dry[y]
                heaviest = max(heaviest, abs(load[k]))
            slip = (abs(qd[joints[x]]) * speed[row] - 1.0) / (sliding - 1.0)
            slip = min(max(slip, 0.0), 1.0)
            mu = mu_s[row] + (mu_d[row] - mu_s[row]) * (slip * slip * (3.0 - 2.0 * slip))
            raw = mu * _pressing(data, row, load, slope) + steady[x]
            limit = min(raw, most[row]) + coulomb[row]
            largest = max(largest, limit)
            lacking[row] = limit - dry[x]
            worst = max(worst, abs(lacking[row]))
            for column in range(count):
                A[row, column] = 1.0 if row == column else 0.0
                if raw < most[row]:
                    A[row, column] -= mu * np.dot(slope, more[row, following[column]])
        if worst <= settled * largest + rounding * heaviest:
            return True
        newton_step(A, lacking, soundest)
        for row in range(count):
            dry[following[row]] += lacking[row]
    return False


@njit(cache=True)
def _pressing(data: FrictionData, row: int, load: Array, slope: Array) -> float:
    """What presses the surfaces of a joint that follows its load, and its slopes by the load."""
    factors, size = data[6][row], 0.0
    for half in range(2):
        o = 3 * half
        across, part = np.sqrt(load[o] ** 2 + load[o + 1] ** 2), factors[2 * half]
        size += part * across + factors[2 * half + 1] * abs(load[o + 2])
        part = part / across if across > 0.0 else 0.0
        slope[o], slope[o + 1] = part * load[o], part * load[o + 1]
        slope[o + 2] = factors[2 * half + 1] * np.sign(load[o + 2])
    return size


@njit(cache=True)
def newton_step(A: Array, x: Array, soundest: float) -> None:
    """Newton's step A⁻¹ x in the place of x, which stays where A is not sound; A is used up."""
    step, determinant = x.copy(), 1.0
    for i in range(x.size):
        determinant *= A[i, i]
        for j in range(i + 1, x.size):
            part = A[j, i] / A[i, i]
            for k in range(i, x.size):
                A[j, k] -= part * A[i, k]
            step[j] -= part * step[i]
    if determinant > soundest:
        for i in range(x.size - 1, -1, -1):
            for j in range(i + 1, x.size):
                step[i] -= A[i, j] * step[j]
            step[i] /= A[i, i]
        x[:] = step


@njit(cache=True)
def workspace_for(n: int) -> Workspace:
    """Memory for what `move_bodies` finds."""
    M, bias, R, p = np.empty((n, n)), np.empty(n), np.empty((n, 3, 3)), np.empty((n, 3))
    Jv, G, own = np.empty((n, n, 3)), np.empty((n, n, 3)), np.empty((n, 3, 3))
    w, alpha, centre, force, spin = np.empty((5, n, 3))
    return M, bias, R, p, Jv, G, w, alpha, centre, own, force, spin


@njit(cache=True)
def mass_and_bias(robot: Robot, q: Array, qd: Array, M: Array, bias: Array) -> None:
    """Lower half of M, and C qd + g, of the tree's joints."""
    work = workspace_for(q.size)
    move_bodies(robot, q, qd, work)
    M[:], bias[:] = work[0], work[1]


@njit(cache=True)
def _move_tree(S: Array, q_0: Array, q: Array, qd: Array) -> tuple[Array, Array]:
    """Positions and velocities of the tree's joints, by the independent ones."""
    q_tree, qd_tree = q_0.copy(), np.zeros(q_0.size)
    for r in range(q_0.size):
        for i in range(q.size):
            q_tree[r] += S[r, i] * q[i]
            qd_tree[r] += S[r, i] * qd[i]
    return q_tree, qd_tree


@njit(cache=True)
def project_on_joints(
    robot: Robot, joints: Joints, q: Array, qd: Array, work: Workspace
) -> tuple[Array, Array]:
    """Lower half of M and bias of the independent joints; of the tree's where none is coupled."""
    S, q_0, rotors = joints[0], joints[1], joints[7]
    tree, n = S.shape
    if tree == n:
        move_bodies(robot, q, qd, work)
        for i in range(n):
            work[0][i, i] += rotors[i]
        return work[0], work[1]
    q_tree, qd_tree = _move_tree(S, q_0, q, qd)
    move_bodies(robot, q_tree, qd_tree, work)
    M, bias = np.zeros((n, n)), np.zeros(n)
    for r in range(tree):
        for i in range(n):
            bias[i] += S[r, i] * work[1][r]
            for c in range(tree):
                part = S[r, i] * work[0][max(r, c), min(r, c)]
                for j in range(i + 1):
                    M[i, j] += part * S[c, j]
    for i in range(n):
        M[i, i] += rotors[i]
    return M, bias


@njit(cache=True)
def _coulomb(joints: Joints, qd: Array, i: int) -> float:
    """Coulomb friction of a driven joint and its followers."""
    S, coulomb, total = joints[0], joints[3], 0.0
    for r in range(len(S)):
        if S[r, i] != 0.0 and coulomb[r] != 0.0:
            speed = 0.0
            for j in range(qd.size):
                speed += S[r, j] * qd[j]
            total += S[r, i] * coulomb[r] * np.sign(speed)
    return total


@njit(cache=True)
def add_dry_friction(
    robot: Robot,
    data: FrictionData,
    work: Workspace,
    L: Array,
    loose: Numbers,
    qd: Array,
    qdd: Array,
    loss: Array,
) -> bool:
    """What sliding joints add to `qdd` and `loss`; False if no friction fits.

    `L` is Cholesky's factor of M of the `loose` joints.
    """
    joints, sense, following = data[0], data[1], data[2]
    n, count = qd.size, joints.size
    unit, part, dry = np.zeros((count, n)), np.empty(loose.size), data[3].copy()
    for x in range(count):
        for a in range(loose.size):
            part[a] = -sense[x] if loose[a] == joints[x] else 0.0
        substitute(L, part)
        for a in range(loose.size):
            unit[x, loose[a]] = part[a]
    if following.size:
        rest = np.empty((following.size, 6))
        more = np.empty((following.size, count, 6))
        for row in range(following.size):
            load(robot, work, joints[following[row]], qdd, True, rest[row])
            for x in range(count):
                load(robot, work, joints[following[row]], unit[x], False, more[row, x])
        if not solve_friction(data, qd, rest, more, dry):
            return False
    for x in range(count):
        loss[joints[x]] += sense[x] * dry[x]
        for i in range(n):
            qdd[i] += unit[x, i] * dry[x]
    return True


@njit(cache=True)
def accelerate(
    system: System,
    work: Workspace,
    M: Array,
    bias: Array,
    qd: Array,
    acting: Array,
    qdd: Array,
    loss: Array,
) -> bool:
    """`qdd` of the joints that are not held, and what friction takes of them; False without any."""
    robot, joints, data, _, _ = system
    viscous, held, loose = joints[2], joints[5], joints[6]
    L, x = np.empty((loose.size, loose.size)), np.empty(loose.size)
    for i in range(qd.size):
        for j in range(qd.size):
            loss[i] += viscous[i, j] * qd[j]
    for a in range(loose.size):
        i = loose[a]
        for b in range(a + 1):
            L[a, b] = M[i, loose[b]]
        x[a] = -bias[i] - loss[i] + acting[i]
        for j in range(qd.size):
            if held[j]:
                x[a] -= M[max(i, j), min(i, j)] * qdd[j]
    factorize(L)
    substitute(L, x)
    for a in range(loose.size):
        qdd[loose[a]] = x[a]
    return bool(add_dry_friction(robot, data, work, L, loose, qd, qdd, loss))


@njit(cache=True)
def rate(
    system: System,
    places: Places,
    q: Array,
    qd: Array,
    given: Array,
    motor: Array,
    acting: Array,
    pushed: Array,
    result: Array,
) -> bool:
    """Rates of free q and qd and of the works at their places; False if no friction fits.

    `given` are the accelerations of held joints; `pushed` is what wrenches are worth. See
    `sim.dynamics.single_state.rate.Equations`.
    """
    robot, joints, _, _, _ = system
    free, n = joints[4], q.size
    work = workspace_for(robot[0].size)
    M, bias = project_on_joints(robot, joints, q, qd, work)
    loss, qdd = np.zeros(n), given.copy()
    if not accelerate(system, work, M, bias, qd, motor + acting + pushed, qdd, loss):
        return False
    at_qd, at_motor, at_loss, at_external = places
    result[at_external], row = 0.0, 0
    for i in range(n):
        torque = motor[i]
        if free[i]:
            result[row], result[at_qd + row] = qd[i], qdd[i]
            row += 1
            if robot[8].size == n and robot[8][i] == 3:
                turn_vector(q[i - 2 : i + 1], qd[i - 2 : i + 1], result[row - 3 : row])
        else:
            loss[i] += _coulomb(joints, qd, i)
            torque = bias[i] - pushed[i] - acting[i] + loss[i]
            for j in range(n):
                torque += M[max(i, j), min(i, j)] * qdd[j]
        result[at_motor + i] = torque * qd[i]
        result[at_loss + i] = loss[i] * qd[i]
        result[at_external] += (acting[i] + pushed[i]) * qd[i]
    return True


@njit(cache=True)
def _follow_bodies(
    robot: Robot, q: Array, qd: Array, R: Array, p: Array, v: Array, w: Array
) -> None:
    """Poses of all bodies, velocities of their origins, and angular velocities."""
    parent, slides = robot[0], robot[1]
    pose_bodies(robot, q, R, p)
    for i in range(q.size):
        up = parent[i]
        speed, turning = _velocity_at(v, w, p, up, _row(p, i)), ORIGIN
        if up >= 0:
            turning = _row(w, up)
        own = _scale(qd[i], _column(R, i, 2))
        if slides[i]:
            speed = _sum(speed, own)
        else:
            turning = _sum(turning, own)
        _set_row(v, i, speed)
        _set_row(w, i, turning)


@njit(cache=True)
def _accelerate_bodies(robot: Robot, qd: Array, R: Array, p: Array, moving: BodyMotion) -> None:
    """How bodies that `_follow_bodies` has accelerate while no joint does."""
    parent, slides, ball, (_, w, a, wd) = robot[0], robot[1], robot[8], moving
    for i in range(qd.size):
        up, rate, turning = parent[i], ORIGIN, ORIGIN
        if up >= 0:
            rate, turning = _accelerate_at(moving, p, up, _row(p, i)), _row(wd, up)
        own = _scale(qd[i], _column(R, i, 2))
        before = parent[i + 1 - ball[i]] if ball[i] > 0 else up
        if slides[i]:
            rate = _sum(rate, _scale(2.0, _product(_row(w, i), own)))
        elif before >= 0:
            turning = _sum(turning, _product(_row(w, before), own))
        _set_row(a, i, rate)
        _set_row(wd, i, turning)


@njit(cache=True)
def _velocity_at(v: Array, w: Array, p: Array, body: int, place: Vector) -> Vector:
    """Velocity of a place on a body."""
    if body < 0:
        return ORIGIN
    return _sum(_row(v, body), _product(_row(w, body), _difference(place, _row(p, body))))


@njit(cache=True)
def _accelerate_at(moving: BodyMotion, p: Array, body: int, place: Vector) -> Vector:
    """Acceleration of a place on a body."""
    if body < 0:
        return ORIGIN
    _, w, a, wd = moving
    lever, turning = _difference(place, _row(p, body)), _row(w, body)
    inward = _product(turning, _product(turning, lever))
    return _sum(inward, _sum(_row(a, body), _product(_row(wd, body), lever)))


@njit(cache=True)
def _follow_markers(
    robot: Robot, markers: MarkerForces, q: Array, qd: Array, bodies: BodyPlaces, seen: Seen
) -> None:
    """Poses, velocities and angular velocities of all markers; R, p, v and w of the bodies."""
    (R, p, v, w), (P, V, W, axes) = bodies, seen
    own, origins, still = markers[0], markers[1], markers[2]
    _follow_bodies(robot, q, qd, R, p, v, w)
    for m in range(len(own)):
        body = own[m]
        place, speed, turning = _row(origins, m), ORIGIN, ORIGIN
        x, y, z = _column(still, m, 0), _column(still, m, 1), _column(still, m, 2)
        if body >= 0:
            lever, turning = _rotate(R, body, place), _row(w, body)
            place = _sum(_row(p, body), lever)
            speed = _sum(_row(v, body), _product(turning, lever))
            x, y, z = _rotate(R, body, x), _rotate(R, body, y), _rotate(R, body, z)
        _set_row(P, m, place)
        _set_row(V, m, speed)
        _set_row(W, m, turning)
        for a in range(3):
            axes[m, a, 0], axes[m, a, 1], axes[m, a, 2] = x[a], y[a], z[a]


@njit(cache=True)
def _read_markers(code: Numbers, line: int, seen: Seen) -> float:
    """A function of the state: see the operations from `DISTANCE` on."""
    P, V, W, axes = seen
    operation, i, j, k = code[line, 0], code[line, 1], code[line, 2], code[line, 3]
    d, v = _difference(_row(P, i), _row(P, j)), _difference(_row(V, i), _row(V, j))
    length = np.sqrt(_dot(d, d))
    if operation == DISTANCE:
        return float(length)
    if operation == APPROACH:
        return float(np.sqrt(_dot(v, v)) if length == 0.0 else _dot(d, v) / length)
    if SHIFT <= operation < VELOCITY:
        return _dot(d, _column(axes, k, operation - SHIFT))
    if operation == SPEED or VELOCITY <= operation < TURN:
        v = _difference(v, _product(_row(W, code[line, 4]), d))
    else:
        v = _difference(_row(W, i), _row(W, j))
    if operation in (SPEED, TURNING):
        return float(np.sqrt(_dot(v, v)))
    return _dot(v, _column(axes, k, (operation - VELOCITY) % 3))


@njit(cache=True)
def _of_one(operation: int, x: float) -> float:
    """A function of one value; not a number where there is none."""
    value = -x
    if operation == ABS:
        value = abs(x)
    elif operation in (ATAN, COS, SIN, TAN):
        value = _turned(operation, x)
    elif operation in (EXP, COSH, SINH, TANH):
        value = _grown(operation, x)
    elif operation == SQRT:
        value = np.sqrt(x) if x >= 0.0 else np.nan
    elif operation == LOG:
        value = np.log(x) if x > 0.0 else np.nan
    elif operation == LOG10:
        value = np.log10(x) if x > 0.0 else np.nan
    elif operation in (ACOS, ASIN):
        value = np.nan
        if abs(x) <= 1.0:
            value = np.arccos(x) if operation == ACOS else np.arcsin(x)
    return float(value)


@njit(cache=True)
def _turned(operation: int, x: float) -> float:
    """A function of angles."""
    if operation == ATAN:
        return float(np.arctan(x))
    if operation == COS:
        return float(np.cos(x))
    return float(np.sin(x) if operation == SIN else np.tan(x))


@njit(cache=True)
def _grown(operation: int, x: float) -> float:
    """An exponential function."""
    if operation == EXP:
        return float(np.exp(x))
    if operation == COSH:
        return float(np.cosh(x))
    return float(np.sinh(x) if operation == SINH else np.tanh(x))


@njit(cache=True)
def _of_two(operation: int, x: float, y: float) -> float:
    """A function of two values; not a number where there is none."""
    if operation == ADD:
        return x + y
    if operation == TIMES:
        return x * y
    if operation == DIVIDE:
        return x / y if y != 0.0 else np.nan
    if operation == POWER:
        whole = y == np.floor(y)
        return x**y if x > 0.0 or (x == 0.0 and y >= 0.0) or (x < 0.0 and whole) else np.nan
    return min(x, y) if operation == MIN else max(x, y)


@njit(cache=True)
def _step_between(operation: int, x: float, x0: float, h0: float, x1: float, h1: float) -> float:
    """STEP, or STEP5."""
    if not x1 > x0:
        return np.nan
    z = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    if operation == STEP:
        return h0 + (h1 - h0) * (z * z * (3.0 - 2.0 * z))
    return h0 + (h1 - h0) * (z * z * z * (10.0 + z * (6.0 * z - 15.0)))


@njit(cache=True)
def _read_beside(
    operation: int, which: int, angles: Array, beside: Beside, stack: Array, top: int
) -> int:
    """What only laws of motors read, onto the stack; its new height."""
    if operation == OWN:
        stack[top] = beside[1][which]
    elif operation == EARLIER:
        stack[top] = beside[2][which]
    elif operation == HINGE_RATE:
        stack[top] = 0.0
        for i in range(beside[0].size):
            stack[top] += angles[which, 1 + i] * beside[0][i]
    else:
        top -= 4
        side = stack[top]
        if side < 0.0:
            stack[top] = stack[top + 1]
        else:  # where it switches right now, what comes after decides, which NumPy knows
            stack[top] = stack[top + 3] if side > 0.0 else np.nan
    return top + 1


@njit(cache=True)
def _project_angle(axis: int, axes: Array, i: int, j: int) -> float:
    """AX, AY or AZ of frame i in frame j by their axes, in (-π, π]."""
    if axis == 2:
        x = _column(axes, i, 0)
        return float(np.arctan2(_dot(x, _column(axes, j, 1)), _dot(x, _column(axes, j, 0))))
    z = _column(axes, i, 2)
    aside = -_dot(z, _column(axes, j, 1)) if axis == 0 else _dot(z, _column(axes, j, 0))
    return float(np.arctan2(aside, _dot(z, _column(axes, j, 2))))


@njit(cache=True)
def _with_turns(angle: float, which: int, counted: Array) -> float:
    """An angle with the turns of a state; not a number near half a turn where none counts them."""
    if which > 0:
        return float(angle + 2.0 * np.pi * np.round((counted[which - 1] - angle) / (2.0 * np.pi)))
    return angle if abs(angle) <= np.pi - HALF_TURN else np.nan


@njit(cache=True)
def _projected_rate(axis: int, axes: Array, W: Array, i: int, j: int) -> float:
    """The rate of AX, AY or AZ of frame i in frame j."""
    part = _column(axes, i, 2 if axis < 2 else 0)
    rate = _product(_difference(_row(W, i), _row(W, j)), part)
    above, along = _column(axes, j, 1 if axis != 1 else 0), _column(axes, j, 2 if axis < 2 else 0)
    sign = -1.0 if axis == 0 else 1.0
    y, x = sign * _dot(part, above), _dot(part, along)
    y_rate, x_rate = sign * _dot(rate, above), _dot(rate, along)
    return (x * y_rate - y * x_rate) / (x * x + y * y)


@njit(cache=True)
def _on_curve(numbers: Array, first: int, x: float) -> float:
    """A spline at x: points, what it does beyond them, knots, cubics between, and the two ends."""
    count, beyond = int(numbers[first]), numbers[first + 1]
    knots = numbers[first + 2 : first + 2 + count]
    cubics = first + 2 + count
    if beyond and not knots[0] <= x <= knots[count - 1]:
        if beyond == 2.0:
            return np.nan
        end, at = (0, 0) if x < knots[0] else (2, count - 1)
        ends = cubics + 4 * (count - 1) + end
        return float(numbers[ends] + numbers[ends + 1] * (x - knots[at]))
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= x:
            low = middle
        else:
            high = middle
    value, c = 0.0, cubics + 4 * low
    for k in range(4):
        value = value * (x - knots[low]) + numbers[c + k]
    return float(value)


@njit(cache=True)
def _resist_turning(stiffness: Array, one: Array, other: Array, torque: Array) -> None:
    """Take off what a bushing gives against the rotation vector of a frame in another."""
    R, phi, slope, elastic = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)
    for a in range(3):
        for b in range(3):
            R[a, b] = _dot(other[:, a], one[:, b])
    for a in range(3):
        phi[a] = 0.5 * (R[(a + 2) % 3, (a + 1) % 3] - R[(a + 1) % 3, (a + 2) % 3])
    sine = np.sqrt(_dot(phi, phi))
    angle = np.arctan2(sine, 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0))
    if angle > np.pi - HALF_TURN:
        angle = np.nan
    for a in range(3):
        phi[a] *= angle / sine if sine > 0.0 else 1.0
        slope[a] = stiffness[a] * phi[a]
    turn_vector(phi, slope, elastic)
    for a in range(3):
        torque[a] -= elastic[a]


@njit(cache=True)
def _value(
    markers: MarkerForces, which: int, t: float, q: Array, stack: Array, seen: Seen, beside: Beside
) -> float:
    """The value of an expression at a state."""
    code, constants, angles, programs = markers[3], markers[4], markers[5], markers[7]
    top = 0
    for row in range(programs[which, 0], programs[which, 1]):
        operation = code[row, 0]
        if operation == CURVE:
            stack[top - 1] = _on_curve(constants, code[row, 1], stack[top - 1])
        elif operation >= PROJECTED:
            i, j = code[row, 1], code[row, 2]
            angle_now = _project_angle(operation - PROJECTED, seen[3], i, j)
            stack[top] = _with_turns(angle_now, code[row, 3], beside[1])
            top += 1
        elif operation >= OWN:
            top = _read_beside(operation, code[row, 1], angles, beside, stack, top)
        elif operation >= DISTANCE:
            stack[top] = _read_markers(code, row, seen)
            top += 1
        elif operation == NUMBER:
            stack[top] = constants[code[row, 1]]
            top += 1
        elif operation == NOW:
            stack[top] = min(t, constants[0])
            top += 1
        elif operation == ANGLE:
            which_angle = code[row, 1]
            stack[top] = angles[which_angle, 0]
            for i in range(q.size):
                stack[top] += angles[which_angle, 1 + i] * q[i]
            top += 1
        elif operation in (STEP, STEP5):
            top -= 4
            x, x0, h0 = stack[top - 1], stack[top], stack[top + 1]
            stack[top - 1] = _step_between(operation, x, x0, h0, stack[top + 2], stack[top + 3])
        elif operation < NEGATE or operation in (MIN, MAX):
            top -= 1
            stack[top - 1] = _of_two(operation, stack[top - 1], stack[top])
        else:
            stack[top - 1] = _of_one(operation, stack[top - 1])
    return float(stack[0])


@njit(cache=True)
def _rate_angles(angles: Numbers, axes: Array, W: Array, rates: Array) -> bool:
    """Rates of angles that are counted; False if one is not finite."""
    for a in range(len(angles)):
        i, j = angles[a, 1], angles[a, 2]
        rates[a] = _projected_rate(angles[a, 0], axes, W, i, j)
    return bool(np.isfinite(rates).all())


@njit(cache=True)
def marker_memory_for(n: int, m: int, lines: int) -> MarkerMemory:
    """Memory for what `act_between_markers` finds of n bodies and m markers."""
    bodies = np.empty((n, 3, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    seen = np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3)), np.empty((m, 3, 3))
    return bodies, seen, np.empty(lines + 1), np.empty((2, 3))


@njit(cache=True)
def act_between_markers(
    robot: Robot, markers: MarkerForces, work: MarkerMemory, t: float, q: Array, qd: Array,
    counted: Array, acting: Array, torque: Array, rates: Array
) -> bool:  # fmt: skip
    """What all forces between markers are worth at the joints of the tree (n_tree,).

    `acting` (F, 18) are force, torque and place on i and on j of each, at their origins, world
    axes; `rates` (A,) those of the angles `counted`. False where one is not finite, or has no
    direction.
    """
    forces, bodies, seen, stack, own = markers[6], work[0], work[1], work[2], work[3]
    R, p, P, W, axes = bodies[0], bodies[1], seen[0], seen[2], seen[3]
    _follow_markers(robot, markers, q, qd, bodies, seen)
    beside = qd, counted, qd
    torque[:] = 0.0
    if not _rate_angles(markers[8], axes, W, rates):
        return False
    for f in range(len(forces)):
        i, j, along, first = forces[f, 0], forces[f, 1], forces[f, 2], forces[f, 4]
        at_i, at_j = _row(P, i), _row(P, j)
        d = _difference(at_i, at_j)
        if along < 0:
            size = _value(markers, first, t, q, stack, seen, beside)
            length = np.sqrt(_dot(d, d))
            if not length > 0.0:
                return False
            force, moment = _scale(size / length, d), ORIGIN
        else:
            for k in range(6):
                own[k // 3, k % 3] = _value(markers, first + k, t, q, stack, seen, beside)
            if forces[f, 5]:
                k_turning = markers[4][forces[f, 5] : forces[f, 5] + 3]
                _resist_turning(k_turning, axes[i], axes[j], own[1])
            force, moment = (
                _rotate(axes, along, _row(own, 0)),
                _rotate(axes, along, _row(own, 1)),
            )
        back = _sum(moment, _product(d, force))
        for k in range(3):
            acting[f, k], acting[f, 3 + k], acting[f, 6 + k] = force[k], moment[k], at_i[k]
            acting[f, 9 + k], acting[f, 12 + k], acting[f, 15 + k] = -force[k], -back[k], at_j[k]
            if not (np.isfinite(force[k]) and np.isfinite(moment[k])):
                return False
        _add_gradient(robot, R, p, markers[0][i], at_i, force, moment, 1.0, torque)
        if forces[f, 3]:
            _add_gradient(robot, R, p, markers[0][j], at_j, force, back, -1.0, torque)
    return True


@njit(cache=True)
def act_at_one_state(table: Numbers, t: float, q: Array, qd: Array, counted: Array) -> bool:
    """`act_between_markers` of arrays that stay where they are, for a caller that is not compiled.

    To such a caller each array that it hands over costs time, all of them, with the memory for what
    is found, four times what the forces take. `table` are the numbers of bodies, markers, lines,
    constants, hinges, forces, expressions and counted angles, and the addresses of all arrays, in
    the order in which `act_between_markers` takes them.
    """
    n, m, lines, constants = table[0], table[1], table[2], table[3]
    hinges, forces, ends, angles = table[4], table[5], table[6], table[7]
    robot = (
        _lying_at(table[8], n, np.intp),
        _lying_at(table[9], n, np.bool_),
        _lying_at(table[10], (n, 4, 4), np.float64),
        _lying_at(table[11], n, np.float64),
        _lying_at(table[12], (n, 3), np.float64),
        _lying_at(table[13], (n, 3, 3), np.float64),
        _lying_at(table[14], (n, 3), np.float64),
        _lying_at(table[15], 3, np.float64),
        _lying_at(table[16], n, np.intp),
    )
    markers = (
        _lying_at(table[17], m, np.intp),
        _lying_at(table[18], (m, 3), np.float64),
        _lying_at(table[19], (m, 3, 3), np.float64),
        _lying_at(table[20], (lines, 5), np.intp),
        _lying_at(table[21], constants, np.float64),
        _lying_at(table[22], (hinges, 1 + n), np.float64),
        _lying_at(table[23], (forces, 6), np.intp),
        _lying_at(table[24], (ends, 2), np.intp),
        _lying_at(table[25], (angles, 3), np.intp),
    )
    bodies = (
        _lying_at(table[26], (n, 3, 3), np.float64),
        _lying_at(table[27], (n, 3), np.float64),
        _lying_at(table[28], (n, 3), np.float64),
        _lying_at(table[29], (n, 3), np.float64),
    )
    seen = (
        _lying_at(table[30], (m, 3), np.float64),
        _lying_at(table[31], (m, 3), np.float64),
        _lying_at(table[32], (m, 3), np.float64),
        _lying_at(table[33], (m, 3, 3), np.float64),
    )
    stack = _lying_at(table[34], lines + 1, np.float64)
    own = _lying_at(table[35], (2, 3), np.float64)
    acting = _lying_at(table[36], (forces, 18), np.float64)
    torque = _lying_at(table[37], n, np.float64)
    rates = _lying_at(table[38], angles, np.float64)
    work = (bodies, seen, stack, own)
    return act_between_markers(robot, markers, work, t, q, qd, counted, acting, torque, rates)


@njit(cache=True)
def evaluate_laws(
    robot: Robot, markers: MarkerForces, t: float, q: Array, qd: Array, own: Array, values: Array
) -> None:
    """The values of all expressions, one after the other, at a state of the tree's joints.

    `own` are the states that they read; each may read the values before its own.
    """
    bodies, seen, stack, _ = marker_memory_for(q.size, len(markers[0]), len(markers[3]))
    if len(markers[0]):
        _follow_markers(robot, markers, q, qd, bodies, seen)
    beside = qd, own, values
    for which in range(len(markers[7])):
        values[which] = _value(markers, which, t, q, stack, seen, beside)


@njit(cache=True)
def close_loops(
    robot: Robot, loops: Loops, q: Array, qd: Array, e: Array, J: Array, bias: Array
) -> None:
    """Errors (rows,), gradients (rows, n_tree) and γ (rows,) of the loop equations.

    See `sim.kinematics.loop_equations`: seen from frame a, along its axes.
    """
    ends, frames, kinds, vectors = loops[:4]
    n, last = q.size, -1
    R, p, J[:] = np.empty((n, 3, 3)), np.empty((n, 3)), 0.0
    moving = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3))
    _follow_bodies(robot, q, qd, R, p, moving[0], moving[1])
    _accelerate_bodies(robot, qd, R, p, moving)
    axes, seen, points = np.empty((2, 3, 3)), np.empty((5, 3)), np.empty((2, 3))
    force, moment = np.empty(3), np.empty(3)
    for row in range(len(kinds)):
        loop, kind = kinds[row, 0], kinds[row, 1]
        if loop != last:
            _see_frames(ends[loop], frames[loop], R, p, moving, axes, points, seen)
            last = loop
        if kind == FUNCTION:
            e[row], bias[row] = _function(loops, vectors[row], q, axes, seen, force, moment)
        else:
            e[row], bias[row] = _one_equation(kind, vectors[row], axes, seen, force, moment)
        along = _rotate(axes, 0, (force[0], force[1], force[2]))
        turning = _rotate(axes, 0, (moment[0], moment[1], moment[2]))
        for side in range(2):
            sign, at = 2.0 * side - 1.0, _row(points, 1)
            _add_gradient(robot, R, p, ends[loop, side], at, along, turning, sign, J[row])


@njit(cache=True)
def _gradients_of_loops(
    robot: Robot, joints: Joints, loops: Loops, q: Array, qd: Array, e: Array, bias: Array
) -> Array:
    """e, γ and J (rows, n) of the loop equations, by the independent joints."""
    S, q_0, rows = joints[0], joints[1], len(loops[2])
    tree, n = S.shape
    J_tree = np.empty((rows, tree))
    if tree == n:
        close_loops(robot, loops, q, qd, e, J_tree, bias)
        return J_tree
    q_tree, qd_tree = _move_tree(S, q_0, q, qd)
    J = np.zeros((rows, n))
    close_loops(robot, loops, q_tree, qd_tree, e, J_tree, bias)
    for row in range(rows):
        for r in range(tree):
            for i in range(n):
                J[row, i] += J_tree[row, r] * S[r, i]
    return J


@njit(cache=True)
def _modes_of(A: Array, rank: int, noise: float) -> LoopModes:
    """As `sim.dynamics.closed_positions.LoopModes.of`."""
    U, sizes, Vt = np.linalg.svd(A, False)
    inverse = np.zeros(sizes.size)
    for k in range(min(rank, sizes.size)):
        if sizes[k] > noise * sizes[0]:
            inverse[k] = 1.0 / sizes[k]
    return U, inverse, Vt, sizes


@njit(cache=True)
def _solve_modes(modes: LoopModes, b: Array, y: Array) -> None:
    """The shortest y that brings A y nearest to b."""
    U, inverse, Vt, _ = modes
    y[:] = 0.0
    for k in range(inverse.size):
        part = 0.0
        for r in range(b.size):
            part += U[r, k] * b[r]
        for a in range(y.size):
            y[a] += inverse[k] * part * Vt[k, a]


@njit(cache=True)
def _pull_by_modes(modes: LoopModes, y: Array, J: Array, pushed: Array) -> None:
    """Jᵀ λ with the shortest λ that brings Aᵀ λ nearest to y."""
    U, inverse, Vt, _ = modes
    pushed[:] = 0.0
    for k in range(inverse.size):
        part = 0.0
        for a in range(y.size):
            part += Vt[k, a] * y[a]
        for r in range(len(J)):
            multiplier = U[r, k] * inverse[k] * part
            for i in range(pushed.size):
                pushed[i] += J[r, i] * multiplier


@njit(cache=True)
def _lower_part(M: Array, loose: Numbers) -> Array:
    """Cholesky's factor of M, of which the lower half is given, of the loose joints."""
    L = np.empty((loose.size, loose.size))
    for a in range(loose.size):
        for b in range(a + 1):
            L[a, b] = M[loose[a], loose[b]]
    factorize(L)
    return L


@njit(cache=True)
def _over_transposed(L: Array, J: Array, loose: Numbers) -> Array:
    """J_f L⁻ᵀ."""
    A = np.empty((len(J), loose.size))
    for r in range(len(J)):
        for a in range(loose.size):
            x = J[r, loose[a]]
            for k in range(a):
                x -= A[r, k] * L[a, k]
            A[r, a] = x / L[a, a]
    return A


@njit(cache=True)
def _substitute_back(L: Array, y: Array) -> None:
    """L⁻ᵀ y, in the place of y."""
    for i in range(y.size - 1, -1, -1):
        for k in range(i + 1, y.size):
            y[i] -= L[k, i] * y[k]
        y[i] /= L[i, i]


@njit(cache=True)
def _inverse_transposed(L: Array) -> Array:
    """L⁻ᵀ."""
    G = np.eye(len(L))
    for a in range(len(L)):
        _substitute_back(L, G[:, a])
    return G


@njit(cache=True)
def _take_off_wrenches(
    robot: Robot, S: Array, work: Workspace, bodies: Numbers, wrenches: Array, bias: Array
) -> None:
    """Take off the bias what wrenches are worth at the independent joints."""
    pushed = np.zeros(len(S))
    for k in range(len(bodies)):
        force = wrenches[k, 0], wrenches[k, 1], wrenches[k, 2]
        torque = wrenches[k, 3], wrenches[k, 4], wrenches[k, 5]
        place = wrenches[k, 6], wrenches[k, 7], wrenches[k, 8]
        _add_gradient(robot, work[2], work[3], bodies[k], place, force, torque, 1.0, pushed)
    for r in range(len(S)):
        for i in range(bias.size):
            bias[i] -= S[r, i] * pushed[r]


@njit(cache=True)
def accelerate_on_loops(
    robot: Robot, joints: Joints, loops: Loops, rank: int, noise: float, q: Array, qd: Array,
    bodies: Numbers, wrenches: Array, qdd: Array, effort: Array, pull: Array
) -> tuple[bool, Array, Array, Array, LoopModes]:  # fmt: skip
    """Fill in the accelerations of the loose joints, the efforts of the held ones, and Jᵀ λ.

    All are (n, cases), of the model with its loops closed: `sim.dynamics.constrained_dynamics`;
    `wrenches` (k, 9) are force, torque and place of each on one of `bodies` (k,), in the world.
    Returns whether all are numbers, G of M⁻¹ = G Gᵀ of the loose joints, J, γ and the modes.
    """
    held, loose, rows, n = joints[5], joints[6], len(loops[2]), q.size
    work = workspace_for(robot[0].size)
    M, bias = project_on_joints(robot, joints, q, qd, work)
    _take_off_wrenches(robot, joints[0], work, bodies, wrenches, bias)
    e, gamma, b = np.empty(rows), np.empty(rows), np.empty(rows)
    x, y = np.empty(loose.size), np.empty(loose.size)
    J = _gradients_of_loops(robot, joints, loops, q, qd, e, gamma)
    L = _lower_part(M, loose)
    A = _over_transposed(L, J, loose)
    is_sound = bool(np.isfinite(A).all() and np.isfinite(gamma).all())
    if not is_sound:
        A[:] = 0.0
    modes = _modes_of(A, rank, noise)
    for case in range(effort.shape[1]):
        for a in range(loose.size):
            i = loose[a]
            x[a] = effort[i, case] - bias[i]
            for j in range(n):
                if held[j]:
                    x[a] -= M[max(i, j), min(i, j)] * qdd[j, case]
        substitute(L, x)
        for a in range(loose.size):
            qdd[loose[a], case] = x[a]
        for r in range(rows):
            b[r] = -gamma[r]
            for i in range(n):
                b[r] -= J[r, i] * qdd[i, case]
        _solve_modes(modes, b, y)
        _pull_by_modes(modes, y, J, pull[:, case])
        _substitute_back(L, y)
        for a in range(loose.size):
            qdd[loose[a], case] += y[a]
        for i in range(n):
            if held[i]:
                effort[i, case] = bias[i] - pull[i, case]
                for j in range(n):
                    effort[i, case] += M[max(i, j), min(i, j)] * qdd[j, case]
    is_sound = is_sound and bool(np.isfinite(qdd).all() and np.isfinite(effort).all())
    return is_sound, _inverse_transposed(L), J, gamma, modes


@njit(cache=True)
def approach_loops(
    robot: Robot, joints: Joints, loops: Loops, rank: int, noise: float, closed: float, most: int,
    q: Array
) -> tuple[float, LoopModes, Array, Array]:  # fmt: skip
    """Bring q (n,) onto the loop equations: `sim.dynamics.closed_positions.close_positions`.

    The gap that the last correction closed, infinite without any; and the modes, G and J there.
    """
    loose, rows = joints[6], len(loops[2])
    e, gamma, still, y = np.empty(rows), np.empty(rows), np.zeros(q.size), np.empty(loose.size)
    gap, work, step, rate = np.inf, workspace_for(robot[0].size), np.zeros(q.size), np.empty(3)
    for _ in range(most):
        M, _bias = project_on_joints(robot, joints, q, still, work)
        J = _gradients_of_loops(robot, joints, loops, q, still, e, gamma)
        L = _lower_part(M, loose)
        A = _over_transposed(L, J, loose)
        if not (np.isfinite(A).all() and np.isfinite(e).all()):
            A[:], e[:] = 0.0, np.nan
        modes = _modes_of(A, rank, noise)
        _solve_modes(modes, e, y)
        _substitute_back(L, y)
        for a in range(loose.size):
            step[loose[a]] = y[a]
        for i in range(q.size):
            if robot[8].size == q.size and robot[8][i] == 3:
                turn_vector(q[i - 2 : i + 1], step[i - 2 : i + 1], rate)
                for k in range(3):
                    q[i - 2 + k] -= rate[k]
            elif robot[8].size != q.size or robot[8][i] == 0:
                q[i] -= step[i]
        if np.abs(y).max() <= closed:
            gap = np.abs(e).max()
            break
    return gap, modes, _inverse_transposed(L), J


@njit(cache=True)
def _see_frames(
    ends: Numbers, frames: Array, R: Array, p: Array, moving: BodyMotion, axes: Array,
    points: Array, seen: Array
) -> None:  # fmt: skip
    """Axes and origins of a loop's frames; p, v, a, ω and α of b as seen from a, along its axes."""
    x, y, lost = np.empty(3), np.empty(3), np.empty(3)
    v, a = np.zeros((2, 3)), np.zeros((2, 3))
    w, wd = np.zeros((2, 3)), np.zeros((2, 3))
    for side in range(2):
        body, T = ends[side], frames[side]
        for k in range(3):
            points[side, k] = T[k, 3]
            for c in range(3):
                axes[side, k, c] = T[k, c]
        if body < 0:
            continue
        for k in range(3):
            points[side, k] = p[body, k] + _dot(R[body, k], T[:3, 3])
            for c in range(3):
                axes[side, k, c] = _dot(R[body, k], T[:3, c])
        w[side], wd[side] = moving[1][body], moving[3][body]
    for side in range(2):
        _set_row(a, side, _accelerate_at(moving, p, ends[side], _row(points, 1)))
        speed = _velocity_at(moving[0], moving[1], p, ends[side], _row(points, 1))
        _set_row(v, side, speed)
    for k in range(3):
        v[1, k] -= v[0, k]
        w[1, k] -= w[0, k]
    _cross(w[0], v[1], x)
    _cross(w[0], w[1], y)
    for k in range(3):
        lost[k] = points[1, k] - points[0, k]
        a[1, k] -= a[0, k] + 2.0 * x[k]
        wd[1, k] -= wd[0, k] + y[k]
    _back(axes[0], lost, seen[0])
    _back(axes[0], v[1], seen[1])
    _back(axes[0], a[1], seen[2])
    _back(axes[0], w[1], seen[3])
    _back(axes[0], wd[1], seen[4])


@njit(cache=True)
def _one_equation(
    kind: int, vector: Array, axes: Array, seen: Array, force: Array, moment: Array
) -> tuple[float, float]:
    """Error and γ of one equation; its force and moment along the axes of a."""
    p, v, a, w, wd = seen[0], seen[1], seen[2], seen[3], seen[4]
    if kind == ALONG:
        for k in range(3):
            force[k], moment[k] = vector[k], 0.0
        return _dot(vector[:3], p), _dot(vector[:3], a)
    if kind == LENGTH:
        length = np.sqrt(_dot(p, p))
        divisor = length if length > 0.0 else 1.0
        for k in range(3):
            force[k], moment[k] = p[k] / divisor, 0.0
        rate = _dot(force, v)
        return length - vector[0], _dot(force, a) + (_dot(v, v) - rate * rate) / divisor
    force[:] = 0.0
    if kind == TWIST:
        x, y, other = np.zeros(3), np.zeros(3), np.empty(3)
        x[0], y[1] = 1.0, 1.0
        e, bias = _square(x, y, axes, w, wd, moment)
        lost, back = _square(y, x, axes, w, wd, other)
        for k in range(3):
            moment[k] -= other[k]
        return e - lost, bias - back
    return _square(vector[:3], vector[3:], axes, w, wd, moment)


@njit(cache=True)
def _square(
    u: Array, own: Array, axes: Array, w: Array, wd: Array, moment: Array
) -> tuple[float, float]:
    """Error and γ of an axis u of a and one of b that stay square, and the moment of it."""
    x, z, once = np.empty(3), np.empty(3), np.empty(3)
    _times(axes[1], own, x)
    _back(axes[0], x, z)
    _cross(z, u, moment)
    _cross(wd, z, x)
    bias = _dot(u, x)
    _cross(w, z, once)
    _cross(w, once, x)
    return _dot(u, z), bias + _dot(u, x)


@njit(cache=True)
def _function(
    loops: Loops, which: Array, q: Array, axes: Array, seen: Array, force: Array, moment: Array
) -> tuple[float, float]:
    """Error and γ of a function of two frames that stays zero.

    The whole turns of its one angle that no hinges count are those of `loop_function_row`.
    """
    first = np.zeros(9)
    _function_jet(loops, which, q, axes, seen, 0.0, first)
    if which[2] != 0.0:
        after, last, turns = np.zeros(9), np.zeros(9), 0.0
        _function_jet(loops, which, q, axes, seen, 1.0, after)
        _function_jet(loops, which, q, axes, seen, 2.0, last)
        f, step, least = first[0], after[0] - first[0], EVEN * max(1.0, abs(first[0]))
        if not abs(last[0] - 2.0 * after[0] + f) <= least:
            turns = np.nan  # NumPy knows more
        elif abs(step) > least:
            turns = -np.round(f / step)
        if turns != 0.0:
            _function_jet(loops, which, q, axes, seen, turns, first)
    force[:], moment[:] = first[1:4], first[4:7]
    return first[0], first[8]


@njit(cache=True)
def _function_jet(
    loops: Loops, which: Array, q: Array, axes: Array, seen: Array, turns: float, out: Array
) -> None:
    """The jet of a function of two frames, by jets on a stack.

    A jet is the value, its gradients by v and ω, and first and second derivative in time.
    """
    code, constants, angles = loops[4:]
    stack, top = np.zeros((len(code) + 1, 9)), 0
    for line in range(int(which[0]), int(which[1])):
        operation = code[line, 0]
        if operation >= SEEN:
            _seen_jet(operation - SEEN, code[line, 1], angles, q, axes, seen, turns, stack[top])
            top += 1
        elif operation == NUMBER:
            stack[top], stack[top, 0] = 0.0, constants[code[line, 1]]
            top += 1
        elif operation < NEGATE:
            top -= 1
            _combine(operation, stack[top - 1], stack[top])
        else:
            f, slope, bend = _with_slopes(operation, stack[top - 1, 0])
            _chain(stack[top - 1], f, slope, bend)
    out[:] = stack[0]


@njit(cache=True)
def _chain(x: Array, f: float, slope: float, bend: float) -> None:
    """The jet of f(x) in the place of that of x."""
    x[8] = slope * x[8] + bend * x[7] * x[7]
    x[1:8] *= slope
    x[0] = f


@njit(cache=True)
def _combine(operation: int, x: Array, y: Array) -> None:
    """The jet of a sum, a product, a quotient or a constant power in the place of that of x."""
    if operation == ADD:
        x += y
        return
    if operation == POWER:
        a, n = x[0], y[0]
        slope = n if n == 1.0 else n * _of_two(POWER, a, n - 1.0)
        bend = 0.0 if n == 1.0 else n * (n - 1.0)
        if bend != 0.0 and n != 2.0:
            bend *= _of_two(POWER, a, n - 2.0)
        _chain(x, _of_two(POWER, a, n), slope, bend)
        return
    if operation == DIVIDE:
        inverse = 1.0 / y[0] if y[0] != 0.0 else np.nan
        _chain(y, inverse, -inverse * inverse, 2.0 * inverse**3)
    x[8] = x[8] * y[0] + 2.0 * x[7] * y[7] + x[0] * y[8]
    x[1:8] = x[1:8] * y[0] + x[0] * y[1:8]
    x[0] *= y[0]


@njit(cache=True)
def _with_slopes(operation: int, x: float) -> tuple[float, float, float]:
    """A function of one value and its first two derivatives; no numbers where it has none."""
    f = _of_one(operation, x)
    slope, bend = -1.0, 0.0
    if operation == ABS:
        slope = np.sign(x) if x != 0.0 else np.nan
    elif operation == SIN:
        slope, bend = np.cos(x), -f
    elif operation == COS:
        slope, bend = -np.sin(x), -f
    elif operation == TAN:
        slope, bend = 1.0 + f * f, 2.0 * f * (1.0 + f * f)
    elif operation == SQRT:
        slope = 0.5 / f if f > 0.0 else np.nan
        bend = -0.25 / f**3 if f > 0.0 else np.nan
    elif operation == ATAN:
        slope = 1.0 / (1.0 + x * x)
        bend = -2.0 * x * slope * slope
    elif operation in (ASIN, ACOS):
        slope = 1.0 / np.sqrt(1.0 - x * x) if abs(x) < 1.0 else np.nan
        bend = x * slope**3
        if operation == ACOS:
            slope, bend = -slope, -bend
    elif operation == EXP:
        slope, bend = f, f
    elif operation != NEGATE:
        slope = np.nan
    return f, slope, bend


@njit(cache=True)
def _seen_jet(
    which: int, hinges: int, angles: Array, q: Array, axes: Array, seen: Array, turns: float,
    out: Array
) -> None:  # fmt: skip
    """The jet of DM, DX, DY, DZ, AX, AY or AZ of b as seen from a, along the axes of a.

    `turns` are the whole ones of an angle that no hinges count.
    """
    p, v, a = seen[0], seen[1], seen[2]
    out[:] = 0.0
    if which == 0:
        length = np.sqrt(_dot(p, p))
        divisor = length if length > 0.0 else np.nan
        for k in range(3):
            out[1 + k] = p[k] / divisor
        rate = _dot(out[1:4], v)
        out[0], out[7] = length, rate
        out[8] = _dot(out[1:4], a) + (_dot(v, v) - rate * rate) / divisor
        return
    if which < 4:
        k = which - 1
        out[0], out[1 + k], out[7], out[8] = p[k], 1.0, v[k], a[k]
        return
    above, below = np.empty(9), np.empty(9)
    if which == 6:
        _entry(axes, seen, 1, 0, above)
        _entry(axes, seen, 0, 0, below)
    else:
        _entry(axes, seen, 1 if which == 4 else 0, 2, above)
        _entry(axes, seen, 2, 2, below)
    if which == 4:
        above *= -1.0
    y, x = above[0], below[0]
    square, angle = x * x + y * y, np.arctan2(y, x)
    for k in range(1, 9):
        out[k] = (x * above[k] - y * below[k]) / square
    out[8] -= 2.0 * out[7] * (x * below[7] + y * above[7]) / square
    if hinges >= 0:
        turned = angles[hinges, 0]
        for i in range(q.size):
            turned += angles[hinges, 1 + i] * q[i]
        angle += 2.0 * np.pi * np.round((turned - angle) / (2.0 * np.pi))
    else:
        angle += 2.0 * np.pi * turns
    out[0] = angle


@njit(cache=True)
def _entry(axes: Array, seen: Array, row: int, column: int, out: Array) -> None:
    """The jet of an entry of the rotation of b as seen from a."""
    w, wd = seen[3], seen[4]
    z, once, twice, e = np.empty(3), np.empty(3), np.empty(3), np.zeros(3)
    _back(axes[0], axes[1, :, column], z)
    e[row], out[1:4], out[0] = 1.0, 0.0, z[row]
    _cross(w, z, once)
    out[7] = once[row]
    _cross(w, once, twice)
    _cross(wd, z, once)
    out[8] = once[row] + twice[row]
    _cross(z, e, out[4:7])


@njit(cache=True)
def _add_gradient(
    robot: Robot, R: Array, p: Array, body: int, point: Vector, force: Vector, moment: Vector,
    sign: float, J: Array
) -> None:  # fmt: skip
    """Add what a force and a moment on a body at a point are worth at the tree's joints."""
    parent, slides = robot[0], robot[1]
    while body >= 0:
        along = force
        if not slides[body]:
            along = _sum(_product(_difference(point, _row(p, body)), force), moment)
        J[body] += sign * _dot(_column(R, body, 2), along)
        body = parent[body]


@njit(cache=True)
def motor_torques(forces: Forces, t: float, torque: Array) -> None:
    """Torques of the motors at a time, by Clenshaw's recurrence of their series [N·m or N]."""
    edges, series = forces[0], forces[1]
    piece = 0
    while piece < len(series) - 1 and t > edges[piece + 1]:
        piece += 1
    low, high = edges[piece], edges[piece + 1]
    x = 2.0 * (min(t, high) - low) / (high - low) - 1.0
    for i in range(torque.size):
        a, b = 0.0, 0.0
        for k in range(series.shape[2] - 1, 0, -1):
            a, b = series[piece, i, k] + 2.0 * x * a - b, a
        torque[i] = series[piece, i, 0] + x * a - b


@njit(cache=True)
def linear_efforts(forces: Forces, q: Array, qd: Array, effort: Array) -> None:
    """Efforts of elements in joints that are linear in q and qd [N·m or N]."""
    at_zero, stiffness, damping = forces[2], forces[3], forces[4]
    for i in range(effort.size):
        effort[i] = at_zero[i]
        for j in range(effort.size):
            effort[i] -= stiffness[i, j] * q[j] + damping[i, j] * qd[j]


@njit(cache=True, inline="always")
def _rate(system: System, memory: MarkerMemory, t: float, y: Array, result: Array) -> bool:
    """The rate where all joints are free, under gravity, friction and the system's `Forces`."""
    n, m = system[1][6].size, len(system[4][8])
    still, places = np.zeros(n), (n, 2 * n + m, 3 * n + m, 4 * n + m)
    motor, acting, pushed, forces = np.zeros(n), np.zeros(n), np.zeros(n), system[3]
    q, qd = y[:n], y[n : 2 * n]
    if forces[0].size:
        motor_torques(forces, t, motor)
    if forces[2].size:
        linear_efforts(forces, q, qd, acting)
    if len(system[4][6]) or m:
        robot, markers = system[0], system[4]
        each, counted, rates = np.empty((len(markers[6]), 18)), y[2 * n :], result[2 * n :]
        if not act_between_markers(
            robot, markers, memory, t, q, qd, counted[:m], each, pushed, rates[:m]
        ):
            return False
    return bool(rate(system, places, q, qd, still, motor, acting, pushed, result))


@njit(cache=True, inline="always")
def _stage(
    system: System, memory: MarkerMemory, t: float, y: Array, h: float, K: Array, s: int, at: Array
) -> bool:
    """One more of the rates of a step, and the state that it is of."""
    for i in range(y.size):
        x = 0.0
        for j in range(s):
            x += A[s, j] * K[j, i]
        at[i] = y[i] + h * x
    return _rate(system, memory, t + C[s] * h, at, K[s])


@njit(cache=True)
def take_step(
    system: System, places: Places, y: Array, h: float, rule: Array, weights: Array, K: Array
) -> bool:
    """One step of a Runge-Kutta rule in the place of y, under motors' torques that are states of y.

    All joints are free. `rule` (s, s) and `weights` (s,) are the rule's, K (s, size) the rates of
    its stages; False where no friction fits.
    """
    n = system[1][6].size
    still, motor, acting, at = np.zeros(n), np.empty(n), np.zeros(n), np.empty(y.size)
    for i in range(n):
        motor[i] = y[places[1] - n + i]
    K[:] = 0.0
    for s in range(weights.size):
        for i in range(y.size):
            x = 0.0
            for j in range(s):
                x += rule[s, j] * K[j, i]
            at[i] = y[i] + h * x
        if system[3][2].size:
            linear_efforts(system[3], at[:n], at[n : 2 * n], acting)
        if not rate(system, places, at[:n], at[n : 2 * n], still, motor, acting, still, K[s]):
            return False
    for i in range(y.size):
        x = 0.0
        for s in range(weights.size):
            x += weights[s] * K[s, i]
        y[i] += h * x
    return True


@njit(cache=True)
def _solution_at(F: Array, y: Array, x: float, i: int) -> float:
    """Component i of the solution within a step, at the part x of it."""
    v = 0.0
    for r in range(7):
        v = (v + F[6 - r, i]) * (x if r % 2 == 0 else 1.0 - x)
    return v + y[i]


@njit(cache=True)
def _rest_in_step(
    F: Array, y: Array, row: int, sense: float, t: float, end: float, samples: Array, checks: int
) -> float:
    """The part of a step at which a sliding joint has come to rest; 2 if it does not.

    It is looked at in some places of the step, and at the samples in it.
    """
    low, k = 0.0, 0
    for check in range(1, checks + 1):
        last = False
        while not last:
            last = k == samples.size or (samples[k] - t) / (end - t) >= check / checks
            high = check / checks if last else (samples[k] - t) / (end - t)
            k += not last
            if sense * _solution_at(F, y, high, row) >= 0.0:
                low = high
                continue
            if sense * _solution_at(F, y, low, row) <= 0.0:  # from rest, perhaps there and back
                most, low = low, _still_slides(F, y, row, sense, low, high)
                if low == most:
                    return low
            while True:
                middle = 0.5 * (low + high)
                if middle in (low, high):
                    return low
                if sense * _solution_at(F, y, middle, row) > 0.0:
                    low = middle
                else:
                    high = middle
    return 2.0


@njit(cache=True)
def _still_slides(F: Array, y: Array, row: int, sense: float, low: float, high: float) -> float:
    """A part of a step after `low`, where a joint is at rest, at which it slides; `low` if none."""
    for halvings in range(1, HALVINGS + 1):
        part = low + (high - low) * 0.5**halvings
        if sense * _solution_at(F, y, part, row) > 0.0:
            return part
    return low


@njit(cache=True)
def _error(y: Array, new: Array, K: Array, h: float, rtol: float, atol: Array) -> float:
    """Estimated error of a step, in tolerances."""
    five, three = 0.0, 0.0
    for i in range(y.size):
        scale = atol[i] + rtol * max(abs(y[i]), abs(new[i]))
        e_5, e_3 = 0.0, 0.0
        for j in range(STAGES + 1):
            e_5 += E5[j] * K[j, i]
            e_3 += E3[j] * K[j, i]
        five += (e_5 / scale) ** 2
        three += (e_3 / scale) ** 2
    if five == 0.0 and three == 0.0:
        return 0.0
    return h * five / np.sqrt((five + 0.01 * three) * y.size)


@njit(cache=True)
def _is_seen(y: Array, new: Array, K: Array, h: float, rtol: float, atol: Array) -> bool:
    """Whether the rates without weight in the error are about where those with one are.

    See `sim.dynamics.explicit_steps`.
    """
    for i in range(y.size):
        seen, unseen = 0.0, 0.0
        for j in range(STAGES + 1):
            away = abs(K[j, i] - K[0, i])
            if E3[j] == 0.0 and E5[j] == 0.0:
                unseen = max(unseen, away)
            else:
                seen = max(seen, away)
        scale = atol[i] + rtol * max(abs(y[i]), abs(new[i]))
        if not h * unseen <= FARTHER * h * seen + LOOSE * scale:
            return False
    return True


@njit(cache=True, inline="always")
def _try_step(
    system: System, memory: MarkerMemory, y: Array, new: Array, K: Array, t: float, end: float,
    h: float, limits: Limits
) -> tuple[float, float]:  # fmt: skip
    """A step that is accurate enough: its end [s], -1 if there is none, and the next length."""
    shortest = 10.0 * (np.nextafter(t, np.inf) - t)
    h, most = min(max(h, shortest), limits[2]), 10.0
    while h >= shortest:
        after = min(t + h, end)
        h = after - t
        for s in range(1, STAGES + 1):
            if not _stage(system, memory, t, y, h, K, s, new):
                return -1.0, h
        error = _error(y, new, K, h, limits[0], limits[1])
        if error < 1.0 and not _is_seen(y, new, K, h, limits[0], limits[1]):
            error = TOO_LARGE
        factor = 0.9 * error**-0.125 if error != 0.0 else 10.0
        if error < 1.0:
            return after, h * min(factor, most)
        h *= factor if factor > 0.2 else 0.2
        most = 1.0
    return -1.0, h


@njit(cache=True, inline="always")
def _interpolate(
    system: System, memory: MarkerMemory, t: float, y: Array, new: Array, K: Array, h: float,
    F: Array
) -> bool:  # fmt: skip
    """The polynomials of the solution within a step."""
    at = np.empty(y.size)
    for s in range(STAGES + 1, 16):
        if not _stage(system, memory, t, y, h, K, s, at):
            return False
    for i in range(y.size):
        step = new[i] - y[i]
        F[0, i], F[1, i] = step, h * K[0, i] - step
        F[2, i] = 2.0 * step - h * (K[STAGES, i] + K[0, i])
        for r in range(4):
            F[3 + r, i] = 0.0
            for j in range(16):
                F[3 + r, i] += h * D[r, j] * K[j, i]
    return True


@njit(cache=True)
def _turn_back(robot: Robot, y: Array) -> bool:
    """Turn the balls beyond `FAR` the other way round to where they are; True if there are any."""
    has_turned = False
    for i in range(robot[8].size):
        if robot[8][i] != 3:
            continue
        q = y[i - 2 : i + 1]
        angle = np.sqrt(_dot(q, q))
        if angle > FAR:
            has_turned = True
            for k in range(3):
                q[k] -= 2.0 * np.pi / angle * q[k]
    return has_turned


@njit(cache=True)
def _first_at_rest(
    data: FrictionData, F: Array, y: Array, n: int, t: float, end: float, inside: Array, checks: int
) -> tuple[float, int]:
    """Which joint comes to rest first within a step, -1 for none, and at which part of it."""
    joints, sense = data[0], data[1]
    first, changed = 2.0, -1
    for x in range(joints.size):
        row = n + joints[x]
        part = _rest_in_step(F, y, row, sense[x], t, end, inside, checks)
        if part < first:
            first, changed = part, joints[x]
    return first, changed


@njit(cache=True)
def march(
    system: System,
    y: Array,
    now: Array,
    end: float,
    samples: Array,
    states: Array,
    reached: int,
    limits: Limits,
    most: int,
) -> tuple[int, int, int]:
    """Integrate until the end, the first sliding joint at rest, or so many steps.

    `y` and `now` (time, length of the next step) are those reached; `states` has one for each
    sample passed. Returns how it ended, the number of samples passed, and the joint that changed.
    """
    K, F, new = np.zeros((16, y.size)), np.empty((7, y.size)), np.empty(y.size)
    markers = system[4]
    memory = marker_memory_for(len(system[0][0]), len(markers[0]), len(markers[3]))
    is_known = False  # K[0], the rate at y
    for _ in range(most):
        t = now[0]
        if not (is_known or _rate(system, memory, t, y, K[0])):
            return FAILED, reached, -1
        after, now[1] = _try_step(system, memory, y, new, K, t, end, now[1], limits)
        if after < t:
            return FAILED, reached, -1
        h, part, changed = after - t, 2.0, -1
        until = samples.size if after == end else int(np.searchsorted(samples, after))
        if until > reached or system[2][0].size:
            if not _interpolate(system, memory, t, y, new, K, h, F):
                return FAILED, reached, -1
            part, changed = _first_at_rest(
                system[2], F, y, system[1][6].size, t, after, samples[reached:until], limits[3]
            )
            if changed >= 0:
                after = t + part * h
                until = samples.size if after == end else np.searchsorted(samples, after)
                for i in range(y.size):
                    new[i] = _solution_at(F, y, part, i)
            for k in range(reached, until):
                for i in range(y.size):
                    states[i, k] = _solution_at(F, y, (samples[k] - t) / h, i)
            reached = until
        y[:], K[0], now[0] = new, K[STAGES], after
        is_known = not _turn_back(system[0], y)
        if changed >= 0:
            return CHANGED, reached, changed
        if after == end:
            return REACHED, reached, -1
    return PAUSED, reached, -1
