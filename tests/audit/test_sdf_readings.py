"""The table of readings of SDF beside PyBullet, and torques that it lacks."""

import pytest

from sim.audit import audit
from sim.audit.reading_facts import SDF_FEATURES
from tests.audit.lacking_laws import require_lacking
from tools.readings.planted_sdf import PLANTED
from tools.readings.sdf_readers import READERS
from tools.readings.sdf_words import sdf_word

KEYS = tuple(SDF_FEATURES)
EVERYWHERE = {"tensor", "no-inertial"}  # the base has no <inertial>


@pytest.fixture
def audited(tmp_path):
    def of(key):
        file = tmp_path / "arm.sdf"
        file.write_text(PLANTED[key], encoding="utf-8")
        return audit(file)

    return of


@pytest.mark.parametrize("key", KEYS)
def test_pybullet_reads_each_feature_of_sdf_as_the_table_has_it(key):
    """Drake is held by ``make readings``."""
    now = sdf_word(key, READERS["PyBullet"](PLANTED[key]))
    assert now == SDF_FEATURES[key].by_program["PyBullet"]


def test_each_feature_of_sdf_is_recognised_and_no_other(audited):
    together = {key: {"relative-to"} for key in ("no-inertial", "mimic", "gearbox")}
    assert PLANTED.keys() == SDF_FEATURES.keys()
    for key in KEYS:
        checked = audited(key)
        read = {one.feature.key for one in checked.readings}
        assert read - EVERYWHERE - {key} == together.get(key, set()), key
        assert key in read
        assert not [one for one in checked.findings if one.code == "zero-limit"]


@pytest.mark.parametrize(
    ("key", "torque"),
    [
        ("damping", lambda q, v, a: 0.5 * v),
        ("spring", lambda q, v, a: 10 * (q - 0.1)),
        ("rotor", lambda q, v, a: a),
    ],
)
def test_a_law_that_pybullet_lacks_is_its_torque_in_closed_form(audited, key, torque):
    require_lacking(audited(key), key, torque)


def test_the_audit_of_one_of_several_models_is_without_errors(tmp_path):
    one = PLANTED["spring"].partition("<model")[2].partition("</sdf>")[0]
    models = "".join(f"<model{one}".replace('"arm"', f'"{name}"') for name in ("arm", "other"))
    file = tmp_path / "two.sdf"
    file.write_text(f'<sdf version="1.9"><world name="w">{models}</world></sdf>', encoding="utf-8")
    checked = audit(file, model="other")
    assert checked.ok and "spring" in {reading.feature.key for reading in checked.readings}
