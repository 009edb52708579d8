"""A message is one line of printable text, whatever names it tells."""

import pytest

from sim import errors
from sim.cli.command import parser_of
from sim.errors import ExpressionError, ModelError, SimError, in_one_line
from sim.functions import expression


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("joint 'é关·²' at 3 m", "joint 'é关·²' at 3 m"),
        ("not XML\n, line 2", "not XML , line 2"),
        ("a\r\n\tb  c", "a b  c"),
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("a\u2028b\x85c", r"a\u2028b\x85c"),
        ("gpj\u202e.exe", r"gpj\u202e.exe"),
        ("half \ud800", r"half \ud800"),
        ("8\xa0m", "8\xa0m"),
        ("a" * 9999 + "b" * 9999, "a" * 800 + " … " + "b" * 400),
    ],
)
def test_what_ends_a_line_or_moves_a_cursor_is_shown_instead(text, line):
    assert in_one_line(text) == line
    assert str(ModelError(text)) == line
    assert len(line.splitlines()) == 1


def test_a_list_below_a_message_keeps_its_lines():
    assert str(ModelError("not in\n    /a\x1b\n    /b\n, line 2")) == (
        "not in\n    /a\\x1b\n    /b , line 2"
    )


def test_every_kind_of_error_is_of_the_tree():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert len(kinds) > 6
    assert all(issubclass(kind, SimError) for kind in kinds)


def test_an_expression_is_still_shown_below_its_reason():
    with pytest.raises(ExpressionError) as caught:
        expression("1 +\nx")
    reason, text, caret = str(caught.value).splitlines()
    assert "'x' is not known" in reason
    assert (text.strip(), caret.strip()) == ("x", "^")


def test_misuse_of_the_command_is_told_in_one_line(capsys):
    with pytest.raises(SystemExit):
        parser_of(["check"]).parse_args(["check", "a", "b\nc\x1b"])
    assert len(capsys.readouterr().err.splitlines()) == 1
