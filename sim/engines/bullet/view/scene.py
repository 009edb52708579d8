"""Scene: robots displayed in a PyBullet world without simulation."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sim.engines.bullet.joint_count import MOST_JOINTS, require_few_joints
from sim.engines.bullet.suppress_c_output import suppress_c_output
from sim.engines.bullet.temporary_file import temporary_file
from sim.engines.bullet.view.camera import LIGHT
from sim.engines.bullet.view.shown_urdf import shown_urdf
from sim.engines.bullet.welding import Welded, fit_to_bullet
from sim.errors import EngineError
from sim.maths.arrays import Array, Mask
from sim.maths.rotation_vectors import quaternions_of_vectors
from sim.maths.rotations import quaternion_xyzw
from sim.robots.robot import Robot
from sim.shapes.visuals import Visual

Colour = tuple[float, float, float, float]

FAR_AWAY = 1e4  # m
NOTHING = 0.999  # least depth of an empty pixel: close to the far plane


@dataclass(frozen=True, eq=False)
class Picture:
    """Image of a renderer.

    Parameters
    ----------
    rgb : ndarray of uint8, shape (height, width, 3)
    drawn : ndarray of bool, shape (height, width)
        Pixels that show something in the scene.
    """

    rgb: NDArray[np.uint8]
    drawn: Mask


@dataclass(frozen=True, eq=False)
class Mesh:
    """A surface in the world.

    Parameters
    ----------
    vertices, normals : ndarray, shape (n, 3)
        Points [m], and their unit normals.
    triangles : ndarray of int, shape (m, 3)
        Indices of vertices, counter-clockwise seen from outside.
    """

    vertices: Array
    normals: Array
    triangles: NDArray[np.int64]


@dataclass(frozen=True)
class SceneItem:
    """A robot or a surface in a scene.

    Parameters
    ----------
    body : int
        PyBullet's body number.
    links : dict of str to int
        PyBullet's number of the link with which each link is drawn.
    joints : tuple of int
        PyBullet's numbers of the movable joints, in the order of ``robot.tree_joints``.
    base : tuple
        Position [m] and quaternion by which PyBullet places it.
    poses : dict of str to ndarray, shape (4, 4)
        For links drawn with another: their pose in the frame of that [m].
    balls : frozenset of int
        Elements of `joints` that are balls.
    """

    body: int
    links: Mapping[str, int]
    joints: tuple[int, ...]
    base: tuple[Sequence[float], Sequence[float]]
    poses: Mapping[str, Array] = field(default_factory=dict)
    balls: frozenset[int] = frozenset()


class Scene:
    """A PyBullet world without physics, for pictures; a context manager.

    Parameters
    ----------
    graphics : bool
        Render by OpenGL without a display, several times faster than the software renderer. On a
        machine without EGL this may abort the process: see `sim.playback.process`.

    Raises
    ------
    EngineError
        If PyBullet cannot open a world, has no OpenGL, or cannot load a robot.
    """

    def __init__(self, *, graphics: bool = False) -> None:
        with suppress_c_output():
            import pybullet
        self.bullet: Any = pybullet
        self.client = self._connect()
        if self.client < 0:
            raise EngineError("PyBullet could not open a world to look at")
        self._renderer = pybullet.ER_TINY_RENDERER
        if graphics:
            self._load_graphics()
            self._renderer = pybullet.ER_BULLET_HARDWARE_OPENGL

    def _load_graphics(self) -> None:
        spec = importlib.util.find_spec("eglRenderer")
        origin = None if spec is None else spec.origin
        with suppress_c_output():
            plugin = -1
            if origin is not None:
                plugin = self.bullet.loadPlugin(
                    origin, "_eglRendererPlugin", physicsClientId=self.client
                )
        if plugin < 0:
            self.close()
            raise EngineError("PyBullet's OpenGL renderer is not there")

    def _connect(self) -> int:
        with suppress_c_output():
            client: int = self.bullet.connect(self.bullet.DIRECT)
        return client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        self.close()
        return None

    def close(self) -> None:
        """Close the world; repeated calls are harmless."""
        if self.client >= 0:
            with suppress_c_output():
                if self.bullet.isConnected(self.client):
                    self.bullet.disconnect(self.client)
            self.client = -1

    def add(
        self,
        robot: Robot,
        shapes: Sequence[Visual],
        colour: Colour | None = None,
        keep_separate: Collection[str] = (),
    ) -> SceneItem:
        """Add a robot to the scene, in a single colour if given.

        Parameters
        ----------
        keep_separate : collection of str
            Links for which `show` may be called: they are drawn separately.

        Raises
        ------
        EngineError, ModelError
            If PyBullet cannot load it, or supports fewer joints.
        """
        welded = _drawable(robot, shapes, keep_separate)
        whole, robot = robot, welded.robot
        shapes = [_place_shape(shape, welded) for shape in shapes]
        p, client = self.bullet, self.client
        T = robot.T_0b
        with temporary_file("robot.urdf", shown_urdf(robot, shapes)) as path, suppress_c_output():
            p.setPhysicsEngineParameter(enableFileCaching=0, physicsClientId=client)
            try:
                body: int = p.loadURDF(
                    path,
                    basePosition=T[:3, 3].tolist(),
                    baseOrientation=quaternion_xyzw(T[:3, :3, None])[:, 0].tolist(),
                    useFixedBase=True,
                    physicsClientId=client,
                )
            except p.error as error:
                message = f"PyBullet could not show robot {robot.name!r}: {error}"
                raise EngineError(message) from None
        count = p.getNumJoints(body, physicsClientId=client)
        by_name = {
            p.getJointInfo(body, k, physicsClientId=client)[1].decode(): k for k in range(count)
        }
        moving = tuple(
            by_name[f"joint_{k}"] for k, joint in enumerate(robot.joints) if joint.is_movable
        )
        numbers = {joint.child: by_name[f"joint_{k}"] for k, joint in enumerate(robot.joints)}
        links = {link.name: numbers.get(welded.place(link.name)[0], -1) for link in whole.links}
        if colour is not None:
            for link in range(-1, count):
                p.changeVisualShape(body, link, rgbaColor=colour, physicsClientId=client)
        base = p.getBasePositionAndOrientation(body, physicsClientId=client)
        poses = {name: T for name, (_, T) in welded.places.items()}
        tree = zip(moving, robot.tree_joints, strict=True)
        balls = frozenset(number for number, joint in tree if joint.is_ball)
        return SceneItem(body, links, moving, base, poses, balls)

    def place(self, shown: SceneItem, q_tree: Array) -> None:
        """Set the tree joints of a robot to positions `q_tree`, shape (n,) [rad or m]."""
        if not shown.joints:
            return
        places, row = [], 0
        for joint in shown.joints:
            if joint in shown.balls:
                vector = np.asarray(q_tree[row : row + 3])
                places.append(quaternions_of_vectors(vector[:, None])[:, 0].tolist())
                row += 3
            else:
                places.append([q_tree[row]])
                row += 1
        self.bullet.resetJointStatesMultiDof(
            shown.body, shown.joints, places, physicsClientId=self.client
        )

    def hide(self, shown: SceneItem, *, hidden: bool = True) -> None:
        """Move a body out of sight, or back to its place."""
        where = shown.base[0] if not hidden else (0.0, 0.0, -FAR_AWAY)
        self.bullet.resetBasePositionAndOrientation(
            shown.body, where, shown.base[1], physicsClientId=self.client
        )

    def show(self, shown: SceneItem, links: Mapping[str, bool]) -> None:
        """Show or hide some links of a robot."""
        p, client = self.bullet, self.client
        for shape in p.getVisualShapeData(shown.body, physicsClientId=client) if links else ():
            for link, there in links.items():
                if shape[1] == shown.links[link]:
                    colour = (*shape[7][:3], 1.0 if there else 0.0)
                    p.changeVisualShape(
                        shown.body, shape[1], rgbaColor=colour, physicsClientId=client
                    )

    def add_mesh(self, mesh: Mesh, colour: Colour) -> SceneItem:
        """Add a fixed surface to the scene."""
        p, client = self.bullet, self.client
        # not every renderer supports a mesh without a file
        with temporary_file("mesh.obj", obj_text(mesh)) as path, suppress_c_output():
            p.setPhysicsEngineParameter(enableFileCaching=0, physicsClientId=client)
            shape = p.createVisualShape(
                p.GEOM_MESH, fileName=path, rgbaColor=colour, physicsClientId=client
            )
            body = p.createMultiBody(baseVisualShapeIndex=shape, physicsClientId=client)
        return SceneItem(
            body, {}, (), p.getBasePositionAndOrientation(body, physicsClientId=client)
        )

    def picture(self, view: Array, projection: Array, width: int, height: int) -> Picture:
        """Render an image with the matrices of a `Camera`; no display is needed."""
        p = self.bullet
        _, _, rgba, depth, _ = p.getCameraImage(
            width,
            height,
            view.T.ravel().tolist(),  # column-major
            projection.T.ravel().tolist(),
            lightDirection=LIGHT.tolist(),
            lightAmbientCoeff=0.55,
            lightDiffuseCoeff=0.45,
            lightSpecularCoeff=0.15,
            shadow=1,
            flags=p.ER_NO_SEGMENTATION_MASK,
            renderer=self._renderer,
            physicsClientId=self.client,
        )
        return Picture(
            np.reshape(rgba, (height, width, 4))[..., :3].astype(np.uint8),
            np.reshape(depth, (height, width)) < NOTHING,
        )


def _drawable(robot: Robot, shapes: Sequence[Visual], keep_separate: Collection[str]) -> Welded:
    """Return the robot with as few welded links as necessary: each link has one colour."""
    drawn = {shape.link for shape in shapes}
    welded = fit_to_bullet(robot, {*drawn, *keep_separate})
    if len(welded.robot.joints) > MOST_JOINTS:
        welded = fit_to_bullet(robot, keep_separate)
    require_few_joints(welded.robot)
    return welded


def _place_shape(shape: Visual, welded: Welded) -> Visual:
    """Return a shape relative to the link with which it is drawn."""
    link, T = welded.place(shape.link)
    return shape if link == shape.link else replace(shape, link=link, T_lv=T @ shape.T_lv)


def obj_text(mesh: Mesh) -> str:
    """Return a surface in the OBJ format."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.vertices]
    lines += [f"vn {x:.6g} {y:.6g} {z:.6g}" for x, y, z in mesh.normals]
    lines += [f"f {a}//{a} {b}//{b} {c}//{c}" for a, b, c in mesh.triangles + 1]
    return "\n".join(lines) + "\n"
