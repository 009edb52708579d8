"""Scenario scripts: find one by name or path, and build its scenario with given parameters."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import math
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from sim import shipped
from sim.errors import ScenarioError, SimError, missing
from sim.maths.arguments import checked
from sim.recording.files.whole_files import json_text
from sim.robots.loading import looking_in
from sim.robots.local_code import (
    current_watch,
    executed_text,
    is_shipped,
    load_module,
    loaded_below,
    watched_code,
)
from sim.scenario.scenario import Scenario

MODULE = "sim_scenario_"  # prefix of the module names of scripts
SETTABLE = (bool, int, float, str, tuple, type(None))  # parameters that a text can set


class Script(Struct, frozen=True):
    """A scenario script.

    Parameters
    ----------
    name : str
        File name without ``.py``.
    path : Path
    function : callable
        ``scenario(**parameters) -> Scenario``.
    """

    name: str
    path: Path
    function: Callable[..., Scenario]

    @property
    def title(self) -> str:
        """First line of the script's docstring."""
        text = inspect.getdoc(sys.modules[self.function.__module__]) or ""
        return text.partition("\n")[0]

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and default values of the parameters."""
        return {name: p.default for name, p in self._signature().items()}

    @property
    def units(self) -> dict[str, str]:
        """Units by parameter, if the docstring of `function` gives them: ``load [kg]``."""
        text = inspect.getdoc(self.function) or ""
        pairs = re.findall(r"\b(\w++)`? \[([^][]++)]", text)
        return {name: unit for name, unit in reversed(pairs) if name in self.parameters}

    def settings_of(self, parameters: Mapping[str, object]) -> dict[str, object]:
        """Return settings with which `build` restores the parameters of a description.

        Values equal to the default are omitted, and so are those that no setting can give: of some
        values, such as NaN or a function, a description only holds a text.
        """
        defaults = self.parameters
        return {
            name: _tuples(value)
            for name, value in parameters.items()
            if not (name in defaults and _is_default(defaults[name], value))
        }

    def _signature(self) -> dict[str, inspect.Parameter]:
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        parameters = inspect.signature(self.function).parameters
        return {name: p for name, p in parameters.items() if p.kind in named}

    def value_of(self, name: str, value: object) -> object:
        """Convert a value for a parameter; text is read as the type of the parameter's default.

        Raises
        ------
        ScenarioError
            If there is no such parameter, or the value is unusable.
        """
        signature = self._signature()
        if name not in signature:
            raise ScenarioError(
                f"Scenario {self.name!r} has no parameter {name!r}{_hint(name, signature)}; "
                f"parameters: {_list_parameters(self.parameters)}"
            )
        return _parse_value(signature[name], value)

    def explain(self, error: SimError) -> str:
        """Return the message of a run's error, with the place in the script of what it names."""
        return str(error)

    def build(self, settings: Mapping[str, object]) -> tuple[Scenario, dict[str, Any]]:
        """Build the scenario for some settings; return it and all parameters used, as plain data.

        Parameters
        ----------
        settings : mapping
            Values by parameter name; text is read as the type of the parameter's default.

        Raises
        ------
        ScenarioError
            If a parameter is unknown or its value unusable, or if the script fails.
        """
        defaults = self.parameters
        chosen = {name: self.value_of(name, value) for name, value in settings.items()}
        missing = [
            name
            for name, default in defaults.items()
            if default is inspect.Parameter.empty and name not in chosen
        ]
        if missing:
            raise ScenarioError(
                f"Scenario {self.name!r} needs a value for {missing[0]!r}: --set {missing[0]}=..."
            )
        with running_script(self.path):
            scenario = self.function(**chosen)
        if not isinstance(scenario, Scenario):
            raise ScenarioError(
                f"scenario() in {self.path} must return a sim.Scenario, "
                f"got {type(scenario).__name__}"
            )
        return scenario, {
            name: _plain_value(value) for name, value in {**defaults, **chosen}.items()
        }


@checked
def load_script(name: str) -> Script:
    """Load the script of a shipped scenario or a ``.py`` file.

    Raises
    ------
    ScenarioError
        If there is no such scenario, or the file cannot be run or defines no ``scenario``.
    """
    path = Path(name)
    if path.suffix != ".py":
        if path.suffix in (".urdf", ".xacro", ".xml", ".sdf", ".world") and path.is_file():
            raise ScenarioError(
                f"{name} is the file of a robot, not a scenario: sim run SCENARIO --robot {name} "
                f"if its function has a parameter robot, or a script with sim.load_robot({name!r})"
            )
        path, known = shipped.scenarios() / f"{name}.py", shipped.scenario_names()
        if name not in known:
            raise ScenarioError(
                f"There is no scenario {name!r}{_hint(name, known)}; "
                f"shipped: {', '.join(known)}; or give the path of a .py file"
            )
    if not path.is_file():
        raise ScenarioError(missing(name))
    return script_of(run_file(path).__dict__.get("scenario"), path)


def script_of(function: object, path: Path) -> Script:
    """Return the script of a function defined in `path`.

    Raises
    ------
    ScenarioError
        If it is not a function.
    """
    if not callable(function):
        raise ScenarioError(
            f"{path} defines no function `scenario`; a scenario script has "
            "`def scenario(...) -> sim.Scenario`"
        )
    return Script(path.stem, path.resolve(), function)


