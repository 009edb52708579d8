"""Check wheel and sdist of a clean copy, each installed in an empty environment.

    python -m tools.install_check [PYTHON]

builds both from the committed files, compares their content with the repository, installs each with
PYTHON (default: this one) into an empty environment that belongs to another user and is read-only,
and calls the commands as another user (if started by root, and that user can run PYTHON) whose home
is empty, from a folder outside the repository. Every command must end with the status given here
and nothing on stderr, and the installed packages must be unchanged, to the bit. Needs the network
for pip.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

REPOSITORY = Path(__file__).parents[1]
NOBODY = 65534
SHARED = ("urdf", "meshes", "scenarios", "verification", "results/baselines")
NOT_IN_WHEEL = ("sim/reports/page/bundle/",)
URDF = "sim/share/urdf/ur10.urdf"

VIDEO = "play ur10_step --video still.png"  # drawn by PyBullet

# Commands, and their exit status.
CALLS = (
    ("--version", 0),
    ("list", 0),
    ("doctor", 0),
    ("run ur10_step", 0),
    ("compare ur10_step", 0),
    ("compare --all", 1),  # the others were not run
    ("accept ur10_step --reason installed", 0),
    ("ik ur10 --pose 0.6 0.3 0.5 180 0 90 --degrees", 0),
    ("audit {packages}/" + URDF, 0),
    ("report ur10_step --out page.html", 0),
    ("export ur10_step run.csv", 0),
    ("plot ur10_step tau.* --out curves.png", 0),
    (VIDEO, 0),
    ("completion bash", 0),
)


class UnfitError(Exception):
    """A deviation from what a user may expect."""


def build(above: Path) -> list[Path]:
    """Build the sdist of the committed files, and the wheel from the sdist."""
    copy = above / "copy"
    copy.mkdir()
    packed = above / "copy.tar"
    _call("git", "-C", REPOSITORY, "archive", "--output", packed, "HEAD")
    with tarfile.open(packed) as archive:
        archive.extractall(copy, filter="data")
    tools = _environment(above / "tools", sys.executable)
    _call(tools / "pip", "install", "--quiet", "build")
    _call(tools / "python", "-m", "build", copy, stdout=subprocess.DEVNULL)
    return sorted((copy / "dist").iterdir())


def require_content(wheel: Path, sdist: Path) -> None:
    """Check that the sdist is the repository, and the wheel its package and shipped files.

    Raises
    ------
    UnfitError
        Names the missing or superfluous files.
    """
    listed = _call("git", "-C", REPOSITORY, "ls-files", stdout=subprocess.PIPE).stdout
    tracked = set(listed.decode().splitlines())
    with tarfile.open(sdist) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    _require_same(sdist.name, inside, tracked | {"PKG-INFO"})
    package = {
        name for name in tracked if name.startswith("sim/") and not name.startswith(NOT_IN_WHEEL)
    }
    shared = {
        f"sim/share/{name}"
        for name in tracked
        if any(PurePosixPath(name).is_relative_to(folder) for folder in SHARED)
    }
    licences = {
        name
        for name in tracked
        if PurePosixPath(name).name.startswith("LICENSE") and not name.startswith("tests/")
    }
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    about = {name for name in names if name.partition("/")[0].endswith(".dist-info")}
    _require_same(wheel.name, names - about, package | shared)
    kept = {name.partition("/licenses/")[2] for name in about if "/licenses/" in name}
    _require_same(f"licences of {wheel.name}", kept, licences)


def require_works(above: Path, built: Path, python: str) -> None:
    """Install into an empty environment, and call every command as another user.

    Raises
    ------
    UnfitError
        If one ends with another status, or an installed file is changed.
    """
    binaries = _environment(above / "environment", python)
    _call(binaries / "pip", "install", "--quiet", f"{built}[completion]")
    (packages,) = (above / "environment").glob("lib/python*/site-packages")
    _call("chmod", "-R", "a-w,a+rX", above / "environment")
    home = above / "home"
    home.mkdir()
    before = _hash(packages)
    user = _another_user(binaries / "python")
    if user:
        os.chown(home, NOBODY, NOBODY)
    plain = ("env", "-i", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", f"HOME={home}")
    draws = subprocess.run(
        (binaries / "python", "-c", "import pybullet"), capture_output=True, check=False
    )
    for start in ((binaries / "sim",), (binaries / "python", "-m", "sim")):
        for words, status in CALLS if start[0].name == "sim" else CALLS[:1]:
            if words == VIDEO and draws.returncode:
                sys.stdout.write(
                    f"  sim {words}: left out, PyBullet has no wheel for this Python\n"
                )
                continue
            call = words.format(packages=packages).split()
            done = subprocess.run(
                (*user, *plain, *start, *call), cwd=home, capture_output=True, check=False
            )
            sys.stdout.write(f"  sim {words}: {done.returncode}\n")
            if (done.returncode, done.stderr) != (status, b""):
                raise UnfitError(f"sim {words}: {done.returncode}, {done.stderr.decode()}")
    if _hash(packages) != before:
        raise UnfitError(f"something was written to {packages}")


def _another_user(python: Path) -> tuple[str, ...]:
    """Return the prefix of a call as another user; empty if that user cannot run PYTHON."""
    if os.geteuid() != 0:
        return ()
    user = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
    if (
        subprocess.run(
            (*user, "env", python, "-c", ""), stderr=subprocess.DEVNULL, check=False
        ).returncode
        == 0
    ):
        return user
    sys.stdout.write("  another user cannot run this Python: called by its owner\n")
    return ()


def _environment(folder: Path, python: str) -> Path:
    _call(python, "-m", "venv", folder)
    return folder / "bin"


def _call(*words: object, stdout: int | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(tuple(map(str, words)), check=True, stdout=stdout)


def _hash(folder: Path) -> str:
    """Return the hash of all files except those that Python compiles."""
    told = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if "__pycache__" in path.parts:
            continue
        told.update(str(path).encode())
        told.update(path.read_bytes() if path.is_file() else b"")
    return told.hexdigest()


def _require_same(what: str, there: set[str], wanted: set[str]) -> None:
    missing, more = sorted(wanted - there), sorted(there - wanted)
    if missing or more:
        raise UnfitError(f"{what}: missing {missing}, too much {more}")


def main(python: str) -> None:
    """Build, compare, install and call."""
    with tempfile.TemporaryDirectory(prefix="sim-install-") as name:
        above = Path(name)
        above.chmod(0o755)  # accessible to the other user
        wheel, sdist = sorted(build(above), key=lambda path: path.suffix != ".whl")
        require_content(wheel, sdist)
        for built in (wheel, sdist):
            sys.stdout.write(f"{built.name}, {built.stat().st_size / 1e6:.1f} MB\n")
            folder = above / built.suffix[1:]
            folder.mkdir()
            try:
                require_works(folder, built, python)
            finally:
                _call("chmod", "-R", "u+w", folder)


if __name__ == "__main__":
    try:
        main((*sys.argv, sys.executable)[1])
    except UnfitError as unfit:
        sys.exit(f"unfit: {unfit}")
