"""Run the steps of action.yml in an empty environment, and measure their time.

    python -m tools.action_check [PYTHON]

creates a repository with a robot whose last commit breaks it and a scenario with its baseline, and
runs each script step of the action, with and without an engine. Needs the network for pip. Its
bound is on CPU time, which depends neither on the network nor on other load.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).parents[1]
STEPS: dict[str, dict[str, Any]] = {
    step["name"]: step
    for step in msgspec.yaml.decode((ROOT / "action.yml").read_bytes())["runs"]["steps"]
}
SECONDS = 60.0  # CPU time that an installation may take


def bash_of(step: dict[str, Any]) -> str:
    """Return the script of a step as GitHub runs it."""
    return f"set -eo pipefail\n{step['run']}"


def _repository(folder: Path) -> None:
    """Create two commits; the second gives a limit in degrees."""
    robot = (ROOT / "scenarios/two_link.urdf").read_text("utf-8")
    (folder / "two_link.urdf").write_text(robot, encoding="utf-8")
    script = (ROOT / "scenarios/two_link.py").read_text("utf-8")
    (folder / "two_link.py").write_text(script, encoding="utf-8")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    git = ("git", "-C", str(folder), *who)
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "sound"], check=True)
    (folder / "spoilt.urdf").write_text(
        robot.replace('="2.5"', '="150"').replace('="-2.5"', '="-150"'), encoding="utf-8"
    )
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "spoilt"], check=True)


def _step(name: str, folder: Path, environment: dict[str, str]) -> tuple[int, str, float, float]:
    """Return exit status, output, wall time and CPU time [s] of a step."""
    began, worked = time.perf_counter(), _cpu_of_children()
    done = subprocess.run(
        ["bash", "-c", bash_of(STEPS[name])],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    took = time.perf_counter() - began, _cpu_of_children() - worked
    return done.returncode, done.stdout + done.stderr, *took


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check(python: str, engine: str) -> None:
    """Run the steps; exit on any deviation."""
    with tempfile.TemporaryDirectory(prefix="sim-action-") as name:
        above, folder = Path(name), Path(name) / "repository"
        folder.mkdir()
        _repository(folder)
        subprocess.run([python, "-m", "venv", above / "venv"], check=True)
        environment = {
            **{key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            "PATH": f"{above / 'venv/bin'}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": name,
            "ACTION": str(ROOT),
            "ENGINE": engine,
            "FILES": "changed",
            "BASE": "HEAD~1",
            "SCENARIOS": "two_link.py" if engine == "yes" else "",
        }
        wanted = {"Install": (0, ""), "Audit": (123, "::error file=spoilt.urdf,line=")}
        wanted["Run and compare"] = (0, "two_link against baseline" if engine == "yes" else "")
        for step, (status, text) in wanted.items():
            code, said, seconds, cpu = _step(step, folder, environment)
            sys.stdout.write(
                f"engine {engine}: {step} ended with {code} after {seconds:.1f} s, "
                f"{cpu:.1f} s of CPU\n"
            )
            sys.stdout.flush()
            if code != status or text not in said or (step == "Install" and cpu > SECONDS):
                sys.exit(f"{step}: wanted {status} and {text!r}, in {SECONDS:g} s of CPU\n{said}")
        there = subprocess.run(
            [above / "venv/bin/python", "-c", "import pybullet"], capture_output=True, check=False
        )
        if (there.returncode == 0) != (engine == "yes"):
            sys.exit(f"engine {engine}: PyBullet is {'' if there.returncode else 'not '}missing")


if __name__ == "__main__":
    for choice in ("no", "yes"):
        check((*sys.argv, sys.executable)[1], choice)
