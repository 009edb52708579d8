"""Claims are counted once, for the terminal and for the page."""

import msgspec

from sim.recording.schema.facts import ClaimFacts
from sim.recording.schema.verdicts import ClaimResult
from sim.reports.page.check_rows import facts
from sim.reports.reproduced_claims import claims_title, is_reproduced, summary_of_claims
from sim.reports.terminal.summary import summary
from tests.helpers.page_runs import good_run
from tests.helpers.terminal_texts import printed


def result(text, channel, ok):
    return ClaimResult(text, "S", channel, 1.0, 2.0, None, "J", ok=ok, at=0.1)


def test_terminal_and_page_count_the_same_claims():
    claims = tuple(
        ClaimFacts(text=text, source="S", channel="ke.*", statistic="peak_below") for text in "TUV"
    )
    results = (result("T", "ke.a", True), result("T", "ke.b", False), result("V", "ke.a", True))
    run = good_run().with_description(claims=claims, claim_results=results)
    shown = next(fact for fact in facts((), run.run) if fact.title == "Claims")
    assert (shown.value, shown.note) == ("1 of 3", "reproduced")
    words = "1 of 3 reproduced, 1 partly (1 of 2 links), 1 not evaluated"
    assert summary_of_claims(run.run) == words
    assert f"claims   {words}" in printed(summary(run, None), 200)


def test_claims_of_shipped_scenarios_are_published_results():
    run = good_run().run
    assert claims_title(run) == "claims"
    assert claims_title(msgspec.structs.replace(run, scenario="ur10_step")) == "published results"


def test_a_claim_about_nothing_is_not_shown():
    assert not is_reproduced([])
    assert is_reproduced([result("T", "ke.a", True)])
    assert not is_reproduced([result("T", "ke.a", True), result("T", "ke.b", False)])
