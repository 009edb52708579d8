"""Tables of a page as plain text for a template: claims, scenario, model, provenance, others."""

from __future__ import annotations

import math
import shlex
from collections.abc import Container, Iterable, Sequence

from msgspec import Struct

from sim.recording.schema.control_facts import ControllerFacts
from sim.recording.schema.description import Run
from sim.recording.schema.facts import JointFacts, RobotFacts
from sim.recording.schema.verdicts import ClaimResult
from sim.reports.event_texts import event_texts
from sim.reports.page.glb_scene import FILE as SCENE_FILE
from sim.reports.page.quantity import ShownQuantity, number
from sim.reports.page.scene_facts import LinkFacts
from sim.reports.page.standalone import share_paths
from sim.reports.reproduced_claims import (
    claims_by_text,
    is_reproduced,
    share_reproduced,
    why_not_evaluated,
)
from sim.robots.coordinate import DEGREE, Coordinate


class ResultRow(Struct, frozen=True):
    """Result of a claim on one channel; all as text but the time to jump to [s]."""

    channel: str
    found: ShownQuantity
    claimed: ShownQuantity
    within: ShownQuantity | None
    ok: bool
    at: float | None

    @classmethod
    def of(cls, result: ClaimResult) -> ResultRow:
        """Return the row of a result."""
        return cls(
            result.channel,
            found=ShownQuantity(result.found, result.unit),
            claimed=ShownQuantity(result.expected, result.unit, prefix=_limit_sign(result)),
            within=None
            if result.within is None
            else ShownQuantity(result.within, result.unit, 4, "± "),
            ok=result.ok,
            at=result.found if result.unit == "s" else result.at,
        )


def _limit_sign(result: ClaimResult) -> str:
    if result.within is not None:
        return ""
    return "≥ " if result.is_least is True else "≤ "


class ClaimRow(Struct, frozen=True):
    """A claim, its outcome as text, and ``ok``, ``part`` or ``none``."""

    text: str
    source: str
    results: Sequence[ResultRow]
    word: str
    state: str


def claim_rows(run: Run) -> list[ClaimRow]:
    """Return each claim once, with its result on every channel."""
    rows = []
    for (text, source), results_of_claim in claims_by_text(run).items():
        results = list(map(ResultRow.of, results_of_claim))
        why = why_not_evaluated(run, text)
        word = (
            f"not evaluated: {why}"
            if why
            else "not evaluated"
            if not results
            else f"reproduced for {share_reproduced(results_of_claim)}"
        )
        state = "none" if not results else "ok" if is_reproduced(results_of_claim) else "part"
        rows.append(ClaimRow(text, source, results, word, state))
    return rows


def headline(run: Run) -> list[str]:
    """Return scenario, robot, method and time of a run, as short texts."""
    settings = run.settings
    words = [run.robot.name, f"method {run.method}", f"{number(settings.duration)} s"]
    words.append(f"step {number(1e3 * settings.dt)} ms")
    words += [
        f"{key}\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{share_paths(parameter_text(value))}"
        for key, value in run.parameters.items()
        if value != ""
    ]
    return words


def parameter_text(value: object) -> str:
    """Return a parameter as a user would write it."""
    if isinstance(value, list | tuple):
        return ", ".join(parameter_text(part) for part in value)
    return number(value, 6) if isinstance(value, float) else str(value)


class JointRow(Struct, frozen=True):
    """Kind, range and ratings of a joint."""

    name: str
    kind: str
    mimic: str | None
    range: tuple[ShownQuantity, ShownQuantity] | None
    speed: ShownQuantity | None
    effort: ShownQuantity | None

    @classmethod
    def of(cls, row: Coordinate, joint: JointFacts) -> JointRow:
        """Return one of the rows of a joint."""
        limits, unit = row.limits, row.units.position
        ends = (ShownQuantity(limits.lower, unit), ShownQuantity(limits.upper, unit))
        return cls(
            row.name,
            joint.kind,
            joint.mimic,
            range=ends if limits.has_range else None,
            speed=_rating(limits.velocity, row.units.velocity),
            effort=_rating(limits.effort, row.units.effort),
        )


def joint_rows(robot: RobotFacts) -> list[JointRow]:
    """Return the rows of all movable joints."""
    return list(map(JointRow.of, robot.tree_coordinates, robot.tree_row_joints))


def _rating(value: float, unit: str) -> ShownQuantity | None:
    return None if math.isinf(value) else ShownQuantity(value, unit)