def run_file(path: Path, prefix: str = MODULE) -> Any:
    """Run a Python file as a module with a name of its own that begins with `prefix`.

    Raises
    ------
    ScenarioError
        If its code fails with an error from outside this package.
    """
    module_name = f"{prefix}{path.stem}"
    with running_script(path):
        return load_module(module_name, path)


@contextlib.contextmanager
def running_script(path: Path) -> Iterator[None]:
    """Run a script's code as Python itself would.

    Modules and robots in its folder can be found, and no compiled copy is read or written. Its
    printed output goes to stderr: stdout belongs to the command, and may be a single JSON document.
    A script named by the user, and the local modules that it loads, are known code from then on.

    Raises
    ------
    ScenarioError
        If the code fails with an error from outside this package, or ends the program.
    """
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)
    previous, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        with (
            contextlib.redirect_stdout(sys.stderr),
            looking_in(path.resolve().parent),
            recorded_code(path),
        ):
            yield
    except SimError:
        raise
    except (Exception, SystemExit) as error:
        raise ScenarioError(_failure(path, error)) from error
    finally:
        sys.dont_write_bytecode = previous
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


@contextlib.contextmanager
def recorded_code(path: Path) -> Iterator[None]:
    """Record the local code that a file executes, if the user has named the file."""
    outer = current_watch()
    with watched_code() as watch:
        yield
    if outer is None and not is_shipped(path):
        text = executed_text(path)
        from sim.scenario.known_code import record_executed

        record_executed(text, (watch.executed | loaded_below(path.resolve().parent)) - {text})


def _failure(path: Path, error: Exception | SystemExit) -> str:
    """Return a line that reports the error in the user's script, and its place."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path.resolve()]
    place = f"{path}, line {lines[-1]}" if lines else str(path)
    if isinstance(error, SystemExit):
        return (
            f"{place}: the script ends the program (SystemExit {error.code}); let scenario() "
            'return, and call sim.main(scenario) only below `if __name__ == "__main__":`'
        )
    return f"{place}: {type(error).__name__}: {' '.join(str(error).split())}"


def _hint(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _list_parameters(parameters: Mapping[str, Any]) -> str:
    return (
        ", ".join(
            name if value is inspect.Parameter.empty else f"{name}={value}"
            for name, value in parameters.items()
        )
        or "none"
    )


def _parse_value(parameter: inspect.Parameter, value: object) -> object:
    """Convert a value to the type of its parameter."""
    result = _from_text(parameter, value) if isinstance(value, str) else value
    if isinstance(result, float) and not math.isfinite(result):
        raise ScenarioError(f"Parameter {parameter.name!r} must be a finite number, got {value}")
    return result


def _from_text(parameter: inspect.Parameter, text: str) -> object:
    kind = _type_of(parameter)
    if kind is bool:
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() in words:
            return words[text.lower()]
        raise ScenarioError(f"Parameter {parameter.name!r} is true or false, got {text!r}")
    if kind in (int, float):
        number = "a whole number" if kind is int else "a number"
        # Python would read 1_0 as ten, and digits of all writing systems.
        if not text.isascii() or "_" in text:
            raise ScenarioError(
                f"Parameter {parameter.name!r} is {number} in the digits 0 to 9, got {text!r}"
            )
        try:
            return kind(text)
        except ValueError:
            raise ScenarioError(f"Parameter {parameter.name!r} is {number}, got {text!r}") from None
    if kind in (str, type(None)):
        return text
    if kind is tuple:
        return _tuple_from_text(parameter, text)
    raise ScenarioError(
        f"Parameter {parameter.name!r} is a {kind.__name__}, which cannot be given as text"
    )


def _tuple_from_text(parameter: inspect.Parameter, text: str) -> tuple[object, ...]:
    parts = [part.strip() for part in text.strip(" ()").split(",")]
    if len(parts) != len(parameter.default):
        raise ScenarioError(
            f"Parameter {parameter.name!r} is {len(parameter.default)} values with commas "
            f"between, got {text!r}"
        )
    return tuple(
        _parse_value(parameter.replace(default=default), part)
        for part, default in zip(parts, parameter.default, strict=True)
    )


def _is_default(default: object, recorded: object) -> bool:
    if default is inspect.Parameter.empty:
        return False
    same = json_text(_plain_value(default)) == json_text(recorded)
    return same or type(default) not in SETTABLE


def _tuples(value: object) -> object:
    """Return tuples in place of the lists of a description."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _type_of(parameter: inspect.Parameter) -> type:
    """Return the type of the default, or of the annotation without one and for ``float = 2``."""
    word = getattr(parameter.annotation, "__name__", parameter.annotation)
    kind = type(parameter.default)
    if parameter.default is inspect.Parameter.empty or (kind is int and word == "float"):
        return {"float": float, "int": int, "bool": bool}.get(word, str)
    return kind


def _plain_value(value: object) -> object:
    """Return the value of a parameter in a form that a description can hold."""
    if isinstance(value, tuple):
        return [_plain_value(part) for part in value]
    return value if isinstance(value, str | int | float | None) else str(value)
