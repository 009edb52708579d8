import base64
import hashlib
import json
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from sim.checks import energy_balance, judge, sizing
from sim.errors import RecordingError
from sim.recording.schema.facts import ClaimFacts, DriveFacts, SourceErrorFacts
from sim.reports.page.overlay import Overlay
from sim.reports.page.page import page, write_page
from sim.reports.page.page_meta import VisibleChannels
from sim.reports.page.standalone import TEMPLATE
from tests.helpers.page_runs import arm_scene, bad_run, block, chunks, good_run, meta_of, stretched
from tests.helpers.synthetic_runs import with_reference

EVIL = "<script>alert('x')</script>\"&"


class Tags(HTMLParser):
    """All elements of a document with their attributes, and its text outside of scripts."""

    def __init__(self, html):
        super().__init__()
        self.found, self.words, self.inside = [], [], None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside not in ("script", "style"):
            self.words.append(data)


@pytest.fixture(scope="module")
def html():
    return page(
        VisibleChannels.of(bad_run(), arm_scene(), [Overlay.of("baseline", good_run(), bad_run())])
    )


def test_the_verdict_and_every_check_are_there_without_any_script(html):
    words = " ".join(" ".join(Tags(html).words).split())
    assert "✗ Fail" in words
    for check in bad_run().run.checks:
        assert check.channel in words
    assert "STEP5(time, 0, 0, 0.3, 15d)" in words
    assert '<svg class="poster"' in html
    assert "<noscript>" in html


def said(html):
    """The part of the header that says what fails, what is near and what is warned of."""
    (part,) = re.findall(r'<div class="say">.*?</div>\n<nav', html, re.S)
    return " ".join("".join(Tags(part).words).split())


def test_the_header_of_a_failed_run_names_the_check_and_leads_to_it(html):
    bad = [check for check in bad_run().run.checks if not check.ok]
    worst = max(bad, key=lambda check: check.used)
    words = said(html)
    assert words.startswith(f"Fails: {worst.name} {worst.channel}, ")
    assert f"{worst.worst:.4g} {worst.unit} at {worst.at:.4g} s, limit " in words
    assert words.endswith(f"and {len(bad) - 1} more")
    (link,) = re.findall(r'<p id="nearest".*?<a href="([^"]+)"', html, re.S)
    assert link == f"#ch={worst.plot}&amp;t={worst.at}"


def test_the_header_of_a_passed_run_says_what_is_nearest_and_how_near():
    nearest = max(good_run().run.checks, key=lambda check: check.used)
    words = said(page(VisibleChannels.of(good_run())))
    assert words.startswith(f"Closest to its limit: {nearest.name} {nearest.channel}, ")
    assert f"{100 * nearest.used:.0f} %" in words
    assert "Fails" not in words


def test_the_header_has_the_warnings_that_the_terminal_prints():
    drive = DriveFacts(joint="elbow", level="a", function="b", warnings=("x", "y", "is 4d meant?"))
    run = good_run().with_description(drives=(drive,), notes=("Overload: too much", "of mine"))
    words = said(page(VisibleChannels.of(run)))
    order = ["elbow: is 4d meant?", "Overload: too much", "and 2 more warnings", "elbow: x"]
    assert [words.index(text) for text in order] == sorted(words.index(text) for text in order)
    assert "of mine" not in words
    assert 'id="warnings"' not in page(VisibleChannels.of(good_run()))


def test_what_a_limit_is_made_of_stands_beside_the_check_as_text():
    own = SourceErrorFacts(errors={"tau.*": 0.5}, reason=EVIL)
    run = with_reference(good_run(), good_run().recorded[["tau.elbow"]], own=own)
    words = " ".join(Tags(page(VisibleChannels.of(run, arm_scene(), []))).words)
    assert f"limit: 1 N·m, 0.5 N·m error of the source ({EVIL})" in words


def test_nothing_is_asked_of_any_other_place(html):
    for tag, attributes in Tags(html).found:
        for name in ("src", "href", "action", "data", "srcset"):
            assert not re.match(r"(https?:)?//", attributes.get(name) or ""), (tag, attributes)
        assert not any(name.startswith("on") or name == "style" for name in attributes)


def test_the_policy_allows_just_the_scripts_and_the_style_of_the_page(html):
    (policy,) = (a["content"] for t, a in Tags(html).found if "http-equiv" in a)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    loader = re.findall(r"<script>(.*?)</script>", html, re.S)
    assert len(loader) == 1
    packed = [block(html, name) for name in ("player", "robot", "whatif-script")]
    scripts = [loader[0].encode(), *packed]
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.S)
    for name, texts in (("script-src", scripts), ("style-src", [style.encode()])):
        hashes = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in texts]
        assert rules[name] == " ".join(f"'sha256-{digest}'" for digest in hashes)


def test_the_licences_of_what_is_bundled_go_with_the_page(html):
    """MIT: the notice goes with every copy."""
    for name in ("three", "uplot"):
        licence = (TEMPLATE / f"vendor/LICENSE.{name}").read_text("utf-8").strip()
        assert licence in html
    comments = re.findall(r"<!--(.*?)-->", html, re.DOTALL)
    assert sum("Permission is hereby granted" in text for text in comments) == 1


