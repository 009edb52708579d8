from datetime import datetime

import pytest

from sim.history.page import time_axis

DAY = "2026-03-0{}T12:00:00+00:00".format


def test_a_run_stands_at_its_date():
    axis = time_axis([DAY(1), DAY(2), DAY(5)])
    assert [axis.share_of(DAY(k)) for k in (1, 2, 5)] == pytest.approx([0, 0.25, 1])
    assert axis.share_of("2026-03-02T14:00:00+02:00") == pytest.approx(0.25)  # the same instant


def test_dates_across_a_month_have_ticks_at_midnight():
    axis = time_axis(["2026-02-26T18:00:00+00:00", "2026-03-03T06:00:00+00:00"])  # 108 h
    labels = [words for _, words in axis.ticks]
    assert all(datetime.strptime(f"2026-{one}", "%Y-%m-%d") for one in labels)
    assert 2 <= len(labels) <= 5
    assert axis.title == "month-day (UTC), from 2026-02-26"
    for share, words in axis.ticks:
        begun = datetime.fromisoformat("2026-02-26T18:00")
        hours = (datetime.strptime(f"2026-{words}", "%Y-%m-%d") - begun).total_seconds() / 3600
        assert share == pytest.approx(hours / 108)


@pytest.mark.parametrize(
    ("last", "label", "title"),
    [
        ("2026-01-01T00:40:00+00:00", "00:10", "time (UTC), from 2026-01-01"),
        ("2026-03-01T00:00:00+00:00", "01-", "month-day (UTC)"),
        ("2026-04-01T00:00:00+00:00", "2026-02", "year-month (UTC)"),
        ("2029-01-01T00:00:00+00:00", "2026-", "year-month (UTC)"),
        ("2126-01-01T00:00:00+00:00", "20", "year-month (UTC)"),
    ],
)
def test_labels_follow_the_span_and_are_few(last, label, title):
    axis = time_axis(["2026-01-01T00:00:00+00:00", last])
    assert 1 < len(axis.ticks) <= 6
    assert any(words.startswith(label) for _, words in axis.ticks)
    assert axis.title.startswith(title)
    assert all(0 <= share <= 1 for share, _ in axis.ticks)


def test_one_run_stands_in_the_middle_with_its_whole_date():
    axis = time_axis([DAY(1)])
    assert (axis.share_of(DAY(1)), axis.ticks) == (0.5, ((0.5, "2026-03-01 12:00"),))
    assert time_axis(["2026-03-01T12:00:00+00:00", "2026-03-01T12:00:30+00:00"]).ticks