class LinkRow(Struct, frozen=True):
    """A link: its frame in that of its parent [mm, °], mass [kg], and mass centre [mm].

    The inertia is about the mass centre, along the axes of the link frame [kg·m²].
    """

    name: str
    mass: str
    parent: str
    xyz: Sequence[str]
    rpy: Sequence[str]
    com: Sequence[str]
    inertia: Sequence[str]


def link_rows(robot: RobotFacts, links: Iterable[LinkFacts]) -> list[LinkRow]:
    """Return the mass of each link, and the facts about it in the scene."""
    facts = {link.link: link for link in links}
    return [
        _link(facts.get(name, LinkFacts(name)), robot.masses.get(name))
        for name in dict.fromkeys([*facts, *robot.masses])
    ]


def _link(link: LinkFacts, mass: float | None) -> LinkRow:
    return LinkRow(
        link.link,
        mass="" if mass is None else number(mass),
        parent=link.parent,
        xyz=[number(round(1e3 * x, 3)) for x in link.xyz],
        rpy=[number(round(x / DEGREE, 4)) for x in link.rpy],
        com=[number(round(1e3 * x, 3)) for x in link.com],
        inertia=[number(round(x, 12)) for x in link.inertia],
    )


def repair_rows(robot: RobotFacts) -> list[tuple[str, str, str, str, str]]:
    """Return rows of the repairs of a URDF: part, original and assumed value, joints, reason."""
    return [
        (one.part, one.says, one.taken, ", ".join(one.joints) or "none", one.why)
        for one in robot.repairs
    ]


def settings_rows(run: Run) -> list[tuple[str, str]]:
    """Return the settings of the run, by name."""
    settings, corners = run.settings, run.settings.corners
    rows = [
        ("Method", str(run.method)),
        ("Duration", f"{number(settings.duration, 6)} s"),
        ("Step", f"{number(1e3 * settings.dt, 6)} ms"),
        ("Gravity", ", ".join(number(g) for g in settings.gravity) + " m/s²"),
    ]
    if corners:
        times = ", ".join(number(t) for t in corners[:8]) + (" …" if len(corners) > 8 else "")
        rows.append(("Corners", f"{times} s; samples there may lie on either side of a jump"))
    if isinstance(run.controller, ControllerFacts):
        rows.append(("Controller", f"{run.controller.law}, tracks the drives"))
    elif settings.free:
        rows.append(("Free joints", ", ".join(settings.free)))
    rows += [("Event", f"{when}: {what}") for when, what in event_texts(run)]
    rows += [
        (f"Parameter {key}", share_paths(parameter_text(value)))
        for key, value in run.parameters.items()
        if value != ""
    ]
    return rows


def command(run: Run) -> str:
    """Return the command that repeats a run; empty for a watched loop, which is no script."""
    if run.method == "watched":
        return ""
    first, last = command_words(run)
    return " ".join(map(_shell_word, [*first, *last]))


def _shell_word(word: str) -> str:
    """Return a word quoted for a shell, with a leading ``~`` left to expand."""
    text = share_paths(word)
    return f"~/{shlex.quote(text[2:])}" if text.startswith("~/") else shlex.quote(text)


def command_words(run: Run, without: Container[str] = ()) -> tuple[list[str], list[str]]:
    """Return the words of that command: parameters except those of `without`, and the method."""
    script = None if run.script is None else run.script.path
    own = script is not None and "scenarios" not in script.replace("\\", "/").split("/")
    words = ["sim", "run", script if script is not None and own else run.scenario]
    for key, value in run.parameters.items():
        several = isinstance(value, list | tuple)
        if key not in without:
            words += ["--set", f"{key}={','.join(map(str, value)) if several else value}"]
    return words, ["--method", run.method, "--engine", run.engine, "--dt", repr(run.settings.dt)]


def provenance_rows(run: Run) -> list[tuple[str, str]]:
    """Return the provenance of a run: time, versions, and hashes of the files shown."""
    origin, drawn = run.provenance, {*run.figures, run.page, SCENE_FILE}
    rows = [
        ("Run", share_paths(run.folder or "")),
        ("Made", origin.created),
        ("Typed", share_paths(shlex.join(origin.command))),
        ("Python", f"{origin.python} on {origin.platform}"),
        ("Packages", ", ".join(f"{name} {version}" for name, version in origin.versions.items())),
        ("URDF", f"sha256 {run.robot.urdf_sha256}"),
    ]
    if run.script is not None:
        script = share_paths(run.script.path)
        rows.append(("Script", f"{script}  sha256 {run.script.sha256}"))
    rows += [(name, f"sha256 {digest}") for name, digest in run.files.items() if name not in drawn]
    return [(name, text) for name, text in rows if text.strip()]
