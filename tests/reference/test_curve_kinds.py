"""Columns of ADAMS by what they are: which request of a run they are compared with."""

import numpy as np
import pytest

from sim.cli.command import status
from sim.decks import deck_model
from sim.errors import ForeignError
from sim.foreign import ForeignColumn, ForeignTable, Naming
from sim.recording import request_facts
from sim.reference import name_columns
from tests.decks.decks_of_tests import PENDULUM
from tests.decks.test_deck_requests import CHANNELS, with_requests
from tests.helpers.adams_files import COLUMNS, swing, write_case


@pytest.fixture(scope="module")
def requests():
    model = deck_model(with_requests(PENDULUM))
    return [request_facts(request) for _, request in model.requests.requests][:6]


def named(requests, *titles, channels=None):
    times = np.arange(3.0)
    columns = tuple(ForeignColumn(title, None, times) for title in ("Time", *titles))
    units = {channel: unit for one in requests for channel, unit in one.channels.items()}
    table = ForeignTable("curves.tab", columns)
    return dict(name_columns(table, Naming(channels or {}), requests, units).channels)


@pytest.mark.parametrize("quantity", [q for q in COLUMNS if not q.startswith("R")])
def test_columns_are_taken_by_what_they_are(requests, quantity):
    wanted = [f"request.{name}" for name in CHANNELS[quantity].split()]
    assert list(named(requests, *COLUMNS[quantity]).values()) == wanted


NAMES = {
    "REQ/1.Z": "REQUEST_1.Z",
    "REQ/1.R2": "REQUEST_1.THETA",
    "REQ/3.Y": "REQUEST_3.ACCY",
    "REQ/4.U6": "REQUEST_4.F6",
    "MODEL_1.REQUEST_3.wdx": "REQUEST_3.WDTX",
    "REQUEST_6.m_y": "REQUEST_6.m_y",
    "ACCZ": "REQUEST_3.ACCZ",
    "WDY": "REQUEST_3.WDTY",
    "PHI": "REQUEST_1.PHI",
}


@pytest.mark.parametrize("title", NAMES)
def test_columns_are_taken_by_their_request(requests, title):
    assert named(requests, title) == {title: f"request.{NAMES[title]}"}


def test_what_is_not_sure_is_asked_and_what_the_user_names_stays(requests):
    with pytest.raises(ForeignError, match=r"'X_Force' may be request\.REQUEST_5\.F2 or .*--map"):
        named([*requests, *twice(requests)], "X_Force")
    given = {"X_Pos": "request.REQUEST_3.ACCX"}
    assert named(requests, "X_Pos", channels=given) == given
    assert named(requests, "PART_2_XFORM.X", "X_Speed", "F2") == {}


def twice(requests):
    model = deck_model(with_requests(PENDULUM, "REQUEST/9, F2 = SFORCE(1,0,2,0)\n"))
    return [request_facts(request) for _, request in model.requests.requests]


def test_results_beside_a_deck_are_compared_and_a_file_of_another_start_is_said(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    short = "".join(
        line
        for line in with_requests(PENDULUM).splitlines(keepends=True)
        if not line.startswith(("REQUEST/06", "REQUEST/07"))
    )
    (tmp_path / "case.adm").write_text(short)
    case = dict(swing(0.0, 200.0, 10.0))
    case["Quat"] = -case["Quat"]  # the same rotations
    write_case(tmp_path, "Ours", case)
    write_case(tmp_path, "Other", swing(0.3, 200.0, 10.0))
    assert status(["run", "case.adm", "--no-report", "--set", "duration=0.3", "--out", "run"]) == 0
    for quantity in ("Pos", "Quat", "Acc", "Rforce"):
        assert status(["compare", "run", f"Ours_ADAMS_{quantity}.txt"]) == 0
    capsys.readouterr()
    assert status(["compare", "run", "Other_ADAMS_Pos.txt"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "difference at t = 0: external request.REQUEST_1.X 1.91067 m (run 2)" in said
