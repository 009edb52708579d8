from sim.reports.terminal.many_runs import standings_shown
from tests.comparison.test_standing import APART, LOST, NEAR, SAME
from tests.helpers.terminal_texts import printed


def shown(*standings, width=80):
    return printed(standings_shown(standings, "out/index.html"), width)


def test_a_row_a_scenario_and_the_summary_last():
    text = shown(LOST, APART, NEAR, SAME)
    rows = [line.split() for line in text.splitlines()]
    assert ["arm", "same", "to", "the", "bit", "0", "%", "–", "–"] in rows
    assert ["belt", "inside", "tolerance", "25", "%", "tau.a", "–"] in rows
    assert ["crane", "differs", "40", "×", "tau.a", "0.512", "s"] in rows
    *_, page, last = text.splitlines()
    assert page == "page     out/index.html"
    assert last == (
        "2 of 4 inside tolerance (1 same to the bit); drill: no run; "
        "crane differs first at 0.512 s (qd.a)"
    )


def test_below_the_table_is_what_is_behind_those_that_differ_and_no_more():
    text = shown(LOST, APART, NEAR, SAME)
    *below, _page, _summary = text.splitlines()
    assert max(len(line.rstrip()) for line in below) <= 80
    unbroken = text.replace("\n" + 11 * " ", " ")
    for line in (*LOST.lines(), *APART.lines(), *NEAR.lines()):
        assert f"  {line}\n" in unbroken
    assert text.count("\narm") == 0  # it has its row, which begins with a space, and no lines