def test_names_with_markup_are_shown_as_text():
    good, set_to = good_run(), msgspec.structs.replace
    robot = good.run.robot
    joints = tuple(set_to(joint, mimic=EVIL) for joint in robot.joints)
    masses = {EVIL: 1.0}
    table = good.recorded.rename(columns={"tau.elbow": f"tau.{EVIL}"})
    model = good.analytic.rename(columns={"tau.elbow": f"tau.{EVIL}"})
    run = replace(good, recorded=table, analytic=model).with_description(
        scenario=EVIL,
        notes=(EVIL,),
        parameters={EVIL: EVIL},
        robot=set_to(robot, name=EVIL, assumed=(EVIL,), masses=masses, joints=joints),
        drives=(DriveFacts(joint=EVIL, level=EVIL, function=EVIL, warnings=(EVIL,)),),
        claims=(ClaimFacts(text=EVIL, source=EVIL, channel=EVIL, statistic=EVIL),),
        audit=(set_to(energy_balance(good), table=EVIL),),
        sizing=(set_to(sizing(good)[0], joint=EVIL, torque_unit=EVIL, speed_unit=EVIL),),
        units={**dict.fromkeys(good.units, EVIL), f"tau.{EVIL}": EVIL},
    )
    judgements = [
        structs.replace(one, check=set_to(one.check, name=EVIL, channel=EVIL, unit=EVIL, plot=EVIL))
        for one in judge(good)
    ]
    html = page(VisibleChannels(run, judgements, arm_scene(), [Overlay(EVIL, good.recorded)]))
    assert "alert('x')</script>" not in html
    plain = Tags(page(VisibleChannels.of(good, arm_scene(), [Overlay("b", good.recorded)])))
    own = [a.get("id", "") for tag, a in plain.found if tag == "script"]
    count = sum(not name.startswith("whatif-") for name in own)  # of no such robot
    assert sum(tag == "script" for tag, _ in Tags(html).found) == count
    assert any(c["label"] == EVIL for c in meta_of(html)["channels"])
    assert EVIL in "".join(Tags(html).words)


def test_the_same_run_gives_the_same_page_byte_by_byte(html, tmp_path):
    again = page(
        VisibleChannels.of(bad_run(), arm_scene(), [Overlay.of("baseline", good_run(), bad_run())])
    )
    assert again == html
    write_page(tmp_path / "a.html", bad_run(), arm_scene())
    time.sleep(1.1)  # longer than the clock of a zip header
    write_page(tmp_path / "b.html", bad_run(), arm_scene())
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_the_bundles_are_those_that_were_built_from_the_sources_beside_them():
    lock = json.loads((TEMPLATE / "vendor" / "lock.json").read_text(encoding="utf-8"))

    def digest(path: Path) -> str:
        return hashlib.sha256(path.read_bytes()).hexdigest()

    for name, wanted in lock["bundles"].items():
        assert digest(TEMPLATE / "vendor" / name) == wanted
    sources = {path.name for path in TEMPLATE.glob("*.js")} - {"loader.js"}
    assert set(lock["sources"]) == sources
    for name, wanted in lock["sources"].items():
        assert digest(TEMPLATE / name) == wanted, f"{name} has changed since the build"
    packages = TEMPLATE.parent / "bundle" / "package-lock.json"
    assert digest(packages) == lock["packages"]
    locked = json.loads(packages.read_text(encoding="utf-8"))["packages"]
    for name, version in lock["versions"].items():
        assert locked[f"node_modules/{name}"]["version"] == version
    for name in ("three", "uplot", "fflate"):
        text = (TEMPLATE / "vendor" / f"LICENSE.{name}").read_text(encoding="utf-8")
        assert "MIT" in text


def test_a_run_without_scene_still_has_its_page():
    html = page(VisibleChannels.of(good_run()))
    assert 'id="robot"' not in html
    assert "This run has no robot model." in html


def test_ghosts_are_clips_of_the_same_nodes(html):
    scene, _ = chunks(block(html, "scene"))
    ghost, _ = chunks(block(html, "clip0"))
    assert {node["name"] for node in ghost["nodes"]} <= {node["name"] for node in scene["nodes"]}


@pytest.mark.rotates(2)
def test_ten_seconds_at_a_kilohertz_stay_below_their_size(shipped_run):
    # The figures to reach; what a page of the largest shipped robot weighs is in benchmarks.
    from sim.recording import Recording
    from sim.reports.page.glb_scene import GlbScene, scene_of
    from sim.robots import load_robot

    recording = Recording.read(shipped_run("ur10_step"))
    scene = GlbScene.read(scene_of(load_robot("ur10").with_payload(mass=10, com=(0, 0, 0.1))))
    assert len(recording.recorded) == 10_001
    assert len(page(VisibleChannels.of(recording, scene)).encode()) <= 1_500_000  # [byte]


def test_a_minute_at_a_kilohertz_stays_below_its_size_with_a_joint_that_fails_throughout():
    table = bad_run().recorded
    table = table.assign(**{"tau.elbow": table["tau.elbow"] + 0.3})
    long = structs.replace(stretched(replace(bad_run(), recorded=table), 200), scene=arm_scene())
    assert len(long.recording.recorded) > 60_000
    html = page(long)
    assert meta_of(html)["failing"] > 60_000
    assert len(html.encode()) <= 4_000_000  # [byte]


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(RecordingError, match=r"Cannot write .*nowhere"):
        write_page(tmp_path / "nowhere" / "report.html", good_run())
