"""Expansion of xacro templates to URDF text, by the `xacro` of ROS (the extra ``xacro``).

A template is a program: xacro evaluates its Python expressions and reads the files it names. Only
files called ``*.xacro`` are expanded; do not expand untrusted ones.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from xml.parsers.expat import ExpatError

from sim.errors import ModelError
from sim.robots.confinement import confine
from sim.robots.local_code import require_all_code_allowed
from sim.robots.packages import package_folder
from sim.robots.xml_text import is_xacro

CPU_SECONDS, PATIENCE = 30, 300.0  # [s] the largest real templates take about five
MEMORY = 2_000_000_000  # bytes, in addition to those of Python itself
LARGEST_TEXT = 20_000_000  # characters; the limit of a URDF

# Quotations in xacro's error messages, and the corresponding text in the file.
_QUOTED = (
    (r"evaluating expression '(.*?)'\s*$", "${{{}}}"),
    (r"unknown macro name: (\S+)", "<{}"),
    (r"substitution argument (\S+)", "$(arg {})"),
    (r'Invalid parameter "(.+?)"', " {}="),
    (r'Undefined block "(.+?)"', '"{}"'),
    (r'Unused block "(.+?)"', "<{}"),
    (r'Xacro conditional "([^"\n]+)" evaluated', '"{}"'),
    (r"^package '(.+?)'", "$(find {})"),
    (r"^No such file or directory: (?:[^\n\[]*/)?([^/\n\[]+) \[Errno", "{}"),
    (r"^(xacro:\w+): missing attribute", "<{}"),
    (r"^(xacro:include) without an end", "<{}"),
)
_CHILD = f"""
from sim.robots import xacro_file
import xacro
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, ({CPU_SECONDS}, {CPU_SECONDS + 5}))
    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + {MEMORY}, resource.RLIM_INFINITY))
except (ImportError, OSError, ValueError):
    pass
xacro_file._answer()
"""
_lock = threading.RLock()  # xacro keeps its state in the module


# Messages about a missing environment of a template: a ROS package, or a value.
_LACKING = ("does not exist above the URDF's folder", "has no value and no default")


def lacks_surroundings(error: ModelError) -> bool:
    """Whether a template lacks a package or the value of an argument."""
    return any(words in str(error) for words in _LACKING)


def names_unknown_argument(error: ModelError) -> bool:
    """Whether a value was given for an argument that a template does not have."""
    return "has no argument" in str(error)


def expand(path: Path, arguments: Mapping[str, str], below: Sequence[Path] = ()) -> str:
    """Expand a template to URDF text.

    Parameters
    ----------
    path : Path
        A file called ``*.xacro``.
    arguments : mapping of str to str
        Values of its ``<xacro:arg>``, replacing their defaults.
    below : sequence of Path
        The only folders that it may read, without any other access; empty for no restriction.

    Raises
    ------
    ModelError
        If xacro is not installed, the template fails, or it has no such argument; the message gives
        file and line.
    ScenarioError
        If only known code may be executed.
    """
    if not is_xacro(path):
        raise ModelError(f"{path} is not called *.xacro, and no other file is expanded")
    require_all_code_allowed(path)
    _library(path)
    texts = {key: str(value) for key, value in arguments.items()}
    answer = _expand_in_process(path, texts, below)
    if "error" in answer:
        raise ModelError(answer["error"])
    if answer["said"].strip():
        warnings.warn(f"{path}: xacro reports: {_one_line(answer['said'])}", stacklevel=3)
    return answer["text"]


def _expand_in_process(
    path: Path, arguments: Mapping[str, str], below: Sequence[Path]
) -> dict[str, str]:
    """Expand a template in another process and return its text and printed lines, or an error.

    An expression may use unlimited time or memory (``9**9**9``), not stoppable from within.

    Raises
    ------
    ModelError
        If it exceeds `CPU_SECONDS`, crashes, or no process with the restriction `below` can start.
    """
    import json
    import signal
    import subprocess

    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CHILD],
            input=json.dumps([str(path), dict(arguments), [*map(str, below)]]).encode(),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
            timeout=PATIENCE,
            check=False,
        )
    except OSError as error:  # no process can be started here
        if below:
            raise ModelError(f"{path}: no process for xacro: {error.strerror}") from None
        return _expand(path, arguments)
    except subprocess.TimeoutExpired:
        raise ModelError(f"{path}: xacro finds no end in {PATIENCE:g} s") from None
    if done.returncode == 0:
        return json.loads(done.stdout)
    if done.returncode == -getattr(signal, "SIGXCPU", 0):
        raise ModelError(
            f"{path}: an expression or macro takes more than {CPU_SECONDS} s of CPU time; look for "
            "a power or a loop without an end"
        )
    last = done.stderr.decode("utf-8", "replace").rstrip().rpartition("\n")[2]
    raise ModelError(f"{path}: xacro crashes on it (exit status {done.returncode}) {last}")


def _answer() -> None:
    """Write the result or error of `_expand` to stdout, in the other process."""
    import json

    path, arguments, below = json.load(sys.stdin)
    if below:
        with contextlib.suppress(ImportError):
            importlib.import_module("yaml")  # imported lazily by xacro
        confine([*map(Path, below)])
    try:
        answer = _expand(Path(path), arguments)
    except ModelError as error:
        answer = {"error": str(error)}
    except MemoryError:
        answer = {"error": f"{path}: it takes more than {MEMORY / 1e9:g} GB of memory"}
    sys.stdout.write(json.dumps(answer))


def _expand(path: Path, arguments: Mapping[str, str]) -> dict[str, str]:
    xacro = _library(path)
    printed = io.StringIO()
    with _lock, _finding(path.parent), _collect_output(printed):
        xacro.all_includes.clear()
        xacro.init_stacks(str(path))
        try:
            document = xacro.parse(None, str(path))
            xacro.process_doc(document, mappings=dict(arguments))
            text = str(document.toprettyxml(indent="  "))
        except Exception as error:  # expressions of the template may raise anything
            raise ModelError(_fault(xacro, path, error)) from None
        files = [path, *map(Path, xacro.all_includes)]
    _require_arguments(path, files, arguments)
    if len(text) > LARGEST_TEXT:
        raise ModelError(
            f"{path} expands to {len(text)} characters; at most {LARGEST_TEXT} are allowed"
        )
    return {"text": text, "said": printed.getvalue()}


def _library(path: Path) -> ModuleType:
    try:
        import xacro
    except ImportError:
        raise ModelError(
            f"{path} is a xacro template, and xacro is not installed; pip install 'sim[xacro]' "
            "(in a working copy: pip install -e '.[xacro]'), or expand it elsewhere: "
            "xacro FILE > robot.urdf"
        ) from None
    return xacro


@contextlib.contextmanager
def _finding(folder: Path) -> Iterator[None]:
    """Resolve ``$(find PACKAGE)`` like ``package://``; xacro itself requires ROS for it."""
    from xacro import substitution_args

    def find(name: str) -> str:
        return str(package_folder(name, folder))

    before = substitution_args._eval_find, substitution_args._eval_dict["find"]
    substitution_args._eval_find = substitution_args._eval_dict["find"] = find
    try:
        yield
    finally:
        substitution_args._eval_find, substitution_args._eval_dict["find"] = before


