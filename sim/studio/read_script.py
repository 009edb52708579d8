"""read_script: a scenario script as a setup, if the forms could have written it.

A file belongs to the forms if writing the setup that was read gives the same tokens, numbers by
value. Reading may therefore be simple: errors are noticed. Nothing is executed.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from typing import Any, Literal, cast, get_args

import msgspec

from sim.functions.lint import Level
from sim.studio.setup import Setup
from sim.studio.write_script import MOUNTS, write_script

LARGEST = 1_000_000  # bytes of a script; longer ones are not parsed
TABLES = {level.upper(): level for level in get_args(Level)}
LISTS = ("TIMES", "SPRINGS", "SPHERES")
SPRING = ("name", "i", "j", "stiffness", "damping", "free_length")
FIELDS = {
    "PATH": "path",
    "DRIVE_TRAINS": "drive_trains",
    "START": "positions",
    "FRICTION": "friction",
}
FIRST = ("payload", "duration")
SHOWN = 80  # characters of a default other than a number or a text

Owner = Literal["forms", "noted", "hand"]


class OpenedScript(msgspec.Struct, frozen=True):
    """A script, as seen by the forms.

    Parameters
    ----------
    owner : str
        ``forms``: they may overwrite it. ``noted``: the same except for comments or layout, which
        saving would lose. ``hand``: edited beyond the forms.
    setup : Setup or None
        None for ``hand``.
    parameters : dict
        Of the function ``scenario``, with their defaults.
    """

    owner: Owner
    setup: Setup | None = None
    parameters: dict[str, object] = {}


class _OtherShapeError(Exception):
    """A part that no form writes."""


def read_script(text: str) -> OpenedScript:
    """Classify a script; its text is parsed and not executed."""
    if len(text) > LARGEST:
        return OpenedScript("hand")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return OpenedScript("hand")
    parameters = _parameters(tree)
    try:
        setup = _setup_of(tree)
        again = write_script(setup)
        if _tokens(again) == _tokens(text):
            return OpenedScript("forms", setup, parameters)
        if _meaning(ast.parse(again)) == _meaning(tree):
            return OpenedScript("noted", setup, parameters)
    except (
        _OtherShapeError,
        TypeError,
        ValueError,
        msgspec.ValidationError,
        RecursionError,
        tokenize.TokenError,
    ):
        pass
    return OpenedScript("hand", parameters=parameters)


def _tokens(text: str) -> list[tuple[int, object]]:
    """Return tokens with comments and line ends, without blanks inside a line; numbers by value."""
    return [
        (one.type, _number(one.string) if one.type == tokenize.NUMBER else one.string.strip("\r\n"))
        for one in tokenize.generate_tokens(io.StringIO(text).readline)
    ]


def _number(digits: str) -> object:
    value = ast.literal_eval(digits)
    return value if isinstance(value, complex) else float(value)


def _meaning(tree: ast.Module) -> str:
    """Return the tree without positions, in which an integer equals the same float."""
    copied = ast.parse(ast.unparse(tree))
    for node in ast.walk(copied):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = float(node.value)
    return ast.dump(copied)


def _setup_of(tree: ast.Module) -> Setup:
    """Return the setup in the tables and calls of a script, as far as they are recognised."""
    parameters = _parameters(tree)
    first = {name: parameters.pop(name) for name in FIRST if name in parameters}
    fields: dict[str, Any] = {"drives": {}, "varied": list(parameters)}
    tree = _Filled(parameters).visit(tree)
    table: dict[str, Any] = {}
    floor: dict[str, Any] = {}
    for name, value in _tables(tree):
        _read_table(name, value, fields, table, floor)
    of_tool = table.pop("of_tool", False)
    fields |= first
    for node in ast.walk(_scenario(tree)):
        _read_call(node, fields, table, floor)
    if floor:
        fields["floor"] = floor
    if of_tool:
        fields["points"] = table
    elif "columns" in table:
        fields["table"] = table
        fields["drives"] |= {name: {"kind": "table"} for name in table["columns"]}
    fields["drives"] |= {name: {"kind": "free"} for name in fields.pop("free", ())}
    return msgspec.convert(_floats(fields), Setup, strict=True)


def _read_table(
    name: str, value: Any, fields: dict[str, Any], table: dict[str, Any], floor: dict[str, Any]
) -> None:
    """Read an assignment at the top level."""
    if name in TABLES:
        fields["drives"] |= {j: {"kind": TABLES[name], "text": t} for j, t in value.items()}
    elif name in ("TABLE", "POINTS"):
        table |= {"columns": _floats(value), "of_tool": name == "POINTS"}
    elif name == "TIMES":
        table["times"] = _floats(value)
    elif name == "SPRINGS":
        fields["springs"] = [dict(zip(SPRING, row, strict=True)) for row in value]
    elif name == "SPHERES":
        floor["spheres"] = value
    elif name in FIELDS:
        fields[FIELDS[name]] = value


class _Filled(ast.NodeTransformer):
    """Replaces names of parameters by their defaults."""

    def __init__(self, parameters: dict[str, object]) -> None:
        self.parameters = parameters

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the default of the name."""
        return (
            ast.Constant(cast(Any, self.parameters[node.id]))
            if node.id in self.parameters
            else node
        )

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """Return the text of an f-string of parameters."""
        held = (one.value if isinstance(one, ast.FormattedValue) else one for one in node.values)
        parts = [self.visit(one) for one in held]
        if not all(isinstance(one, ast.Constant) for one in parts):
            return node
        return ast.Constant("".join(str(one.value) for one in parts))


