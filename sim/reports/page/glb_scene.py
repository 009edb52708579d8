"""A robot as a GLB, one node per link, and the poses of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sim.errors import RecordingError, unreadable
from sim.maths.arrays import Array
from sim.maths.rotation_vectors import rotations_of_vectors
from sim.maths.rotations import quaternion_xyzw, rotations_of
from sim.recording.files.table_files import Table, numbers_in
from sim.reports.page.glb import FLOAT, UINT, USHORT, WIDTHS, Document, Json, read_glb
from sim.reports.page.scene_facts import LinkFacts, SceneFacts, facts_of
from sim.reports.page.shapes import add_mesh, shapes_of
from sim.robots.coordinate import Coordinate
from sim.robots.joint import Joint
from sim.robots.robot import Robot

FILE = "scene.glb"


def scene_of(robot: Robot) -> bytes:
    """Return the GLB of a robot at q = 0, without motion.

    Each joint is a fixed node at the joint frame; its child node is the link, which rotates about
    `axis` or slides along it. The extras of a link's node are its name, joint, axis, mass and mass
    centre. A link whose shape cannot be read is drawn as rods between its joints, which the scene's
    extras report; a robot without any shapes is drawn that way throughout.
    """
    shapes, notes = shapes_of(robot)
    sources = dict(robot.card.sources) if robot.card else {}
    facts = SceneFacts(robot.name, robot.tool, notes, sources)
    document = Document(
        {
            "asset": {"version": "2.0", "generator": "sim"},
            "extensionsUsed": ["KHR_mesh_quantization"],
            "extensionsRequired": ["KHR_mesh_quantization"],
            "scene": 0,
            "scenes": [{"nodes": [0], "extras": msgspec.to_builtins(facts)}],
            "nodes": [],
            "meshes": [],
            "materials": [
                {
                    "doubleSided": True,
                    "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.55},
                }
            ],
        }
    )
    nodes = document.tree["nodes"]
    index: dict[str, int] = {}
    carriers: list[Joint | None] = [None, *robot.joints]
    for k, (link, joint) in enumerate(zip(robot.links, carriers, strict=True)):
        T_pc = robot.T_0b if joint is None else joint.T_pc
        still = {"name": f"{k}_at_{link.name}", **_placement(T_pc)}
        extras = msgspec.to_builtins(facts_of(link, joint))
        node: Json = {"name": f"{k}_{link.name}", "extras": extras}
        if link.name in shapes:
            node["mesh"] = add_mesh(document, shapes[link.name])
        still["children"] = [len(nodes) + 1]
        if joint is not None:
            nodes[index[joint.parent]].setdefault("children", []).append(len(nodes))
        index[link.name] = len(nodes) + 1
        nodes += [still, node]
    return document.to_bytes()


def _placement(T: Array) -> dict[str, list[float]]:
    return {
        "translation": T[:3, 3].tolist(),
        "rotation": quaternion_xyzw(T[:3, :3, None])[:, 0].tolist(),
    }


class GlbScene(msgspec.Struct, frozen=True, eq=False):
    """GLB of a robot, read.

    Parameters
    ----------
    document : Document
    source : str
        File name, for messages.
    """

    document: Document
    source: str = FILE

    @classmethod
    def read(cls, data: bytes, source: str = FILE) -> GlbScene:
        """Read the scene of bytes by `scene_of`.

        Raises
        ------
        RecordingError
            If the bytes are damaged, or not a scene of this format.
        """
        scene = cls(read_glb(data, source), source)
        try:
            scene.parents()
            linked = list(scene.links) == list(range(1, len(scene.nodes), 2)) != []
            ours = linked and all("translation" in node for node in scene.nodes[0::2])
        except (KeyError, IndexError, TypeError, msgspec.ValidationError):
            ours = False
        if not ours:
            raise RecordingError(f"{source} is no scene of a robot")
        return scene

    @classmethod
    def beside(cls, folder: Path) -> GlbScene | None:
        """Return the scene in a run's folder, or None.

        Raises
        ------
        RecordingError
            If it is damaged or cannot be read.
        """
        path = folder / FILE
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RecordingError(unreadable(path, error)) from None
        return cls.read(data, str(path))

    @property
    def nodes(self) -> list[Json]:
        """Nodes in file order: a fixed one and a link's, in turn, parents first."""
        nodes: list[Json] = self.document.tree["nodes"]
        return nodes

    @property
    def facts(self) -> SceneFacts:
        """Facts about the robot in the scene."""
        extras = self.document.tree["scenes"][0].get("extras", {})
        return msgspec.convert({"robot": "", "tool": None, **extras}, SceneFacts)

    @property
    def links(self) -> dict[int, LinkFacts]:
        """Facts about links, by the index of their node."""
        return {
            k: msgspec.convert(node["extras"], LinkFacts)
            for k, node in enumerate(self.nodes)
            if "link" in node.get("extras", {})
        }

    def shapes(self) -> dict[str, tuple[Array, Array, NDArray[np.int64]]]:
        """Return vertices (N, 3) [m], linear colours (N, 3) and faces of each link with a shape."""
        outlines = {}
        for node in self.nodes:
            if "mesh" in node:
                part = self.document.tree["meshes"][node["mesh"]]["primitives"][0]
                corners = self._numbers(part["attributes"]["POSITION"]).astype(np.float64)
                light = self._numbers(part["attributes"]["COLOR_0"])[:, :3] / 65535
                faces = self._numbers(part["indices"]).reshape(-1, 3).astype(np.int64)
                outlines[str(node["extras"]["link"])] = (corners, light, faces)
        return outlines

    def _numbers(self, index: int) -> NDArray[Any]:
        """Return the numbers of an accessor without interleaving, shape (count, width)."""
        accessor = self.document.tree["accessors"][index]
        view = self.document.tree["bufferViews"][accessor["bufferView"]]
        kind = np.dtype({FLOAT: "<f4", USHORT: "<u2", UINT: "<u4"}[accessor["componentType"]])
        width = WIDTHS[accessor["type"]]
        count = width * accessor["count"]
        block = self.document.block
        return np.frombuffer(block, kind, count, view["byteOffset"]).reshape(-1, width).copy()

    def moving(self) -> list[tuple[int, LinkFacts]]:
        """Return index and facts of each node that a joint moves."""
        return [(k, facts) for k, facts in self.links.items() if facts.joint]

    def node_of(self, link: str) -> int | None:
        """Return the index of a link's node; None if it is not in the scene."""
        return next((k for k, facts in self.links.items() if facts.link == link), None)

    def parents(self) -> dict[int, int]:
        """Return the parent of each node that has one."""
        return {child: k for k, node in enumerate(self.nodes) for child in node.get("children", ())}

    def poses(self, table: Table, samples: list[int]) -> dict[str, Array]:
        """Return the world poses of links at samples of a run, shape (4, 4, len(samples)) [m]."""
        parents, links = self.parents(), self.links
        world: dict[int, Array] = {}
        poses = {}
        for k, node in enumerate(self.nodes):
            T = np.zeros((4, 4, len(samples)))
            T[3, 3] = 1.0
            if (link := links.get(k)) is not None and link.joint:
                R, p = _link_motion(link, table, samples)
            else:
                R = _rotation(np.reshape(node.get("rotation", (0, 0, 0, 1)), (4, 1)))
                p = np.reshape(node.get("translation", (0, 0, 0)), (3, 1))
            T[:3, :3], T[:3, 3] = R, p
            world[k] = np.einsum("abN,bcN->acN", world[parents[k]], T) if k in parents else T
            if link is not None:
                poses[link.link] = world[k]
        return poses


