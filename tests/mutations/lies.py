"""What a producer may claim that is not so, and what may happen to files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from sim.comparison import Acceptance
from sim.comparison.compact import read_compact, write_compact
from sim.comparison.ledger import CURVES, DESCRIPTION, INSTANTS
from sim.maths import Array
from sim.recording import Recording
from sim.recording.files.table_files import read_table, write_table
from sim.recording.files.whole_files import sha256
from sim.recording.schema.description import (
    Run,
    description_text,
    read_description,
    read_sealed,
    with_seal,
)
from sim.recording.schema.element_facts import read_facts
from sim.recording.schema.provenance import text_hash
from tests.mutations.mutation import Damage, Lie

Tables = Literal["recorded", "analytic", "cut_open", "both"]


def told(*lies: Lie) -> Lie:
    """Several at once."""

    def change(recording: Recording) -> Recording:
        for one in lies:
            recording = one(recording)
        return recording

    return change


def turned_into(pattern: str, of: Callable[[Array], Array], tables: Tables = "recorded") -> Lie:
    """Other values of all channels of a pattern."""

    def change(recording: Recording) -> Recording:
        for name in ("recorded", "analytic") if tables == "both" else (tables,):
            frame = getattr(recording, name).copy()
            channels = [c for c in frame.columns if fnmatchcase(c, pattern)]
            assert channels, pattern
            for channel in channels:
                frame[channel] = of(frame[channel].to_numpy(dtype=np.float64).copy())
            recording = replace(recording, **{name: frame})
        return recording

    return change


def scaled(pattern: str, factor: float, tables: Tables = "recorded") -> Lie:
    """Channels times a factor."""
    return turned_into(pattern, lambda values: factor * values, tables)


def shifted(pattern: str, by: float, tables: Tables = "recorded") -> Lie:
    """Channels with a number added."""
    return turned_into(pattern, lambda values: values + by, tables)


def spiked(pattern: str, k: int, by: float, tables: Tables = "recorded") -> Lie:
    """One sample of channels off; `by` may be NaN."""

    def of(values: Array) -> Array:
        values[k] += by
        return values

    return turned_into(pattern, of, tables)


def late(pattern: str, samples: int, tables: Tables = "recorded") -> Lie:
    """Channels some samples too late."""
    return turned_into(pattern, lambda y: np.r_[y[:1].repeat(samples), y[:-samples]], tables)


def swapped(one: str, other: str, tables: Tables = "recorded") -> Lie:
    """Two columns under each other's names."""

    def change(recording: Recording) -> Recording:
        for name in ("recorded", "analytic") if tables == "both" else (tables,):
            frame = getattr(recording, name).copy()
            frame[[one, other]] = frame[[other, one]].to_numpy()
            recording = replace(recording, **{name: frame})
        return recording

    return change


def without(channel: str, tables: Tables = "both") -> Lie:
    """A column left out."""

    def change(recording: Recording) -> Recording:
        for name in ("recorded", "analytic") if tables == "both" else (tables,):
            recording = replace(recording, **{name: getattr(recording, name).drop(columns=channel)})
        return recording

    return change


def without_any(pattern: str) -> Lie:
    """All columns of a pattern left out of both tables."""

    def change(recording: Recording) -> Recording:
        channels = [c for c in recording.recorded.columns if fnmatchcase(c, pattern)]
        assert channels, pattern
        return told(*map(without, channels))(recording)

    return change


def copied(pattern: str) -> Lie:
    """What the model says in the place of what the engine says."""

    def change(recording: Recording) -> Recording:
        recorded, analytic = recording.recorded.copy(), recording.analytic
        channels = [c for c in recorded.columns if fnmatchcase(c, pattern)]
        recorded[channels] = analytic[channels]
        return replace(recording, recorded=recorded)

    return change


def few_cut_open(count: int) -> Lie:
    """Joints cut open at the first few instants alone."""

    def change(recording: Recording) -> Recording:
        assert recording.cut_open is not None
        return replace(recording, cut_open=recording.cut_open.iloc[:count])

    return change


def more(channel: str) -> Lie:
    """A column that nobody knows, in both tables."""

    def change(recording: Recording) -> Recording:
        tables = {n: getattr(recording, n).assign(**{channel: 1.0}) for n in TABLES}
        return replace(recording, **tables).with_description(
            units={**recording.units, channel: "1"}
        )

    return change


