"""A third engine in a copy of the package: its own package, and an entry in one table."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sim
from sim import shipped
from tests.helpers.command_scripts import write_swing

ENTRY = """        "third": EngineFacts(
            "Third",
            package="mujoco-core",
            module="mujoco",
            implementation=("sim.engines.third.third", "Third"),
            purpose="engine Third",
        ),
    }
)
assert"""
ENGINE = "from sim.engines.mujoco.mujoco import Mujoco\n\n\nclass Third(Mujoco):\n    pass\n"
EVERYTHING = """
import importlib, pkgutil, sim
from sim.cli.doctor import installed, machine
for module in pkgutil.walk_packages(sim.__path__, "sim."):
    if not module.name.startswith("sim.reports.page.bundle") and "__main__" not in module.name:
        importlib.import_module(module.name)
print(*(finding.found for finding in machine.engines()), sep="\\n")
print(installed.EXTRAS["third"])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The package with a third engine, which is MuJoCo by another name."""
    folder = tmp_path_factory.mktemp("third")
    shutil.copytree(Path(sim.__file__).parent, folder / "sim")
    for name in ("urdf", "meshes", "scenarios", "results"):
        (folder / name).symlink_to(shipped.root() / name)
    table = folder / "sim" / "engine_names.py"
    text = table.read_text("utf-8")
    for old, new in (('"mujoco"]', '"mujoco", "third"]'), ("    }\n)\nassert", ENTRY)):
        assert text.count(old) == 1
        text = text.replace(old, new)
    table.write_text(text, "utf-8")
    own = folder / "sim" / "engines" / "third"
    own.mkdir()
    (own / "__init__.py").write_text("__all__ = []\n", "utf-8")
    (own / "third.py").write_text(ENGINE, "utf-8")
    return folder


def python(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-P", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.rotates(3)
def test_every_module_is_imported_and_the_doctor_tries_it(folder):
    status, said = python(folder, "-c", EVERYTHING)
    assert status == 0, said
    assert said.count("error on a one-joint arm") == 3
    assert said.count("engine Third") == 1


def test_the_command_offers_it_and_the_audit_asks_it(folder):
    assert "{bullet,mujoco,third,both}" in python(folder, "-m", "sim", "run", "--help")[1]
    status, said = python(folder, "-m", "sim", "audit", "ur10")
    assert status == 0, said
    assert all(title in said for title in ("PyBullet", "Third", "MuJoCo"))


def test_a_run_with_its_page_is_by_it_and_both_means_the_first_two(folder):
    write_swing(folder)
    run = ("-m", "sim", "run", "swing.py", "--method", "ideal")
    status, said = python(folder, *run, "--engine", "third", "--out", "own")
    assert status == 0, said
    assert "by Third" in said
    assert "Third" in (folder / "own" / "report.html").read_text("utf-8")
    status, said = python(folder, *run, "--engine", "both", "--no-report", "--out", "pair")
    assert status == 0, said
    assert {path.name for path in (folder / "pair").iterdir() if path.is_dir()} == {
        "bullet",
        "mujoco",
    }
