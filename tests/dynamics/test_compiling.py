"""Machine code that is kept on disk is that of the source of all kernels."""

import importlib
import io
import sys
from pathlib import Path

import numpy as np
import pytest

from sim.dynamics.kernels import compiled_functions, marching

config = pytest.importorskip("numba").config
runtime = pytest.importorskip("numba.core.runtime")
errors = pytest.importorskip("numba.core.errors")
cpu = pytest.importorskip("numba.core.cpu")

HELPER = """import numpy as np
from copied.compiling import Late, inner, kernel, record
from sim.maths.arrays import Array

@record
class Pair:
    first: "Array"
    second: "Array"

@inner
def weigh(x):
    return 2.0 * x

@inner
def swap(pair):
    swapped = np.empty(2)
    swapped[0], swapped[1] = pair.second[1], pair.first[0]
    return swapped

@inner
def pick(x, k):
    return x[k]

@record
class Mixed:
    cube: "Array"
    empty: "Array"
    mask: "Mask"
    places: "Indices"
    count: int
    pair: Pair
    fill: Late

@kernel
def fill(x, value):
    x[0] = value
    return value > 0.0
"""
USER = """from copied.compiling import call, kernel
from copied.helper import Pair, Mixed, fill, pick, swap, weigh

@kernel
def total(pair):
    return weigh(pair.first[0]) + pair.second[1]

@kernel
def swapped(pair):
    return swap(pair)[1:]

@kernel
def ends(x):
    return pick(x, 0) + pick(x, 1)

@kernel
def read(mixed, x):
    cube, places = mixed.cube, mixed.places
    is_filled = mixed.count < 0 or call(mixed.fill, (x, cube[1, 2, 3]))
    size = cube.shape[2] + mixed.empty.shape[1]
    return is_filled, cube[0, 1, places[1]] + mixed.pair.second[1], mixed.mask[1], size

@kernel
def mistaken(mixed, x):
    return call(mixed.fill, (x, 1))
"""


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """Loads a copy of how kernels are compiled, with two small ones, as another process would."""
    package = tmp_path / "copied"
    package.mkdir()
    files = {"__init__": "", "helper": HELPER, "user": USER}
    for name in ("compiling", "compiled_functions", "compiled_records"):
        text = Path(marching.__file__).with_stem(name).read_text("utf-8")
        files[name] = text.replace(marching.__package__, "copied")
    for name, text in files.items():
        (package / f"{name}.py").write_text(text, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(config, "CACHE_DIR", "")  # of the environment

    def load():
        for name in [name for name in sys.modules if name.split(".")[0] == "copied"]:
            monkeypatch.delitem(sys.modules, name)
        importlib.invalidate_caches()
        user = importlib.import_module("copied.user")
        value = user.total(user.Pair([1.5, 0.0], [0.0, 4.0]))
        return value, bool(user.total.stats.cache_hits)

    load.package = package
    return load


def test_a_change_of_one_file_compiles_what_others_make_of_it(copied):
    assert copied() == (7.0, False)
    assert copied() == (7.0, True)
    helper, user = copied.package / "helper.py", copied.package / "user.py"
    helper.write_text(HELPER.replace("2.0", "3.0"), "utf-8")
    assert copied() == (8.5, False)
    assert copied() == (8.5, True)
    helper.write_text(HELPER.replace("Pair", "Two"), "utf-8")
    user.write_text(USER.replace("import Pair", "import Two as Pair"), "utf-8")
    assert copied() == (7.0, False)


def test_existing_machine_code_needs_nothing_that_compiles(copied, monkeypatch):
    assert copied() == (7.0, False)

    def refuse(self):
        raise AssertionError("numba loads what it can compile, and SciPy's linear algebra")

    monkeypatch.setattr(cpu.CPUContext, "load_additional_registries", refuse)
    assert copied() == (7.0, True)


def test_a_terminal_is_told_once_that_code_is_compiled_and_not_where_it_is_kept(
    copied, monkeypatch
):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    copied()
    assert terminal.getvalue().count("Compiling the equations of motion") == 1
    copied()
    assert terminal.getvalue().count("\n") == 1
    monkeypatch.setattr(terminal, "isatty", lambda: False)
    (copied.package / "helper.py").write_text(HELPER.replace("2.0", "3.0"), "utf-8")
    copied()
    assert terminal.getvalue().count("\n") == 1


def test_where_no_folder_can_be_written_each_process_compiles(copied, tmp_path, monkeypatch):
    (copied.package / "__pycache__").write_text("")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(sys, "stderr", terminal := io.StringIO())
    terminal.isatty = lambda: True
    assert [copied(), copied()] == [(7.0, False)] * 2
    assert terminal.getvalue().count("in each run, as no cache folder is writable: about 10 s") == 2


def test_arrays_that_a_kernel_makes_are_counted_and_freed(copied):
    copied()
    user = importlib.import_module("copied.user")
    pair = user.Pair([1.5, 0.0], [0.0, 4.0])
    runtime._nrt_python.memsys_enable_stats()
    before = runtime.rtsys.get_allocation_stats()
    assert [float(user.swapped(pair)[0]) for _ in range(100)] == 100 * [1.5]
    after = runtime.rtsys.get_allocation_stats()
    runtime._nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free >= 100


def test_a_function_is_compiled_once_for_all_constants(copied):
    copied()
    user = importlib.import_module("copied.user")
    assert user.ends(np.array([1.5, 4.0])) == 5.5
    assert len(user.pick.overloads) == 1


def test_kernels_read_the_fields_of_a_record_and_call_its_kernel(copied):
    copied()
    user = importlib.import_module("copied.user")
    cube, x = np.arange(24.0).reshape(2, 3, 4), np.zeros(2)
    late = importlib.import_module("copied.compiling").late

    def mixed(count):
        fill = late(user.fill, count > 0, x, 1.0)
        fields = np.asfortranarray(cube), np.empty((0, 5)), [False, True], [7, 2], count
        return user.Mixed(*fields, user.Pair([1.5, 0.0], [0.0, 4.0]), fill)

    assert user.read(mixed(-1), x) == (True, cube[0, 1, 2] + 4.0, True, 9)
    assert not user.fill.overloads and not x.any()
    assert user.read(mixed(1), x) == (True, cube[0, 1, 2] + 4.0, True, 9)
    assert len(user.fill.overloads) == 1 and x.tolist() == [cube[1, 2, 3], 0.0]
    with pytest.raises(errors.TypingError, match=r"not .*int64"):
        user.mistaken(mixed(1), x)


def test_machine_code_is_kept_by_the_source_of_all_kernels():
    assert compiled_functions.source_digest() in marching.march._cache._cache_file._version
