import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.errors import ScenarioError
from sim.robots.local_code import imported_files
from sim.scenario import known_code, load_script
from sim.scenario.trusted_script import permission_for, require_same_text
from sim.shipped import scenarios
from tests.helpers.command_scripts import URDF, script_text

HELPER = "LOAD = 0.5\n"
IMPORTS = script_text().replace("import sim\n", "import sim\nimport helper\n")


@pytest.fixture
def state(tmp_path, monkeypatch):
    """A state folder of this test's own."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder / "sim" / known_code.FILE


def hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()


def program(folder, text=IMPORTS, **modules):
    """A script in a folder with its modules and its robot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"swing": text, "helper": HELPER, **modules}.items():
        (folder / f"{name}.py").write_text(content, "utf-8")
    (folder / "arm.urdf").write_text(URDF, "utf-8")
    return folder / "swing.py"


def run_here(script):
    """Run a script as a user who names it does, in this process."""
    load_script(str(script)).build({})
    for name in ("helper", "other", "part", "part.deep"):
        sys.modules.pop(name, None)


def execute(script):
    """Execute a script that a description names."""
    try:
        with permission_for([script], trust=False).in_force():
            load_script(str(script)).build({})
    finally:
        for name in ("helper", "other", "part", "part.deep"):
            sys.modules.pop(name, None)


# The text of the description


@pytest.mark.parametrize("digest", ["0" * 64, None, ["a"], ""])
def test_a_file_of_another_text_is_never_executed(tmp_path, digest):
    with pytest.raises(ScenarioError, match="has changed since the results were made"):
        require_same_text(program(tmp_path), digest)


def test_a_shipped_script_is_executed_wherever_it_was(state):
    shipped = scenarios() / "two_link.py"
    digest = hashlib.sha256(shipped.read_bytes()).hexdigest()
    assert require_same_text("/nowhere/two_link.py", digest) == shipped
    with permission_for([shipped], trust=False).in_force():
        load_script("two_link").build({})
    with pytest.raises(ScenarioError, match="does not exist"):
        require_same_text("/nowhere/two_link.py", "0" * 64)
    assert not state.exists()  # what ships needs no record


# Known code


def test_a_script_runs_once_it_was_run_here_by_name_wherever_it_lies(tmp_path, state):
    script = program(tmp_path / "mine")
    with pytest.raises(ScenarioError, match=r"swing\.py, .*helper\.py are not executed.*--trust"):
        execute(script)
    assert not state.exists()
    run_here(script)
    execute(script)
    execute(program(tmp_path / "received"))
    assert json.loads(state.read_bytes())["scripts"] == {hashed(IMPORTS): [hashed(HELPER)]}


def test_another_module_of_a_known_script_is_refused_by_name(tmp_path, state):
    run_here(program(tmp_path / "mine"))
    other = program(tmp_path / "received", helper="raise SystemExit('executed')\n")
    with pytest.raises(ScenarioError, match=r"helper\.py is not executed") as caught:
        execute(other)
    assert "swing.py" not in str(caught.value)


def test_a_module_of_another_known_script_is_not_one_of_this(tmp_path, state):
    run_here(program(tmp_path / "a"))
    run_here(program(tmp_path / "b", IMPORTS + "# another\n", helper="LOAD = 1\n"))
    with pytest.raises(ScenarioError, match=r"helper\.py is not executed"):
        execute(program(tmp_path / "received", helper="LOAD = 1\n"))


@pytest.mark.parametrize(
    "imports",
    [
        "import part.deep",
        "from part import deep",
        "def late():\n    from part.deep import x",
        "if not sim:\n    import part.deep",
    ],
)
def test_imports_are_followed_into_packages_functions_and_branches(tmp_path, imports):
    script = program(tmp_path, IMPORTS.replace("import helper", imports))
    package = tmp_path / "part"
    package.mkdir()
    (package / "__init__.py").write_text("", "utf-8")
    (package / "deep.py").write_text("from . import near\nfrom .. import helper\n", "utf-8")
    (package / "near.py").write_text("import helper\n", "utf-8")
    found = {str(path.relative_to(tmp_path)) for path in imported_files(script)}
    assert found == {"swing.py", "part/__init__.py", "part/deep.py", "part/near.py", "helper.py"}


NOT_IN_THE_TEXT = {
    "computed name": "import importlib\nimportlib.import_module('oth' + 'er')\n",
    "library that is loaded later": "import colorsys\n",
}


@pytest.mark.parametrize("how", NOT_IN_THE_TEXT)
def test_a_module_that_the_text_does_not_show_is_refused_as_it_is_loaded(tmp_path, state, how):
    text = IMPORTS.replace("import helper\n", NOT_IN_THE_TEXT[how])
    run_here(program(tmp_path / "mine", text, other=""))
    for name in ("other", "colorsys"):
        sys.modules.pop(name, None)
    evil = "raise SystemExit('executed')\n"
    received = program(tmp_path / "received", text, other=evil, colorsys=evil)
    with pytest.raises(ScenarioError, match=r"(other|colorsys)\.py is not executed"):
        execute(received)


