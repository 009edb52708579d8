"""`sim completion`: a script that completes the command in a shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from types import ModuleType

from sim.cli.exit_status import WELL
from sim.errors import ScenarioError

SHELLS = ("bash", "zsh", "fish")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    command.description = (
        "Print a script that completes commands, options, scenarios, robots and files. Save it for "
        "bash as ~/.local/share/bash-completion/completions/sim, for zsh as _sim in a folder of "
        "$fpath, for fish as ~/.config/fish/completions/sim.fish."
    )
    command.add_argument("shell", choices=SHELLS, help="shell")
    command.set_defaults(action=print_script)


def print_script(options: argparse.Namespace) -> int:
    """Print the script, which completes shipped scenarios and robots."""
    from sim.cli.command import parser_of
    from sim.robots import shipped_robots
    from sim.shipped import scenario_names

    shtab = _library()
    parser = parser_of([], whole=True)
    names = {"robot": shipped_robots()} | dict.fromkeys(("run", "runs", "names"), scenario_names())
    for action in _actions(parser):
        shown = str(action.metavar)
        is_robot = "--robot" in action.option_strings
        dest = "robot" if is_robot else action.dest
        if dest in names and (is_robot or not action.option_strings):
            _complete(action, _names_or_files(dest, names[dest]))
        elif "DIR" in shown:
            _complete(action, shtab.DIRECTORY)
        elif "FILE" in shown or "RUN" in shown:
            _complete(action, shtab.FILE)
    sys.stdout.write(shtab.complete(parser, options.shell) + "\n")
    return WELL


def _library() -> ModuleType:
    try:
        import shtab
    except ImportError:
        raise ScenarioError(
            "sim completion needs shtab, which is not installed: pip install 'sim[completion]' "
            "(in a working copy: pip install -e '.[completion]')"
        ) from None
    return shtab


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield all arguments of a parser and of its commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action


def _complete(action: argparse.Action, how: object) -> None:
    """Set how shtab completes an argument, by an attribute that shtab reads."""
    action.complete = how  # type: ignore[attr-defined]


def _names_or_files(dest: str, names: tuple[str, ...]) -> dict[str, object]:
    """Return shtab's completion of an argument that is one of given names, or a file."""
    words, function = " ".join(names), f"_sim_{dest}"
    body = f'{function}() {{ compgen -W "{words}" -- "$1"; compgen -f -- "$1"; }}'
    return {
        "bash": function,
        "zsh": f"{{compadd {words}; _files}}",
        "fish": f"{words} (__fish_complete_path (commandline -ct))",
        "preamble": {"bash": body},
    }
