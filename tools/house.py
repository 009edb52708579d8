"""The layers of the package measured: rooms (its folders), floors, imports between them, circles.

    python tools/house.py [FOLDER]

prints the figures of the package in FOLDER (``sim`` without it) and exits with 1 if the plan is
broken. `tests/test_house.py` holds the plan with the functions of this file.

A room is a folder of the package, or a loose file in it. An arrow is an import from one room to
another, wherever in a file it stands: under ``TYPE_CHECKING`` and in functions too.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

# The plan: which rooms stand on which floor, the ground first. A room imports only from the floors
# below its own, so that rooms on one floor do not know each other.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("engine_names", "errors", "shipped", "showing"),
    ("maths",),
    ("functions",),
    ("robots",),
    ("kinematics", "shapes", "recording", "foreign"),
    ("dynamics", "motion", "reference"),
    ("checks", "comparison"),
    ("scenario", "engines", "reports"),
    ("simulation", "playback", "audit"),
    ("studies",),
    ("cli",),
)

FRONT_DOOR = "__init__"  # hands names on, and knows every room by name


def modules(package: Path) -> dict[str, Path]:
    """Files of a package by dotted name: ``sim.robots.joint``, ``sim.robots`` for its face."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(package: Path) -> dict[str, set[str]]:
    """For each module the modules of the package that it imports; a package's face is one."""
    files = modules(package)
    return {name: set(_imported(name, path, files)) for name, path in files.items()}


def _imported(name: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    base = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            above = base[: len(base) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                if inner in files or module in files:
                    yield inner if inner in files else module


def room_of(module: str) -> str:
    """The room that a module stands in: the second word of its dotted name.

    ``sim.__main__`` is the front door too: it starts the command, and nobody imports it.
    """
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "__main__" else FRONT_DOOR


def arrows(graph: Mapping[str, set[str]]) -> dict[tuple[str, str], list[str]]:
    """Which room imports from which, with the lines of code ``file -> file`` that make it."""
    found: dict[tuple[str, str], list[str]] = {}
    for module, others in graph.items():
        for other in others:
            ends = room_of(module), room_of(other)
            if ends[0] != ends[1] and FRONT_DOOR not in ends:
                found.setdefault(ends, []).append(f"{module} -> {other}")
    return found


def climbs(graph: Mapping[str, set[str]]) -> list[str]:
    """Imports of a floor that is not below the importer's own."""
    floor = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
    return sorted(
        line
        for (room, other), lines in arrows(graph).items()
        for line in lines
        if floor.get(other, len(FLOORS)) >= floor.get(room, -1)
    )


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of files that import each other, each in alphabetical order (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in graph[module]:
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1 or module in graph[module]:
                groups.append(sorted(group))

    for module in graph:
        if module not in index:
            visit(module)
    return sorted(groups)


def between_rooms(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """For each room the rooms that it imports from."""
    others_of: dict[str, set[str]] = {room_of(module): set() for module in graph}
    for room, other in arrows(graph):
        others_of[room].add(other)
    return {room: others for room, others in others_of.items() if room != FRONT_DOOR}


def height(graph: Mapping[str, set[str]]) -> int:
    """Floors that the imports of a graph ask for: the longest way down, circles as one."""
    home = {module: module for module in graph}
    for group in circles(graph):
        home |= dict.fromkeys(group, group[0])
    below: dict[str, set[str]] = {}
    for module, others in graph.items():
        below.setdefault(home[module], set()).update(home[other] for other in others)
    depth: dict[str, int] = {}

    def floor(module: str) -> int:
        if module not in depth:
            under = below[module] - {module}
            depth[module] = 1 + max((floor(other) for other in under), default=0)
        return depth[module]

    return max(map(floor, below))


def mappings_of_any(package: Path) -> int:
    """How many annotations say that a mapping holds anything: ``dict[str, Any]`` and its kin."""
    heads = {"dict", "Mapping", "MutableMapping"}
    return sum(
        1
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id in heads
        and any(isinstance(x, ast.Name) and x.id == "Any" for x in ast.walk(node.slice))
    )


def rooms(package: Path) -> set[str]:
    """Rooms that are there: folders with Python files, and loose files but the front door."""
    return {room_of(name) for name in modules(package)} - {FRONT_DOOR}


def main() -> int:
    """Print the figures; 1 if a file climbs, files form a circle, or plan and house differ."""
    package = Path(sys.argv[1] if len(sys.argv) > 1 else "sim").resolve()
    graph = imports(package)
    planned = {room for floor in FLOORS for room in floor}
    here = rooms(package)
    folders = {path.parent for path in package.rglob("*.py")} - {package}
    loose = [path for path in package.glob("*.py") if path.stem != "__init__"]
    upward, rings = climbs(graph), circles(graph)
    figures = {
        "floors in the plan": len(FLOORS),
        "rooms": len(here),
        "folders": len(folders),
        "loose files": len(loose),
        "files": len(graph),
        "arrows between rooms": len(arrows(graph)),
        "imports between rooms": sum(map(len, arrows(graph).values())),
        "floors that the imports ask for": height(between_rooms(graph)),
        "circles of rooms": len(circles(between_rooms(graph))),
        "circles of files": len(rings),
        "mappings of Any": mappings_of_any(package),
    }
    lines = [f"{name:32} {value:5}" for name, value in figures.items()]
    lines += [f"climbs: {line}" for line in upward]
    lines += [f"circle: {', '.join(ring)}" for ring in rings]
    lines += [f"not in the plan: {room}" for room in sorted(here - planned)]
    lines += [f"in the plan only: {room}" for room in sorted(planned - here)]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(upward or rings or here != planned))


if __name__ == "__main__":
    sys.exit(main())
