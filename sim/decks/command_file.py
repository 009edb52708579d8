"""Simulation times and switches in command files of ADAMS Solver."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct

from sim.decks.statement_forms import FORCES, FORMS, REFUSED
from sim.decks.statement_lines import split_line
from sim.errors import DeckError, ForeignError
from sim.foreign.text_file import text_of

IN_TIME = ("DYNAMICS", "TRANSIENT", "KINEMATICS")
KEYS = ("END", "DURATION", "DTOUT", "STEPS")
ANALYSES = (*IN_TIME, "STATICS", "INITIAL_STATICS", "QUASI_STATICS", "INITIAL_CONDITIONS", "ACF")
SWITCHED = (*FORCES, "CONTACT", "MOTION", "SENSOR")  # by (DE)ACTIVATE
SHORTEST = 2  # letters of an abbreviated keyword
_IDS = re.compile(r"ID?\s*=\s*\d+(\s*,\s*\d+)*")
HARMLESS = (
    "FILE STOP END OUTPUT PREFERENCES INTEGRATOR SAVE RESULTS DEBUG EQUILIBRIUM HOTLINE".split()
)
EFFECTIVE = ("SIMULATE", "ACTIVATE", "DEACTIVATE", "RELOAD", *({*FORMS} - {"REQUEST"}))


class Simulation(Struct, frozen=True):
    """A SIMULATE in time, in the deck's unit.

    Parameters
    ----------
    end : float
        Latest end.
    dt : float or None
        Output step, if given.
    duration : float
        Its DURATION; 0 if END gives the end.
    """

    end: float
    dt: float | None
    duration: float


class Switch(Struct, frozen=True):
    """An ACTIVATE or DEACTIVATE of one element before a simulation.

    Parameters
    ----------
    simulation : int
        Number of the simulation in time, from 0.
    is_on : bool
    element : str
        As in ``SFORCE/1``.
    """

    simulation: int
    is_on: bool
    element: str

    @property
    def is_of_sensor(self) -> bool:
        """Whether the element is a SENSOR."""
        return self.element.startswith("SENSOR/")


class CommandFile(Struct, frozen=True):
    """Simulations in time of a command file.

    Parameters
    ----------
    simulations : tuple of Simulation
        At least one.
    switches : tuple of Switch
    notes : tuple of str
        Notes on ignored parts of the file.
    is_from_rest : bool
        Whether it starts in static equilibrium.
    """

    simulations: tuple[Simulation, ...]
    switches: tuple[Switch, ...]
    notes: tuple[str, ...]
    is_from_rest: bool

    @property
    def duration(self) -> float:
        """Longest duration of all simulations together, in the deck's unit of time."""
        return max(one.end for one in self.simulations)

    @property
    def dt(self) -> float | None:
        """Smallest output step, in the deck's unit of time; None if no statement gives one."""
        return min((one.dt for one in self.simulations if one.dt), default=None)

    @property
    def of_sensors(self) -> tuple[Switch, ...]:
        """Switches of SENSORs."""
        return tuple(one for one in self.switches if one.is_of_sensor)

    @property
    def of_forces(self) -> tuple[Switch, ...]:
        """Switches of forces and MOTIONs."""
        return tuple(one for one in self.switches if not one.is_of_sensor)


def deck_name(path: Path) -> str | None:
    """Return the deck that a command file names; None if it names none or is unreadable."""
    with contextlib.suppress(ForeignError):
        return next(filter(None, map(_model, _statements(text_of(path)))), None)
    return None


def read_command_file(path: Path, deck: Path, *, may_return: bool = False) -> CommandFile:
    """Read the simulation times from a command file.

    If a SENSOR of the deck may end a simulation before its END, the next may have an earlier one.

    Raises
    ------
    DeckError, ForeignError
        If it cannot be read, or has no SIMULATE in time with an end.
    """
    notes, others, is_from_rest = list[str](), dict[str, None](), False
    simulations, switches = list[Simulation](), list[Switch]()
    for text in _statements(text_of(path)):
        keyword, _, rest = (part.strip() for part in text.partition("/"))
        keyword = re.split(r"[\s,=]", keyword)[0].upper()
        begin = max((one.end for one in simulations), default=0.0)
        if (model := _model(text)) and Path(model).stem.lower() != deck.stem.lower():
            notes.append(f"it names the model {model!r}, and {deck.name} is run")
        if len(keyword) >= SHORTEST and "SIMULATE".startswith(keyword):
            words = [word.strip().upper() for word in rest.split(",")]
            _require_words(path, text, words)
            is_in_time = any(one.startswith(x) for one in IN_TIME for x in words if len(x) > 1)
            is_static = any(map(_is_static, words)) and (is_in_time or "=" not in rest)
            is_from_rest = is_from_rest or (is_static and not simulations)
            if is_static and simulations:
                others[f"{text[:60]} after a simulation in time"] = None
            elif not is_static and not is_in_time:
                others[text[:60]] = None
            if is_in_time:
                may_begin_before = may_return and bool(simulations)
                simulations.append(_simulation(path, text, words, begin, may_begin_before))
        elif switched := _switched_elements(path, text, keyword, rest):
            switches += [Switch(len(simulations), *one) for one in switched]
        elif len(keyword) > SHORTEST and "RELOAD".startswith(keyword):
            raise DeckError(
                f"{path}: {text[:80]!r}: a saved state cannot be restored; delete this command "
                "and start from the deck or in static equilibrium, SIMULATE/STATIC"
            )
        elif not _is_harmless(keyword):
            _require_same_model(path, text, keyword)
            others[keyword] = None
    if not simulations:
        raise DeckError(
            f"{path} has no SIMULATE/DYNAMIC, TRANSIENT or KINEMATIC with END or DURATION; "
            "run without --acf, with --set duration=SECONDS"
        )
    if len(simulations) > 1:
        notes.append(
            f"its {len(simulations)} simulations are one run, at the smallest of their steps"
        )
    if others:
        notes.append(f"not followed: {'; '.join(others)}")
    of_file = tuple(f"{path.name}: {note}" for note in notes)
    return CommandFile(tuple(simulations), tuple(switches), of_file, is_from_rest)


