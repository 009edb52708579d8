"""Models of an SDF file: the selected one, with nested and included models."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from sim.errors import ModelError
from sim.robots.document import Node
from sim.robots.guarded_file import read_regular_file
from sim.robots.sdf.sdf_values import child, is_true, name_of, refusal, tag_of, text_of
from sim.robots.translated_robot import NoSuchModelError
from sim.robots.xml_text import decode_text, parse

if TYPE_CHECKING:
    from lxml.etree import _Element

LARGEST_FILE = 20_000_000  # bytes of an included file
MOST_MODELS = 500  # in one robot, including included models
MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
"""Variables with folders of models, of Gazebo and sdformat."""

_TopModel = tuple[str, Node, tuple[int, ...], Node, tuple[Path, ...]]


class ModelScope(Struct, frozen=True, eq=False):
    """A model and the scope of its names.

    Parameters
    ----------
    node : Node
        The ``<model>``.
    prefix : str
        Prefix of the names of its links, joints and frames: ``"arm::"``.
    key : str
        Name of its own frame in the complete robot.
    version : tuple of int
        Format version of its file.
    parent : Scope or None
    placing : Node
        Element with its pose: the model itself, or an ``<include>``.
    placement : str
        Frame of the model that this pose places; empty for the model frame.
    folders : tuple of Path
        Folders from which its file may read, its own first.
    """

    node: Node
    prefix: str
    key: str
    version: tuple[int, ...]
    parent: ModelScope | None
    placing: Node
    placement: str
    folders: tuple[Path, ...]

    def full(self, name: str) -> str:
        """Return the name in the complete robot of a name in this model."""
        return self.key if name == "__model__" else f"{self.prefix}{name}"

    def children(self, *tags: str) -> Iterator[tuple[str, Node]]:
        """Yield elements with given tags, each with its name in the complete robot."""
        for element in self.node.element:
            if tag_of(element) in tags:
                name = name_of(element, self.node.source)
                subject = f"{tag_of(element)} {self.prefix + name!r}"
                yield self.full(name), Node(element, self.node.source, subject)


def scopes_of(
    path: Path, text: str, model: str | None
) -> tuple[list[ModelScope], dict[str, ModelError]]:
    """Return the model of a file, then all nested models.

    Returns
    -------
    scopes : list of ModelScope
    unread : dict of str to ModelError
        Why included models cannot be read, by name, if no model is named.

    Raises
    ------
    ModelError
        If the file has no model of that name, or several and no name is given.
    """
    source = str(path)
    root = parse(text, source)
    if root.tag != "sdf":
        raise refusal(source, f"the outermost element is <{root.tag}>; SDF starts with <sdf>")
    here = path.parent.resolve()
    folders = (here, here.parent, *_folders_of_environment())
    models, unread = _models(root, source, folders)
    names = [name for name, *_ in models]
    if not models:
        raise next(iter(unread.values()), refusal(source, "it has no <model>"))
    chosen = [one for one in models if model is None or one[0] == model]
    if model is None and len(models) > 1:  # a static one, such as a floor, is no robot
        chosen = [
            one for one in models if not (is_true(one[1], "static") or is_true(one[3], "static"))
        ]
    if model in unread and not chosen:
        raise unread[model]
    if model is None and len(chosen) != 1:
        raise NoSuchModelError(
            f"{source}: it has {len(models)} models: {', '.join(names)}; name one: --model NAME, "
            "load_robot(..., model=NAME) in Python"
        )
    if not chosen:
        raise NoSuchModelError(
            f"{source}: it has no model {model!r}; available: {', '.join(names)}"
        )
    if len(chosen) > 1:
        raise NoSuchModelError(
            f"{source}: {len(chosen)} of its models are called {model!r}; give each its own name"
        )
    _, node, version, placing, places = chosen[0]
    placement = text_of(placing, "placement_frame") or node.element.get("placement_frame", "")
    top = ModelScope(node, "", "__model__", version, None, placing, placement, places)
    return [*_walk_nested(top, [0])], unread if model is None else {}


def _models(
    root: _Element, source: str, folders: tuple[Path, ...]
) -> tuple[list[_TopModel], dict[str, ModelError]]:
    """Return the models at the top of a file and in its worlds, including included ones.

    Returns
    -------
    models : list of tuple
        Name, element, format version, element with the pose, and folders of each.
    unread : dict of str to ModelError
        Why others, such as a light of Gazebo, cannot be included, by name.
    """
    version, models, unread = _version(root, source), list[_TopModel](), dict[str, ModelError]()
    for holder in (root, *root.iterchildren("world")):
        for element in holder:
            if tag_of(element) == "model":
                name = name_of(element, source)
                node = Node(element, source, f"model {name!r}")
                models.append((name, node, version, node, folders))
            elif tag_of(element) == "include":
                include = Node(element, source, "<include>")
                name = text_of(include, "name")
                try:
                    node, of_file, places = _included_model(include, folders)
                except ModelError as error:
                    unread[name or text_of(include, "uri").rpartition("/")[2]] = error
                    continue
                name = name or name_of(node.element, node.source)
                models.append((name, node, of_file, include, places))
    return models, unread


def _walk_nested(scope: ModelScope, count: list[int]) -> Iterator[ModelScope]:
    count[0] += 1
    if count[0] > MOST_MODELS:
        raise scope.node.error(f"it leads to more than {MOST_MODELS} models in each other")
    yield scope
    for element in scope.node.element:
        tag = tag_of(element)
        if tag == "model":
            name = name_of(element, scope.node.source)
            node = Node(element, scope.node.source, f"model {scope.prefix + name!r}")
            yield from _walk_nested(
                _inner(scope, node, name, node, scope.version, scope.folders), count
            )
        elif tag == "include":
            include = Node(element, scope.node.source, "<include>")
            node, version, folders = _included_model(include, scope.folders)
            name = text_of(include, "name") or name_of(node.element, node.source)
            if (optional := child(include, "merge")) is not None:
                raise optional.error("merge is an attribute of <include>")
            yield from _walk_nested(_inner(scope, node, name, include, version, folders), count)


def _inner(
    scope: ModelScope,
    node: Node,
    name: str,
    placing: Node,
    version: tuple[int, ...],
    folders: tuple[Path, ...],
) -> ModelScope:
    """Return the scope of a nested model; the names of a merged one belong to its parent."""
    is_merged = placing.element.get("merge", "").lower() in ("true", "1")
    prefix = scope.prefix if is_merged else f"{scope.prefix}{name}::"
    placement = text_of(placing, "placement_frame") or (node.element.get("placement_frame") or "")
    key = f"{scope.prefix}{name}::__model__"
    return ModelScope(node, prefix, key, version, scope, placing, placement, folders)


def is_static(scope: ModelScope) -> bool:
    """Whether a model, or its include, is static."""
    return is_true(scope.node, "static") or is_true(scope.placing, "static")


def _version(root: _Element, source: str) -> tuple[int, ...]:
    text = root.get("version", "")
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}", text):
        raise Node(root, source, "<sdf>").error(f"its version {text[:20]!r} is none such as 1.9")
    return tuple(int(part) for part in text.split("."))


def _included_model(
    include: Node, folders: tuple[Path, ...]
) -> tuple[Node, tuple[int, ...], tuple[Path, ...]]:
    """Return the model of an ``<include>``, its file's version, and the folders it may read."""
    uri = text_of(include, "uri")
    path = _model_file(include, uri, folders)
    try:
        text = decode_text(read_regular_file(path, LARGEST_FILE))
    except UnicodeDecodeError as error:
        raise include.error(f"{path} is not UTF-8 text: {error.reason}") from None
    root = parse(text, str(path))
    if root.tag == "robot":
        raise include.error(f"{path} is a URDF; an <include> of SDF is read here, of URDF not")
    models = [one for one in root if tag_of(one) == "model"]
    if len(models) != 1:
        raise include.error(f"{path} has {len(models)} models at its top; an include needs one")
    name = name_of(models[0], str(path))
    node = Node(models[0], str(path), f"model {name!r}")
    return node, _version(root, str(path)), (path.parent, *folders)


