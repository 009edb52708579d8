"""What the page of a study says and draws, from rows whose answers are closed forms."""

import re

import msgspec
import numpy as np
import pytest
from lxml import html

from sim.scenario import load_script
from sim.studies.design import Design, grid
from sim.studies.report.page import search_layout, study_page
from sim.studies.report.pictures.answer_words import binding, headline_of_one, sort_cases
from sim.studies.report.pictures.grid_chart import grid_chart
from sim.studies.report.pictures.influences import sensitivity_layout
from sim.studies.report.pictures.inside import crossings, spans_inside
from sim.studies.report.pictures.many_cases import draws_layout, samples_layout
from sim.studies.report.pictures.study_data import short_names
from sim.studies.report.pictures.texts import texts_layout
from sim.studies.report.pictures.two_numbers import (
    is_whole_grid,
    one_number_layout,
    two_numbers_layout,
)
from sim.studies.sensitivity import Effect
from sim.studies.study import StudyResult
from sim.studies.study_file import EffectsAnswer, SearchAnswer
from sim.studies.variation import Variation, parse_variation
from tests.helpers.studies import prepared_study, rows_here
from tests.helpers.study_rows import data_from, row, rows_over

HELD = '''"""A rod that holds a payload level."""
import sim

URDF = """<robot name="rod"><link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-7" upper="7" effort="50" velocity="20"/></joint>
  <joint name="end" type="fixed"><parent link="rod"/><child link="tip"/>
    <origin xyz="0.8 0 0"/></joint></robot>"""


def scenario(payload: float = 1.0):
    """Hold `payload` [kg] level."""
    from sim.robots import read_urdf

    robot = read_urdf(URDF).with_payload(mass=payload, frame="tip")
    motion = sim.JointMotion.displacement({"hinge": "0 * time"})
    return sim.Scenario(robot, motion, duration=0.1, dt=0.01, method="ideal", gravity=(0, 0, -10))
'''


def plain(layout):
    return str(layout.statement.headline.striptags()), " ".join(layout.statement.why)


def test_the_largest_payload_is_where_its_weight_reaches_the_rated_torque(tmp_path):
    (tmp_path / "held.py").write_text(HELD, "utf-8")
    script = load_script(str(tmp_path / "held.py"))
    study = prepared_study(
        script, grid([parse_variation(script, "payload=0:10:6")]), tmp_path / "study"
    )
    rows = rows_here(study)
    assert study.facts.units == {"payload": "kg"}
    # tau = g (M 0.5 + m 0.8), so that m = (50 / 10 - 2 · 0.5) / 0.8 = 5 kg, between two cases
    data = data_from(rows, payload="kg")
    on = sort_cases(data, "payload")
    (use,) = (use for use in data.uses if use.kind == "torque")
    assert crossings(data.inputs["payload"][on], use.share[on]) == [pytest.approx(5.0, rel=1e-7)]
    text = study_page(StudyResult(study, tuple(rows)), ["cases.csv"])
    page = html.fromstring(text)
    assert page.xpath("string(//h1)") == "5 kg is the largest payload inside all ratings"
    said = page.xpath('string(//p[@class="why-line"])')
    assert "Limiting: hinge, rated torque of 50 N·m." in said
    assert "3 of 6 cases pass." in said
    names = page.xpath('//section[@id="shares"]//tbody/tr[1]/td')
    assert [cell.text_content() for cell in names] == ["hinge", "5", "50", "10", "90", "8"]
    rings = page.xpath('//svg//*[@class="cross"]')
    assert len(rings) == 3  # wide, narrow, and in the small curve