def _is_harmless(keyword: str) -> bool:
    """Whether a command has no effect on the motion; ``RE`` may have one, being RELOAD too."""
    harmless, effective = (
        any(one.startswith(keyword) for one in kind) for kind in (HARMLESS, EFFECTIVE)
    )
    return harmless and not effective


def _require_words(path: Path, text: str, words: Iterable[str]) -> None:
    """Check the kinds of analysis that a SIMULATE names; other arguments have a value."""
    for word in filter(None, words):
        if "=" in word or any(one.startswith(word) for one in ANALYSES):
            continue
        near = get_close_matches(word, ANALYSES, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise DeckError(
            f"{path}: {text[:80]!r}: {word[:40]} is unknown{hint}; a SIMULATE is one of "
            f"{', '.join(ANALYSES)}"
        )


def _require_same_model(path: Path, text: str, keyword: str) -> None:
    """Check that a command does not change the deck's model, as ``SFORCE/1, FUNCTION=8`` does."""
    known = {*FORMS, *REFUSED} - {"REQUEST"}
    if changed := sorted(one for one in known if len(keyword) > 2 and one.startswith(keyword)):
        raise DeckError(
            f"{path}: {text[:80]!r}: a command that changes the model is not supported; change "
            f"{' or '.join(changed)} in the deck, and what changes during a run by TIME in its "
            "function, or by ACTIVATE and DEACTIVATE of two forces"
        )


def _switched_elements(path: Path, text: str, keyword: str, rest: str) -> list[tuple[bool, str]]:
    """Return the elements of an ACTIVATE or DEACTIVATE; empty for what does not move the model."""
    is_on, is_off = (x.startswith(keyword) for x in ("ACTIVATE", "DEACTIVATE"))
    kind, _, ids = (part.strip().upper() for part in rest.partition(","))
    known = [x for x in {*FORMS} - {"REQUEST"} if len(kind) >= SHORTEST and x.startswith(kind)]
    if len(keyword) < SHORTEST + 1 or not (is_on or is_off) or not known:
        return []
    if not (kinds := [x for x in SWITCHED if x in known]):
        if is_on:
            return []
        raise DeckError(
            f"{path}: {text[:80]!r}: only forces, CONTACT, MOTION and SENSOR can be switched; "
            "delete this command, or run without --acf, with --set duration=SECONDS up to it"
        )
    if len(kinds) != 1 or not _IDS.fullmatch(ids):
        raise DeckError(
            f"{path}: {text[:80]!r}: ACTIVATE and DEACTIVATE take one kind of element and "
            "ID = 1, 2, …"
        )
    return [(is_on, f"{kinds[0]}/{int(id)}") for id in re.findall(r"\d+", ids)]


def _is_static(word: str) -> bool:
    """Whether a word of a SIMULATE is STATIC or INITIAL_STATIC, or an abbreviation."""
    return len(word) > 1 and any(one.startswith(word) for one in ("STATICS", "INITIAL_STATICS"))


def _simulation(
    path: Path, text: str, words: list[str], begin: float, may_begin_before: bool
) -> Simulation:
    """Return a SIMULATE that starts at `begin`."""
    numbers: dict[str, float] = {}
    for word in words:
        name, equals, value = (part.strip() for part in word.partition("="))
        keys = [key for key in KEYS if len(name) >= SHORTEST and key.startswith(name)]
        if equals and len(keys) == 1:
            try:
                number = float(value.replace("D", "E"))
            except ValueError:
                number = math.nan
            if not (math.isfinite(number) and number > 0):
                raise DeckError(f"{path}: {text[:80]!r}: {keys[0]} must be a number above 0")
            numbers[keys[0]] = number
    if "END" not in numbers and "DURATION" not in numbers:
        raise DeckError(f"{path}: {text[:80]!r}: it has neither END nor DURATION")
    end = numbers.get("END", begin + numbers.get("DURATION", 0.0))
    if end <= begin and not may_begin_before:
        raise DeckError(
            f"{path}: {text[:80]!r}: it ends at {end:g}, and begins at {begin:g}; it may end there "
            "only where a SENSOR of the deck with RETURN ends the SIMULATE before it"
        )
    step = (end - begin) / numbers["STEPS"] if "STEPS" in numbers and end > begin else None
    duration = 0.0 if "END" in numbers else numbers["DURATION"]
    return Simulation(end, numbers.get("DTOUT", step), duration)


def _model(text: str) -> str:
    """Return the model in FILE/MODEL=…; empty for other statements."""
    match = re.match(r"FILE?\s*/.*\bMOD\w*\s*=\s*([^,\s]+)", text, re.IGNORECASE)
    return "" if match is None else match[1].strip("\"'")


def _statements(text: str) -> Iterator[str]:
    """Yield statements: comma or ``&`` continue a line, semicolons separate those of one line."""
    whole = ""
    for line in (one for each in text.splitlines() for one in split_line(each)[0]):
        goes_on = whole.endswith((",", "&")) or line.startswith(",")
        if line and whole and not goes_on:
            yield whole
            whole = ""
        whole = f"{whole.removesuffix('&').strip()} {line}".strip() if line else whole
    if whole:
        yield whole
