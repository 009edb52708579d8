import sys

import numpy as np
import pytest

from tests.cli.command_runs import REPOSITORY, process

MODULE = (sys.executable, "-m", "sim")


@pytest.mark.rotates(2)
def test_where_everything_is_installed_a_run_works(sim_command):
    done = sim_command("doctor", "--json")
    assert (done.status, done.err) == (0, "")
    told = done.document
    assert told["works"] is True
    assert told["python"] == sys.version.split()[0]
    found = {each["name"]: each for each in told["findings"]}
    assert found["numpy"]["found"] == np.__version__
    assert found["engine PyBullet"]["works"]
    assert found["engine MuJoCo"]["works"]
    assert all(each["remedy"] for each in told["findings"])
    assert all(each["works"] for each in told["findings"] if each["needed"])


@pytest.mark.rotates(2)
def test_the_text_says_what_to_do_where_a_package_is_broken(tmp_path):
    # NumPy cannot be imported, and with it half of this package: the command goes on.
    broken = tmp_path / "broken"
    (broken / "numpy").mkdir(parents=True)
    (broken / "numpy" / "__init__.py").write_text("raise ImportError('wrong processor')")
    paths = f"{broken}:{REPOSITORY}"
    done = process(*MODULE, "doctor", cwd=tmp_path, PYTHONPATH=paths)
    assert (done.returncode, done.stderr) == (1, "")
    (line,) = (line for line in done.stdout.splitlines() if line.split()[1:2] == ["numpy"])
    assert line.startswith("MISSING")
    assert "wrong processor" in line
    assert "pip install --force-reinstall 'numpy" in line
    last = done.stdout.splitlines()[-1]
    assert last.startswith("runs do not work: ")
    assert "numpy" in last