@pytest.mark.parametrize(
    ("shares", "headline", "why"),
    [
        ({"a_torque": lambda x: x / 4}, "4 kg is the largest load inside all ratings",
         "Limiting: a, rated torque of 100 N·m."),
        ({"a_torque": lambda x: x / 4, "b_speed": lambda x: x / 8},
         "4 kg is the largest load inside all ratings", "Next limit: b speed at 8 kg."),
        ({"a_torque": lambda x: (14 - x) / 8}, "6 kg is the smallest load inside all ratings",
         "Limiting: a,"),
        ({"a_torque": lambda x: x / 20}, "Every load from 0 to 10 kg stays inside all ratings",
         "Closest to limit: a torque, 50 % at 10 kg."),
        ({"a_torque": lambda x: 1.5 + x}, "No load from 0 to 10 kg stays inside all ratings",
         "Smallest excess: a torque is at 150 % at 0 kg."),
        ({"a_torque": lambda x: x / 8, "b_torque": lambda x: (12 - x) / 10},
         "Load stays inside all ratings from 2 to 8 kg", "Limiting: b, rated torque"),
        ({"a_torque": lambda x: x / 4, "b_torque": lambda x: x / 4},
         "4 kg is the largest load inside all ratings", "Limiting: a torque and b torque"),
        ({"a_torque": lambda x: 1.2 - 0.1 * abs(x - 5)},
         "Load stays inside all ratings up to 3 kg and from 7 kg on", "at 3 kg"),
    ],
)  # fmt: skip
def test_one_number_answers_by_where_its_lines_cross_the_rating(shares, headline, why):
    data = data_from(rows_over("load", np.arange(11.0), **shares), load="kg")
    said = plain(one_number_layout(data, "load", 11))
    assert said[0] == headline
    assert why in said[1]


def test_a_range_counts_only_where_it_is_left():
    # 1 + 2e-16 of a range is its end, and an end that is infinitely far is none
    rows = rows_over("x", [0.0, 1.0], a_range=lambda x: 1 + 2.2e-16, a_torque=lambda x: 0.2 + x)
    data = data_from(rows)
    assert [data.nearest.words(k) for k in (0, 1)] == ["a torque", "a torque"]
    rows = rows_over("x", [0.0, 1.0], a_range=lambda x: 1 + 0.5 * x, a_torque=lambda x: 1.2 * x)
    data = data_from(rows)
    assert data.nearest.words(1) == "a range"
    on = sort_cases(data, "x")
    (span,) = spans_inside(data.inputs["x"][on], data.uses, on)
    assert (span.low, span.high) == (0.0, 0.0)  # the end of the range is reached at once


@pytest.mark.parametrize("count", [7, 61, 601])
def test_cases_between_others_inside_change_no_interval(count):
    # |x| / 2 and -x / 1.5 reach 1 at 2 and -1.5, and 1.2 - |x - 1| / 0.5 between 0.9 and 1.1
    shares = {
        "a_torque": lambda x: abs(x) / 2,
        "b_torque": lambda x: max(-x / 1.5, 0.0),
        "c_torque": lambda x: max(1.2 - abs(x - 1) / 0.5, 0.0),
    }
    data = data_from(rows_over("x", sorted({0.4, 1.0, 1.6, *np.linspace(-3, 3, count)}), **shares))
    on = sort_cases(data, "x")
    spans = spans_inside(data.inputs["x"][on], data.uses, on)
    ends = [(-1.5, 0.9), (1.1, 2.0)]
    assert np.allclose([(one.low, one.high) for one in spans], ends, rtol=0, atol=1e-9)
    by = [(one.low_by[0].joint, one.high_by[0].joint) for one in spans]
    assert by == [("b", "c"), ("c", "a")]
    (share,) = (use.share for use in data.uses if use.joint == "c")
    assert crossings(data.inputs["x"], share) == pytest.approx([0.9, 1.1], abs=1e-9)


def test_a_case_beyond_a_range_of_one_end_is_beyond_without_a_share():
    rows = rows_over("x", [0.0, 1.0, 2.0], a_range=lambda x: None if x > 1 else 0.0)
    data = data_from(rows)
    on = sort_cases(data, "x")
    (span,) = spans_inside(data.inputs["x"][on], data.uses, on)
    assert (span.high, [use.name for use in span.high_by]) == (1.0, ["a range"])
    assert not np.isfinite(data.nearest.share[2])


