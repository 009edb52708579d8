import pytest

from sim.robots import read_urdf
from sim.simulation.robot_notes import transmissions
from tests.helpers.small_robots import pendulum

GEARED = """<transmission name="t"><joint name="hinge"/>
<actuator name="m"><mechanicalReduction>100</mechanicalReduction></actuator></transmission>
</robot>"""


@pytest.mark.parametrize(
    ("element", "words"),
    [(GEARED, "<transmission> of hinge (ratio 100) is not used"),
     (GEARED.replace("100", ""), "<transmission> of hinge is not used")],
)  # fmt: skip
def test_a_run_says_that_a_transmission_is_not_used(element, words):
    robot = read_urdf(pendulum(1.0, 1.0).text.replace("</robot>", element))
    (told,) = transmissions(robot)
    assert told.startswith(words)


def test_a_robot_without_one_is_told_nothing():
    robot = pendulum(1.0, 1.0)
    assert transmissions(robot) == ()
    commented = robot.text.replace("</robot>", "<!-- <transmission> --></robot>")
    assert transmissions(read_urdf(commented)) == ()
