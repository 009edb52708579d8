"""Contacts that stick: where two shapes do not slide on each other, and what holds them.

A contact with stiction is one patch (`sim.dynamics.kernels.patch_friction`): the velocity along the
surface at its centre of pressure, and R times the rate of turning about the normal, are its slip
s = J qd. While it sticks, s = 0 and friction is the multiplier that keeps it so,

    J qdd + Jd qd = 0,    M qdd + C qd + g = effort + Jᵀ f,    |f| <= mu_static N

with the push N of the law at the state. Contacts that share what they hold share it by N, as the
least norm of f/N has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace

import numpy as np

from sim.dynamics.contact_pairs import features_of
from sim.dynamics.element_sum import ElementSum
from sim.dynamics.equations_of_motion import Mechanism
from sim.dynamics.gravity import Gravity
from sim.dynamics.hybrid import HybridDynamics, LagrangianDynamics
from sim.dynamics.kernels.shape_kinds import CAPSULE, PLANE, SPHERE
from sim.dynamics.lagrange import mass_matrix
from sim.dynamics.loads import Loads
from sim.dynamics.shape_contact import Contact
from sim.dynamics.single_state.instant import Instant
from sim.dynamics.wrench import Acting, AppliedWrench
from sim.kinematics.forward import FrameMotion, Kinematics, marker_place
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import position_rates
from sim.maths.rotations import cross
from sim.robots.robot import Robot

# Rates of J qd by four states on the way: so far away at most, m or rad, and so fast at least.
ASIDE, SLOWEST = 1e-5, 1e-3
BESIDE, SLOPE = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0
LEFT = 1e-8  # of the accelerations, and of 1 m/s², which is rounding of them
REPEATED = 1e-10  # singular values by the largest, below which rows of J repeat others


@dataclass(frozen=True, eq=False)
class ContactInMode(Contact):
    """A contact with stiction while it sticks, so that its own law has no friction, or slides.

    Parameters
    ----------
    sticks : bool
    start_of_slip : tuple of 6 floats
        Of one that starts to slide the direction of its slip, along the surface and about the
        normal, world axes.
    """

    _: KW_ONLY
    sticks: bool = False
    start_of_slip: tuple[float, ...] = (0.0,) * 6

    @property
    def kind(self) -> str:
        """Name of the kind, that of `Contact`."""
        return Contact.__name__

    @property
    def friction(self) -> tuple[float, float, float, float]:
        """Coefficients as of `Contact`; zero while it sticks."""
        mu_s, mu_d, v_s, v_d = super().friction
        return (0.0, 0.0, v_s, v_d) if self.sticks else (mu_s, mu_d, v_s, v_d)

    @property
    def patch(self) -> tuple[float, ...]:
        """Mode and direction in which it starts to slide; see `ContactPairs`."""
        return (2.0 if any(self.start_of_slip) else 1.0, *self.start_of_slip)

    def start(self, robot: Robot) -> Array:
        """Return no states: the solver computes the holding force itself."""
        return np.empty(0)

    @classmethod
    def of(
        cls, contact: Contact, *, sticks: bool, start_of_slip: tuple[float, ...] = (0.0,) * 6
    ) -> ContactInMode:
        """Return a contact in one of its modes."""
        own = {one.name: getattr(contact, one.name) for one in fields(Contact)}
        return cls(**own, sticks=sticks, start_of_slip=start_of_slip)


@dataclass(frozen=True, eq=False)
class Patches:
    """Patches of C contacts at N states.

    Parameters
    ----------
    push, radius : ndarray, shape (C, N)
        [N], [m]
    centre, normal : ndarray, shape (C, 3, N)
    slip : ndarray, shape (C, 6, N)
        Along the surface and, times the radius, about the normal, world axes [m/s].
    distance : ndarray, shape (C, N)
        Of the shapes [m].
    """

    push: Array
    radius: Array
    centre: Array
    normal: Array
    slip: Array
    distance: Array

    @property
    def speed(self) -> Array:
        """Size of the slip, (C, N) [m/s]."""
        return np.asarray(np.sqrt(np.sum(self.slip**2, axis=1)))


def patches_of(contacts: Sequence[Contact], kinematics: Kinematics) -> Patches:
    """Return the patches of contacts at N states."""
    totals = np.stack([one.totals(kinematics).T for one in contacts])
    normal = totals[:, 20:23]
    slip = np.concatenate([totals[:, 23:26], totals[:, 26:27] * normal], axis=1)
    return Patches(totals[:, 6], totals[:, 16], totals[:, 17:20], normal, slip, totals[:, 14])


@dataclass(frozen=True, eq=False)
class Rows:
    """The slips of C contacts by the joints' motion at N states, three rows each: m = 3 C.

    Parameters
    ----------
    J : ndarray, shape (N, m, n)
    Jd_qd : ndarray, shape (N, m)
        Rate of the slips without qdd [m/s²].
    push : ndarray, shape (N, C)
    axes : ndarray, shape (C, 3, 6, N)
        Of each contact the direction of its slip to which a row belongs, world axes.
    centre : ndarray, shape (C, 3, N)
    radius : ndarray, shape (C, N)
    """

    J: Array
    Jd_qd: Array
    push: Array
    axes: Array
    centre: Array
    radius: Array

    def wrenches(
        self, contacts: Sequence[Contact], f: Array, kinematics: Kinematics
    ) -> tuple[AppliedWrench, ...]:
        """Return the wrenches of friction forces (N, m) on the links."""
        found = list[AppliedWrench]()
        for k, contact in enumerate(contacts):
            along = np.einsum("bxN,Nb->xN", self.axes[k], f[:, 3 * k : 3 * k + 3])
            force, turn = along[:3], self.radius[k] * along[3:]
            for marker, sign in ((contact.i, 1.0), (contact.j, -1.0)):
                if marker_place(kinematics.robot, marker)[0] >= 0:
                    place = kinematics.marker(marker).p
                    moment = turn + cross(self.centre[k] - place, force)
                    found.append(
                        AppliedWrench(marker.link, marker.point, sign * force, sign * moment, place)
                    )
        return tuple(found)


def rows_of(contacts: Sequence[Contact], robot: Robot, q: Array, qd: Array) -> Rows:
    """Return the rows of contacts at N states (n, N)."""
    n, N = q.shape
    rates = position_rates(robot.balls, q, qd) if robot.balls else qd
    step = ASIDE / np.maximum(np.abs(qd).max(axis=0), SLOWEST)
    moved = (q[:, :, None] + rates[:, :, None] * (step[:, None] * BESIDE)).reshape(n, -1)
    # each state itself, under a unit of each joint's velocity, and four on its way
    states = Kinematics(
        robot,
        np.concatenate([q, np.repeat(q, n, axis=1), moved], axis=1),
        np.concatenate([qd, np.tile(np.eye(n), N), np.repeat(qd, 4, axis=1)], axis=1),
    )
    patches = patches_of(contacts, Kinematics(robot, q, qd))
    axes = np.stack([_axes(normal) for normal in patches.normal])
    J, Jd_qd = np.zeros((N, 3 * len(contacts), n)), np.zeros((N, 3 * len(contacts)))
    for k, contact in enumerate(contacts):
        centre, rows = patches.centre[k], slice(3 * k, 3 * k + 3)
        scale = np.stack([np.ones(N), np.ones(N), patches.radius[k]])
        places, normals = _at_neighbours(contact, states, N * (1 + n), centre)
        i, j = (states.marker(one) for one in (contact.i, contact.j))
        at = np.concatenate([centre, np.repeat(centre, n, axis=1), places], axis=1)
        v = i.v + cross(i.w, at - i.p) - j.v - cross(j.w, at - j.p)
        w = i.w - j.w
        units = np.concatenate([v, w])[:, N : N * (1 + n)].reshape(6, N, n)
        J[:, rows] = scale.T[:, :, None] * np.einsum("bxN,xNn->Nbn", axes[k], units)
        v, w = v[:, N * (1 + n) :], w[:, N * (1 + n) :]
        v = v - np.sum(v * normals, axis=0) * normals
        w = np.sum(w * normals, axis=0) * np.repeat(patches.normal[k], 4, axis=1)
        along = np.einsum("bxN,xNo->bNo", axes[k], np.concatenate([v, w]).reshape(6, N, 4))
        Jd_qd[:, rows] = (scale * (along @ SLOPE) / step).T
    return Rows(J, Jd_qd, patches.push.T, axes, patches.centre, patches.radius)


def _axes(normal: Array) -> Array:
    """Return two tangents of a surface with a normal (3, N), and rotation about it, (3, 6, N)."""
    aside = np.where(np.abs(normal[0]) < 0.6, [[1.0], [0.0], [0.0]], [[0.0], [1.0], [0.0]])
    first = cross(normal, aside)
    first = first / np.maximum(np.sqrt(np.sum(first**2, axis=0)), np.finfo(float).tiny)
    nothing = np.zeros_like(normal)
    pairs = (first, nothing), (cross(normal, first), nothing), (nothing, normal)
    return np.stack([np.concatenate(pair) for pair in pairs])


def _at_neighbours(
    contact: Contact, states: Kinematics, begin: int, centre: Array
) -> tuple[Array, Array]:
    """Return the centre of a patch (3, N) and the normal at the neighbouring states, four each.

    These states are the last ones, from `begin` on.
    """
    i, j = (states.marker(one) for one in (contact.i, contact.j))
    ways = [
        FrameMotion(x.R[..., begin:], x.p[:, begin:], x.v[:, begin:], x.w[:, begin:])
        for x in (i, j)
    ]
    features = features_of(contact.pair, *ways).T
    normal, kinds = features[1:4], contact.pair.kinds[0].tolist()
    first, second = (0, 1) if kinds[0] <= kinds[1] else (1, 0)  # the plane, if there is one
    on_shapes, has_plane = (features[4:7], features[7:10]), PLANE in kinds
    if SPHERE in kinds or kinds == [CAPSULE, CAPSULE]:  # one point, whatever their poses
        return on_shapes[second if has_plane else first], normal
    now, way = (i, j)[second], ways[second]
    R, N = np.broadcast_to(now.R, (3, 3, states.q.shape[1])), centre.shape[1]
    arm = np.einsum("abN,aN->bN", R[..., :N], centre - now.p[:, :N])
    places = way.p + np.einsum("abN,bN->aN", way.R, np.repeat(arm, 4, axis=1))
    surface = ways[first].p if has_plane else on_shapes[first]
    return places + np.sum(normal * (surface - places), axis=0) * normal, normal


@dataclass(frozen=True, eq=False)
class StickingDynamics:
    """Hybrid dynamics with contacts that stick, around other `HybridDynamics`.

    Parameters
    ----------
    tree : HybridDynamics
    contacts : tuple of ContactInMode
    """

    tree: HybridDynamics
    contacts: tuple[ContactInMode, ...]

    @property
    def robot(self) -> Robot:
        """Robot of the model."""
        return self.tree.robot

    @property
    def gravity(self) -> Gravity:
        """Gravity in the world [m/s²]."""
        return self.tree.gravity

    def hybrid_dynamics(
        self, q: Array, qd: Array, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts; see `HybridDynamics`."""
        without, _ = self.tree.hybrid_dynamics(q, qd, qdd, held, effort, wrenches)
        rows = rows_of(self.contacts, self.robot, q, qd)
        f, _ = forces(rows, np.moveaxis(mass_matrix(self.robot, q), -1, 0), held, without.T)
        more = rows.wrenches(self.contacts, f, Kinematics(self.robot, q, qd))
        return self.tree.hybrid_dynamics(q, qd, qdd, held, effort, (*wrenches, *more))

    def at_instant(
        self, at: Instant, qdd: Array, held: Mask, effort: Array, wrenches: Acting = ()
    ) -> tuple[Array, Array]:
        """Complete accelerations and efforts at one state; see `HybridDynamics`."""
        q, qd = at.q[:, None], at.qd[:, None]
        without, given = self.tree.at_instant(at, qdd, held, effort, wrenches)
        rows, M, loose = rows_of(self.contacts, self.robot, q, qd), np.asarray(at.M), ~held
        every = np.stack([forces(rows, M[None], held, case[None])[0][0] for case in without.T])
        if type(self.tree) is LagrangianDynamics:  # which has all of it in M and J
            pull, change = rows.J[0].T @ every.T, np.zeros_like(without)
            change[loose] = np.linalg.solve(M[np.ix_(loose, loose)], pull[loose])
            return without + change, given + np.where(held[:, None], M @ change - pull, 0.0)
        kinematics, answers = Kinematics(self.robot, q, qd), []
        for k, f in enumerate(every):
            acting = (*wrenches, *rows.wrenches(self.contacts, f[None], kinematics))
            answers.append(self.tree.at_instant(at, qdd, held, effort[:, k : k + 1], acting))
        qdds, efforts = (np.concatenate(x, axis=1) for x in zip(*answers, strict=True))
        return qdds, efforts


