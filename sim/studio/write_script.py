"""write_script: a setup as a scenario script of the form that a person would write.

Every string is written as a Python literal, so that none can become code.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping

from sim.dynamics.gravity import GRAVITY
from sim.studio.parameters import FLOOR, Template, with_parameters
from sim.studio.setup import PointOnLink, Setup, Spring

TITLE = "Written by sim studio, whose forms open it unless it is changed beyond them."
UNITS = {
    "displacement": "[rad or m]",
    "velocity": "[rad/s or m/s]",
    "acceleration": "[rad/s² or m/s²]",
    "torque": "[N·m or N]",
}
COMPONENTS = "[m]; b1, b2, b3 [rad]: R = Rx(b1) Ry(b2) Rz(b3)"
# Orientations of the robot's base by mount [rad].
MOUNTS = {"floor": None, "wall": (0.0, math.pi / 2, 0.0), "ceiling": (math.pi, 0.0, 0.0)}
SPRINGS = """    forces = tuple(
        sim.Spring(
            name,
            sim.Marker("i", *i),
            sim.Marker("j", *j),
            stiffness=stiffness,
            damping=damping,
            free_length=length,
        )
        for name, i, j, stiffness, damping, length in SPRINGS
    )
"""
CONTACTS = """    floor = sim.ContactShape.plane(at=(0.0, 0.0, {height!r}))
    law = sim.ContactLaw.impact(stiffness={stiffness!r}, damping={damping!r})
    spheres = [sim.ContactShape.sphere(link, radius, at) for link, at, radius in SPHERES]
    contacts = tuple(
        sim.Contact(sphere, floor, law, name=f"floor{{k}}", mu_static={friction!r})
        for k, sphere in enumerate(spheres, 1)
    )
"""
LONGEST = 96  # largest length of a line of numbers


def write_script(setup: Setup) -> str:
    """Return the text of a script; equal setups give equal texts.

    Tables that contain a parameter are inside the function that has it.
    """
    named, literals = with_parameters(setup)
    tables, motion = _motion(named)
    tables += _tables_of_joints(named)
    plain = [*_motion(setup)[0], *_tables_of_joints(setup)]
    settings = [f"dt={setup.dt!r}", f"method={literal_of(setup.method)}"]
    forces, acting = _forces(named)
    settings += acting
    if setup.gravity != GRAVITY or repr(named.gravity) != repr(setup.gravity):
        settings.append(f"gravity={named.gravity!r}")
    if setup.engine is not None:
        settings.append(f"engine={literal_of(setup.engine)}")
    above = "".join(f"{table}\n" for table in tables if table in plain)
    within = "".join(textwrap.indent(table, "    ") for table in tables if table not in plain)
    return f'''"""{TITLE}"""

import sim

{above}
def scenario({_parameters(setup, literals)}) -> sim.Scenario:
    """The run with `payload` [kg] for `duration` [s]."""
{within}{_robot(named)}    motion = {motion}
{forces}    return sim.Scenario(robot, motion, duration, {", ".join(settings)})


if __name__ == "__main__":
    sim.main(scenario)
'''


def _parameters(setup: Setup, literals: Mapping[str, str]) -> str:
    first = {"payload": repr(setup.payload), "duration": repr(setup.duration)}
    named = [f"{name}: float = {literal}" for name, literal in (first | dict(literals)).items()]
    if not literals:
        return ", ".join(named)
    return "\n" + "".join(f"    {one},\n" for one in named)


def literal_of(text: str) -> str:
    """Return a Python literal, in double quotes if the text has none; a template as an f-string."""
    if isinstance(text, Template):
        return f"f{literal_of(str(text))}"
    if '"' in text:
        return repr(text)
    return f'"{repr(chr(39) + text)[2:-1]}"'  # with a quote in front, repr chooses double quotes


def _motion(setup: Setup) -> tuple[list[str], str]:
    """Return tables of the drives or of the tool's path, and the expression of the motion."""
    return _tool_motion(setup) if setup.follows_path else _joint_motion(setup)


def _tool_motion(setup: Setup) -> tuple[list[str], str]:
    tables, components = [], []
    if setup.path is not None:
        rows = [f"{literal_of(name)}: {literal_of(text)}" for name, text in setup.path.items()]
        tables.append(_dict("PATH", rows, COMPONENTS))
        components.append("**PATH")
    if setup.points is not None:
        columns = [f"{literal_of(n)}: {_list(c, 8)}" for n, c in setup.points.columns.items()]
        tables.append(f"TIMES = {_list(setup.points.times, 4)}  # [s]\n")
        tables.append(_dict("POINTS", columns, COMPONENTS))
        components.append("**{name: sim.spline(TIMES, x) for name, x in POINTS.items()}")
    start = [f"start={_start(setup)}"] if _start(setup) else []
    if setup.points is None:
        return tables, f"sim.PointMotion({', '.join(['PATH', *start])})"
    lines = "".join(f"        {one},\n" for one in (f"{{{', '.join(components)}}}", *start))
    return tables, f"sim.PointMotion(\n{lines}    )"


