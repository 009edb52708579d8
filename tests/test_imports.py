"""Tests of other packages import through a package's ``__init__``, where that has the name."""

import ast
import importlib
from collections import Counter
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent

# Names that a package's ``__init__`` does not have and tests of others import from a file of it,
# so many of each package.
DEEP = {
    "audit": 3,
    "checks": 3,
    "cli": 3,
    "comparison": 11,
    "dynamics": 6,
    "engines": 18,
    "functions": 4,
    "kinematics": 10,
    "maths": 9,
    "playback": 6,
    "recording": 48,
    "reference": 1,
    "reports": 28,
    "robots": 6,
    "shapes": 5,
    "showing": 1,
    "simulation": 8,
    "sizing": 1,
    "studies": 12,
    "vibration": 1,
    "workspaces": 3,
}


@cache
def deep_imports():
    """File, package and name of each import from a file of another package."""
    return tuple(_deep_imports())


def _deep_imports():
    for path in sorted(TESTS.rglob("*.py")):
        own = path.relative_to(TESTS).parts[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                parts = node.module.split(".")
                if parts[0] == "sim" and len(parts) > 2 and parts[1] != own:
                    yield from ((path, node.module, alias.name) for alias in node.names)


def test_what_a_package_offers_is_imported_from_it():
    wrong = []
    for path, module, name in deep_imports():
        package = importlib.import_module(".".join(module.split(".")[:2]))
        if name in getattr(package, "__all__", ()):
            offered = getattr(package, name)
            if offered is getattr(importlib.import_module(module), name, None):
                wrong.append(f"{path.relative_to(TESTS)}: from {package.__name__} import {name}")
    assert wrong == []


def test_no_more_is_imported_from_inside_of_packages_than_before():
    """And where it is less, the figure is lowered."""
    names = {(module.split(".")[1], name) for _, module, name in deep_imports()}
    assert Counter(package for package, _ in names) == DEEP