def _model_file(include: Node, uri: str, folders: tuple[Path, ...]) -> Path:
    """Return the file of an address, which must be below one of the folders."""
    if (path := locate(uri, folders)) is None:
        listed = "".join(f"\n    {one}" for one in dict.fromkeys(folders))
        raise include.error(
            f"{uri!r} is not below a folder of models; set {MODEL_PATHS[0]} to the folder that has "
            f"it; nothing is downloaded; tried:{listed}"
        )
    return path if path.is_file() else _file_in(path)


def locate(uri: str, folders: tuple[Path, ...]) -> Path | None:
    """Return the file or folder of an address, below one of some folders; None if there is none.

    Symbolic links are resolved first.
    """
    scheme, colon, rest = uri.partition("://")
    if colon and scheme not in ("model", "file", "package"):
        return None
    name = rest if colon else uri
    for folder in folders if name and "\0" not in name else ():
        try:
            path = (folder / name).resolve()
            is_there = path.exists()
        except (OSError, ValueError, RuntimeError):
            continue
        if is_there and any(path.is_relative_to(one.resolve()) for one in folders):
            return path
    return None


def _file_in(folder: Path) -> Path:
    """Return the SDF file in a model's folder: the latest version in its ``model.config``."""
    config, newest = folder / "model.config", folder / "model.sdf"
    if not config.is_file():
        return newest
    try:
        root = parse(decode_text(read_regular_file(config, LARGEST_FILE)), str(config))
    except (UnicodeDecodeError, ModelError):
        return newest
    files = [
        (_version_key(one), (one.text or "").strip())
        for one in root.iterchildren("sdf")
        if (one.text or "").strip()
    ]
    path = (folder / max(files)[1]).resolve() if files else newest
    return path if path.is_relative_to(folder.resolve()) else newest


def _version_key(element: _Element) -> tuple[int, ...]:
    words = element.get("version", "0").split(".")
    return tuple(int(word) if word.isascii() and word.isdigit() else 0 for word in words[:4])


def _folders_of_environment() -> tuple[Path, ...]:
    texts = (os.environ.get(key, "") for key in MODEL_PATHS)
    return tuple(Path(part) for text in texts for part in text.split(os.pathsep) if part)