def test_a_compiled_copy_that_came_along_is_ignored(tmp_path, state):
    """Python executes a copy whose mark says that the source need not be looked at."""
    for script in (program(tmp_path / "mine"), program(tmp_path / "received")):
        for name in ("swing", "helper"):
            source = script.with_name(f"{name}.py")
            text = source.read_text("utf-8")
            source.write_text("raise SystemExit('executed')\n", "utf-8")
            code = "import py_compile, sys\npy_compile.compile(sys.argv[1], doraise=True, "
            code += "invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"
            subprocess.run([sys.executable, "-c", code, str(source)], check=True)
            source.write_text(text, "utf-8")
        assert len(list((script.parent / "__pycache__").iterdir())) == 2
    run_here(tmp_path / "mine/swing.py")
    execute(tmp_path / "received/swing.py")


def test_with_trust_all_is_executed_and_nothing_is_recorded(tmp_path, state):
    with permission_for([program(tmp_path)], trust=True).in_force():
        load_script(str(tmp_path / "swing.py")).build({})
    sys.modules.pop("helper", None)
    assert not state.exists()
    with pytest.raises(ScenarioError, match="--trust"):
        execute(tmp_path / "swing.py")


def test_a_folder_that_a_script_adds_is_not_searched_after_it(tmp_path, state):
    line = "import sys\nsys.path.insert(0, str(Path(__file__).parent))\nimport helper\n"
    script = program(tmp_path, IMPORTS.replace("import helper\n", line))
    before = list(sys.path)
    run_here(script)
    sys.path[:] = before
    execute(script)
    assert sys.path == before


# The file of the state


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": 2, "scripts": {}}', b"[" * 100_000])
def test_a_damaged_file_means_that_nothing_is_known(tmp_path, state, content):
    state.parent.mkdir(parents=True)
    state.write_bytes(content)
    script = program(tmp_path)
    with pytest.raises(ScenarioError, match="--trust"):
        execute(script)
    run_here(script)  # and it is replaced
    execute(script)


@pytest.mark.parametrize("named", ["", "relative/state"])
def test_without_a_state_folder_nothing_is_known_nor_written(tmp_path, monkeypatch, named):
    """A relative folder could come with the archive."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", named)
    monkeypatch.delenv("HOME", raising=False)
    script = program(tmp_path / "mine")
    run_here(script)
    with pytest.raises(ScenarioError, match="--trust"):
        execute(script)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_state_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    script = program(tmp_path / "mine")
    run_here(script)
    with pytest.raises(ScenarioError, match="--trust"):
        execute(script)


def test_the_file_of_another_user_is_not_believed(tmp_path, state, monkeypatch):
    script = program(tmp_path)
    run_here(script)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(ScenarioError, match="--trust"):
        execute(script)


def test_the_oldest_scripts_are_forgotten_first(state, monkeypatch):
    monkeypatch.setattr(known_code, "MOST_SCRIPTS", 3)
    monkeypatch.setattr(known_code, "MOST_HASHES", 5)
    for name in "abcd":
        known_code.record_executed(name, set())
    assert list(json.loads(state.read_bytes())["scripts"]) == ["b", "c", "d"]
    known_code.record_executed("b", {"1", "2"})
    known_code.record_executed("e", {"1"})
    assert json.loads(state.read_bytes())["scripts"] == {"b": ["1", "2"], "e": ["1"]}
    assert known_code.known_modules("c") is None


def test_processes_that_record_at_once_lose_nothing(state):
    code = (
        "import sys\nfrom sim.scenario.known_code import record_executed\n"
        "for k in range(20):\n    record_executed(f'{sys.argv[1]}{k}', {'m'})"
    )
    going = [
        subprocess.Popen([sys.executable, "-c", code, name], cwd=Path(__file__).parents[2])
        for name in "abc"
    ]
    assert [each.wait(60) for each in going] == [0, 0, 0]
    assert len(json.loads(state.read_bytes())["scripts"]) == 60
    assert [path.name for path in state.parent.iterdir()] == [state.name]


def test_a_template_is_a_program_and_needs_trust(tmp_path, state):
    text = IMPORTS.replace("arm.urdf", "arm.urdf.xacro")
    script = program(tmp_path, text)
    (tmp_path / "arm.urdf.xacro").write_text(URDF, "utf-8")
    known_code.record_executed(hashed(text), {hashed(HELPER)})
    with pytest.raises(ScenarioError, match=r"arm\.urdf\.xacro is not executed"):
        execute(script)
