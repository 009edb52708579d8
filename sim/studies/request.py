"""Options of a study, defined once for `sim.sweep`, ``sim sweep`` and ``study.json``.

``sim sweep`` creates its arguments from the fields: name, default, choices or limits of the type,
and metavariable and text of `_option`. `sim.sweep` checks its arguments against the same types, and
``study.json`` stores a `StudyRequest`. This file has no slow imports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from sim.recording.schema.methods import MethodName

DesignName = Literal["grid", "lhs", "sobol", "random", "tornado", "morris", "sobol-indices"]
Distribution = Literal["normal", "uniform"]

AtLeastZero: TypeAlias = Annotated[int, Meta(ge=0)]
AtLeastOne: TypeAlias = Annotated[int, Meta(ge=1)]


def option_of(name: str) -> str:
    """Return the command option that sets a field."""
    return "--set" if name == "settings" else f"--{name.replace('_', '-')}"


def function_files_of(texts: Iterable[str]) -> list[Path]:
    """Return Python files whose functions occur in responses, limits or quoted parts of them."""
    lefts = [re.split(r">=|<=", text)[0].strip() for text in texts]
    quoted = {expression: re.findall(r"'([^']+)'", expression) for expression in lefts}
    parts = [part for expression, within in quoted.items() for part in (expression, *within)]
    files = {part.rpartition(":")[0]: bool(quoted.get(part)) for part in parts}
    # an expression with quotes is not a file name, unless such a file exists
    return [
        Path(file).resolve()
        for file, has_quotes in files.items()
        if file.endswith(".py") and (not has_quotes or Path(file).is_file())
    ]


def option_words(values: Mapping[str, object], usual: Mapping[str, object]) -> list[str]:
    """Return the words of a command for options that differ from their defaults."""
    words: list[str] = []
    for name, value in values.items():
        if value == usual[name]:
            continue
        if isinstance(value, Mapping):
            texts = [f"{key}={setting}" for key, setting in value.items()]
        else:
            texts = list(value) if isinstance(value, tuple) else [str(value)]
        option = option_of(name)
        words += [option] if value is True else [w for text in texts for w in (option, text)]
    return words


def describe_option(help: str, metavar: str | None = None) -> Meta:
    """Return the text of an option in ``--help``, and the name of its value there."""
    return Meta(description=help, extra={"metavar": metavar} if metavar else None)


class StudyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Options that define a study; ``study.json`` stores them in this order, as text."""

    scenario: str
    vary: Annotated[
        tuple[str, ...],
        describe_option(
            "parameter to vary: 0:10:21 (21 values), 0.5,1,1.5 (list), 0:10 (range to sample); "
            "repeatable",
            "P=VALUES",
        ),
    ] = ()
    settings: Annotated[
        Mapping[str, str],
        describe_option("scenario parameter, the same in all cases; repeatable", "K=V"),
    ] = {}
    method: Annotated[
        MethodName | None, describe_option("solution method (default: the scenario's)")
    ] = None
    dt: Annotated[
        float | None,
        describe_option("sampling interval and engine step [s] (default: the scenario's)", "S"),
    ] = None
    design: Annotated[DesignName | None, describe_option("sampling design (default: grid)")] = None
    samples: Annotated[
        AtLeastOne | None, describe_option("number of samples or draws (default: 64)", "N")
    ] = None
    seed: Annotated[AtLeastZero, describe_option("random seed (default: 0)", "N")] = 0
    tolerance: Annotated[
        tuple[str, ...],
        describe_option(
            "Monte Carlo tolerance of mass, length, friction (of joints, not of drive trains), "
            "payload or a parameter; repeatable",
            "Q=2%",
        ),
    ] = ()
    distribution: Annotated[
        Distribution,
        describe_option("with --tolerance: its distribution (default: normal)"),
    ] = "normal"
    response: Annotated[
        tuple[str, ...],
        describe_option(
            "response to record: margin, 'margin.*' (torque, speed, range, power), energy, "
            "'peak tau.*', 'rms …', 'mean …', 'min …', 'max …', 'end …', FILE.py:FUNCTION; "
            "repeatable",
            "R",
        ),
    ] = ()
    largest: Annotated[
        str | None,
        describe_option("find the largest value between A and B that satisfies --within", "P=A:B"),
    ] = None
    smallest: Annotated[
        str | None,
        describe_option("find the smallest value between A and B that satisfies --within", "P=A:B"),
    ] = None
    within: Annotated[
        str | None,
        describe_option(
            "limit of the search, such as 'peak tau.elbow<=100' (default: margin>=0, within all "
            "ratings)",
            "R>=X",
        ),
    ] = None
    to: Annotated[
        float | None, describe_option("precision of the search (default: range / 1000)", "X")
    ] = None
    keep: Annotated[
        AtLeastZero | Literal["all"],
        describe_option("keep the N runs closest to limits (default: 0)", "N|all"),
    ] = 0
    no_report: Annotated[bool, describe_option("skip the HTML page")] = False
    no_require: Annotated[
        bool,
        describe_option("treat cases beyond a limit as results, not as failures (exit status 0)"),
    ] = False
    analytic: Annotated[
        bool, describe_option("evaluate the analytic model only; simulate some cases as a check")
    ] = False
    proof: Annotated[
        AtLeastOne,
        describe_option("with --analytic: cases simulated as a check (default: 5)", "N"),
    ] = 5

    @property
    def function_files(self) -> list[Path]:
        """Python files whose functions are responses."""
        return function_files_of((*self.response, self.within or ""))

    @property
    def command(self) -> tuple[str, ...]:
        """The request as a command."""
        usual = msgspec.structs.asdict(StudyRequest(scenario=self.scenario))
        return ("sim", "sweep", self.scenario, *option_words(msgspec.structs.asdict(self), usual))

    @property
    def changed_options(self) -> dict[str, object]:
        """Options that differ from their defaults, without the scenario."""
        usual = StudyRequest(scenario=self.scenario)
        values = msgspec.structs.asdict(self).items()
        return {name: value for name, value in values if value != getattr(usual, name)}


class ExecutionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the computation of a study, which do not affect results."""

    workers: Annotated[
        AtLeastOne | None, describe_option("worker processes (default: one per core)", "N")
    ] = None
    cluster: Annotated[
        str | None, describe_option("use the workers of this Dask scheduler", "tcp://HOST:8786")
    ] = None
    yes: Annotated[bool, describe_option("start even if the estimate exceeds one hour")] = False


class FolderOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the folder of a study, or of the study to resume."""

    out: Annotated[
        str | None,
        describe_option(
            "output folder; an existing study is resumed (default: results/studies/NAME-TIME)",
            "DIR",
        ),
    ] = None
    resume: Annotated[str | None, describe_option("resume the study in this folder", "DIR")] = None
    trust: Annotated[
        bool,
        describe_option(
            "with --resume: execute the script even if it has never been run here by name"
        ),
    ] = False
