import math

import numpy as np
import pytest

from sim.dynamics.contact import GroundContact
from sim.errors import ModelError


def test_a_contact_is_a_point_at_the_origin_of_its_frame_unless_it_says_otherwise():
    contact = GroundContact("foot", stiffness=1e6)
    assert (contact.radius, contact.height, contact.damping) == (0.0, 0.0, 0.0)
    assert contact.exponent == 1.5
    np.testing.assert_array_equal(contact.at, [0.0, 0.0, 0.0])
    assert not contact.at.flags.writeable


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stiffness": -1.0}, r"Ground contact of 'foot': stiffness -1\.0 N/m\^e must be above 0"),
        ({"radius": -0.1}, r"radius -0\.1 m is negative"),
        ({"exponent": 0.5}, r"exponent 0\.5 must be at least 1"),
        ({"damping": math.nan}, r"damping nan N·s/m must be a finite number"),
        ({"depth": 0.0}, r"depth 0\.0 m must be above 0"),
        ({"height": math.inf}, r"height inf m must be a finite number"),
        ({"at": (0.0, 1.0)}, r"at \(0\.0, 1\.0\) m must be three finite numbers"),
        ({"at": (0.0, math.nan, 0.0)}, r"at .* m must be three finite numbers"),
        ({"at": "low"}, r"at 'low' m must be three finite numbers"),
    ],
)
def test_impossible_parameters_are_refused_by_name_and_unit(change, message):
    with pytest.raises(ModelError, match=message):
        GroundContact("foot", **{"stiffness": 1e6, **change})