def _tables(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """Yield names and values of the tables at the top of a script and of its function."""
    for node in (*tree.body, *_scenario(tree).body):
        match node:
            case ast.Assign([ast.Name(name)], ast.Dict() | ast.List() as value):
                literal = _literal(value)
                if isinstance(literal, list) != (name in LISTS):
                    raise _OtherShapeError
                yield name, literal


def _read_call(
    node: ast.AST, fields: dict[str, Any], table: dict[str, Any], floor: dict[str, Any]
) -> None:
    """Read a call or keyword inside ``scenario``."""
    match node:
        case ast.Call(ast.Attribute(attr="load_robot"), [robot]):
            fields["robot"] = _literal(robot)
        case ast.Call(ast.Attribute(attr="pose"), [pose]):
            fields["start"] = _literal(pose)
        case ast.Call(ast.Attribute(attr=level), [ast.Name("TABLE")]):
            table["level"] = level
        case ast.keyword("rpy", value):
            fields["mount"] = _mount(_literal(value))
        case ast.Call(ast.Attribute(attr="plane"), [], [ast.keyword("at", place)]):
            floor["height"] = _literal(place)[2]
        case ast.Call(ast.Attribute(attr="impact"), [], numbers):
            floor |= {str(one.arg): _literal(one.value) for one in numbers}
        case ast.keyword("mu_static", value):
            floor["friction"] = _literal(value)
        case ast.keyword(
            "com" | "gravity" | "dt" | "method" | "engine" | "tool" | "free" as key, value
        ):
            fields[key] = _literal(value)


def _mount(rpy: object) -> str:
    for name, angles in MOUNTS.items():
        if angles == rpy:
            return name
    raise _OtherShapeError


def _floats(value: Any) -> Any:
    """Return the value with integers as floats and tuples as lists, as in JSON."""
    if isinstance(value, dict):
        return {key: _floats(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_floats(one) for one in value]
    return float(value) if type(value) is int else value


def _scenario(tree: ast.Module) -> ast.FunctionDef:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "scenario":
            return node
    raise _OtherShapeError


def _parameters(tree: ast.Module) -> dict[str, object]:
    """Return the parameters of ``scenario`` with their defaults."""
    try:
        arguments = _scenario(tree).args
    except _OtherShapeError:
        return {}
    names = [one.arg for one in arguments.args]
    values = arguments.defaults
    return {
        name: _plain(value)
        for name, value in zip(names[len(names) - len(values) :], values, strict=True)
    }


def _plain(node: ast.expr) -> object:
    try:
        value = _literal(node)
    except _OtherShapeError:
        return ast.unparse(node)[:SHOWN]
    return value if isinstance(value, bool | int | float | str) else repr(value)[:SHOWN]


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError) as error:
        raise _OtherShapeError from error
