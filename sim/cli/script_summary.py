"""Title and parameters of a scenario script, read from its text: a list need not run it."""

from __future__ import annotations

import ast
import math
from pathlib import Path

from msgspec import Struct


class ScriptSummary(Struct, frozen=True):
    """A scenario script in a list.

    Parameters
    ----------
    name : str
        File name without ``.py``.
    title : str
        First line of its docstring.
    parameters : dict
        Names and default values of the settable parameters.
    """

    name: str
    title: str
    parameters: dict[str, object]


def script_summary(path: Path) -> ScriptSummary:
    """Return title and parameters of a script, which is run only if its text is not sufficient.

    Raises
    ------
    ScenarioError
        If it must be run and fails, or defines no ``scenario``.
    """
    tree = ast.parse(path.read_bytes(), str(path))
    functions = [x for x in tree.body if isinstance(x, ast.FunctionDef) and x.name == "scenario"]
    try:
        parameters = _parameters(functions[-1])
    except (IndexError, ValueError):
        from sim.scenario.script import load_script

        script = load_script(str(path))
        return ScriptSummary(script.name, script.title, script.parameters)
    title = (ast.get_docstring(tree) or "").partition("\n")[0]
    return ScriptSummary(path.stem, title, parameters)


def _parameters(function: ast.FunctionDef) -> dict[str, object]:
    """Return the defaults of the parameters of a function.

    Raises
    ------
    ValueError
        If one is not a number, a text or computed by `math`, or has no default.
    """
    arguments = function.args
    ordered = arguments.posonlyargs + arguments.args
    if function.decorator_list or arguments.posonlyargs or len(arguments.defaults) < len(ordered):
        raise ValueError(function.name)
    names = [argument.arg for argument in ordered + arguments.kwonlyargs]
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    return {name: _value(node) for name, node in zip(names, defaults, strict=True)}


def _value(node: ast.expr | None) -> object:
    if node is None or any(isinstance(x, ast.Name) and x.id != "math" for x in ast.walk(node)):
        raise ValueError(node)
    try:
        return ast.literal_eval(node)
    except ValueError:  # a sum or a product: 2 * math.pi
        code = compile(ast.Expression(node), "<default>", "eval")
        try:
            return eval(code, {"__builtins__": {}, "math": math})
        except Exception as error:  # any error: running the script will raise it
            raise ValueError(str(error)) from error
