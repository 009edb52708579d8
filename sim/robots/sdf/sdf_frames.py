"""Frames of an SDF model: pose and link of each."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from sim.maths.arrays import Array
from sim.maths.rotations import inverse_pose, pose
from sim.robots.document import Node
from sim.robots.sdf.sdf_models import ModelScope
from sim.robots.sdf.sdf_values import child, pose_of, relative_to, tag_of, text_of

WORLD = "world"


@dataclass(frozen=True, eq=False)
class _Place:
    """A frame with a pose in another frame, and the frame that it is attached to.

    For a model placed by one of its own frames, the pose is that of `placement`.
    """

    node: Node
    base: str
    T: Array
    attached: str
    placement: str = ""


@dataclass(eq=False)
class Frames:
    """All frames of a robot by full name: models, links, joints, and frames of the file."""

    nodes: dict[str, Node] = field(default_factory=dict)
    places: dict[str, _Place] = field(default_factory=dict)
    _poses: dict[str, Array] = field(default_factory=lambda: {WORLD: pose()})

    def pose(self, name: str) -> Array:
        """Return the pose of a frame in the world at zero positions, shape (4, 4).

        Raises
        ------
        ModelError
            If frames depend on each other in a circle.
        """
        chain = self._chain(name, self._poses, lambda place: place.base)
        for one in reversed(chain):
            place = self.places[one]
            T = self._poses[place.base] @ place.T
            if place.placement:
                T = T @ inverse_pose(self._inside(place.placement, one))
            self._poses[one] = T
        return self._poses[name]

    def link(self, name: str, links: Container[str]) -> str:
        """Return the link to which a frame is attached, or the world."""
        chain = self._chain(name, _Ends(links), lambda place: place.attached)
        return self.places[chain[-1]].attached if chain else name

    def find(self, scope: ModelScope, name: str, node: Node) -> str:
        """Return the full name of a frame named in an element.

        Raises
        ------
        ModelError
            If there is none; the message lists those of the model.
        """
        full = scope.full(name)
        for one in (full, f"{full}::__model__"):
            if one in self.nodes:
                return one
        if name == WORLD:
            return WORLD
        known = [one for one in self.nodes if one.startswith(scope.prefix)]
        listed = ", ".join(one for one in known if "__model__" not in one)
        raise node.error(f"there is no frame {name!r}; available: __model__, {listed}")

    def _inside(self, name: str, model: str) -> Array:
        """Return the pose of a frame in the frame of its model."""
        T = pose()
        for one in self._chain(name, (model, WORLD), lambda place: place.base):
            T = self.places[one].T @ T
        return T

    def _chain(self, name: str, ends: Container[str], after: Callable[[_Place], str]) -> list[str]:
        """Return the frames from `name` until one of `ends` is reached."""
        chain = dict[str, None]()
        while name not in ends:
            if name in chain:
                raise self.nodes[name].error(f"its frame depends on itself, by {', '.join(chain)}")
            chain[name] = None
            name = after(self.places[name])
        return list(chain)


@dataclass(frozen=True)
class _Ends:
    links: Container[str]

    def __contains__(self, name: object) -> bool:
        return name == WORLD or name in self.links


def frames_of(scopes: Sequence[ModelScope]) -> Frames:
    """Return the frames of a model and of all nested models.

    Raises
    ------
    ModelError
        If a name is used twice, or names no frame.
    """
    frames = Frames()
    for scope in scopes:
        frames.nodes[scope.key] = scope.node
        for name, node in scope.children("link", "joint", "frame"):
            if name in frames.nodes or name.split("::")[-1] in (WORLD, "__model__", "__root__"):
                raise node.error("its name is used twice, or is a word of SDF; names differ")
            frames.nodes[name] = node
    for scope in scopes:
        frames.places[scope.key] = _model_place(scope, frames)
        for name, node in scope.children("link", "joint", "frame"):
            frames.places[name] = _place(scope, node, frames)
    return frames


def _place(scope: ModelScope, node: Node, frames: Frames) -> _Place:
    tag = node.element.tag
    attached = "__model__"
    if tag == "joint":
        attached = text_of(node, "child")
    elif tag == "frame":
        attached = node.element.get("attached_to") or attached
    where = child(node, "pose")
    base = relative_to(where) or attached
    return _Place(
        node,
        frames.find(scope, base, where or node),
        pose_of(where),
        frames.find(scope, attached, node),
    )


def _model_place(scope: ModelScope, frames: Frames) -> _Place:
    """Return the place of a model, which an include may override."""
    placing = scope.placing
    if (where := child(placing, "pose")) is None:
        where = child(scope.node, "pose")
    base, T = WORLD, pose_of(where)
    if scope.parent is not None:
        base = frames.find(scope.parent, relative_to(where) or "__model__", where or placing)
    elif where is not None:
        T = _pose_in_world(placing, where, ()) @ T
    placement = frames.find(scope, scope.placement, placing) if scope.placement else ""
    return _Place(placing, base, T, _first_link(scope, frames), placement)


def _pose_in_world(placing: Node, where: Node, passed: tuple[str, ...]) -> Array:
    """Return the pose of the frame to which a pose at the top of a file is relative, (4, 4).

    Raises
    ------
    ModelError
        If the world has no such frame, or it is one inside a model.
    """
    base, world = relative_to(where), placing.element.getparent()
    if base in ("", WORLD) or world is None:
        return pose()
    one = next(
        (e for e in world if e.get("name") == base and tag_of(e) in ("frame", "model")), None
    )
    is_moved = one is not None and (
        one.get("attached_to", WORLD) != WORLD or one.get("placement_frame")
    )
    if one is None or is_moved or base in passed:
        raise where.error(
            f"its <pose> is relative to {base!r}, which is no <frame> or <model> of the world with "
            "a pose in the world; write this pose in the world"
        )
    node = Node(one, placing.source, base)
    if (further := child(node, "pose")) is None:
        return pose()
    return _pose_in_world(node, further, (*passed, base)) @ pose_of(further)


def _first_link(scope: ModelScope, frames: Frames) -> str:
    """Return the link that carries the frame of a model."""
    if name := scope.node.element.get("canonical_link", ""):
        return frames.find(scope, name, scope.node)
    if (link := next((name for name, _ in scope.children("link")), None)) is not None:
        return link
    inner = (one for one in frames.nodes if one.startswith(scope.prefix))
    return next((one for one in inner if frames.nodes[one].element.tag == "link"), WORLD)
