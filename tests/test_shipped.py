from pathlib import Path

import pytest

from sim import shipped


def test_a_working_copy_ships_from_the_repository():
    assert shipped.root() == Path(__file__).parents[1]
    assert (shipped.urdf() / "ur10.urdf").is_file()
    assert (shipped.scenarios() / "two_link.urdf").is_file()
    assert shipped.baselines().relative_to(shipped.root()).as_posix() == "results/baselines"


def test_an_installed_package_ships_from_inside_itself(tmp_path, monkeypatch):
    package = tmp_path / "sim"
    monkeypatch.setattr(shipped, "_PACKAGE", package)
    assert shipped.root() == tmp_path
    (package / "share").mkdir(parents=True)
    assert shipped.urdf() == package / "share" / "urdf"


@pytest.mark.parametrize(
    "folder", ["urdf", "meshes", "scenarios", "verification", "results/baselines"]
)
def test_the_wheel_takes_along_what_ships(folder):
    import tomllib

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included[folder] == f"sim/share/{folder}"
