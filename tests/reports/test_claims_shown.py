"""Claims are counted once, for the terminal and for the page."""

import io

from rich.console import Console

from sim.recording.facts import ClaimFacts
from sim.recording.verdicts import ClaimResult
from sim.reports.claims_shown import is_shown
from sim.reports.page.check_rows import facts
from sim.reports.terminal.summary import show, summary
from tests.helpers.page_runs import good_run


def result(text, channel, ok):
    return ClaimResult(text, "S", channel, 1.0, 2.0, None, "J", ok=ok, at=0.1)


def test_terminal_and_page_count_the_same_claims():
    claims = tuple(
        ClaimFacts(text=text, source="S", channel="ke.*", statistic="peak_below") for text in "TUV"
    )
    results = (result("T", "ke.a", True), result("T", "ke.b", False), result("V", "ke.a", True))
    run = good_run().with_description(claims=claims, claim_results=results)
    shown = next(fact for fact in facts((), run.run) if fact.title == "Claims")
    assert (shown.value, shown.note) == ("1 of 3", "shown")
    stream = io.StringIO()
    show(Console(file=stream, width=200), summary(run, None))
    assert "1 of 3 shown" in stream.getvalue()


def test_a_claim_about_nothing_is_not_shown():
    assert not is_shown([])
    assert is_shown([result("T", "ke.a", True)])
    assert not is_shown([result("T", "ke.a", True), result("T", "ke.b", False)])