def shortened(recording: Recording) -> Recording:
    """Tables that end in the middle, and settings that say so."""
    half = len(recording.recorded) // 2 + 1
    tables = {name: getattr(recording, name).iloc[:half] for name in TABLES}
    settings = msgspec.structs.replace(
        recording.run.settings, duration=float(recording.t[half - 1]), samples=half
    )
    return replace(recording, **tables).with_description(settings=settings)


def honest(recording: Recording) -> Recording:
    """No lie at all."""
    return recording


TABLES = ("recorded", "analytic")


def first_half(recording: Recording) -> Recording:
    """Tables that end in the middle; the settings say the whole."""
    half = len(recording.recorded) // 2
    return replace(recording, **{name: getattr(recording, name).iloc[:half] for name in TABLES})


def moved_time(recording: Recording) -> Recording:
    """One sample time a tenth of a step late."""
    tables = {}
    for name in TABLES:
        frame = getattr(recording, name).copy()
        t = frame.index.to_numpy(dtype=np.float64).copy()
        t[7] += 0.1 * (t[8] - t[7])
        frame.index = type(frame.index)(t, name="t")
        tables[name] = frame
    return replace(recording, **tables)


def settings(**entries: Any) -> Lie:
    """Other settings in the description."""
    return lambda recording: recording.with_description(
        settings=msgspec.structs.replace(recording.run.settings, **entries)
    )


def described(**entries: Any) -> Lie:
    """Other entries of the description."""
    return lambda recording: recording.with_description(**entries)


def joint_facts(name: str, **entries: Any) -> Lie:
    """Other facts of a joint in the description."""

    def change(recording: Recording) -> Recording:
        robot = recording.run.robot
        joints = tuple(
            msgspec.structs.replace(joint, **entries) if joint.name == name else joint
            for joint in robot.joints
        )
        return recording.with_description(robot=msgspec.structs.replace(robot, joints=joints))

    return change


def drives(function: str, *joints: str) -> Lie:
    """Another text of the drives of some joints, or of all."""

    def change(recording: Recording) -> Recording:
        told = tuple(
            msgspec.structs.replace(one, function=function)
            if not joints or one.joint in joints
            else one
            for one in recording.run.drives
        )
        assert told != recording.run.drives
        return recording.with_description(drives=told)

    return change


def robot_facts(**entries: Any) -> Lie:
    """Other facts of the robot in the description."""
    return lambda recording: recording.with_description(
        robot=msgspec.structs.replace(recording.run.robot, **entries)
    )


def element(name: str, group: str, **entries: Any) -> Lie:
    """Other parameters of a force element of a joint in the description."""

    def change(recording: Recording) -> Recording:
        (joint,) = (one for one in recording.run.robot.joints if one.name == name)
        assert joint.forces[group].keys() >= entries.keys()
        forces = {**joint.forces, group: {**joint.forces[group], **entries}}
        return joint_facts(name, forces=forces)(recording)

    return change


def first(facts: str, **entries: Any) -> Lie:
    """Other entries of the first of the forces, contacts or events of the description."""

    def change(recording: Recording) -> Recording:
        one, *others = getattr(recording.run, facts)
        return described(**{facts: (msgspec.structs.replace(one, **entries), *others)})(recording)

    return change


def friction_law(name: str, **entries: Any) -> Lie:
    """Other parameters of a joint's law of friction in the description."""

    def change(recording: Recording) -> Recording:
        (joint,) = (one for one in recording.run.robot.joints if one.name == name)
        assert joint.friction_law is not None
        assert joint.friction_law.keys() >= entries.keys()
        return joint_facts(name, friction_law={**joint.friction_law, **entries})(recording)

    return change


def masses(**of: float) -> Lie:
    """Other masses of links in the description."""

    def change(recording: Recording) -> Recording:
        robot = recording.run.robot
        assert robot.masses.keys() >= of.keys()
        return recording.with_description(
            robot=msgspec.structs.replace(robot, masses={**robot.masses, **of})
        )

    return change


def unit(channel: str, unit: str) -> Lie:
    """Another unit of a channel in the description."""
    return lambda recording: recording.with_description(units={**recording.units, channel: unit})