def test_a_failing_check_that_is_no_rating_is_told_apart():
    rows = rows_over("x", [0.0, 1.0, 2.0], a_torque=lambda x: 0.1 * x)
    rows[1] = row({"x": 1.0}, {"a torque": 0.1}, reason="energy balance ke")
    _, why = plain(one_number_layout(data_from(rows), "x", 4))
    assert "2 of 4 cases pass." in why
    assert "1 case fails a check other than a rating: energy balance ke." in why
    assert "1 could not be computed." in why


def test_a_robot_without_ratings_is_said_to_have_none():
    rows = [
        msgspec.structs.replace(row({"x": x}, {}), responses={"energy": (1.0 + x, "J")})
        for x in (0.0, 1.0)
    ]
    headline, why = plain(one_number_layout(data_from(rows), "x", 2))
    assert headline == "energy goes from 1 to 2 J"
    assert "The robot has no ratings to compare with." in why


def grid_rows(share):
    return [
        row({"load": x, "time": y}, {"a torque": share(x, y), "b speed": 0.4 * share(x, y) ** 2})
        for x in (0.0, 1.0, 2.0, 3.0)
        for y in (1.0, 2.0, 4.0)
    ]


def test_two_numbers_have_a_line_between_inside_and_beyond_and_a_value_in_each_row():
    data = data_from(grid_rows(lambda x, y: x / (2 * y) + 0.3), load="kg", time="s")
    assert is_whole_grid(data, ["load", "time"])
    layout = two_numbers_layout(data, "load", "time", 12)
    headline, why = plain(layout)
    # x / 2y + 0.3 = 1 at x = 1.4 y: 1.4 at 1 s, 2.8 at 2 s, none up to 3 at 4 s
    assert headline == (
        "At time 4 s, load stays inside all ratings throughout, 0 to 3 kg; at 1 s, up to 1.4 kg"
    )
    assert "Limiting: a torque." in why
    table = [[str(c) for c in r.cells] for r in layout.sections[0].table.rows]
    assert [cells[:2] for cells in table] == [
        ["4", "<b>all</b>"], ["2", "up to <b>2.8 kg</b>"], ["1", "up to <b>1.4 kg</b>"],
    ]  # fmt: skip
    drawn = html.fromstring(f"<div>{layout.sections[0].main}</div>")
    wide = drawn.xpath('//svg[contains(@class, "wide-only")]')[0]
    assert len(wide.xpath('.//rect[starts-with(@class, "q")]')) == 12
    # cells beyond are (2, 1 s), (3, 1 s), (3, 2 s): their edges towards the others are four
    assert len(wide.xpath('.//line[@class="front"]')) == 4
    beyond = wide.xpath('.//rect[contains("q5 q6 q7", @class)]/title/text()')
    assert beyond == ["130 % a torque", "180 % a torque", "105 % a torque"]


@pytest.mark.parametrize(
    ("share", "headline"),
    [
        (lambda x, y: 0.1, "Every combination of load and time stays inside all ratings"),
        (lambda x, y: 1.1, "No combination of load and time stays inside all ratings"),
    ],
)
def test_two_numbers_without_a_crossing_say_so(share, headline):
    assert plain(two_numbers_layout(data_from(grid_rows(share)), "load", "time", 12))[0] == headline


@pytest.mark.parametrize("turned", [(1, 1), (-1, 1), (1, -1)])
def test_the_line_runs_wherever_inside_meets_beyond(turned):
    z = np.array([[0.5, 1.5, 1.5], [0.5, 0.5, 1.5]])[:: turned[0], :: turned[1]]
    drawn = grid_chart(np.arange(3.0), np.arange(2.0), z, ("a", "b"), lambda i, k: ("", ""))
    assert drawn.count('class="front"') == 2 * 3  # two drawings, each with three edges


def test_many_cells_are_joined_in_rows_and_have_no_words():
    z = np.tile(np.linspace(0, 1.4, 60), (50, 1))
    drawn = grid_chart(np.arange(60.0), np.arange(50.0), z, ("a", "b"), lambda i, k: ("", ""))
    wide = html.fromstring(f"<div>{drawn}</div>").xpath("//svg")[0]
    assert len(wide.xpath(".//rect")) == 50 * 8  # a rectangle a colour
    assert len(drawn) < 200_000


