"""Python and the required packages: installed, recent enough, importable."""

from __future__ import annotations

import importlib
import json
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata

from sim.cli.doctor.child import answer_of
from sim.cli.doctor.trouble import FINE, HealthItem
from sim.engine_names import ENGINES
from sim.versions import version_of, working_copy_project

PYTHONS = ((3, 11), (3, 13))  # first and last tested version
# Packages with other module names, and the purpose of each extra.
_MODULES = {
    "pillow": "PIL",
    "imageio-ffmpeg": "imageio_ffmpeg",
    "mcap-ros2-support": "mcap_ros2",
    "drake": "pydrake",
} | {facts.package: facts.module for facts in ENGINES.values()}
EXTRAS: dict[str, str] = {name: facts.purpose for name, facts in ENGINES.items()} | {
    "clearance": "distances between links",
    "studio": "sim studio, the window in the browser",
    "logs": "ROS bags in sim identify",
    "fit-time": "minimum time along a path",
    "drake": "robots compared with Drake",
    "video": "MP4 without an installed ffmpeg",
    "xacro": "xacro files",
    "completion": "sim completion",
    "meshes": "masses of meshes with overlapping bodies; regenerating shipped meshes",
}
_BARE = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[.*?\])?\s*([^;]*)(?:;.*)?")


@dataclass(frozen=True)
class Wanted:
    """A required package: its name, accepted versions and its extra."""

    name: str
    versions: str
    extra: str = ""


def own_version() -> str:
    """Return the version of this package: of the working copy, or as installed."""
    return version_of("sim") or "(unknown version)"


def python_here() -> Iterator[HealthItem]:
    """Yield the interpreter, and whether its version is tested."""
    first, last = PYTHONS
    works = first <= sys.version_info[:2] <= last
    spoken = "{}.{} to {}.{}".format(*first, *last)
    python = f"{platform.python_version()} ({sys.executable})"
    remedy = f"recreate the environment with Python {spoken}"
    yield HealthItem("Python", works, python, FINE if works else remedy, needed=True)


def packages_here() -> Iterator[HealthItem]:
    """Yield every package of the project and of its extras, with its version."""
    if not (required := wanted_packages()):
        remedy = "install it: pip install -e ."
        yield HealthItem("packages", False, "sim is not installed as a package", remedy)
    here = [each for each in required if version_of(each.name) is not None]
    failures = _failures([_module(each.name) for each in here])
    for each in required:
        yield _package(each, failures.get(_module(each.name)))


def font_here() -> Iterator[HealthItem]:
    """Yield the font of the figures, which comes with Matplotlib."""
    from matplotlib import font_manager

    try:
        font = font_manager.findfont("DejaVu Sans", fallback_to_default=False)
    except ValueError as error:
        remedy = (
            "pip install --force-reinstall matplotlib; otherwise figures show boxes for letters"
        )
        yield HealthItem("font of figures", False, str(error).partition(".")[0], remedy)
    else:
        yield HealthItem("font of figures", True, str(font))


def wanted_packages() -> list[Wanted]:
    """Return the project's requirements, then its extras for users, each in alphabetical order."""
    if project := working_copy_project():
        lines = [(line, "") for line in project["dependencies"]]
        extras = project["optional-dependencies"]
        lines += [(line, extra) for extra in EXTRAS for line in extras.get(extra, ())]
    else:
        try:
            requirements = metadata.requires("sim") or []
        except metadata.PackageNotFoundError:
            requirements = []
        lines = [(line, _extra(line)) for line in requirements]
    packages = []
    for line, extra in lines:
        match = _BARE.fullmatch(line)
        if match and (not extra or extra in EXTRAS) and _is_of_here(line, extra):
            packages.append(Wanted(match[1].lower(), match[2].strip(), extra))
    required = {each.name for each in packages if not each.extra}
    return [each for each in packages if not each.extra or each.name not in required]


def _is_of_here(line: str, extra: str) -> bool:
    """Whether the environment marker of a requirement applies here."""
    try:
        from packaging.requirements import Requirement
    except ImportError:  # a part of Matplotlib, which is reported as missing itself
        return True
    marker = Requirement(line).marker
    return marker is None or marker.evaluate({"extra": extra})


def _extra(line: str) -> str:
    match = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
    return match[1] if match else ""


def _module(package: str) -> str:
    return _MODULES.get(package, package)


def _package(package: Wanted, failure: str | None) -> HealthItem:
    needed = not package.extra
    purpose = f"; for {EXTRAS[package.extra]}" if package.extra else ""
    install = f"pip install '{package.name}{package.versions}'{purpose}"
    if (version := version_of(package.name)) is None:
        return HealthItem(package.name, False, "not installed", install, needed)
    if failure is not None:
        again = f"pip install --force-reinstall '{package.name}{package.versions}'{purpose}"
        return HealthItem(
            package.name, False, f"{version}, cannot be imported: {failure}", again, needed
        )
    if not _will_do(version, package.versions):
        versions = f"{version}; required: {package.versions}"
        return HealthItem(package.name, False, versions, install, needed)
    return HealthItem(package.name, True, version, needed=needed)


def _will_do(version: str, versions: str) -> bool:
    try:
        from packaging.specifiers import SpecifierSet
    except ImportError:  # a part of Matplotlib, which is reported as missing itself
        return True
    return SpecifierSet(versions).contains(version, prereleases=True)


def _failures(modules: list[str]) -> dict[str, str]:
    """Return import errors by module, determined in a child process."""
    try:
        return _answers(answer_of("sim.cli.doctor.installed", *modules))
    except RuntimeError:  # one module crashes the process: find it
        pass
    failures: dict[str, str] = {}
    for module in modules:
        try:
            failures |= _answers(answer_of("sim.cli.doctor.installed", module))
        except RuntimeError as error:
            failures[module] = str(error)
    return failures


def _answers(answer: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in answer.items()} if isinstance(answer, dict) else {}


def main() -> None:
    """Import the named modules, and print the errors as JSON."""
    failures = {}
    for module in sys.argv[1:]:
        try:
            importlib.import_module(module)
        except Exception as error:
            failures[module] = " ".join(f"{type(error).__name__}: {error}".split())
    sys.stdout.write("\n" + json.dumps(failures) + "\n")


if __name__ == "__main__":
    main()