def urdf(old: str, new: str) -> Lie:
    """Another robot beside the run, and its hash in the description."""

    def change(recording: Recording) -> Recording:
        assert recording.urdf is not None and recording.urdf.count(old) == 1
        text = recording.urdf.replace(old, new)
        facts = msgspec.structs.replace(recording.run.robot, urdf_sha256=text_hash(text))
        return replace(recording, urdf=text).with_description(robot=facts)

    return change


# --- damage: the files as they lie there ---------------------------------------------------------


def edited(*path: str, value: Any) -> Damage:
    """Another value somewhere in ``run.json``; its seal stays."""

    def change(folder: Path) -> None:
        content = json.loads((folder / "run.json").read_text())
        *above, last = path
        place = content
        for key in above:
            place = place[key]
        assert place[last] != value
        place[last] = value
        (folder / "run.json").write_text(json.dumps(content, indent=1))

    return change


def cut(name: str, to: float = 0.5) -> Damage:
    """Only the first part of a file's bytes."""

    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(to * len(data))])

    return change


def flipped_bit(name: str) -> Damage:
    """One bit in the middle of a file."""

    def change(folder: Path) -> None:
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(bytes(data))

    return change


def sealed_with(damage: Damage, *names: str) -> Damage:
    """The damage, and then the hashes of the damaged files and the seal anew."""

    def change(folder: Path) -> None:
        damage(folder)
        run = read_description(folder / "run.json", Run)
        recording = Recording(None, None, run)  # type: ignore[arg-type]
        recording.with_files(folder, list(names)).write_description(folder)

    return change


def removed(name: str) -> Damage:
    """A file that is not there."""
    return lambda folder: (folder / name).unlink()


def both_damaged(*damages: Damage) -> Damage:
    """Several at once."""

    def change(folder: Path) -> None:
        for one in damages:
            one(folder)

    return change


def of_baseline(*, sealed_anew: bool = False, **entries: Any) -> Damage:
    """Other entries in ``baseline.json``."""

    def change(folder: Path) -> None:
        path = folder / DESCRIPTION
        content = json.loads(path.read_text())
        content.update(entries)
        data = json.dumps(content).encode()
        if sealed_anew:
            described = msgspec.json.decode(data, type=Acceptance, dec_hook=read_facts)
            data = description_text(with_seal(described))
        path.write_bytes(data)

    return change


def baseline_settings(**entries: Any) -> Damage:
    """Other settings of a baseline, sealed anew."""

    def change(folder: Path) -> None:
        content = json.loads((folder / DESCRIPTION).read_text())
        of_baseline(sealed_anew=True, settings={**content["settings"], **entries})(folder)

    return change


def baseline_curves(of: Callable[[Any], Any], *, hashed: bool = True) -> Damage:
    """Another table of a baseline's curves; its hash is in its name and in the description."""

    def write(run: Acceptance, path: Path) -> None:
        table, steps = read_compact(path, run.times)
        table = of(table.frame())
        steps = {str(channel): steps.get(str(channel), 2.0**-20) for channel in table}
        write_compact(path, table, steps, {**dict.fromkeys(steps, "1"), **run.units})

    return _another(CURVES, write, hashed=hashed)


def baseline_instants(of: Callable[[Any], Any], *, hashed: bool = True) -> Damage:
    """Another table of the instants that a baseline keeps to the last bit."""

    def write(run: Acceptance, path: Path) -> None:
        table = of(read_table(path).frame())
        write_table(path, table, {**dict.fromkeys(map(str, table), "1"), **run.units})

    return _another(INSTANTS, write, hashed=hashed)


def baseline_file(kind: str, damage: Callable[[str], Damage]) -> Damage:
    """Damage of one of the files that a baseline names."""

    def change(folder: Path) -> None:
        content = json.loads((folder / DESCRIPTION).read_text())
        damage(content["files"][kind])(folder)

    return change


def _another(kind: str, write: Callable[[Acceptance, Path], None], *, hashed: bool) -> Damage:
    def change(folder: Path) -> None:
        run = read_sealed(folder / DESCRIPTION, Acceptance)
        path = folder / run.files[kind]
        write(run, path)
        if hashed:
            name = f"{kind}-{sha256(path)[:16]}{path.suffix}"
            path.replace(folder / name)
            of_baseline(sealed_anew=True, files={**run.files, kind: name})(folder)

    return change
