import re
import sys
import tomllib

import pytest

from tests.cli.command_runs import REPOSITORY, SIM, process

COMMANDS = ("list", "run", "sweep", "check", "compare", "accept", "report", "export", "audit", "ik",
            "play", "teach", "doctor", "completion")  # fmt: skip


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_tells_what_there_is_and_ends_well(sim_command, name):
    done = sim_command(*([name] if name else []), "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"usage: sim {name}".rstrip())


def test_help_names_every_command_and_the_meaning_of_the_exit_status(sim_command):
    text = sim_command("--help").out
    for name in COMMANDS:
        assert re.search(rf"^ +{name}\s", text, re.MULTILINE)
    for word in ("0 all is well", "1 judged", "2 misuse", "3 the engine"):
        assert word in " ".join(text.split())


def test_help_loads_nothing_heavy(tmp_path):
    code = (
        "import sys\nimport sim\n"
        "try: sim.main(argv=['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = ('numpy', 'pandas', 'scipy', 'rich', 'pybullet', 'matplotlib', 'lxml', 'lark',\n"
        "         'msgspec', 'pyarrow', 'jinja2', 'PIL')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    done = process(sys.executable, "-c", code, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stderr == ""


def test_the_version_is_that_of_the_project_and_loads_nothing_heavy(tmp_path):
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    for command in (SIM, (sys.executable, "-m", "sim")):
        done = process(*command, "--version", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"sim {project['version']}\n"


def test_python_m_sim_is_the_command(tmp_path):
    done = process(
        sys.executable, "-m", "sim", "ik", "excavator", "--pose", *"000000", cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sim: Robot 'excavator' does not ship")
    done = process(sys.executable, "-m", "sim", "--help", cwd=tmp_path)
    assert done.stdout.startswith("usage: sim ")
