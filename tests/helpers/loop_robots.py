"""Mechanisms with closed loops, and what is known of them in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from sim.kinematics import body_poses, tree_of
from sim.kinematics.forward import frame_of
from sim.maths import Array
from sim.robots import LOOP_KINDS, Loop, Robot, read_urdf
from tests.helpers.random_robots import random_urdf
from tests.helpers.small_robots import joint, link, robot

ACROSS = (0.0, 1.0, 0.0)  # the planar mechanisms here turn about y


def bar(name: str, mass: float, length: float) -> str:
    """A thin uniform rod along z from its own origin."""
    moment = mass * length**2 / 12
    return link(name, mass, f"0 0 {length / 2!r}", f"{moment!r} {moment!r} 0")


def at(xyz: str, rpy: str = "0 0 0") -> str:
    return f'<origin xyz="{xyz}" rpy="{rpy}"/>'


@dataclass(frozen=True)
class FourBar:
    """Crank, coupler and rocker of thin rods; all angles from the vertical, about y.

    The crank turns about the origin, the rocker about (`ground`, 0) in x and z.
    """

    ground: float = 0.45
    crank: float = 0.2
    coupler: float = 0.5
    rocker: float = 0.4
    masses: tuple[float, float, float] = (1.0, 1.5, 1.2)
    crossed: bool = False

    def robot(self, normal: tuple[float, float, float] | None = ACROSS) -> Robot:
        m1, m2, m3 = self.masses
        tree = robot(
            bar("crank", m1, self.crank),
            bar("coupler", m2, self.coupler),
            bar("rocker", m3, self.rocker),
            joint("crank_joint", "revolute", "ground", "crank", "0 1 0"),
            joint(
                "rocker_joint", "revolute", "ground", "rocker", "0 1 0", at(f"{self.ground} 0 0")
            ),
            joint(
                "coupler_joint", "revolute", "crank", "coupler", "0 1 0", at(f"0 0 {self.crank}")
            ),
        )
        assert tree.joint_names == ("crank_joint", "rocker_joint", "coupler_joint")
        passive = ("coupler_joint", "rocker_joint")
        pins = (0, 0, self.coupler), (0, 0, self.rocker)
        loop = Loop("coupler on rocker", "coupler", pins[0], "rocker", pins[1], normal, passive)
        return replace(tree, loops=(loop,))

    def absolute(self, a: Array) -> Array:
        """Angles of crank, coupler and rocker by the law of cosines, shape (3, N)."""
        x, z = self.ground - self.crank * np.sin(a), -self.crank * np.cos(a)
        distance = np.hypot(x, z)
        inner = (self.coupler**2 + distance**2 - self.rocker**2) / (2 * self.coupler * distance)
        b = np.arctan2(x, z) + (1 if self.crossed else -1) * np.arccos(inner)
        tip_x, tip_z = self.coupler * np.sin(b) - x, self.coupler * np.cos(b) - z
        return np.stack([a, b, np.arctan2(tip_x, tip_z)])

    def motion(self, a: Array, ad: Array, add: Array) -> tuple[Array, Array, Array]:
        """Joint positions in ]-pi, pi], velocities and accelerations, each (3, N)."""
        lengths = np.array([self.crank, self.coupler, -self.rocker])[:, None]
        angle = self.absolute(a)
        along, across = lengths * np.sin(angle), lengths * np.cos(angle)  # Σ = const
        rate, second = np.stack([ad, ad, ad]), np.stack([add, add, add])
        # Σ across rate = 0, Σ along rate = 0, and their derivatives
        det = across[1] * along[2] - across[2] * along[1]
        rate[1] = (-across[0] * along[2] + across[2] * along[0]) * ad / det
        rate[2] = (-across[1] * along[0] + across[0] * along[1]) * ad / det
        u = -across[0] * add + (along * rate**2).sum(axis=0)
        w = -along[0] * add - (across * rate**2).sum(axis=0)
        second[1] = (u * along[2] - across[2] * w) / det
        second[2] = (across[1] * w - along[1] * u) / det
        return tuple(np.stack([x[0], x[2], x[1] - x[0]]) for x in (angle, rate, second))

    def energies(self, a: Array, ad: Array, g: float) -> tuple[Array, Array]:
        """Kinetic and potential energy from the closed form alone."""
        m1, m2, m3 = self.masses
        _, rate, _ = self.motion(a, ad, 0 * a)
        w1, w3, w2 = rate[0], rate[1], rate[0] + rate[2]
        _, b, c = self.absolute(a)
        vx = self.crank * w1 * np.cos(a) + self.coupler / 2 * w2 * np.cos(b)
        vz = -self.crank * w1 * np.sin(a) - self.coupler / 2 * w2 * np.sin(b)
        kinetic = (m1 * (self.crank * w1) ** 2 + m3 * (self.rocker * w3) ** 2) / 6
        kinetic += m2 * (vx**2 + vz**2) / 2 + m2 * (self.coupler * w2) ** 2 / 24
        height = m1 * self.crank * np.cos(a) / 2 + m3 * self.rocker * np.cos(c) / 2
        height += m2 * (self.crank * np.cos(a) + self.coupler * np.cos(b) / 2)
        return kinetic, g * height


OFFSETS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60  # of a first derivative, to the sixth order
STEP = 2e-3  # rad


def reduced(bars: FourBar, a: float, g: float) -> tuple[float, float, float]:
    """m, dm/da and dV/da of ``m a'' + dm/da a'²/2 + dV/da = u``, by the closed form's energies."""
    near = a + STEP * OFFSETS
    doubled, V = bars.energies(near, np.ones(6), g)
    own = bars.energies(np.array([a]), np.ones(1), g)[0][0]
    return 2 * float(own), 2 * float(doubled @ WEIGHTS / STEP), float(V @ WEIGHTS / STEP)


LIMITS = {"crank_joint": 0.4, "rocker_joint": 0.3, "coupler_joint": 0.2}  # [N·m]


def rough_bars(times: float = 1.0) -> Robot:
    """The four-bar with dry friction in every joint, written into its text."""
    smooth = FourBar().robot()
    text = smooth.text
    for name, limit in LIMITS.items():
        head, own, rest = text.partition(f'<joint name="{name}"')
        rubs = f'<dynamics friction="{times * limit!r}"/></joint>'
        text = f"{head}{own}{rest.replace('</joint>', rubs, 1)}"
    return replace(read_urdf(text), loops=smooth.loops)


def rod_bar() -> tuple[FourBar, Robot]:
    """A four-bar whose coupler is a rod without mass, and its closed form."""
    bars = FourBar(masses=(1.0, 0.0, 1.2))
    tree = robot(
        bar("crank", bars.masses[0], bars.crank),
        bar("rocker", bars.masses[2], bars.rocker),
        joint("crank_joint", "revolute", "ground", "crank", "0 1 0"),
        joint("rocker_joint", "revolute", "ground", "rocker", "0 1 0", at(f"{bars.ground} 0 0")),
    )
    ends = "crank", (0, 0, bars.crank), "rocker", (0, 0, bars.rocker)
    rod = Loop("rod", *ends, passive=("rocker_joint",), kind="rod", length=bars.coupler)
    return bars, tree.with_loops(rod)


def block_crank(crank: float, rod: float, mass: float = 2.0, com: str = "0 0 0") -> Robot:
    """The slider-crank cut open at its guide: the block hangs on the rod. q: crank, rod, block."""
    tree = robot(
        bar("crank", 1.0, crank),
        bar("rod", 0.8, rod),
        link("block", mass, com, "0.01 0.01 0.01"),
        joint("crank_joint", "revolute", "ground", "crank", "0 1 0"),
        joint("rod_joint", "revolute", "crank", "rod", "0 1 0", at(f"0 0 {crank}")),
        joint("block_joint", "revolute", "rod", "block", "0 1 0", at(f"0 0 {rod}")),
    )
    frame = (1, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1, 0)
    ends, passive = ("ground", (0, 0, 0), "block", (0, 0, 0)), ("rod_joint", "block_joint")
    return tree.with_loops(Loop("guide", *ends, None, passive, "slider", *frame))


def slider_crank(crank: float, rod: float, mass: float = 2.0, com: str = "0 0 0") -> Robot:
    """A crank at the origin moves a slider of `mass` along x by a rod; q: crank, slider, rod."""
    tree = robot(
        bar("crank", 1.0, crank),
        bar("rod", 0.8, rod),
        link("slider", mass, com, "0.01 0.01 0.01"),
        joint("crank_joint", "revolute", "ground", "crank", "0 1 0"),
        joint("slider_joint", "prismatic", "ground", "slider", "1 0 0"),
        joint("rod_joint", "revolute", "crank", "rod", "0 1 0", at(f"0 0 {crank}")),
    )
    names = ("rod_joint", "slider_joint")
    loop = Loop("rod on slider", "rod", (0, 0, rod), "slider", (0, 0, 0), ACROSS, names)
    return replace(tree, loops=(loop,))


def parallelogram(length: float = 0.4, width: float = 0.5, mass: float = 1.2) -> Robot:
    """Two upright bars under a level one; all follow the crank, the rocker of `mass` too."""
    level = f'<mimic joint="crank_joint" multiplier="-1" offset="{np.pi / 2!r}"/>'
    tree = robot(
        bar("crank", 1.0, length),
        bar("coupler", 1.5, width),
        bar("rocker", mass, length),
        joint("crank_joint", "revolute", "ground", "crank", "0 1 0"),
        joint(
            "coupler_joint", "revolute", "crank", "coupler", "0 1 0", at(f"0 0 {length}") + level
        ),
        joint(
            "rocker_joint",
            "revolute",
            "ground",
            "rocker",
            "0 1 0",
            at(f"{width} 0 0") + '<mimic joint="crank_joint"/>',
        ),
    )
    ends = "coupler", (0, 0, width), "rocker", (0, 0, length)
    return replace(tree, loops=(Loop("coupler on rocker", *ends, ACROSS),))


def windows(count: int) -> Robot:
    """`count` four-bars side by side: bars of 1 kg and 1 m, upright ones and level ones on top."""
    parts, loops = [], []
    for i in range(count + 1):
        hinge = joint(f"foot_{i}", "revolute", "ground", f"post_{i}", "0 1 0", at(f"{i} 0 0"))
        parts += [bar(f"post_{i}", 1.0, 1.0), hinge]
    for i in range(count):
        corner = at("0 0 1", f"0 {np.pi / 2!r} 0")
        hinge = joint(f"corner_{i}", "revolute", f"post_{i}", f"beam_{i}", "0 1 0", corner)
        parts += [bar(f"beam_{i}", 1.0, 1.0), hinge]
        passive = (f"corner_{i}", f"foot_{i + 1}")
        ends = (f"beam_{i}", (0, 0, 1), f"post_{i + 1}", (0, 0, 1))
        loops.append(Loop(f"window {i}", *ends, ACROSS, passive))
    return replace(robot(*parts), loops=tuple(loops))


def closed_at(
    tree: Robot, q: Array, link_a: str, link_b: str, point_a: Array, planar: bool = False
) -> Robot:
    """The robot with a loop that is closed at `q` (n,), in a skewed plane only if asked."""
    S, q_0 = tree.coupling
    poses = body_poses(tree_of(tree), (S @ q + q_0)[:, None])
    places = []
    for name in (link_a, link_b):
        body, T = frame_of(tree, name)
        R = poses.rotation(body, T[:3, :3])[..., 0]
        places.append((R, poses.point(body, T[:3, 3])[:, 0]))
    (R_a, p_a), (R_b, p_b) = places
    normal = np.array([2.0, -1.0, 2.0]) / 3 if planar else None
    place = p_a + R_a @ point_a + (0.0 if normal is None else 0.3 * (R_a @ normal))
    loop = Loop("loop", link_a, point_a, link_b, R_b.T @ (place - p_b), normal)
    return replace(tree, loops=(loop,))


STRING = "DM(b,a)**2 - 0.3*DX(b,a,a)*SIN(DZ(b,a,a)) + 0.2*AX(b,a)*DY(b,a,a) - AY(b,a) + AZ(b,a)"


def random_loop(rng: np.random.Generator, kind: str, links: Sequence[str]) -> Loop:
    """A loop of a kind between two links, its frames anywhere."""
    (axis_a, axis_b), across = np.linalg.qr(rng.normal(size=(2, 3, 3)))[0][:, :, 0], []
    for axis in (axis_a, axis_b):
        aside = np.cross(axis, rng.normal(size=3))
        across.append(aside / np.linalg.norm(aside))
    every = {
        "axis_a": axis_a, "axis_b": axis_b, "across_a": across[0], "across_b": across[1],
        "length": 0.7, "function": STRING,
    }  # fmt: skip
    has_any = LOOP_KINDS[kind].has_function
    needs = {
        "axis_a": LOOP_KINDS[kind].has_axis_a or has_any,
        "axis_b": LOOP_KINDS[kind].has_axes or has_any,
        "across_a": LOOP_KINDS[kind].has_across or has_any,
        "across_b": LOOP_KINDS[kind].has_across or has_any,
        "length": kind == "rod", "function": has_any,
    }  # fmt: skip
    own = {key: value for key, value in every.items() if needs[key]}
    ends = links[0], rng.uniform(-0.5, 0.5, 3), links[1], rng.uniform(-0.5, 0.5, 3)
    return Loop("loop", *ends, kind=kind, **own)


@st.composite
def looped(
    draw: st.DrawFn, *, fewest: int = 2, mimic: bool = False, planar: bool = True
) -> tuple[Robot, Array, Array, Array]:
    """A random tree with a loop over two of its links, and q, qd, qdd; the loop is closed at q."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, branching = draw(st.integers(fewest, 9)), draw(st.booleans())
    tree = read_urdf(random_urdf(rng, n, branching=branching, mimic=mimic))
    tree = tree.mounted(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
    q, qd, qdd = rng.uniform(-1, 1, (3, len(tree.joint_names)))
    names = [link.name for link in tree.links]
    a, b = draw(st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True))
    in_plane = planar and draw(st.booleans())
    return closed_at(tree, q, a, b, rng.uniform(-0.5, 0.5, 3), in_plane), q, qd, qdd
