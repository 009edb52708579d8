"""A run's description, typed: content and reading of `run.json`, and detection of edits.

Writing, reading, validating and hashing are those of the structs below. A description has the
number of its format, and a seal: the hash of everything else in it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import numpy as np

from sim.engine_names import EngineName
from sim.errors import RecordingError, unreadable
from sim.maths.arrays import Array
from sim.maths.sampling import sample_times
from sim.recording.files.whole_files import require_end
from sim.recording.schema.base import Facts
from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.element_facts import ElementFacts, ModelNamesFacts, read_facts
from sim.recording.schema.event_facts import ConditionFacts
from sim.recording.schema.facts import (
    ClaimFacts,
    DriveFacts,
    EventFacts,
    MeasureFacts,
    Provenance,
    ReferenceFacts,
    RobotFacts,
    ScriptFacts,
    Settings,
)
from sim.recording.schema.measured_facts import MeasuredJoint
from sim.recording.schema.methods import WAYS, Method, WayName
from sim.recording.schema.migration import EARLIER, WITH_FORMER_NAMES, migrate, present_check_name
from sim.recording.schema.request_facts import RequestFacts
from sim.recording.schema.verdicts import Check, ClaimResult, DriveSizing, EnergyBalance
from sim.recording.schema.watched_facts import WatchedFacts
from sim.robots.coordinate import Coordinate
from sim.showing.one_line import one_line, shorten, span_text

# 1 had no number; 2 is typed, and has the force elements in each joint; 3 has reactions by a second
# law, and in a baseline all that was requested; 4 has the kind of each force element on links, and
# the energy stored in force elements separately.
FORMAT = 5

# Prefix of a note on a robot whose payload exceeds its rating.
OVERLOAD = "Overload: "

# Steps of a run; larger claims of a file would exhaust the memory.
MOST_SAMPLES = 20_000_000


class Conditions(Facts, frozen=True, kw_only=True):
    """Conditions of a simulation that two runs must share to be compared.

    Parameters
    ----------
    format : int
        `FORMAT` of this description.
    scenario : str
        Name of the scenario.
    parameters : mapping
        Parameter values of the scenario.
    units : mapping of str to str
        Unit of each channel.
    drives, forces, contacts, measures, events
        Requests of the scenario.
    requests : tuple of RequestFacts
        Its curves by expressions of the state; fields added later are omitted if empty.
    model_names : ModelNamesFacts
        Names of parts and joints in another program, for comparing results.
    controller : ControllerFacts
        Driver of the motors; omitted if the motion itself drives them.
    limits : mapping of str to float
        Allowed difference of each channel from the model when the run was judged, in its unit; None
        if not finite.
    seal : str
        SHA-256 of everything else in the description, see `with_seal`.
    """

    format: int = FORMAT
    scenario: str
    method: WayName
    engine: EngineName = "bullet"
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    settings: Settings
    robot: RobotFacts
    units: dict[str, str]
    drives: tuple[DriveFacts, ...] = ()
    forces: tuple[ElementFacts, ...] = ()
    contacts: tuple[ElementFacts, ...] = ()
    measures: tuple[MeasureFacts, ...] = ()
    requests: tuple[RequestFacts, ...] | msgspec.UnsetType = msgspec.UNSET
    model_names: ModelNamesFacts | msgspec.UnsetType = msgspec.UNSET
    controller: ControllerFacts | msgspec.UnsetType = msgspec.UNSET
    events: tuple[EventFacts, ...] = ()
    limits: dict[str, float | None] = msgspec.field(default_factory=dict)
    provenance: Provenance
    seal: str = ""

    @property
    def elements(self) -> tuple[ElementFacts, ...]:
        """Force elements on links."""
        return (*self.forces, *self.contacts)

    @property
    def units_of_requests(self) -> dict[str, str]:
        """Unit of each channel of its requests, by their functions."""
        return {c: unit for one in self.requests or () for c, unit in one.channels.items()}

    @property
    def quaternions(self) -> tuple[tuple[str, ...], ...]:
        """Channels of each complete orientation of a request, as Euler parameters."""
        return tuple(four for one in self.requests or () for four in one.quaternions)

    @property
    def solved_by(self) -> Method:
        """Solution method as a value."""
        return WAYS[self.method]

    @property
    def times(self) -> Array:
        """Return the sample times by the settings, shape (samples,) [s].

        Raises
        ------
        RecordingError
            If no run can have them.
        """
        settings = self.settings
        if not (1 < settings.samples <= MOST_SAMPLES + 1 and 0 < settings.duration < math.inf):
            raise RecordingError(
                f"The description of {self.scenario!r} asks for {settings.samples} samples over "
                f"{settings.duration:g} s; a run has 2 to {MOST_SAMPLES + 1} over a positive time"
            )
        return sample_times(self.settings.duration, self.settings.samples)

    def __repr__(self) -> str:
        settings = self.settings
        return one_line(
            f"{type(self).__name__} of {shorten(self.scenario, 40)}:",
            f"{self.method}, {span_text(settings.duration, settings.dt)}",
            f"robot {self.robot.name}",
        )

    @property
    def driven(self) -> tuple[Coordinate, ...]:
        """Coordinates moved by a drive: not coupled, free, or passive in closed loops."""
        idle = {*self.settings.free, *self.settings.passive}
        return tuple(row for row in self.robot.coordinates if row.name not in idle)


class Run(Conditions, frozen=True, kw_only=True):
    """Content of ``run.json``.

    Parameters
    ----------
    notes, claims
        The scenario's own remarks, and the results claimed by its source.
    reference : ReferenceFacts or None
        Results of another program with the run.
    verdict, checks, claim_results, peaks, sizing, audit
        Results of judging the run; `verdict` is None before that.
    measured : tuple of MeasuredJoint
        Comparison of each joint with a real robot's log; omitted in files without one.
    conditions : tuple of ConditionFacts
        Conditional events; omitted in files without any.
    watched : WatchedFacts
        Loop recorded by `sim.watch`; omitted in other files.
    folder : str or None
        Folder to which the run was written; ``run`` in the file.
    script : ScriptFacts or None
    figures, page
        Names of the drawings in the folder.
    files : mapping of str to str
        SHA-256 of every other file in the folder.
    """

    notes: tuple[str, ...] = ()
    claims: tuple[ClaimFacts, ...] = ()
    reference: ReferenceFacts | None = None
    verdict: Literal["pass", "fail"] | None = None
    checks: tuple[Check, ...] = ()
    claim_results: tuple[ClaimResult, ...] = ()
    peaks: dict[str, float | None] = msgspec.field(default_factory=dict)
    sizing: tuple[DriveSizing, ...] = ()
    audit: tuple[EnergyBalance, ...] = ()
    measured: tuple[MeasuredJoint, ...] | msgspec.UnsetType = msgspec.UNSET
    conditions: tuple[ConditionFacts, ...] | msgspec.UnsetType = msgspec.UNSET
    watched: WatchedFacts | msgspec.UnsetType = msgspec.UNSET
    folder: str | None = msgspec.field(default=None, name="run")
    script: ScriptFacts | None = None
    figures: tuple[str, ...] = ()
    page: str | None = None
    files: dict[str, str] = msgspec.field(default_factory=dict)


class _Header(msgspec.Struct):
    """Fields read before the complete description."""

    format: int | None = None
    scenario: str | None = None


Described = TypeVar("Described", bound=Conditions)

# Errors of reading a file that is not JSON in UTF-8.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def with_seal(described: Described) -> Described:
    """Return the description with the hash of everything except the seal.

    Hashed are the values that a reader obtains: an integer in place of a float becomes a float.
    """
    data = _encode(msgspec.structs.replace(described, seal=""))
    content = _encode(msgspec.json.decode(data, type=type(described), dec_hook=read_facts))
    return msgspec.structs.replace(described, seal=hashlib.sha256(content).hexdigest())


def description_text(described: Conditions) -> bytes:
    """Return readable JSON in UTF-8; NaN and infinity, which JSON lacks, become null."""
    return msgspec.json.format(_encode(described), indent=1) + b"\n"


def read_run(path: Path) -> Run:
    """Read the description in a file.

    Raises
    ------
    RecordingError
        If the file is missing, damaged, foreign, of another format, or edited.
    """
    return read_sealed(path, Run)


def read_sealed(
    path: Path, kind: type[Described], remedy: str = "run", *, migrates: bool = False
) -> Described:
    """Read a description and check that it was not edited; arguments as in `read_description`.

    Raises
    ------
    RecordingError
        If the file is missing, damaged, foreign, of another format, or edited.
    """
    described = read_description(path, kind, remedy, migrates=migrates)
    try:
        seal = with_seal(described).seal
    except RecursionError as error:
        raise RecordingError(f"{path} cannot be read as JSON: {error}") from None
    if seal != described.seal:
        raise RecordingError(
            f"{path} was edited since it was written: its seal does not fit; {remedy} "
            f"{described.scenario!r} again, or bring the file back"
        )
    return described


def read_description(
    path: Path, kind: type[Described], remedy: str = "run", *, migrates: bool = False
) -> Described:
    """Read a description in the current format, without checking its seal.

    Parameters
    ----------
    remedy : str
        Action to repeat with a scenario whose description has another format, for the message.
    migrates : bool
        Whether format 3 is converted to the current one, see `migrate`; format 4 always is.

    Raises
    ------
    RecordingError
        If the file is missing, damaged, foreign, or of another format.
    """
    data = _bytes_of(path)
    try:
        header = msgspec.json.decode(data, type=_Header)
    except msgspec.ValidationError:
        raise RecordingError(f"{path} is no description of a run") from None
    except UNREADABLE as error:
        raise RecordingError(f"{path} cannot be read as JSON: {error}") from None
    if header.scenario is None:
        raise RecordingError(f"{path} is no description of a run: it names no scenario")
    is_earlier = migrates and header.format == EARLIER
    if not is_earlier and header.format not in (WITH_FORMER_NAMES, FORMAT):
        number = "no number" if header.format is None else f"number {header.format}"
        raise RecordingError(
            f"{path} has {number} of its format; this version reads number {FORMAT}: {remedy} "
            f"{header.scenario!r} again"
        )
    try:
        if is_earlier:
            content = migrate(data, path, FORMAT)
            return with_seal(msgspec.convert(content, type=kind, dec_hook=read_facts))
        described = msgspec.json.decode(data, type=kind, dec_hook=read_facts)
        return _with_present_names(described) if header.format == WITH_FORMER_NAMES else described
    except msgspec.ValidationError as error:
        raise RecordingError(f"{path} is no description of a run: {error}") from None
    except UNREADABLE as error:
        raise RecordingError(f"{path} cannot be read as JSON: {error}") from None


def _with_present_names(described: Described) -> Described:
    """Convert a description of format 4 to the current format; an invalid seal remains invalid."""
    is_sealed = with_seal(described).seal == described.seal
    change = msgspec.structs.replace
    described = change(described, format=FORMAT)
    if isinstance(described, Run):
        checks = (change(one, name=present_check_name(one.name)) for one in described.checks)
        described = change(described, checks=tuple(checks))
    return with_seal(described) if is_sealed else described


def plain_data(described: Conditions) -> Mapping[str, Any]:
    """Return the description as plain data, as in the file."""
    content: Mapping[str, Any] = msgspec.json.decode(_encode(described))
    return content


def _encode(described: Conditions) -> bytes:
    return msgspec.json.encode(described, enc_hook=_number)


def _number(value: object) -> object:
    """Convert a NumPy number to a plain one, since scenario parameters may contain some."""
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError(f"{value!r} cannot be stored in a description")


def _bytes_of(path: Path) -> bytes:
    require_end(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordingError(unreadable(path, error)) from None
