"""The table of readings beside the programs themselves: each feature planted, read and judged."""

import pytest
from lxml.etree import fromstring

from sim.audit.file_features import features_in
from sim.audit.reading_facts import MEASURED, URDF_FEATURES
from tools.readings.__main__ import CRASHES
from tools.readings.installed import READERS
from tools.readings.planted import PLANTED
from tools.readings.seen import word

KEYS = tuple(URDF_FEATURES)


@pytest.mark.parametrize("key", KEYS)
def test_programs_read_each_feature_as_the_table_has_it(key):
    """Drake, Newton and roboticstoolbox are held by ``make readings``."""
    for program, read in READERS.items():
        if (key, program) in CRASHES:
            continue
        assert word(key, read(PLANTED[key])) == URDF_FEATURES[key].by_program[program], program


def test_each_feature_is_recognised_and_no_other():
    everywhere = features_in(fromstring(PLANTED["root"])).keys()
    together = {"endless-limits": {"endless-joint"}, "rotor": {"transmission"}}
    for key in KEYS:
        recognised = features_in(fromstring(PLANTED[key])).keys()
        assert recognised - everywhere - {key} == together.get(key, set()), key
        assert key in recognised


def test_a_frame_that_carries_a_body_is_no_joint_without_mass():
    """MuJoCo merges the body into it, so that it does not refuse."""
    body = PLANTED["fixed"].partition('<link name="tip">')[2].partition("</link>")[0]
    carried = f"""<link name="load">{body}</link><joint name="grip" type="fixed">
        <parent link="tip"/><child link="load"/></joint></robot>"""
    text = PLANTED["bare-link"].replace("</robot>", carried)
    recognised = features_in(fromstring(text))
    assert recognised["bare-frame"] == ("tip",) and "bare-link" not in recognised
    assert not READERS["MuJoCo"](text).error


def test_every_program_has_a_reading_of_every_feature():
    assert all(feature.by_program.keys() == MEASURED.keys() for feature in URDF_FEATURES.values())
    assert PLANTED.keys() == URDF_FEATURES.keys()