def test_texts_beside_a_number_answer_for_each_text():
    def shares(word, x):
        return {"a torque": x / 4, "b range": 1.5 if word == "home" else 1.0}

    cases = [(word, x) for word in ("up", "home") for x in (0.0, 2.0, 6.0)]
    rows = [row({"start": w, "load": x}, shares(w, x)) for w, x in cases]
    layout = texts_layout(data_from(rows, load="kg"), "load", 6)
    headline, why = plain(layout)
    assert headline == "up stays inside all ratings with load up to 4 kg; home never does"
    assert "home: b range is at 150 % at best." in why
    assert [f.title for f in layout.sections[0].figures] == ["rated torque", "upper position limit"]
    drawn = html.fromstring(f"<div>{layout.sections[0].figures[1].svg}</div>").xpath("//svg")[0]
    dots = [dot.get("class") for dot in drawn.xpath(".//circle")]
    assert dots == ["point", "point bad"]  # a dot a text, where the number changes nothing


def test_texts_alone_and_many_of_them_are_sorted_into_those_that_pass():
    rows = [row({"start": f"pose{k}"}, {"a torque": 0.5 + 0.2 * k}) for k in range(6)]
    headline, _ = plain(texts_layout(data_from(rows), None, 6))
    assert headline == (
        "pose0, pose1 and pose2 stays inside all ratings; pose3, pose4 and pose5 does not"
    )


def test_samples_say_who_binds_and_which_parameter_decides():
    chance = np.random.default_rng(0)
    rows = [
        row({"a": float(x), "b": float(y), "c": float(z)}, {"j torque": 0.2 + x, "k torque": 0.1})
        for x, y, z in chance.random((40, 3))
    ]
    headline, why = plain(samples_layout(data_from(rows), 40, "samples"))
    inside = [r.parameters["a"] for r in rows if r.status == "pass"]
    assert headline == f"{len(inside)} of 40 samples stay inside all ratings"
    assert f"Limiting in all {40 - len(inside)} failed cases: j torque." in why
    assert f"all above {max(inside):.3g} are beyond." in why


def test_draws_have_the_interval_of_clopper_and_pearson():
    rows = [
        row({}, {"j torque": 0.5 + 0.001 * k}, factors={"mass.a": 1 + 0.001 * k}, draw=k)
        for k in range(20)
    ]
    layout = draws_layout(data_from(rows), 20)
    headline, why = plain(layout)
    assert headline == "All 20 draws stay inside all ratings"
    low = 100 * 0.025 ** (1 / 20)  # where none fails, the exact interval is that
    assert f"{low:.3g} to 100 %" in why
    assert layout.sections[0].figures[0].title == "rating closest to limit"


def effect(parameter, size, **numbers):
    return Effect(response="peak tau.j", parameter=parameter, size=size, numbers=numbers)


def test_a_tornado_names_what_moves_the_response_nearest_its_rating():
    rows = rows_over("a", [0.0, 1.0, 2.0], j_torque=lambda x: 0.3 + 0.4 * x)
    found = [
        effect("a", 80.0, nominal=50.0, low=30.0, high=110.0),
        effect("b", 10.0, nominal=50.0, low=45.0, high=55.0),
    ]
    varied = (Variation("a", (), (0.0, 2.0)), Variation("b", (), (0.0, 1.0)))
    answer = EffectsAnswer(design="tornado", effects=found)
    layout = sensitivity_layout(data_from(rows, a="kg"), answer, Design("tornado", varied), 3)
    headline, why = plain(layout)
    assert headline == "a moves the j peak torque most"
    assert "The response goes from 30 to 110 N·m over a 0 … 2 kg." in why
    (figure,) = layout.sections[0].figures
    drawn = html.fromstring(f"<div>{figure.svg}</div>")
    low, high = (drawn.xpath(f'(//rect[@class="{c}"])[1]')[0] for c in ("bar second", "bar"))
    width = [float(one.get("width")) for one in (low, high)]
    assert width[1] / width[0] == pytest.approx(60 / 20, abs=0.02)
    assert drawn.xpath('//line[@class="limit"]')  # 100 N·m, between 30 and 110