def forces(rows: Rows, M: Array, held: Mask, qdd: Array) -> tuple[Array, Array]:
    """Return the friction forces that keep all slips zero, and the remaining slip rates (N, m).

    The accelerations (N, n) are those without these forces. A slip rate [m/s²] remains where drives
    alone move a contact.
    """
    W, b = responses(rows, M, held, qdd)
    shares = np.repeat(rows.push, 3, axis=1)
    shared = np.linalg.pinv(W * shares[:, None], REPEATED)
    f = -shares * np.einsum("Nab,Nb->Na", shared, b)
    left = np.einsum("Nab,Nb->Na", W, f) + b
    left[np.abs(left) <= LEFT * (1.0 + np.abs(b).max(axis=1, initial=0.0))[:, None]] = 0.0
    return f, left


def responses(rows: Rows, M: Array, held: Mask, qdd: Array) -> tuple[Array, Array]:
    """Return slip rates by unit friction forces (N, m, m), and without friction (N, m)."""
    loose = ~held
    J = rows.J[:, :, loose]
    moved = np.linalg.solve(M[:, loose][:, :, loose], J.swapaxes(1, 2))
    return J @ moved, np.einsum("Nmn,Nn->Nm", rows.J, qdd) + rows.Jd_qd


def in_modes(
    mechanism: Mechanism, contacts: Sequence[ContactInMode], base: HybridDynamics
) -> Mechanism:
    """Return a mechanism with its contacts with stiction in the given modes."""
    loads = mechanism.loads
    assert isinstance(loads, ElementSum)
    modes = iter(contacts)
    elements = tuple(next(modes) if has_stiction(one) else one for one in loads.elements)
    stuck = tuple(one for one in contacts if one.sticks)
    dynamics = StickingDynamics(base, stuck) if stuck else base
    return replace(mechanism, loads=ElementSum(loads.robot, elements), dynamics=dynamics)


def has_stiction(element: object) -> bool:
    """Return whether a force element is a contact with stiction."""
    return isinstance(element, Contact) and element.stiction


def with_modes(loads: Loads | None) -> Loads | None:
    """Return loads for a solver, with the contacts with stiction in their sliding mode."""
    if not isinstance(loads, ElementSum) or not any(map(has_stiction, loads.elements)):
        return loads
    elements = (
        ContactInMode.of(one, sticks=False) if isinstance(one, Contact) and one.stiction else one
        for one in loads.elements
    )
    return ElementSum(loads.robot, tuple(elements))


def recorded_states(loads: Loads | None, z: Array, held: Mapping[str, Array]) -> Array:
    """Return all states of loads: those of the solver (states, N) and of contacts (5, N) each."""
    if not isinstance(loads, ElementSum) or not any(map(has_stiction, loads.elements)):
        return z
    rows, begin = list[Array](), 0
    for one in loads.elements:
        count = one.start(loads.robot).size
        if isinstance(one, Contact) and one.stiction:
            rows.append(held.get(one.name, np.zeros((count, z.shape[1]))))
        else:
            rows.append(z[begin : begin + count])
            begin += count
    return np.concatenate(rows)
