import re
import sys
import tomllib

import pytest

from sim.cli.command import COMMANDS, parser_of
from tests.cli.command_runs import REPOSITORY, SIM, process


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_tells_what_there_is_and_ends_well(sim_command, name):
    done = sim_command(*([name] if name else []), "--help", columns=80)
    assert max(map(len, done.out.splitlines())) <= 80
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"usage: sim {name}".rstrip())


def test_help_names_every_command_and_the_meaning_of_the_exit_status(sim_command):
    text = sim_command("--help").out
    for name in COMMANDS:
        assert re.search(rf"^ +{name}\s", text, re.MULTILINE)
    for word in ("0 success", "1 a result failed", "2 misuse", "3 engine failure"):
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


def test_the_command_alone_prints_its_help(sim_command):
    alone, asked = sim_command(), sim_command("--help")
    assert (alone.status, alone.out, alone.err) == (0, asked.out, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("runn", "did you mean 'run'?"),
        ("run ur10_step --payload 5", "set a parameter with --set payload=5;"),
        ("run ur10_step --payload=5", "set a parameter with --set payload=5;"),
        ("sweep ur10_step --payload", "set a parameter with --set payload=VALUE;"),
        ("run ur10_step --no-reprot", "did you mean '--no-report'?"),
        ("run ur10_step --engine bulet", "did you mean 'bullet'?"),
        ("check x --payload 5", "unrecognized arguments: --payload 5; see sim check --help"),
    ],
)
def test_a_word_that_is_not_known_is_told_what_may_be_meant(sim_command, words, said):
    done = sim_command(*words.split())
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_every_argument_of_every_command_has_a_help():
    (commands,) = (a for a in parser_of([], whole=True)._actions if a.metavar == "COMMAND")
    silent = [
        f"sim {name} {action.metavar or action.dest}"
        for name, parser in commands.choices.items()
        for action in parser._actions
        if not action.help
    ]
    assert silent == []
