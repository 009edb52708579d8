"""Result files of ADAMS against the closed form of free fall that was written into them."""

import pytest

from sim.errors import ForeignError
from sim.foreign.adams_res import read_res
from tests.helpers.foreign_files import GRAVITY, res_text


@pytest.fixture
def read(tmp_path):
    def of(text):
        (tmp_path / "a.res").write_text(text, encoding="utf-8")
        table = read_res(tmp_path / "a.res")
        return table, {c.title: c for c in table.columns}

    return of


def test_a_component_is_found_by_the_place_that_its_id_names(read):
    table, found = read(res_text())
    assert table.source == "a.res (Adams 2022.1 Adams Solver (C++))"
    assert found["TIME"].values.tolist() == [0.01, 0.02, 0.03, 0.04, 0.05]
    y = [-GRAVITY * t**2 / 2 for t in found["TIME"].values]
    assert found["BALL_XFORM.Y"].values == pytest.approx(y, rel=1e-15)
    assert found["BALL_XFORM.VY"].values[-1] == pytest.approx(-GRAVITY * 0.05, rel=1e-15)


def test_units_are_those_of_the_component(read):
    _, found = read(res_text())
    assert (found["BALL_XFORM.Y"].unit, found["BALL_XFORM.VY"].unit) == ("inch", "inch/sec")
    assert found["TIME"].unit == "sec"


def test_inputs_and_initial_conditions_are_no_results(read):
    _, found = read(res_text())
    assert 99.0 not in found["BALL_XFORM.Y"].values
    assert found["TIME"].values.size == 5


BOMB = """<!DOCTYPE Results [
<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">
]>
"""
OUTSIDE = '<!DOCTYPE Results [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'


@pytest.mark.parametrize("head", [BOMB, OUTSIDE, '<!DOCTYPE Results SYSTEM "a.dtd">\n'])
def test_a_document_type_is_refused_and_nothing_is_expanded(read, head):
    text = res_text(head=head).replace('<Step type="dynamic">\n', '<Step type="dynamic">&c;\n')
    with pytest.raises(ForeignError, match=r"document type|not a complete ADAMS XML") as caught:
        read(text)
    assert "root:" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_document_type_alone_is_refused(read):
    with pytest.raises(ForeignError, match="declares a document type"):
        read(res_text(head=BOMB))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_off_is_refused(read, share):
    text = res_text()
    with pytest.raises(ForeignError, match="not a complete ADAMS XML file"):
        read(text[: int(share * len(text))])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"steps": ""}, "has 0 steps"),
        ({"steps": '<Step type="dynamic">1 2</Step>' * 2}, "step 1 has 2 values.*names 7"),
        ({"tail": "</Analysis><Analysis/></Results>"}, "has 2 analyses"),
    ],
)
def test_what_is_no_result_over_time_is_refused(read, changed, words):
    with pytest.raises(ForeignError, match=words):
        read(res_text(**changed))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('id="6"', 'id="six"', "has the id 'six'"),
        ('id="6"', 'id="0"', "has the id '0'"),
        ("StepMap", "Map", "has 0 StepMaps"),
        ("Analysis", "Thing", "has 0 analyses"),
    ],
)
def test_a_damaged_map_is_refused(read, old, new, words):
    with pytest.raises(ForeignError, match=words):
        read(res_text().replace(old, new))


def test_a_value_that_is_no_number_is_a_fault_of_its_column(read):
    text = res_text(steps='<Step type="dynamic">1 0 0 0 0 NaN 0</Step>' * 2)
    _, found = read(text)
    assert found["BALL_XFORM.Y"].fault == "has 'NaN' in step 1, which is not finite"
    assert found["BALL_XFORM.X"].fault == ""
