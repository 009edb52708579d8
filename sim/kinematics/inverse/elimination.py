"""All complex joint positions of a six-joint chain, as an eigenvalue problem of size 24.

The loop of six joints and the pose is cut in two: the flag of one axis, carried through three
joints on the left and two on the right, gives 14 equations. The right side has eight products of
two joints; its left null space eliminates them and leaves six equations in three joints. In half
tangents of two of these, the equations and the same times one of the half tangents form a 12×12
matrix, quadratic in the half tangent of the third; its singular points are eigenvalues. Any joint
of the loop may take any part; the choice determines the conditioning.

References
----------
Raghavan, Roth 1993, J. Mech. Design 115, 502-508.
Manocha, Canny 1994, IEEE Trans. Robotics and Automation 10, 648-657.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from sim.kinematics.inverse.joint_axes import TAU, Complex, JointAxes, Numbers, inverse, sine_axis
from sim.kinematics.inverse.line_flags import ROWS, flag_of, motion_coefficients
from sim.maths.arrays import Array

CANDIDATES = 24
_HALF = np.array([[1.0, 0, 1], [1, 0, -1], [0, 2, 0]])  # 1, cos, sin times (1+x²) in 1, x, x²
_ZEROS = (0.73, 1.91)  # rad; half tangents are infinite half a turn from here, at no common angle
_EIGEN_ZEROS = np.arange(8) * TAU / 8 + 0.37
_RANK = 1e-11  # relative singular value of the right side counted as zero
_INFINITE = 1e12  # entry of a companion matrix that cannot be used


@dataclass(frozen=True)
class Assignment:
    """Assignment of joints to the parts of the elimination.

    Parameters
    ----------
    cut : int
        First joint of the right side.
    is_reversed : bool
        Whether the loop runs from the tool to the base.
    hidden : int
        Index of the eigenvalue among the three joints on the left.
    """

    cut: int
    is_reversed: bool
    hidden: int

    @property
    def order(self) -> list[int]:
        """The chain's joints in the order of the loop."""
        joints = list(range(6))[::-1] if self.is_reversed else list(range(6))
        return joints[self.cut :] + joints[: self.cut]


ASSIGNMENTS = tuple(Assignment(*parts) for parts in product(range(6), (False, True), range(3)))


def candidates(axes: JointAxes, G: Array, assignment: Assignment) -> tuple[Complex, Complex]:
    """Return unpolished joint positions for displacements G.

    They include spurious ones and, for infinite roots, nan.

    Parameters
    ----------
    G : ndarray, shape (N, 4, 4)
        Required product of the joint motions.

    Returns
    -------
    q : ndarray, shape (N, 24, 6)
    eigenvalues : ndarray, shape (N, 24)
        In conjugate pairs, like the positions, as G is real.
    """
    loop, G = _arrange(axes, G, assignment)
    scale = np.linalg.norm(np.diff(axes.c, axis=-2), axis=-1).max() + 1e-300
    unit = JointAxes(loop.h, loop.c / scale, loop.slides)
    G_unit = G.copy()
    G_unit[:, :3, 3] /= scale
    left, right = _equations(unit, G_unit)
    U, S, Vt = np.linalg.svd(right[:, :, 1:])
    P = np.swapaxes(U[:, :, 8:], 1, 2)  # the six combinations without joints 1 and 2
    N = len(G)
    E = (P @ left.reshape(N, ROWS, 27)).reshape(N, 6, 3, 3, 3)
    E[:, :, 0, 0, 0] -= (P @ right[:, :, :1])[..., 0]
    others = [joint for joint in range(3) if joint != assignment.hidden]
    E = E.transpose(0, 1, *(2 + np.array([assignment.hidden, *others])))
    inner = [bool(unit.slides[2 + joint]) for joint in others]
    x, zero, v = _eigenpairs(E, bool(unit.slides[2 + assignment.hidden]), inner)
    out = np.full((N, CANDIDATES, 6), np.nan + 0j)
    with np.errstate(all="ignore"):
        out[..., 2 + assignment.hidden] = (
            _position(x, np.ones_like(x), bool(unit.slides[2 + assignment.hidden])) + zero[:, None]
        )
        ratios = (_ratio(v[..., :-1, :], v[..., 1:, :]), _ratio(v[..., :-1], v[..., 1:]))
        for joint, ratio, slides, offset in zip(others, ratios, inner, _ZEROS, strict=True):
            out[..., 2 + joint] = _position(*ratio, slides) + (0 if slides else offset)
        f = [_terms(out[..., 2 + k], bool(unit.slides[2 + k])) for k in range(3)]
        products = (f[0][..., :, None] * f[1][..., None, :]).reshape(N, CANDIDATES, 9)
        products = (products[..., None] * f[2][..., None, :]).reshape(N, CANDIDATES, 27)
        rest = left.reshape(N, ROWS, 27) @ np.swapaxes(products, 1, 2) - right[:, :, :1]
        inverted = np.where(_RANK * S[:, :1] < S, 1 / np.maximum(S, 1e-300), 0)
        m = (np.swapaxes(Vt, 1, 2) * inverted[:, None]) @ (np.swapaxes(U[:, :, :8], 1, 2) @ rest)
        for joint, (i, j) in enumerate(((2, 5), (0, 1))):  # for the products 01 02 10 11 … 22
            first, second = m[:, i], m[:, j]
            out[..., joint] = first if unit.slides[joint] else _direction(first, second)
        out[..., :5] *= np.where(loop.slides[:5], scale, 1.0)
        out[..., 5] = _last_joint(loop, G, out[..., :5])
    back = np.empty_like(out)
    back[..., assignment.order] = out
    return back, x


