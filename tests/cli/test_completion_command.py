"""The scripts, judged by bash itself; what zsh and fish get is looked through."""

import subprocess
import sys

import pytest

from sim.cli.command import COMMANDS
from sim.robots import shipped_robots
from sim.shipped import scenario_names

# Ask the function that the script has registered, as bash does when Tab is pressed.
ASK = """
source "$1"; shift
function=$(complete -p sim | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
"$function" sim "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def offered(sim_command, tmp_path):
    """What bash offers for the last of some words, in a folder with two files."""
    done = sim_command("completion", "bash")
    assert (done.status, done.err) == (0, "")
    script = tmp_path / "sim.bash"
    script.write_text(done.out, encoding="utf-8")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "two_arms.py").write_text("")
    (tmp_path / "work" / "ur.urdf").write_text("")

    def ask(*words):
        asked = ["bash", "--norc", "-c", ASK, "bash", str(script), "sim", *words]
        found = subprocess.run(
            asked, capture_output=True, text=True, check=True, timeout=30, cwd=tmp_path / "work"
        )
        assert found.stderr == ""
        return set(found.stdout.split())

    return ask


def test_bash_completes_commands_options_choices_names_and_files(offered):
    assert offered("") == set(COMMANDS)
    assert offered("co") == {"compare", "completion", "convert"}
    assert offered("run", "--met") == {"--method"}
    assert offered("run", "--method", "") == {"stepped", "ideal", "adaptive"}
    assert offered("completion", "") == {"bash", "zsh", "fish"}
    two = {name for name in scenario_names() if name.startswith("two")}
    assert two
    assert offered("run", "two") == {*two, "two_arms.py"}
    assert offered("ik", "ur") == {"ur10", "ur.urdf"}
    assert offered("run", "swing.py", "--robot", "ur") == {"ur10", "ur.urdf"}
    assert set(shipped_robots()) <= offered("teach", "")
    assert offered("run", "--junit", "u") == {"ur.urdf"}


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_get_every_command_option_and_name(sim_command, shell):
    text = sim_command("completion", shell).out
    for word in (*COMMANDS, *shipped_robots(), *scenario_names(), "method", "junit"):
        assert word in text
    assert {"zsh": "#compdef sim", "fish": "complete -c sim"}[shell] in text


def test_an_unknown_shell_is_refused_and_a_missing_library_says_what_to_install(
    sim_command, monkeypatch
):
    done = sim_command("completion", "cmd")
    assert done.status == 2
    assert "'cmd'" in done.err
    monkeypatch.setitem(sys.modules, "shtab", None)
    done = sim_command("completion", "bash")
    assert (done.status, done.out) == (2, "")
    assert "pip install 'sim[completion]'" in done.err
    assert done.err.count("\n") == 1
