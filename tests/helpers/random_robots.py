"""Random robots as URDF text, for tests against other libraries."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator


def random_urdf(
    rng: Generator,
    n_joints: int,
    *,
    branching: bool = True,
    prismatic: bool = True,
    fixed: bool = True,
    mimic: bool = False,
) -> str:
    """A random tree of rigid bodies that can exist, with `n_joints` movable joints.

    Masses 0.5 to 5 kg, radii of gyration 0.05 to 0.2 m, lengths 0.1 to 0.5 m, skewed unit axes,
    full inertia tensors in skewed inertial frames. No ``continuous`` joints: some libraries
    describe those by two coordinates.

    Parameters
    ----------
    branching : bool
        Links may carry several others; a chain without it.
    prismatic : bool
        About a third of the joints are prismatic.
    fixed : bool
        About half of the bodies are two links joined rigidly; one of them may have no mass.
    mimic : bool
        About a third of the joints, never the first, follow an earlier one.
    """
    links = [_link(rng, "link_0")]
    joints = []
    carriers = ["link_0"]
    for index in range(n_joints):
        name, extra = f"link_{index + 1}", f"link_{index + 1}_fixed"
        parent = carriers[int(rng.integers(len(carriers)))] if branching else carriers[-1]
        kind = "prismatic" if prismatic and rng.random() < 1 / 3 else "revolute"
        leader = f"joint_{rng.integers(index)}" if mimic and index and rng.random() < 1 / 3 else ""
        joints.append(_joint(rng, f"joint_{index}", kind, (parent, name), leader))
        if fixed and rng.random() < 1 / 2:
            massless = rng.choice([name, extra, ""])
            links += [
                _frame(link) if link == massless else _link(rng, link) for link in (name, extra)
            ]
            joints.append(_joint(rng, f"{extra}_joint", "fixed", (name, extra)))
            carriers += [name, extra]
        else:
            links.append(_link(rng, name))
            carriers.append(name)
    # Document order is nobody's business; a reader has to sort.
    rng.shuffle(links)
    rng.shuffle(joints)
    return "\n".join(['<robot name="random">', *links, *joints, "</robot>"])


def random_state(rng: Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd and qdd of size n, each coordinate within ±π, ±2 and ±5."""
    return rng.uniform(-math.pi, math.pi, n), rng.uniform(-2, 2, n), rng.uniform(-5, 5, n)


def _frame(name: str) -> str:
    return f'<link name="{name}"/>'


def _link(rng: Generator, name: str) -> str:
    mass = float(rng.uniform(0.5, 5))
    # Any second moments s ≥ 0 of a mass distribution give a possible tensor: I = tr(S) 1 - S.
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    S = R @ np.diag(mass * rng.uniform(0.05, 0.2, 3) ** 2) @ R.T
    tensor = np.trace(S) * np.eye(3) - S
    upper = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), tensor[np.triu_indices(3)], strict=True)
    moments = " ".join(f'{key}="{float(moment)!r}"' for key, moment in upper)
    return (
        f'<link name="{name}">\n<inertial>\n{_origin(rng, 0.05, 0.3)}\n<mass value="{mass!r}"/>\n'
        f"<inertia {moments}/>\n</inertial>\n</link>"
    )


def _joint(rng: Generator, name: str, kind: str, ends: tuple[str, str], leader: str = "") -> str:
    parent, child = ends
    lines = [
        f'<joint name="{name}" type="{kind}">',
        f'<parent link="{parent}"/>',
        f'<child link="{child}"/>',
        _origin(rng, 0.1, 0.5),
    ]
    if kind != "fixed":
        lines.append(f'<axis xyz="{_words(_direction(rng))}"/>')
        lines.append('<limit lower="-3.2" upper="3.2" effort="1000" velocity="10"/>')
    if leader:
        multiplier, offset = rng.uniform(-2, 2, 2).tolist()
        lines.append(f'<mimic joint="{leader}" multiplier="{multiplier!r}" offset="{offset!r}"/>')
    return "\n".join([*lines, "</joint>"])


def _origin(rng: Generator, shortest: float, longest: float) -> str:
    xyz = rng.uniform(shortest, longest) * _direction(rng)
    rpy = rng.uniform(-math.pi, math.pi, 3) * (1, 0.5, 1)
    return f'<origin xyz="{_words(xyz)}" rpy="{_words(rpy)}"/>'


def _direction(rng: Generator) -> np.ndarray:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def _words(values: np.ndarray) -> str:
    return " ".join(repr(value) for value in values.tolist())