def _arrange(axes: JointAxes, G: Array, assignment: Assignment) -> tuple[JointAxes, Array]:
    """Return axes (N, 6, 3) in the loop's order, and the required product of their motions."""
    h, c = (np.broadcast_to(x, (len(G), 6, 3)) for x in (axes.h, axes.c))
    slides = axes.slides
    if assignment.is_reversed:
        h, c, slides, G = -h[:, ::-1], c[:, ::-1], slides[::-1], inverse(G)
    k = assignment.cut
    displaced = JointAxes(h[:, :k], c[:, :k], slides[:k]).move(inverse(G))
    h, c = (np.concatenate(pair, 1) for pair in ((h[:, k:], displaced.h), (c[:, k:], displaced.c)))
    return JointAxes(h, c, np.concatenate([slides[k:], slides[:k]])), G


def _equations(axes: JointAxes, G: Array) -> tuple[Array, Array]:
    """Return coefficients (N, 14, 27) of joints 3, 4, 5 and (N, 14, 9) of joints 1 and 2."""
    h, s, N = axes.h, axes.slides, len(G)
    along = ((axes.c[:, 1] - axes.c[:, 2]) * h[:, 2]).sum(-1, keepdims=True)
    origin = axes.c[:, 2] + along * h[:, 2]
    c = axes.c - origin[:, None]
    R = G[:, :3, :3]
    shift = G[:, :3, 3] + (R @ origin[..., None])[..., 0] - origin
    C = [
        motion_coefficients(h[:, k], c[:, k], bool(s[k]), -1.0 if k < 2 else 1.0) for k in range(5)
    ]
    v = (C[4] @ flag_of(h[:, 5], c[:, 5])[:, None, :, None])[..., 0]  # (N, 3, 15)
    v = C[3] @ np.swapaxes(v, 1, 2)[:, None]  # (N, 3, 15, 3)
    v = C[2] @ np.swapaxes(v, 1, 2).reshape(N, 1, 15, 9)  # (N, 3, 15, 9)
    left = np.swapaxes(v, 1, 2)[:, :ROWS].reshape(N, ROWS, 27)
    flag = flag_of((R @ h[:, 5, :, None])[..., 0], (R @ c[:, 5, :, None])[..., 0] + shift)
    u = (C[0] @ flag[:, None, :, None])[..., 0]
    u = C[1] @ np.swapaxes(u, 1, 2)[:, None]  # (N, joint 2, 15, joint 1)
    right = u.transpose(0, 2, 3, 1)[:, :ROWS].reshape(N, ROWS, 9)
    return left, right