@contextlib.contextmanager
def _collect_output(printed: io.StringIO) -> Iterator[None]:
    """Collect the output that xacro and the template print."""
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield


def _require_arguments(path: Path, files: list[Path], arguments: Mapping[str, str]) -> None:
    declared: set[str] = set()
    for file in files:
        text = _text(file)
        declared.update(re.findall(r"<xacro:arg\s[^<>]*?\bname\s*=\s*[\"']([^\"']*)[\"']", text))
        declared.update(re.findall(r"\$\(arg\s+([^)\s]+)", text))  # used without a declaration
    if unknown := sorted(set(arguments) - declared):
        raise ModelError(
            f"{path} has no argument {', '.join(map(repr, unknown))}; "
            f"available: {', '.join(sorted(declared)) or 'none'}"
        )


def _fault(xacro: ModuleType, path: Path, error: Exception) -> str:
    """Return file, line and message of an error in a template."""
    causes = [error]
    while isinstance(cause := getattr(causes[-1], "exc", None), Exception):
        causes.append(cause)
    last = causes[-1]
    open_files = [Path(name) for name in reversed(xacro.filestack or []) if name]
    if isinstance(last, ExpatError):
        file = open_files[0] if open_files else path
        return f"{file}, line {last.lineno}: not an XML document: {last}"
    if isinstance(last, RecursionError):
        complaint = "xacro:include without an end"
        reason = "a macro or an include calls itself without an end"
    else:
        reason = complaint = str(last if isinstance(last, ModelError) else error) or repr(error)
    if not str(last):  # such as a MemoryError
        reason = f"{type(last).__name__} {reason}"
    if "substitution argument" in reason:
        name = str(last)
        reason = (
            f"the argument {name!r} has no value and no default; "
            f'give --xacro {name}=VALUE, or load_robot(..., xacro={{"{name}": ...}})'
        )
    macros = list(reversed(xacro.macrostack or []))
    files = [Path(macro.history[-1][-1]) for macro in macros if macro.history[-1:]]
    files += [*open_files, path, *map(Path, xacro.all_includes)]
    names = [macro.body.getAttribute("name") for macro in (*getattr(error, "macros", ()), *macros)]
    inside = f" in macro {names[0]!r}" if names else ""
    where = _place(files, complaint, names) or str(open_files[0] if open_files else path)
    reason = reason if isinstance(last, ModelError) else _one_line(reason)
    return f"{where}: xacro{inside}: {reason}"


def _place(files: list[Path], complaint: str, macros: list[str]) -> str:
    """Return the first file and line with the text that a message quotes; empty if none."""
    sought = [
        shape.format(quoted)
        for pattern, shape in _QUOTED
        for quoted in re.findall(pattern, complaint, re.MULTILINE)
    ]
    if "Undefined parameters" in complaint or "without an end" in complaint or not sought:
        sought = [*(f"<xacro:{name}" for name in macros[:1]), *sought]
    for words in sought:
        for file in dict.fromkeys(files):
            lines = [k for k, line in enumerate(_text(file).splitlines(), 1) if words in line]
            if lines:
                numbers = ", ".join(map(str, lines))
                return f"{file}, line{'s' if len(lines) > 1 else ''} {numbers}"
    return ""


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
