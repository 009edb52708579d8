import pytest

from sim.reports.terminal.tables import FittedTable, number, table
from tests.helpers.terminal_texts import printed


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"),
        (-1e-12, "0"),
        (3e-9, "3e-09"),
        (12.34567, "12.35"),
        (-0.5, "-0.5"),
        (1e6, "1e+06"),
    ],
)
def test_a_number_has_four_digits_and_no_rounding_error(value, said):
    assert number(value) == said


def test_the_first_column_is_to_the_left_and_all_others_to_the_right():
    one = table("drive", "torque")
    one.add_row("a", "1 N·m")
    one.add_row("elbow_joint", "100 N·m")
    first, second = printed([one], 80).rstrip().splitlines()[-2:]
    assert first.startswith(" a ")
    assert first.index("1 N·m") + len("1 N·m") == second.index("100 N·m") + len("100 N·m")


def drives(spare=(), **more):
    one = FittedTable(("drive", "peak\ntorque", "speed", "at"), spare, **more)
    one.add_row("shoulder_pan_joint", "-1.234e-05 N·m", "100 of 300 °/s", "0.123 s")
    one.add_row("elbow_joint", "12 N·m", "1 of 300 °/s", "10.123 s")
    return one


# A line of the table is 1 + 18 + 2 + 14 + 2 + 14 + 2 + 8 + 1 = 62 characters.
@pytest.mark.parametrize(
    ("width", "left_out"),
    [(62, ()), (61, ("at",)), (52, ("at",)), (51, ("at", "peak\ntorque")), (20, None)],
)
def test_columns_go_whole_and_the_least_important_first(width, left_out):
    spare = ("at", "peak\ntorque", "speed")
    text = printed([drives(spare)], width)
    for k, cells in enumerate(zip(*(cells for cells, _ in drives().rows), strict=True)):
        gone = k > 0 if left_out is None else drives().headings[k] in left_out
        assert [cell in text for cell in cells] == [not gone, not gone]
    if width > 20:
        assert max(map(len, text.splitlines())) <= width


def test_what_is_left_out_is_named_in_the_order_of_the_table_with_the_width_it_takes():
    last = printed([drives(("at", "peak\ntorque"))], 51).splitlines()[-2:]
    said = "hidden columns (terminal < 62): peak torque, at"
    assert " ".join(last).split() == said.split()
    assert "not shown" not in printed([drives(("at", "peak\ntorque"))], 62)


def test_a_hidden_heading_that_breaks_after_a_dash_is_one_word():
    one = FittedTable(("joint", "Newton–\nEuler"), ("Newton–\nEuler",))
    one.add_row("elbow", "1e-16")
    assert "): Newton–Euler" in " ".join(printed([one], 12).split())


def test_what_must_not_be_left_out_goes_over_the_edge_and_is_not_cut():
    text = printed([drives(("at",))], 30)
    assert "\nshoulder_pan_joint  -1.234e-05 N·m  100 of 300 °/s\n" in text
    assert "…" not in text


def test_prose_breaks_between_words_and_nowhere_else():
    words = "a body on an upright axis falls (Chrono's test_Cylindrical_Case01)."
    one = FittedTable(("name", "title"), ("title",), prose=("title",))
    one.add_row("adams_cylindrical", words)
    # narrowest: 1 + 17 + 2 + 25 (the longest word) + 1
    for width in (46, 60, 87):
        text = printed([one], width)
        assert max(map(len, text.splitlines())) <= width
        assert text.split()[3:] == ["adams_cylindrical", *words.split()]
    assert len(printed([one], 88).splitlines()) == 5  # in one line, if there is the room
    assert "title" not in printed([one], 45).splitlines()[1]


def test_several_columns_of_prose_share_the_room():
    one = FittedTable(("name", "short", "long"), prose=("short", "long"))
    one.add_row("a", "one two", "three four five six seven eight nine ten")
    text = printed([one], 30)
    assert max(map(len, text.splitlines())) <= 30
    assert "one two" in text  # what wants little gets it


def test_names_that_look_like_markup_are_names():
    one = table("[b]link[/b]", "mass")
    one.add_row("[red]arm[/red]", ":smile:")
    assert "[b]link[/b]" in printed([one], 80)
    assert "[red]arm[/red]  :smile:" in printed([one], 80)


def test_rows_beyond_the_limit_are_counted():
    text = printed([drives(most=1)], 80)
    assert "shoulder_pan_joint" in text
    assert "elbow_joint" not in text
    assert text.endswith("hidden rows (limit 1): 1 of 2\n")
    assert "not shown" not in printed([drives(most=2)], 80)


def test_headings_that_do_not_fit_together_are_a_slip():
    with pytest.raises(ValueError, match="unheard"):
        FittedTable(("a", "b"), ("unheard",))
    with pytest.raises(ValueError, match="differ"):
        FittedTable(("a", "b", "a"))
    with pytest.raises(ValueError, match="no row"):
        drives().add_row("one")
