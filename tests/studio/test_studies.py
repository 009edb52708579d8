"""The command of a study: read back by the command's own parser, and nothing else gets in."""

import time

import msgspec
import pytest

from sim.cli.command import parser_of
from sim.studio.refusal import RefusalError
from sim.studio.studies import Range, StudyRequest, study_command
from tests.helpers.cad_units import TURNED

PAYLOAD = Range("payload", 0.0, 10.0, 21)
GOOD = StudyRequest("run1", "sweep", [PAYLOAD], response="peak tau.elbow-joint")


def parsed(**changes):
    arguments = study_command(msgspec.structs.replace(GOOD, **changes))
    return vars(parser_of(arguments).parse_args(arguments))


def test_every_kind_is_what_its_command_reads():
    read = parsed(analytic=True)
    assert (read["name"], read["vary"], read["analytic"]) == ("run1.py", ["payload=0.0:10.0:21"], 1)
    assert read["response"] == ["peak tau.elbow-joint"]
    read = parsed(kind="largest", response="", limit="margin", relation=">=", value=-0.5)
    assert (read["largest"], read["within"]) == ("payload=0.0:10.0", "margin>=-0.5")
    read = parsed(kind="maximise", response="payload - 2*energy", limit="peak tau.*", relation="<=")
    assert read["maximise"] == ["payload - 2*energy"]
    assert read["subject_to"] == ["peak tau.*<=0.0"]
    assert parsed(script="decks/arm.adm")["name"] == "decks/arm.adm"


@pytest.mark.parametrize(
    "change",
    [
        {"script": "../run1"}, {"script": "--help"}, {"script": "decks/../a.adm"},
        {"response": "hand.py:f"}, {"response": "--out=/tmp/x"}, {"limit": "hand.py:f"},
        {"response": "a\nb"}, {"kind": "minimise", "response": ""}, {"value": float("nan")},
        {"vary": [Range("--out", 0.0, 1.0)]}, {"vary": [Range("payload=1", 0.0, 1.0)]},
        {"vary": [Range("payload", 1.0, 1.0)]}, {"vary": [Range("payload", 0.0, float("inf"))]},
        {"kind": "largest", "vary": [PAYLOAD, Range("duration", 1.0, 2.0)]},
    ],
    ids=str,
)  # fmt: skip
def test_no_word_becomes_an_option_or_a_file(change):
    with pytest.raises(RefusalError):
        parsed(**change)


def test_a_robot_is_studied_without_its_meshes_as_it_is_run(studio):
    """Neither a mesh that is missing nor one outside the folder, which is not read, is needed."""
    for k, mesh in enumerate(("lost.stl", "/etc/passwd")):
        shape = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual></link>'
        text = TURNED.replace("</link>", shape, 1).encode()
        _, stored = studio.ask("POST", f"file?path=bare{k}.urdf", text)
        setup = {"robot": stored["name"], "duration": 0.02}
        _, saved = studio.ask("PUT", f"scripts/bare{k}", {"setup": setup})
        sweep = {"script": f"bare{k}", "kind": "sweep", "vary": [msgspec.to_builtins(PAYLOAD)]}
        sweep["vary"][0]["count"] = 2
        status, answer = studio.ask("POST", "study", {**sweep, **saved})
        assert status == 200, answer
        while (state := studio.ask("GET", "run")[1])["state"] == "running":
            time.sleep(0.1)
        assert (state["state"], state["error"]) == ("done", "")