def _eigenpairs(E: Array, slides: bool, inner: list[bool]) -> tuple[Complex, Array, Complex]:
    """Solve six equations (N, 6, 3, 3, 3) whose first variable is the eigenvalue.

    Returns
    -------
    x : ndarray, shape (N, 24)
        Half tangents of the first joint less `zero`, or its prismatic position.
    zero : ndarray, shape (N,)
        Angle at which the leading matrix is conditioned best.
    v : ndarray, shape (N, 24, 4, 3)
        Monomials of the other two.
    """
    N = len(E)
    to_a, to_b = (
        np.eye(3) if is_slide else _turn_back(offset) @ _HALF
        for is_slide, offset in zip(inner, _ZEROS, strict=True)
    )
    A = (E.reshape(N, 6, 3, 9) @ np.kron(to_a, to_b)).reshape(N, 6, 3, 3, 3)
    A = A / (np.sqrt((A**2).sum(axis=(2, 3, 4), keepdims=True)) + 1e-300)
    equations = np.zeros((N, 12, 3, 4, 3))
    equations[:, :6, :, :3] = A
    equations[:, 6:, :, 1:] = A  # times one half tangent: 12 equations in 12 monomials
    one, cos, sin = np.moveaxis(equations.reshape(N, 12, 3, 12), 2, 0)
    zero = np.zeros(N)
    if slides:
        constant, linear, lead = one, cos, sin
    else:
        leads = np.stack([one - np.cos(o) * cos - np.sin(o) * sin for o in _EIGEN_ZEROS], 1)
        values = np.linalg.svd(leads, compute_uv=False)
        zero = _EIGEN_ZEROS[np.argmax(values[..., -1] / values[..., 0], axis=1)]
        c, s = np.cos(zero)[:, None, None], np.sin(zero)[:, None, None]
        cos, sin = c * cos + s * sin, c * sin - s * cos
        constant, linear, lead = one + cos, 2 * sin, one - cos
    tail = np.concatenate([constant, linear], 2)
    companion = np.zeros((N, CANDIDATES, CANDIDATES))
    companion[:, :12, 12:] = np.eye(12)
    try:
        companion[:, 12:] = -np.linalg.solve(lead, tail)
    except np.linalg.LinAlgError:  # a singular matrix of one pose must not spoil the others
        companion[:, 12:] = -np.linalg.pinv(lead) @ tail
    companion[~(np.abs(companion) < _INFINITE).all(axis=(1, 2))] = 0
    x, vectors = np.linalg.eig(companion)
    v = np.swapaxes(vectors, 1, 2)
    v = np.where((np.abs(x) > 1)[..., None], v[..., 12:], v[..., :12])  # the larger half
    return x + 0j, zero, v.reshape(N, CANDIDATES, 4, 3) + 0j


def _turn_back(offset: float) -> Array:
    """Return the matrix of (1, cos, sin) of an angle by those of the angle less an offset."""
    c, s = np.cos(offset), np.sin(offset)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def _terms(q: Complex, slides: bool) -> Complex:
    rest = (q, q * q) if slides else (np.cos(q), np.sin(q))
    return np.stack([np.ones_like(q), *rest], -1)


def _ratio(low: Complex, high: Complex) -> tuple[Complex, Complex]:
    """Return the ratio from `low` to `high` as numerator and denominator, by the larger of both."""
    low, high = (v.reshape(*v.shape[:2], -1) for v in (low, high))
    ll, hh = (np.abs(low) ** 2).sum(-1), (np.abs(high) ** 2).sum(-1)
    lh = (np.conj(low) * high).sum(-1)
    first = ll >= hh
    return np.where(first, lh, hh), np.where(first, ll, np.conj(lh))


def _position(p: Complex, q: Complex, slides: bool) -> Complex:
    """Return 2 atan(p/q), or p/q for a prismatic joint."""
    return p / q if slides else -1j * (np.log(q + 1j * p) - np.log(q - 1j * p))


def _direction(cos: Numbers, sin: Numbers) -> Complex:
    """Return the complex angle of a cosine and a sine that rounding has scaled."""
    return -1j * np.log((cos + 1j * sin) / np.sqrt(cos * cos + sin * sin + 0j))


def _last_joint(loop: JointAxes, G: Array, q: Complex) -> Complex:
    """Return the motion of joint 6 from G and the joints before it, (N, 24, 5)."""
    lanes = JointAxes(loop.h[:, None], loop.c[:, None], loop.slides)
    T = lanes.motion(0, q[..., 0])
    for joint in range(1, 5):
        T = T @ lanes.motion(joint, q[..., joint])
    X = inverse(T) @ G[:, None]
    h = lanes.h[..., 5, :]
    if loop.slides[5]:
        return (X[..., :3, 3] * h).sum(-1)
    R = X[..., :3, :3]
    return _direction((np.trace(R, axis1=-2, axis2=-1) - 1) / 2, (sine_axis(R) * h).sum(-1))
