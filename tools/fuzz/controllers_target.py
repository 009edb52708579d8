"""Objects of scripts: controllers, laws, claims, events, elements and motions with odd arguments.

An input is a JSON list: the object's name, then ``[argument, value]`` of those that differ from the
usual ones, values by their names in `VALUES`. The object is run for some samples and judged, as by
``sim run``. Only errors of the package may result.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

import sim
from sim import shipped
from sim.checks import judge_recording
from sim.errors import SimError
from tools.fuzz.target import refusal

VALUES: Mapping[str, Any] = {
    "None": None, "nan": math.nan, "inf": math.inf, "-inf": -math.inf, "1e308": 1e308,
    "-1e308": -1e308, "1e-320": 1e-320, "-1": -1, "-0.5": -0.5, "0": 0, "1": 1, "10**400": 10**400,
    "True": True, "1+1j": 1 + 1j, "''": "", "'x'": "x", "' '": " ", "'shoulder'": "shoulder",
    "'time'": "time", "'1e308*time'": "1e308*time", "'SQRT(-1)'": "SQRT(-1)",
    "'\\x1b[2J'": "\x1b[2J",
    "b'x'": b"x", "[]": [], "()": (), "{}": {}, "[1]": [1.0], "(1,2)": (1.0, 2.0),
    "(1,2,3)": (1.0, 2.0, 3.0), "(nan,0,0)": (math.nan, 0.0, 0.0),
    "(1e308,0,0)": (1e308, 0.0, 0.0),
    "(0,0,0)": (0, 0, 0), "(None,)": (None,), "('x','y')": ("x", "y"), "{'x':1}": {"x": 1.0},
    "{'elbow':nan}": {"elbow": math.nan}, "{'elbow':1e308}": {"elbow": 1e308},
    "{'elbow':None}": {"elbow": None}, "{'elbow':'x'}": {"elbow": "x"}, "{1:2}": {1: 2},
    "{'elbow':-1}": {"elbow": -1.0}, "zeros(2,3)": np.zeros((2, 3)), "object": object(),
    "function": lambda *_: None, "number": lambda *_: 1.0, "type": int, "set": {1, 2},
}  # fmt: skip


@cache
def _robot() -> sim.Robot:
    return sim.load_robot(shipped.scenarios() / "two_link.urdf")


def _scenario(**parts: Any) -> sim.Scenario:
    motion = sim.JointMotion.displacement({"elbow": "0.1*time"})
    return sim.Scenario(
        **{"robot": _robot(), "motion": motion, "duration": 0.02, "dt": 0.01, "method": "ideal"}
        | parts
    )


def _marked(kind: Callable[..., Any], **parts: Any) -> sim.Scenario:
    markers = {"i": sim.Marker("a", _links()[-1]), "j": sim.Marker("b", _links()[0], (1, 0, 0))}
    return _scenario(forces=(kind(**{"name": "f", **markers, **parts}),))


@cache
def _links() -> list[str]:
    return [link.name for link in _robot().links]


def _free(**parts: Any) -> sim.Scenario:
    return _scenario(motion=sim.JointMotion.torque({"elbow": "0"}), method="adaptive", **parts)


def _controlled(**parts: Any) -> sim.Scenario:
    motion = sim.JointMotion.displacement({"elbow": "0.1*time", "shoulder": "0"})
    parts = {"law": {"elbow": "-1", "shoulder": "0"}, "sample_time": 0.01, **parts}
    return _scenario(motion=motion, method="adaptive", controller=sim.Controller(**parts))


def _payload(**parts: Any) -> sim.Scenario:
    return _scenario(events=(sim.PickUp(0.01, sim.Payload(**parts)),))


# Constructors and their usual arguments.
MADE: Mapping[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "Scenario": (
        _scenario,
        dict(duration=0.02, dt=0.01, method="ideal", gravity=(0, 0, -9.81), claims=(), forces=(),
             events=(), contacts=(), measures=(), notes=(), engine="bullet", controller=None,
             requests=(), clearance=None, robot=None, motion=None),
    ),
    "Claim": (
        lambda **k: _scenario(claims=(sim.Claim(**k),)),
        dict(text="x", source="y", channel="q.elbow", statistic="peak_below", value=1.0, within=0.1,
             time=None),
    ),
    "Claim at": (
        lambda **k: _scenario(claims=(sim.Claim(**k),)),
        dict(text="x", source="y", channel="q.elbow", statistic="value_at", value=1.0, within=0.1,
             time=0.01),
    ),
    "PickUp": (
        lambda **k: _scenario(events=(sim.PickUp(**k),)),
        dict(time=0.01, payload=None, name="p"),
    ),
    "SetDown": (
        lambda **k: _scenario(events=(sim.PickUp(0.0, sim.Payload(1.0), "p"), sim.SetDown(**k))),
        dict(time=0.01, name="p"),
    ),
    "Payload": (_payload, dict(mass=1.0, com=(0, 0, 0), inertia=None, frame=None)),
    "with_payload": (
        lambda **k: _scenario(robot=_robot().with_payload(**k)),
        dict(mass=1.0, com=(0, 0, 0), inertia=None, frame=None),
    ),
    "Controller": (
        _controlled,
        dict(law={"elbow": "1", "shoulder": "0"}, sample_time=0.01, start=None, delay=0,
             encoder_bits=None, noise=0.0, seed=0, limits=None, rule="DOP853", sensed_at="motor",
             names=sim.Names()),
    ),
    "PDGravity": (
        lambda **k: _controlled(law=sim.PDGravity(_robot(), **k)),
        dict(frequency=2.0, damping=1.0, pose=None, gravity=(0, 0, -9.81)),
    ),
    "ComputedTorque": (
        lambda **k: _controlled(law=sim.ComputedTorque(_robot(), **k)),
        dict(frequency=2.0, damping=1.0, gravity=(0, 0, -9.81)),
    ),
    "Cascade": (
        lambda **k: _controlled(law=sim.Cascade(_robot(), **k)),
        dict(position_gain=2.0, velocity_gain=1.0, integral_time=1.0, filter_time=0.002, pose=None,
             gravity=(0, 0, -9.81)),
    ),
    "DriveTrain": (
        lambda **k: _scenario(robot=_robot().with_drives({"elbow": sim.DriveTrain(**k)})),
        dict(ratio=100.0, rotor_inertia=1e-5, coulomb=0.0, coulomb_back=None, viscous=0.0,
             efficiency=0.9, efficiency_back=0.8, motor_rated_torque=1.0, motor_peak_torque=2.0,
             gear_rated_torque=1.0, gear_peak_torque=2.0, breakaway=1.0, stiffness=None),
    ),
    "JointFriction": (
        lambda **k: _scenario(robot=_robot().with_friction({"elbow": sim.JointFriction(**k)})),
        dict(mu_static=0.2, mu_dynamic=0.1, stiction_velocity=0.1, pin_radius=0.1, friction_arm=0.1,
             bending_arm=0.1, preload=0.0, max_torque=10.0, inputs=("preload",), turns_with=""),
    ),
    "JointSpring": (
        lambda **k: _scenario(robot=_robot().with_springs({"elbow": sim.JointSpring(**k)})),
        dict(stiffness=1.0, damping=0.0, free_position=0.0, preload=0.0),
    ),
    "Stop": (
        lambda **k: _scenario(robot=_robot().with_stops({"elbow": sim.Stop(**k)})),
        dict(stiffness=1e3, exponent=1.5, damping=1.0, depth=1e-3, lower=-1.0, upper=1.0),
    ),
    "CoupledRotor": (
        lambda **k: _scenario(robot=_robot().with_coupled_rotors({"r": sim.CoupledRotor(**k)})),
        dict(inertia=1e-5, ratios={"elbow": 10.0}, viscous=0.0),
    ),
    "Force": (
        lambda **k: _scenario(forces=(sim.Force(**k),)),
        dict(frame="", force=(1, 0, 0), torque=(0, 0, 0), at=(0, 0, 0), axes="world", splines={},
             name="f"),
    ),
    "Marker": (
        lambda **k: _scenario(forces=(sim.SForce("f", sim.Marker(**k), sim.Marker("b", ""), "1"),)),
        dict(name="a", link="", xyz=(0, 0, 0), rpy=(0, 0, 0)),
    ),
    "Spring": (
        lambda **k: _marked(sim.Spring, **k),
        dict(name="f", i=None, j=None, stiffness=1.0, damping=0.1, free_length=0.1, preload=0.0,
             force=None),
    ),
    "SForce": (
        lambda **k: _marked(sim.SForce, **k),
        dict(name="f", i=None, j=None, function="1", acts="translational", action_only=False,
             names=sim.Names()),
    ),
    "VForce": (
        lambda **k: _marked(sim.VForce, **k),
        dict(name="f", i=None, j=None, force=("1", 0, 0), torque=(0, 0, 0), along=None,
             names=sim.Names()),
    ),
    "Bushing": (
        lambda **k: _marked(sim.Bushing, **k),
        dict(name="f", i=None, j=None, stiffness=1.0, damping=0.1, turning_stiffness=0.0,
             turning_damping=0.0, preload=0.0, turning_preload=0.0),
    ),
    "GroundContact": (
        lambda **k: _scenario(contacts=(sim.GroundContact(**k),)),
        dict(frame="", stiffness=1e3, radius=0.1, at=(0, 0, 0), exponent=1.5, damping=1.0,
             depth=1e-3, height=-5.0, normal=(0, 0, 1), mu_static=0.1, mu_dynamic=0.05,
             stiction_velocity=0.01),
    ),
    "Measure": (
        lambda **k: _scenario(measures=(sim.Measure(**k),)),
        dict(name="m", joint="elbow", on="child", axes="world", at=None),
    ),
    "Request": (
        lambda **k: _scenario(requests=(sim.Request(**k),)),
        dict(name="r", functions={"F2": "TIME"}, names=sim.Names(), joints=()),
    ),
    "Clearance": (
        lambda **k: _scenario(clearance=sim.Clearance(**k)),
        dict(wanted=0.01, floor=-5.0, exclude=()),
    ),
    "Names": (
        lambda **k: _scenario(requests=(sim.Request("r", {"F2": "TIME"}, names=sim.Names(**k)),)),
        dict(markers=(), variables={}, forces=(), splines={}, states={}, start={}, shared=()),
    ),
    "TransferFunction": (
        sim.TransferFunction,
        dict(name="h", input="TIME", numerator=(1.0,), denominator=(1.0, 1.0)),
    ),
    "displacement": (
        lambda **k: _scenario(motion=sim.JointMotion.displacement(**k)),
        dict(drives={"elbow": "time"}, q0=None, free=(), splines={}),
    ),
    "velocity": (
        lambda **k: _scenario(motion=sim.JointMotion.velocity(**k)),
        dict(drives={"elbow": "time"}, q0=None, free=(), splines={}),
    ),
    "acceleration": (
        lambda **k: _scenario(motion=sim.JointMotion.acceleration(**k)),
        dict(drives={"elbow": "time"}, q0=None, qd0=None, free=(), splines={}),
    ),
    "torque": (
        lambda **k: _scenario(motion=sim.JointMotion.torque(**k), method="adaptive"),
        dict(drives={"elbow": "0"}, q0=None, qd0=None, free=(), splines={}),
    ),
    "PointMotion": (
        lambda **k: _scenario(motion=sim.PointMotion(**k)),
        dict(components={"x": "0.5", "z": "0.3"}, start=None, frame=None, relative_to=None),
    ),
    "spline": (
        lambda **k: _scenario(motion=sim.JointMotion.displacement({"elbow": sim.spline(**k)})),
        dict(t=(0, 1, 2, 3), y=(0, 1, 0, 1), kind="cubic", extrapolate="polynomial"),
    ),
    "expression": (
        lambda **k: _scenario(motion=sim.JointMotion.displacement({"elbow": sim.expression(**k)})),
        dict(text="TIME", splines=None, variable="TIME"),
    ),
    "heart": (
        sim.heart,
        dict(a=0.1, centre=(0, 0, 0), plane="xy", period=6.0, variant="corrected", ramp=0.0),
    ),
    "Growth": (sim.Growth, dict(size=1.0, share=0.1)),
    "Curve": (
        lambda **k: sim.calculate("DIF(a)", {"a": sim.Curve(**k)}),
        dict(t=np.linspace(0, 1, 11), values=np.zeros(11), unit="m", text="a", error=0.0),
    ),
    "Log": (
        sim.Log,
        dict(joints=("elbow",), t=0.01 * np.arange(200.0), q=np.zeros((1, 200)),
             tau=np.zeros((1, 200)), qd=None, source="x", torque_from="y", notes=()),
    ),
    "equilibrium": (
        lambda **k: sim.equilibrium(_robot(), **k),
        dict(free=("elbow",), q0=(0, 0), gravity=(0, 0, -9.81), forces=(), t=0.0),
    ),
    "inverse_kinematics": (
        lambda **k: sim.inverse_kinematics(_robot(), **k),
        dict(T_0e=np.eye(4), near=None, frame=None, weights=None),
    ),
    "modes": (
        lambda **k: sim.modes(_robot(), **k),
        dict(q=(0, 0), stiffness=100.0, damping=None, gravity=(0, 0, -9.81), forces=(), free=None,
             speeds=None),
    ),
    "load_step": (
        lambda **k: sim.load_step(_robot(), **k),
        dict(q=(0, 0), mass=1.0, stiffness=100.0, damping=1.0, gravity=(0, 0, -9.81),
             com=(0, 0, 0)),
    ),
    "with_pose": (
        lambda **k: _scenario(robot=_robot().mounted(**k)), dict(xyz=(0, 0, 0), rpy=(0, 0, 0)),
    ),
    "run": (
        lambda **k: sim.run(_scenario(), **k),
        dict(method=None, dt=None, engine=None, name=None),
    ),
    "load_robot": (
        lambda **k: sim.load_robot(**{"name_or_path": "ur10", **k}),
        dict(name_or_path="ur10", tool=None, xacro=None, strict=False),
    ),
}  # fmt: skip


class ControllersTarget:
    """Arguments of the objects in a script."""

    name = "controllers"
    suffix = ".json"

    def seeds(self) -> list[bytes]:
        """Return some with their usual arguments; mutations reach all."""
        return [json.dumps([name]).encode() for name in ("Claim", "PickUp", "DriveTrain")]

    def mutated(self, data: bytes, chance: random.Random) -> bytes:
        """Change the value of one, rarely two, arguments."""
        name = chance.choice(list(MADE)) if chance.random() < 0.7 else _content(data)[0]
        count = chance.choice((1, 1, 1, 2))
        names = chance.sample(list(MADE[name][1]), min(count, len(MADE[name][1])))
        changes = [[argument, chance.choice(list(VALUES))] for argument in names]
        return json.dumps([name, *changes]).encode()

    def tried(self, data: bytes, *, whole: bool = False) -> str:
        """Create it, and run and judge a scenario with it."""
        name, *changes = _content(data)
        made = self.made(name, {key: VALUES[value] for key, value in changes})
        if isinstance(made, SimError):
            return f"{name} {refusal(made)}"
        return f"{name} {[key for key, _ in changes]} {type(made).__name__}"

    def made(self, name: str, arguments: Mapping[str, Any]) -> object:
        """Return the object for arguments, a scenario after its run; or its refusal."""
        try:
            made = MADE[name][0](**_usual(name) | arguments)
            if isinstance(made, sim.Scenario):
                judge_recording(sim.run(made))
        except SimError as error:
            return error
        return made

    def parts(self, data: bytes) -> list[bytes]:
        """Return the name, and each change."""
        return [json.dumps(part).encode() for part in _content(data)]

    def joined(self, parts: list[bytes]) -> bytes:
        """Return the input of some parts."""
        made = [json.loads(part) for part in parts]
        return json.dumps(made if made and isinstance(made[0], str) else ["Claim", *made]).encode()


def _usual(name: str) -> dict[str, Any]:
    """Return the usual arguments, without unknown ones and those that need a robot."""
    usual = dict(MADE[name][1])
    if name in ("Force", "Marker", "GroundContact"):
        usual["link" if name == "Marker" else "frame"] = _links()[-1]
    if name == "PickUp":
        usual["payload"] = sim.Payload(1.0)
    return {
        key: value
        for key, value in usual.items()
        if not (value is None and key in ("i", "j", "robot", "motion"))
    }


def _content(data: bytes) -> list[Any]:
    try:
        name, *changes = json.loads(data)
        usual = MADE[name][1]
        return [name, *([k, v] for k, v in changes if k in usual and v in VALUES)]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ["Claim"]


TARGET = ControllersTarget
