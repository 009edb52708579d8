"""Places and pieces of code are found whatever the layout, and a stale row says what is wrong."""

import ast

import pytest

from tests.mutations.code_change import CodeChange, StaleError

MODULE = '''
"""A program."""

LIMIT = 1e-6


class Arm:
    rate: float = 2.0

    def torque(self, q, qd):
        # a comment
        lever = self.length * (
            q + 1
        )
        if lever > LIMIT:
            lever = 0.0
            q = lever
        return scaled(lever, by=2.0, of=qd)


def torque(q):
    def inner(x):
        return x + q
    inner(q)
    return inner(q)
'''


@pytest.fixture
def package(tmp_path):
    """A package with a function in a folder and one of the same name elsewhere."""
    (tmp_path / "dynamics" / "deep").mkdir(parents=True)
    (tmp_path / "dynamics" / "deep" / "arm.py").write_text(MODULE, "utf-8")
    (tmp_path / "engines.py").write_text("def torque():\n    return 0\n", "utf-8")
    return tmp_path


def applied(package, place, old, new):
    return CodeChange(place, old, new).apply(package)[1]


WRAPPED = "(\n            q + 1\n        )"
WHOLE = "dynamics.deep.arm.torque"


@pytest.mark.parametrize(
    ("place", "old", "new", "before", "after"),
    [
        ("Arm.torque", "self.length * (q + 1)", "self.length * q", WRAPPED, "q"),
        ("Arm.torque", "self.length * (q + 1)", "0 * (q + 1)", "self.length", "0"),
        ("Arm.torque", "arm = _1 * (angle + 1)", "arm = _1 - angle", f"* {WRAPPED}", "- q"),
        ("Arm.torque", "by=2.0", "by=3.0", "by=2.0", "by=3.0"),
        ("Arm.torque", "if lever > LIMIT:\n    ...", "if lever < LIMIT:\n    ...", ">", "<"),
        ("Arm.torque", "lever = 0.0\nq = lever", "q = lever", "            lever = 0.0\n", ""),
        ("dynamics.LIMIT", "1e-6", "1.0", "1e-6", "1.0"),
        ("Arm.rate", "rate: float = 2.0", "rate: float = 3.0", "float = 2.0", "float = 3.0"),
        ("arm.inner", "x + q", "x - q", "x + q", "x - q"),
        ("torque.inner", "return y + q", "return y", "x + q", "x"),
        (WHOLE, "inner(q)\nreturn _1", "return _1", "    inner(q)\n    return", "    return"),
        ("dynamics.arm", "LIMIT = 1e-6", "", "LIMIT = 1e-6\n", ""),
    ],
    ids=[
        "layout", "part", "renamed and wild", "keyword", "any body", "statements", "constant",
        "field", "inside", "renamed inside", "wild statement", "module",
    ],
)  # fmt: skip
def test_a_piece_is_changed_as_by_hand(package, place, old, new, before, after):
    assert MODULE.count(before) == 1
    wanted = ast.parse(MODULE.replace(before, after))
    assert ast.dump(ast.parse(applied(package, place, old, new))) == ast.dump(wanted)


def test_a_body_that_is_left_empty_passes(package):
    assert applied(package, "engines.torque", "return 0", "") == "def torque():\n    pass\n"


@pytest.mark.parametrize(
    ("place", "old", "message"),
    [
        ("Arm.torqe", "q", "Arm.torqe is 0 places of the program; there are .*torque"),
        ("torque", "q", "torque is 3 places .*engines.torque"),
        ("Arm.torque", "self.width", "has 0 times what is changed:\nself.width"),
        ("Arm.torque", "lever", "deep/arm.py.* has 5 times"),
        ("Arm.torque", "LIMIT + 1", "has 0 times"),
        ("Arm.torque", "q +", "no code of its own"),
        ("Arm.torque", "(x + 1) * x", "has 0 times"),
        ("LIMIT", "ROUNDING", "has 0 times"),
    ],
    ids=["place", "places", "none", "often", "a known name", "no code", "two", "no variable"],
)
def test_what_is_not_there_just_once_is_stale(package, place, old, message):
    with pytest.raises(StaleError, match=message):
        applied(package, place, old, "0")


def test_what_changes_nothing_is_stale(package):
    with pytest.raises(StaleError, match="1 times"):
        applied(package, "dynamics.LIMIT", "1e-6", "1e-6")


def test_the_whole_name_is_one_place(package):
    """Though as a shorter name it would be two."""
    with pytest.raises(StaleError, match="2 places"):
        applied(package, "arm.torque", "inner(q)\nreturn _1", "return 1")
    assert "return 1" in applied(package, WHOLE, "inner(q)\nreturn _1", "return 1")
