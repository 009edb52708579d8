"""Layers of `sim`: its packages, the imports between them, and cycles.

    python tools/layers.py [FOLDER]

prints the figures of FOLDER (default: ``sim``) and exits with 1 if the plan is violated.
`tests/test_layers.py` tests the plan with the functions of this file.

A package here is a folder directly in `sim`, with all its subfolders, or a single file there. An
arrow is an import from one package to another, anywhere in a file: also under ``TYPE_CHECKING`` and
in functions.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

# The plan: packages by layer, the lowest first. A package imports only from lower layers, so that
# packages of one layer do not import each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("engine_names", "errors", "interface", "shipped", "showing", "versions"),
    ("maths", "disk_cache"),
    ("functions",),
    ("robots", "curves"),
    ("kinematics", "shapes", "foreign"),
    ("dynamics", "motion"),
    ("recording", "control"),
    ("reference", "clearance"),
    ("checks", "comparison"),
    ("scenario", "engines", "reports"),
    (
        *("simulation", "playback", "audit", "symbolic", "vibration", "workspaces", "decks"),
        *("identification", "capacity", "sizing", "history"),
    ),
    ("conversion", "studies", "studio", "verification", "watching"),
    ("cli",),
)

TOP = "__init__"  # the interface of `sim`, which re-exports names of all packages


def modules(root: Path) -> dict[str, Path]:
    """Return files by dotted name: ``sim.robots.joint``, ``sim.robots`` for its `__init__.py`."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(root: Path) -> dict[str, set[str]]:
    """Return for each module the modules of `sim` that it imports, `__init__.py` included."""
    files = modules(root)
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


def package_of(module: str) -> str:
    """Return the package of a module: the second word of its dotted name.

    ``sim.__main__`` belongs to the interface of `sim`: it starts the command, and no file imports
    it.
    """
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "__main__" else TOP


def arrows(graph: Mapping[str, set[str]]) -> dict[tuple[str, str], list[str]]:
    """Return which package imports from which, with the causing imports ``file -> file``."""
    found: dict[tuple[str, str], list[str]] = {}
    for module, others in graph.items():
        for other in others:
            ends = package_of(module), package_of(other)
            if ends[0] != ends[1] and TOP not in ends:
                found.setdefault(ends, []).append(f"{module} -> {other}")
    return found


def upward_imports(graph: Mapping[str, set[str]]) -> list[str]:
    """Return imports from a layer that is not below the importer's own."""
    layer = {package: number for number, packages in enumerate(LAYERS) for package in packages}
    return sorted(
        line
        for (package, other), lines in arrows(graph).items()
        for line in lines
        if layer.get(other, len(LAYERS)) >= layer.get(package, -1)
    )


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Return groups of files that import each other, each in alphabetical order (Tarjan 1972)."""
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


def between_packages(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return for each package the packages that it imports from."""
    others_of: dict[str, set[str]] = {package_of(module): set() for module in graph}
    for package, other in arrows(graph):
        others_of[package].add(other)
    return {package: others for package, others in others_of.items() if package != TOP}


def height(graph: Mapping[str, set[str]]) -> int:
    """Return the number of layers that imports require: the longest chain, a cycle counting one."""
    home = {module: module for module in graph}
    for group in cycles(graph):
        home |= dict.fromkeys(group, group[0])
    below: dict[str, set[str]] = {}
    for module, others in graph.items():
        below.setdefault(home[module], set()).update(home[other] for other in others)
    depth: dict[str, int] = {}

    def layer(module: str) -> int:
        if module not in depth:
            under = below[module] - {module}
            depth[module] = 1 + max((layer(other) for other in under), default=0)
        return depth[module]

    return max(map(layer, below))


def mappings_of_any(root: Path) -> int:
    """Return the number of annotations of mappings to any value: ``dict[str, Any]`` and so on."""
    heads = {"dict", "Mapping", "MutableMapping"}
    return sum(
        1
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id in heads
        and any(isinstance(x, ast.Name) and x.id == "Any" for x in ast.walk(node.slice))
    )


def packages(root: Path) -> set[str]:
    """Return existing packages: folders with Python files, and single files."""
    return {package_of(name) for name in modules(root)} - {TOP}


def main() -> int:
    """Print the figures; return 1 for an upward import, a cycle, or an unplanned package."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "sim").resolve()
    graph = imports(root)
    planned = {package for layer in LAYERS for package in layer}
    here = packages(root)
    folders = {path.parent for path in root.rglob("*.py")} - {root}
    single = [path for path in root.glob("*.py") if path.stem != "__init__"]
    upward, rings = upward_imports(graph), cycles(graph)
    figures = {
        "layers in the plan": len(LAYERS),
        "packages": len(here),
        "folders": len(folders),
        "single files": len(single),
        "files": len(graph),
        "arrows between packages": len(arrows(graph)),
        "imports between packages": sum(map(len, arrows(graph).values())),
        "layers that the imports need": height(between_packages(graph)),
        "cycles of packages": len(cycles(between_packages(graph))),
        "cycles of files": len(rings),
        "mappings of Any": mappings_of_any(root),
    }
    lines = [f"{name:32} {value:5}" for name, value in figures.items()]
    lines += [f"upward import: {line}" for line in upward]
    lines += [f"cycle: {', '.join(ring)}" for ring in rings]
    lines += [f"not in the plan: {package}" for package in sorted(here - planned)]
    lines += [f"in the plan only: {package}" for package in sorted(planned - here)]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(bool(upward or rings or here != planned))


if __name__ == "__main__":
    sys.exit(main())
