#!/usr/bin/env bash
# TITLE: OpenSim counts the energy of a BushingForce twice, and that of a SpringGeneralizedForce not at all
# GUESS: 0.24 J of either for 3 N·m/rad turned by 0.4 rad: calcPotentialEnergy of the model counts the springs in it
# SEEN: 0.48 J and 0 J, without a message, while both give the same acceleration
# VERSIONS: opensim==4.6 numpy==2.4.6
# MATTERS: a check of the energy of an undamped swing fails by as much as the spring holds, and the work of a spring looks like that of a motor
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check opensim==4.6 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version
from math import isclose

import opensim as osim

print("opensim", version("opensim"))
osim.Logger.setLevelString("Off")


def start(kind: str) -> tuple[float, float, float]:
    """Acceleration of a rod at rest [rad/s²], and energy then and 0.25 s later [J]."""
    model = osim.Model()
    model.setGravity(osim.Vec3(0, 0, 0))
    rod = osim.Body("rod", 1.0, osim.Vec3(0.2, 0, 0), osim.Inertia(0.02, 0.03, 0.04, 0, 0, 0))
    model.addBody(rod)
    hinge = osim.PinJoint("hinge", model.getGround(), rod)
    model.addJoint(hinge)
    if kind == "BushingForce":
        spring = osim.BushingForce("spring", model.getGround(), rod)
        spring.set_rotational_stiffness(osim.Vec3(3, 3, 3))
    else:
        spring = osim.SpringGeneralizedForce("hinge_coord_0")
        spring.setStiffness(3.0)
        spring.setRestLength(0.0)
        spring.setViscosity(0.0)
    model.addForce(spring)
    state = model.initSystem()
    angle = hinge.getCoordinate()
    angle.setValue(state, 0.4)
    model.realizeAcceleration(state)
    acceleration = angle.getAccelerationValue(state)
    first = model.calcPotentialEnergy(state) + model.calcKineticEnergy(state)
    manager = osim.Manager(model)
    manager.setIntegratorAccuracy(1e-8)
    manager.initialize(state)
    state = manager.integrate(0.25)
    model.realizeDynamics(state)
    return acceleration, first, model.calcPotentialEnergy(state) + model.calcKineticEnergy(state)


right, energy = -3 * 0.4 / 0.08, 3 * 0.4**2 / 2
is_as_seen = True
for kind, share in (("BushingForce", 2), ("SpringGeneralizedForce", 0)):
    acceleration, first, last = start(kind)
    print(f"{kind}: {acceleration:.4f} rad/s², energy at rest {first:.4f} J, 0.25 s later {last:.4f} J")
    is_as_seen &= isclose(acceleration, right, rel_tol=1e-9) and isclose(first, share * energy, abs_tol=1e-9)
    is_as_seen &= abs(last - first) > 0.1  # the sum is not constant
print(f"a spring of 3 N·m/rad: {right:.4f} rad/s², {energy:.4f} J")
sys.exit(0 if is_as_seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