def test_effects_whose_intervals_overlap_are_not_told_apart():
    found = [
        effect("a", 5.0, mu_star=5.0, mu_star_conf=1.0, sigma=0.1),
        effect("b", 4.0, mu_star=4.0, mu_star_conf=0.5, sigma=0.1),
    ]
    rows = rows_over("a", [0.0, 1.0], j_torque=lambda x: 0.3 + 0.4 * x)
    varied = (Variation("a", (), (0.0, 1.0)), Variation("b", (), (0.0, 1.0)))
    answer = EffectsAnswer(design="morris", effects=found)
    headline, why = plain(sensitivity_layout(data_from(rows), answer, Design("morris", varied), 2))
    assert headline == "a and b move the j peak torque most"
    assert "the difference is within their 95 % intervals" in why


@pytest.mark.parametrize(
    ("holds", "fails", "headline"),
    [
        (4.0, 4.01, "4 kg is the largest load that satisfies margin ≥ 0.2"),
        (6.0, None, "6 kg satisfies margin ≥ 0.2; limit not reached within the range"),
        (None, 0.0, "No load between 0 and 6 kg satisfies margin ≥ 0.2"),
    ],
)
def test_a_search_answers_with_the_value_it_has_found(holds, fails, headline):
    rows = rows_over("load", [0.0, 3.9, 4.0, 4.01, 6.0], a_torque=lambda x: x / 5)
    answer = SearchAnswer(parameter="load", direction="largest", limit="margin >= 0.2",
                         ends=(0.0, 6.0), holds=holds, fails=fails)  # fmt: skip
    layout = search_layout(data_from(rows, load="kg"), answer, 5)
    said, why = plain(layout)
    assert said == headline
    assert ("A torque is at 80 % there" in why) == (holds == 4.0)
    # x / 5 = 1 - 0.2 at 4: the ring stands at the share that is asked for
    ring = html.fromstring(f"<div>{layout.sections[0].main}</div>").xpath("//circle[title]")
    assert any("at 4" in one.xpath("string(title)") for one in ring if one.get("class") == "cross")


def test_rounding_noise_is_no_curve_and_is_told_in_a_line():
    rows = rows_over("x", [0.0, 1.0, 2.0], a_torque=lambda x: 0.5 + 1e-15 * x,
                     b_torque=lambda x: 0.1 + 0.1 * x)  # fmt: skip
    data = data_from(rows)
    assert data.moving == ["peak tau.b"]
    assert ("a peak torque", "50 N·m") in data.still


def test_names_of_joints_are_cut_where_they_are_alike():
    long = [f"left_arm_shoulder_{end}_joint" for end in ("pan", "lift")]
    assert list(short_names(long).values()) == ["pan", "lift"]
    assert short_names(["joint_1", "joint_2"]) == {"joint_1": "joint 1", "joint_2": "joint 2"}
    assert short_names(["elbow", "elbow_joint"])["elbow_joint"] == "elbow joint"


def test_who_binds_at_the_end_of_an_interval_is_whose_line_is_there():
    data = data_from(
        rows_over("x", np.arange(7.0), a_torque=lambda x: x / 4, b_torque=lambda x: x / 5)
    )
    on = sort_cases(data, "x")
    spans = spans_inside(data.inputs["x"][on], data.uses, on)
    assert headline_of_one(data, "x", on, spans).striptags().startswith("4 is the largest x")
    assert binding(data, "x", on, spans)[1] == "Next limit: b at 5."


def test_no_number_of_a_drawing_has_more_digits_than_a_reader_takes():
    rows = rows_over("x", np.linspace(0, 1 / 3, 7), a_torque=lambda x: 3.7 * x, b_speed=lambda x: x)
    layout = one_number_layout(data_from(rows), "x", 7)
    words = [str(layout.sections[0].main), *(str(f.svg) for f in layout.sections[1].figures)]
    for said in re.findall(r"<text[^>]*>([^<]*)", "".join(words)):
        assert not re.search(r"\d{7}", said), said
