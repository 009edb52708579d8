"""Elements and attributes of a URDF with their parents, and elements of other tools."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_PLACED = "origin geometry"

# Children and attributes of each element, by the URDF standard. ``material`` at a link's shape and
# at the robot share an entry.
CHILDREN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        tag: frozenset(children.split())
        for tag, children in {
            "robot": "link joint material",
            "link": "inertial visual collision",
            "inertial": "origin mass inertia",
            "visual": f"{_PLACED} material",
            "collision": _PLACED,
            "geometry": "box cylinder sphere mesh capsule",
            "material": "color texture",
            "joint": "origin parent child axis axis2 calibration dynamics limit mimic mimic_plus "
            "safety_controller",
        }.items()
    }
)
ATTRIBUTES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        tag: frozenset(attributes.split())
        for tag, attributes in {
            "robot": "name version",
            "link": "name type",
            "inertial": "",
            "origin": "xyz rpy quat_xyzw",
            "mass": "value",
            "inertia": "ixx ixy ixz iyy iyz izz",
            "visual": "name",
            "collision": "name",
            "geometry": "",
            "box": "size",
            "cylinder": "radius length",
            "capsule": "radius length",
            "sphere": "radius",
            "mesh": "filename scale",
            "material": "name",
            "color": "rgba",
            "texture": "filename",
            "joint": "name type",
            "parent": "link",
            "child": "link",
            "axis": "xyz",
            "axis2": "xyz",
            "calibration": "rising falling reference_position",
            "dynamics": "damping friction",
            "limit": "lower upper effort velocity acceleration deceleration jerk",
            "mimic": "joint multiplier offset",
            "mimic_plus": "joint multiplier offset",
            "safety_controller": "soft_lower_limit soft_upper_limit k_position k_velocity",
        }.items()
    }
)

# Elements that other tools write into a URDF on purpose, by parent.
FOREIGN: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "robot": frozenset(
            "transmission gazebo sensor ros2_control mujoco loop_joint deformable "
            "self_collision_checking link_collision".split()
        ),
        "link": frozenset(
            "contact sensor gazebo self_collision_checking collision_checking self_filter".split()
        ),
        "joint": frozenset("hardwareInterface joint_properties gazebo".split()),
        "visual": frozenset(["meta"]),
        "collision": frozenset(["verbose", "contact_coefficients"]),
        "geometry": frozenset(["cdf", "plane"]),
        "material": frozenset(["specular"]),
    }
)
HARMLESS = frozenset(
    "material color texture geometry visual collision".split()
)  # no effect on torques
UNUSED = frozenset(["safety_controller", "calibration"])  # no effect on torques either
# Elements of SDF at a link or a collision, without effect in a URDF.
OF_SDF = frozenset("surface gravity kinematic self_collide enable_wind velocity_decay".split())
