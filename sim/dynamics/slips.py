"""Slips of contacts by the joints' motion.

A contact with stiction is one patch (`sim.dynamics.kernels.contact_forces`): the velocity along the
surface at its centre of pressure, and R times the rate of turning about the normal, are its slip
s = J qd.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from sim.dynamics.contact_pairs import features_of
from sim.dynamics.kernels.shape_kinds import CAPSULE, PLANE, SPHERE
from sim.dynamics.shape_contact import Contact
from sim.dynamics.wrench import AppliedWrench
from sim.kinematics.forward import FrameMotion, Kinematics, marker_place
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import position_rates
from sim.maths.rotations import cross
from sim.robots.robot import Robot

# Rates of J qd by four states on the way: so far away at most, m or rad, and so fast at least.
ASIDE, SLOWEST = 1e-5, 1e-3
BESIDE, SLOPE = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0


class Patches(Struct, frozen=True, eq=False):
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


class Rows(Struct, frozen=True, eq=False):
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

    def direction(self, k: int, slip: Array) -> tuple[float, ...]:
        """Return the direction (6,) of a slip (3,) of contact k at the first state; () for zero."""
        along = self.axes[k, :, :, 0].T @ slip
        return tuple((along / np.linalg.norm(along)).tolist()) if along.any() else ()

    def wrenches(
        self, contacts: Sequence[Contact], f: Array, kinematics: Kinematics
    ) -> tuple[AppliedWrench, ...]:
        """Return the wrenches of friction forces (N, m) on the links."""
        wrenches = list[AppliedWrench]()
        for k, contact in enumerate(contacts):
            along = np.einsum("bxN,Nb->xN", self.axes[k], f[:, 3 * k : 3 * k + 3])
            force, turn = along[:3], self.radius[k] * along[3:]
            for marker, sign in ((contact.i, 1.0), (contact.j, -1.0)):
                if marker_place(kinematics.robot, marker)[0] >= 0:
                    place = kinematics.marker(marker).p
                    moment = turn + cross(self.centre[k] - place, force)
                    wrenches.append(
                        AppliedWrench(marker.link, marker.point, sign * force, sign * moment, place)
                    )
        return tuple(wrenches)


def rows_of(contacts: Sequence[Contact], robot: Robot, q: Array, qd: Array) -> Rows:
    """Return the rows of contacts at N states (n, N)."""
    n, N = q.shape
    rates = position_rates(robot.balls, q, qd) if robot.balls else qd
    step = ASIDE / np.maximum(np.abs(qd).max(axis=0), SLOWEST)
    displaced = (q[:, :, None] + rates[:, :, None] * (step[:, None] * BESIDE)).reshape(n, -1)
    # each state itself, under a unit of each joint's velocity, and four on its way
    states = Kinematics(
        robot,
        np.concatenate([q, np.repeat(q, n, axis=1), displaced], axis=1),
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
