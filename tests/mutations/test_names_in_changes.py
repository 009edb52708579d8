"""Changed programs name only what they know: a name that is undefined would break any run."""

import json
import subprocess
import sys
from pathlib import Path

import sim
from tests.mutations.code_change import CodeChange
from tests.mutations.table import MUTATIONS

PACKAGE = Path(sim.__file__).parent


def undefined_names(folder):
    """Return what ruff reports of undefined names in the files of a folder, by file."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select=F821,F822",
         "--output-format=json", str(folder)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    names = {}
    for fault in json.loads(done.stdout):
        names.setdefault(fault["filename"].rpartition("/")[2], set()).add(fault["message"])
    return names


def test_no_mutation_names_what_is_undefined(tmp_path):
    changes = {
        f"{k}.py": m.change for k, m in enumerate(MUTATIONS) if isinstance(m.change, CodeChange)
    }
    for name, change in changes.items():
        (tmp_path / name).write_text(change.apply(PACKAGE)[1], "utf-8")
    assert not {str(changes[name]): said for name, said in undefined_names(tmp_path).items()}


def test_an_undefined_name_is_reported(tmp_path):
    (tmp_path / "0.py").write_text("def f(x):\n    return x + y\n", "utf-8")
    (tmp_path / "1.py").write_text("def f(x, y):\n    return x + y\n", "utf-8")
    assert undefined_names(tmp_path) == {"0.py": {"Undefined name `y`"}}
