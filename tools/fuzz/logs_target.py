"""Logs of robots: read by the names of a robot's joints, repaired, checked and fitted.

An input is a line of JSON with the construction of a table, then the table's own lines, if any. Two
joints and 150 samples suffice for every step of an identification.
"""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sim import shipped
from sim.dynamics.newton_euler import inverse_dynamics
from sim.errors import SimError
from sim.foreign import naming_of
from sim.foreign.joint_streams import Message, joint_columns_of
from sim.identification import Log, identify
from sim.identification.log import FEWEST
from sim.robots import load_robot
from sim.robots.robot import Robot
from tools.fuzz.mutation import NUMBERS, TEXT_CHANGES, text_mutated
from tools.fuzz.target import refusal

SAMPLES = 150
CLOCKS = ("t", "time", "__time", "timestamp", "Time [s]", "Time (ms)", "stamp", "t_ns", "x", "")
TURNS = ("", "2pi", "360", "pi")
SCALES = (1.0, 1.0, 1.0, -1.0, 57.3, 1e-3, 1e3, 1e-200, 1e150, 1e9, 0.0)
KINDS = ("csv", "csv", "messages")
Row = dict[str, Any]


class LogsTarget:
    """A log and a robot of two joints."""

    name = "logs"
    suffix = ".log"

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-logs-")
        self.path = Path(self._folder.name) / "log.csv"

    def seeds(self) -> list[bytes]:
        """Return a valid log as a table, without velocities, and as messages."""
        plain = json.dumps({"kind": "csv"})
        return [
            plain.encode(),
            json.dumps({"kind": "csv", "payload": True, "delay": 0.04}).encode(),
            json.dumps({"kind": "messages", "gripper": 2}).encode(),
            f"{plain}\n{_csv({})}".encode(),
        ]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Change the construction of the table, or its text."""
        head, _, text = data.partition(b"\n")
        if text and chance.random() < 0.7:
            return head + b"\n" + text_mutated(text, chance, TEXT_CHANGES, 60_000)
        how = _how(head)
        for _ in range(chance.randint(1, 3)):
            key, value = chance.choice(_changes(chance))
            how[key] = value
        made = json.dumps(how).encode()
        if chance.random() < 0.3:
            return made + b"\n" + _csv(how).encode()
        return made

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Read and identify."""
        head, _, text = data.partition(b"\n")
        how, robot = _how(head), _robot()
        try:
            if text or how.get("kind") != "messages":
                self.path.write_bytes(text or _csv(how).encode())
                log = Log.read(self.path, robot, naming_of())
            else:
                log = _of_messages(robot, how)
        except SimError as error:
            return f"read: {refusal(error)}"
        try:
            found = identify(
                robot,
                log,
                payload=bool(how.get("payload")),
                mount=how.get("mount"),
                cutoff=how.get("cutoff"),
                despite_doubts=bool(how.get("despite")),
            )
        except SimError as error:
            return f"fit: {refusal(error)}"
        numbers = [value for law in found.friction.values() for value in vars(law).values()]
        if not np.isfinite(numbers).all():
            raise ArithmeticError(f"friction is {numbers}")
        words = [note.split()[-1] for note in found.notes]
        return f"fitted {' '.join(sorted(words))[:80]}"

    def parts(self, data: bytes) -> list[bytes]:
        """Return its lines."""
        return data.splitlines(keepends=True)

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the bytes of some lines."""
        return b"".join(parts)


@cache
def _robot() -> Robot:
    return load_robot(shipped.scenarios() / "two_link.urdf")


def _how(head: bytes) -> Row:
    try:
        how = json.loads(head)
    except (ValueError, RecursionError):
        return {}
    return how if isinstance(how, dict) else {}


def _changes(chance: random.Random) -> list[tuple[str, Any]]:
    """Return some value for each key."""
    share = chance.choice((0.0, 0.02, 0.3, 1.0))
    mount = [0, 0, 0, *(chance.choice((0.0, 0.3, 1.57, 3.14)) for _ in range(3))]
    return [
        ("kind", chance.choice(KINDS)),
        ("payload", chance.random() < 0.5),
        ("despite", chance.random() < 0.5),
        ("mount", chance.choice((None, mount))),
        ("hung", mount[3:]),
        ("cutoff", chance.choice((None, None, 1.0, 1e-9, 1e9, float("nan")))),
        ("delay", chance.choice((0.0, 0.04, -0.1, 0.7))),
        ("clock", chance.choice(CLOCKS)),
        ("since", chance.choice((0.0, 1.7e9, -5.0, 1e15))),
        ("second", chance.choice((1.0, 1e3, 1e6, 1e9, 1e-6))),
        ("gap", chance.choice((0.0, 0.5, 3.6e4, 1e9))),
        ("gaps", chance.randint(0, 20)),
        ("turn", chance.choice(TURNS)),
        ("zeros", [chance.choice(("q", "qd", "tau", "row")), share]),
        ("bad", [chance.choice(NUMBERS), share, chance.choice(("q", "tau", "t"))]),
        ("scale", [chance.choice(("q", "qd", "tau", "t")), chance.choice(SCALES)]),
        ("still", chance.choice(("", "first", "all"))),
        ("rates", chance.random() < 0.5),
        ("samples", chance.choice((2, FEWEST - 1, FEWEST, SAMPLES, 400))),
        ("rate", chance.choice((1.0, 10.0, 50.0, 1e4))),
        ("titles", chance.choice(("", ",,", "none"))),
        ("gripper", chance.randint(0, 3)),
        ("halves", chance.choice((0.0, 4e-4, -3.0))),
        ("noise", chance.choice((0.0, 0.1, 1e6))),
        ("seed", chance.randint(0, 99)),
    ]


def _number(how: Row, key: str, usual: float) -> float:
    value = how.get(key, usual)
    return float(value) if isinstance(value, int | float) else usual


def _rows(how: Row) -> dict[str, np.ndarray]:
    """Return t, q, qd and tau of a log constructed as given."""
    robot, size = _robot(), int(np.clip(_number(how, "samples", SAMPLES), 2, 1000))
    n, chance = len(robot.row_names), np.random.default_rng(int(_number(how, "seed", 0)))
    t = np.arange(size) / _number(how, "rate", 20.0)
    w = 2 * np.pi * np.arange(1, 4)[:, None] * 1.0 / max(float(t[-1]), 1e-9) * 2
    a = chance.normal(size=(n, 3))
    if how.get("still"):
        a[: n if how["still"] == "all" else 1] = 0.0
    q, qd, qdd = a @ np.sin(w * t), a @ (w * np.cos(w * t)), -a @ (w**2 * np.sin(w * t))
    hung = how.get("hung")
    mounted = robot.mounted(rpy=hung) if hung else robot
    tau = inverse_dynamics(mounted, q, qd, qdd) + np.sign(qd) + 0.5 * qd
    shift = round(_number(how, "delay", 0.0) * _number(how, "rate", 20.0))
    tau = np.roll(tau, shift, axis=1) + _number(how, "noise", 0.1) * chance.normal(size=q.shape)
    turn = {"2pi": (0.0, 2 * np.pi), "360": (0.0, 360.0), "pi": (-np.pi, 2 * np.pi)}
    if how.get("turn") in turn:
        low, length = turn[how["turn"]]
        q = np.mod((np.degrees(q) if length > 7 else q) - low, length) + low
    for k in range(int(_number(how, "gaps", 0))):
        t = t + np.where(np.arange(size) > k * size // 20, _number(how, "gap", 0.0), 0.0)
    found = {"t": t, "q": q, "qd": qd, "tau": tau}
    zeros = how.get("zeros")
    if isinstance(zeros, list):
        out = chance.random(size) < zeros[1]
        for group in ("q", "qd", "tau") if zeros[0] == "row" else (zeros[0],):
            found[group][:, out] = 0.0
    scale = how.get("scale")
    if isinstance(scale, list):
        with np.errstate(all="ignore"):
            found[scale[0]] = found[scale[0]] * scale[1]
    found["t"] = (found["t"] + _number(how, "since", 0.0)) * _number(how, "second", 1.0)
    return found if how.get("rates", True) else {k: found[k] for k in ("t", "q", "tau")}


def _csv(how: Row) -> str:
    """Return the table of a log."""
    rows, chance = _rows(how), np.random.default_rng(1)
    groups = [group for group in rows if group != "t"]
    titles = [how.get("clock", "t"), *(f"{g}.{n}" for g in groups for n in _robot().row_names)]
    columns = np.vstack([rows["t"], *(rows[group] for group in groups)])
    cells = np.array([[f"{x:.9g}" for x in row] for row in columns.T], dtype=object)
    bad = how.get("bad")
    if isinstance(bad, list):
        places = [k for k, title in enumerate(titles) if title.partition(".")[0] == bad[2]]
        for k in places[:1]:
            cells[chance.random(len(cells)) < bad[1], k] = bad[0]
    head = ",".join(map(str, titles)) + (
        how.get("titles", "") if how.get("titles") != "none" else ""
    )
    lines = [] if how.get("titles") == "none" else [head]
    return "\n".join([*lines, *(",".join(row) for row in cells)])


def _of_messages(robot: Robot, how: Row) -> Log:
    """Return the log of messages, as in a bag."""
    rows = _rows(how)
    names, late = robot.row_names, _number(how, "halves", 0.0)
    gripper, messages = int(_number(how, "gripper", 0)), list[Message]()
    for k, t in enumerate(rows["t"].tolist()):
        groups = [rows[g][:, k] if g in rows else () for g in ("q", "qd", "tau")]
        if late:
            for part in (slice(0, 1), slice(1, None)):
                own = [row[part] for row in groups]
                messages.append((t + late * bool(part.start), names[part], *own))
        else:
            messages.append((t, names, *groups))
        if gripper and k % gripper == 0:
            messages.append((t + 1e-3, ("finger",), (0.1,), (), ()))
    columns, notes = joint_columns_of("messages", messages, names)
    found = {column.title: column.values for column in columns}
    try:
        q, tau = (np.stack([found[f"{g}.{name}"] for name in names]) for g in ("q", "tau"))
    except KeyError:
        return Log(names, np.zeros(0), np.zeros((len(names), 0)), np.zeros((len(names), 0)))
    return Log(names, found["t"], q, tau, notes=notes)


TARGET = LogsTarget
