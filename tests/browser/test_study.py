"""The page of a study in a real Chromium: its width, its silence, its labels."""

from __future__ import annotations

import itertools

import pytest

from sim.studies import StudyResult
from sim.studies.design import Design
from sim.studies.report.page import study_page
from sim.studies.variation import Variation
from tests.helpers.opened_page import Opened
from tests.helpers.studies import swing_study
from tests.helpers.study_rows import row

JOINTS = [f"{side}_arm_shoulder_{end}_joint" for side in ("left", "right") for end in "abc"]
VALUES = {
    "one": {"load": [0.0, 5.0, 10.0, 15.0, 20.0]},
    "two": {"load": [float(x) for x in range(0, 350, 50)], "period": [2.5, 3.5, 4.5, 5.5]},
    "texts": {"start": ["upright", "a" * 40], "load": [0.0, 10.0, 20.0]},
    "many": {"a": [0.0, 1.0, 2.0], "b": [0.0, 1.0], "c": [1.0, 2.0]},
}


def made_up(values):
    """Cases over some values; the shares of the six joints grow with the last number."""
    found = []
    for point in itertools.product(*values.values()):
        top = point[-1] / max(next(reversed(values.values())))
        shares = {f"{joint} torque": 1.3 * top / (k + 1) for k, joint in enumerate(JOINTS)}
        found.append(row(dict(zip(values, point, strict=True)), shares))
    return found


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    base = swing_study(folder, "load=0:1:2")
    for name, values in VALUES.items():
        varied = tuple(Variation(key, tuple(some)) for key, some in values.items())
        study = type(base)(**{**base.__dict__, "design": Design("grid", varied)})
        text = study_page(StudyResult(study, tuple(made_up(values))), ["cases.csv"])
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


CUT = """() => [...document.querySelectorAll('svg text')].filter(one => {
    const [own, all] = [one, one.ownerSVGElement].map(x => x.getBoundingClientRect());
    return own.width && (own.left < all.left - 1 || own.right > all.right + 1);
}).map(one => one.textContent)"""


@pytest.mark.rotates(3)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("name", list(VALUES))
def test_a_study_is_no_wider_than_its_window_and_says_nothing(
    paths, flat_browser, name, width, scheme
):
    path = paths / f"{name}.html"
    opened = Opened(flat_browser, path, color_scheme=scheme)
    opened.page.set_viewport_size({"width": width, "height": 900})
    assert opened.js("document.documentElement.scrollWidth") <= width
    assert opened.js(CUT) == []
    assert opened.said == []
    assert opened.asked == [path.as_uri()]
