"""What is found of Python and packages, beside what Python and packages say themselves."""

import sys

import matplotlib
import numpy as np
import pybullet
import pytest

from sim.cli.doctor import installed
from sim.cli.doctor.installed import Wanted
from sim.cli.doctor.trouble import guard


@pytest.mark.rotates(3)
def test_every_dependency_is_there_with_its_own_version():
    found = {each.name: each for each in installed.packages_here()}
    for name in ("numpy", "pybullet", "lxml", "pyarrow", "imageio-ffmpeg", "xacro", "shtab"):
        assert found[name].works, found[name]
    assert found["numpy"].found == np.__version__
    assert found["matplotlib"].found == matplotlib.__version__
    assert found["pybullet"].needed
    assert pybullet.getAPIVersion()
    assert not found["xacro"].needed, "a run of a URDF does without it"
    assert "pytest" not in found
    assert list(found).count("pillow") == 1


def test_python_itself_is_told_and_one_that_is_not_tested_is_no_good(monkeypatch):
    (here,) = installed.python_here()
    assert here.works
    assert here.found.startswith(sys.version.split()[0])
    monkeypatch.setattr(sys, "version_info", (3, 10, 1))
    (old,) = installed.python_here()
    assert (old.works, old.needed) == (False, True)
    assert "3.11 to 3.13" in old.remedy


@pytest.mark.parametrize(
    ("wanted", "found", "remedy"),
    [
        (Wanted("numpy", ">=99"), "required: >=99", "pip install 'numpy>=99'"),
        (Wanted("no-such-thing", ">=1"), "not installed", "pip install 'no-such-thing>=1'"),
        (Wanted("no-such-thing", "", "video"), "not installed", "for MP4 without"),
    ],
)
def test_what_is_missing_or_old_says_how_to_install_it(monkeypatch, wanted, found, remedy):
    monkeypatch.setattr(installed, "wanted_packages", lambda: [wanted])
    (one,) = installed.packages_here()
    assert not one.works
    assert one.needed == (not wanted.extra)
    assert found in one.found
    assert remedy in one.remedy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise ImportError('libstdc++.so.6 is missing')", "libstdc++.so.6 is missing"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import os; os._exit(7)", "status 7"),
    ],
)
def test_a_package_that_cannot_be_imported_is_named(tmp_path, monkeypatch, text, says):
    (tmp_path / "shtab.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        installed, "wanted_packages", lambda: [Wanted("jinja2", ""), Wanted("shtab", "")]
    )
    jinja, broken = installed.packages_here()
    assert jinja.works
    assert not broken.works
    assert says in broken.found
    assert "--force-reinstall 'shtab'" in broken.remedy


def test_without_a_project_file_the_installed_package_says_what_it_wants(monkeypatch):
    elsewhere = "mujoco-core>=4; sys_platform == 'no-such-system'"
    told = [
        "numpy>=2.0",
        elsewhere,
        "xacro<3,>=2.1; extra == 'xacro'",
        'pytest>=8; extra == "test"',
    ]
    monkeypatch.setattr(installed, "working_copy_project", dict)
    monkeypatch.setattr(installed.metadata, "requires", lambda _: told)
    assert installed.wanted_packages() == [
        Wanted("numpy", ">=2.0"),
        Wanted("xacro", "<3,>=2.1", "xacro"),
    ]
    monkeypatch.setattr(installed.metadata, "requires", lambda _: None)
    (none,) = installed.packages_here()
    assert not none.works
    assert "pip install -e ." in none.remedy


def test_the_font_of_the_figures_is_looked_for_by_name(monkeypatch):
    from matplotlib import font_manager

    (font,) = installed.font_here()
    assert font.works
    assert font.found.endswith("DejaVuSans.ttf")

    def nowhere(*_, **__):
        raise ValueError("Failed to find font DejaVu Sans")

    monkeypatch.setattr(font_manager, "findfont", nowhere)
    (font,) = installed.font_here()
    assert not font.works
    assert "matplotlib" in font.remedy


def test_an_examination_that_breaks_down_is_a_finding_itself():
    def broken():
        raise ModuleNotFoundError("No module named 'numpy'")

    (one,) = guard("ffmpeg", broken)
    assert (one.name, one.works, one.needed) == ("ffmpeg", False, True)
    assert one.found == "ModuleNotFoundError: No module named 'numpy'"