def positions(table: Table, row: str) -> Array:
    """Return recorded positions of a row; NaN is replaced by the last finite value."""
    channel = f"q.{row}"
    if channel not in table:
        return np.zeros(len(table))
    q = numbers_in(table, channel)
    sound = np.isfinite(q)
    last = np.maximum.accumulate(np.where(sound, np.arange(q.size), 0))
    return np.where(np.isfinite(q[last]), q[last], 0.0)


def positions_of(table: Table, rows: Sequence[Coordinate]) -> Array:
    """Return positions of several coordinates in a table, (rows, N)."""
    return np.stack([positions(table, row.name) for row in rows])


def _link_motion(link: LinkFacts, table: Table, samples: list[int]) -> tuple[Array, Array]:
    rows = link.rows
    q = positions_of(table, rows)[:, samples]
    still = np.zeros((3, len(samples)))
    if len(rows) == 3:
        return rotations_of_vectors(q), still
    axis = np.asarray(rows[0].axis)[:, None]
    if rows[0].is_angle:
        return _rotation(turn_quaternions(axis, q[0])), still
    return np.repeat(np.eye(3)[:, :, None], len(samples), axis=2), axis * q


def turn_quaternions(axis: Array, q: Array) -> Array:
    """Return quaternions xyzw of rotations by `q` [rad] about a unit vector (3, 1), (4, N)."""
    return np.concatenate([axis * np.sin(q / 2), np.cos(q / 2)[None]])


def _rotation(xyzw: Array) -> Array:
    return rotations_of(xyzw / np.linalg.norm(xyzw, axis=0))