def _joint_motion(setup: Setup) -> tuple[list[str], str]:
    tables, motions = [], []
    start = f"q0={_start(setup)}" if _start(setup) else ""
    more = [start] if start else []
    for level, unit in UNITS.items():
        if drives := setup.drives_of(level):
            rows = [f"{literal_of(name)}: {literal_of(text)}" for name, text in drives.items()]
            tables.append(_dict(level.upper(), rows, unit))
            motions.append(f"sim.JointMotion.{level}({', '.join([level.upper(), *more])})")
    if setup.table is not None and setup.table_columns:
        columns = [f"{literal_of(n)}: {_list(c, 8)}" for n, c in setup.table_columns.items()]
        tables.append(f"TIMES = {_list(setup.table.times, 4)}  # [s]\n")
        tables.append(_dict("TABLE", columns, UNITS[setup.table.level]))
        arguments = ["TABLE", "times=TIMES", *more]
        motions.append(f"sim.JointMotion.{setup.table.level}({', '.join(arguments)})")
    if setup.free or not motions:
        names = ", ".join(map(literal_of, setup.free)) + ("," if len(setup.free) == 1 else "")
        free = [f"free=({names})"] if setup.free else []
        motions.append(f"sim.JointMotion({', '.join(['{}', *more, *free])})")
    alone = " | ".join(motions)
    over_lines = "".join(f"        {'| ' if k else ''}{one}\n" for k, one in enumerate(motions))
    return tables, alone if len(motions) == 1 else f"(\n{over_lines}    )"


def _start(setup: Setup) -> str:
    if setup.positions:
        return "START"
    return "" if setup.start == "zero" else f"robot.pose({literal_of(setup.start)})"


def _tables_of_joints(setup: Setup) -> Iterable[str]:
    if setup.positions:
        yield _dict("START", _pairs(setup.positions), UNITS["displacement"])
    if setup.friction:
        yield _dict("FRICTION", _pairs(setup.friction), UNITS["torque"])
    if setup.drive_trains:
        rows = [
            f"{literal_of(n)}: {{\n{_lines(_pairs(x))}    }}" for n, x in setup.drive_trains.items()
        ]
        yield _dict("DRIVE_TRAINS", rows, "arguments of sim.DriveTrain")
    if setup.springs:
        rows = [f"(\n{_lines(_spring(one))}    )" for one in setup.springs]
        yield _rows(
            "SPRINGS", rows, "name, link and point [m] twice, [N/m], [N·s/m], free length [m]"
        )
    if setup.floor is not None:
        rows = [f"({literal_of(n)}, {at!r}, {radius!r})" for n, at, radius in setup.floor.spheres]
        yield _rows("SPHERES", rows, "link, middle [m], radius [m]; they touch the floor")


def _lines(parts: Iterable[str]) -> str:
    return "".join(f"        {one},\n" for one in parts)


def _spring(one: Spring) -> list[str]:
    numbers = (one.stiffness, one.damping, one.free_length)
    return [literal_of(one.name), _point(one.i), _point(one.j), *map(repr, numbers)]


def _point(point: PointOnLink) -> str:
    link, place = point
    return f"({literal_of(link)}, {place!r})"


def _rows(name: str, rows: Iterable[str], what: str) -> str:
    lines = "".join(f"    {row},\n" for row in rows)
    return f"{name} = [  # {what}\n{lines}]\n"


def _forces(setup: Setup) -> tuple[str, list[str]]:
    """Return lines that create springs and contacts, and the arguments that apply them."""
    lines, acting = "", []
    if setup.springs:
        lines += SPRINGS
        acting.append("forces=forces")
    if (floor := setup.floor) is not None:
        lines += CONTACTS.format(**{name: getattr(floor, name) for name in FLOOR})
        acting.append("contacts=contacts")
    return lines, acting


def _pairs(values: Mapping[str, float]) -> list[str]:
    return [f"{literal_of(name)}: {value!r}" for name, value in values.items()]


def _dict(name: str, rows: Iterable[str], unit: str) -> str:
    lines = "".join(f"    {row},\n" for row in rows)
    return f"{name} = {{  # {unit}\n{lines}}}\n"


def _list(values: Iterable[float], indent: int) -> str:
    """Return a list over several lines, indented below its name."""
    lines, line = [], ""
    for value in values:
        if len(line) + len(repr(value)) + 2 > LONGEST - indent:
            lines.append(line.rstrip())
            line = ""
        line += f"{value!r}, "
    lines.append(line.rstrip())
    inner = "".join(f"{' ' * indent}{one}\n" for one in lines)
    return f"[\n{inner}{' ' * (indent - 4)}]"


def _robot(setup: Setup) -> str:
    tool = f", tool={literal_of(setup.tool)}" if setup.tool else ""
    com = ", ".join(map(repr, setup.com))
    lines = [f"robot = sim.load_robot({literal_of(setup.robot)}{tool})"]
    if rpy := MOUNTS[setup.mount]:
        lines.append(f"robot = robot.mounted(rpy={rpy!r})  # {setup.mount}")
    lines.append(f"robot = robot.with_payload(mass=payload, com=({com}))  # m from the tool frame")
    if setup.friction:
        law = "sim.JointFriction(0.0, 0.0, preload=dry)"
        lines.append(f"laws = {{name: {law} for name, dry in FRICTION.items()}}")
        lines.append("robot = robot.with_friction(laws)")
    if setup.drive_trains:
        lines.append(
            "trains = {name: sim.DriveTrain(**train) for name, train in DRIVE_TRAINS.items()}"
        )
        lines.append("robot = robot.with_drives(trains)")
    return "".join(f"    {line}\n" for line in lines)
