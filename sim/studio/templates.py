"""Templates of the window: a dropped xacro file becomes a URDF file next to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import msgspec

from sim.robots.loading import read_file
from sim.robots.xacro_file import expand
from sim.robots.xml_text import is_xacro, parse
from sim.studio.folder import ROBOTS, Folder
from sim.studio.refusal import RefusalError
from sim.studio.setup import Text, Word

_ARGUMENT = "{http://www.ros.org/wiki/xacro}arg"


class TemplateRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A template below ``robots/`` to be expanded, and values of its arguments."""

    template: Word
    arguments: Annotated[dict[Word, Text], msgspec.Meta(max_length=100)] = {}


def template_arguments(folder: Folder, name: str) -> list[dict[str, Any]]:
    """Return the arguments that a template declares, with their defaults.

    Raises
    ------
    RefusalError, ModelError
        If there is no such template, or it cannot be read.
    """
    path, text = read_file(_template(folder, name))
    elements = parse(text, str(path)).iter(_ARGUMENT)
    return [{"name": one.get("name", ""), "default": one.get("default")} for one in elements]


def expand_template(folder: Folder, expansion: TemplateRequest) -> str:
    """Write the URDF of a template next to it; return its path in the folder.

    It reads files below the folder only, and has no other access: see `sim.robots.confinement`.

    Raises
    ------
    RefusalError, ModelError
        If it cannot be expanded.
    """
    path = _template(folder, expansion.template)
    text = expand(path, expansion.arguments, below=(folder.path,)).encode()
    inside = expansion.template.removeprefix(f"{ROBOTS}/")
    stem = re.sub(r"(\.urdf)?\.xacro$", "", inside, flags=re.IGNORECASE)
    return folder.save_first_free(stem, ".urdf", text)


def _template(folder: Folder, name: str) -> Path:
    path = folder.below(name)
    if not (name.startswith(f"{ROBOTS}/") and is_xacro(path) and path.is_file()):
        raise RefusalError(422, f"there is no template {name} below {ROBOTS}/")
    return path
