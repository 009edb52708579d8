import pytest

from sim.errors import ForeignError
from sim.foreign.adams_req import read_req
from tests.helpers.foreign_files import req_text


@pytest.fixture
def read(tmp_path):
    def of(text):
        (tmp_path / "a.req").write_text(text)
        return {c.title: c for c in read_req(tmp_path / "a.req").columns}

    return of


def test_each_request_has_six_components_at_each_time(read):
    found = read(req_text())
    assert found["TIME"].values.tolist() == [0.0, 0.5, 1.0]
    assert found["REQ/101.X"].values.tolist() == [1.0, 2.0, 3.0]
    assert found["REQ/102.R3"].values.tolist() == [105.0, 205.0, 305.0]


def test_units_follow_the_kind_of_request_and_the_lengths_in_a_metre(read):
    found = read(req_text())
    assert (found["REQ/101.X"].unit, found["REQ/101.R1"].unit) == ("inch", "rad")
    assert (found["REQ/102.X"].unit, found["REQ/102.R1"].unit) == ("lbf", "lbf*inch")
    assert read(req_text(factor="1.0E+03"))["REQ/101.Y"].unit == "mm"


def test_a_length_that_nobody_knows_must_be_told(read):
    assert read(req_text(factor="7.0"))["REQ/101.Y"].unit == "length of tag INLBS_PFRACA"


def test_an_expression_has_no_unit(read):
    found = read(req_text(requests=["7 5 0 0 power"]))
    assert found["REQ/7.U2"].unit is None


def test_a_file_of_times_alone_says_that_there_is_nothing(read):
    with pytest.raises(ForeignError, match="3 times and no request"):
        read(req_text(requests=[]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello\nworld\nagain\n", "does not begin with A.R3"),
        ("A.R3\n", "does not begin with A.R3"),
        (req_text().replace("INLBS_PFRACA", ""), "line 3"),
        (req_text().replace("    2     INLBS", "    3     INLBS"), "announces 3 requests, and 2"),
        (req_text().rsplit("\n", 3)[0] + "\n", "ends within a time"),
        (req_text().replace("1.00000E+00  2", "1.00000E+00 x 2", 1), "six components"),
    ],
)
def test_another_layout_is_refused_and_no_number_is_guessed(read, text, words):
    with pytest.raises(ForeignError, match=words):
        read(text)


def test_all_times_before_the_requests_are_refused_rather_than_guessed(read):
    head = req_text(rows=[])
    with pytest.raises(ForeignError, match=r"line 7.*Compare the \.res"):
        read(head + "0.0E+00\n5.0E-01\n" + ("1.0 " * 6 + "\n") * 4)
