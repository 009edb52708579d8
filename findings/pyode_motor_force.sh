#!/usr/bin/env bash
# TITLE: PyODE of Debian sets another parameter than the maximum force of a motor by ParamFMax
# GUESS: a hinge with ParamVel 2 rad/s and ParamFMax 1 N·m is accelerated by 1/0.03 rad/s²
# SEEN: it stays at rest, without a message: ParamFMax is 3, which ODE 0.16 reads as another parameter; its own number 5, here ParamBounce, moves the hinge
# VERSIONS: python3-pyode=1.2.0.dev15-4+b4 libode8=2:0.16.2-1 libccd2=2.1-2+b1
# MATTERS: motors do nothing, and bounce, softness and error reduction of stops go to other parameters
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get update --quiet=2
apt-get download --quiet=2 -o APT::Sandbox::User=root python3-pyode=1.2.0.dev15-4+b4 libode8=2:0.16.2-1 libccd2=2.1-2+b1
for package in *.deb; do dpkg -x "$package" root; done
export PYTHONPATH=root/usr/lib/python3/dist-packages LD_LIBRARY_PATH=root/usr/lib/$(uname -m)-linux-gnu
cat > seen.py <<'PYTHON'
import sys
from math import isclose

import ode

print("PyODE 1.2.0.dev15 with ODE 0.16.2")


def rate(force_parameter: int) -> float:
    """Rate of a hinge after 0.02 s of a motor of 1 N·m [rad/s]."""
    world = ode.World()
    rod, mass = ode.Body(world), ode.Mass()
    mass.setParameters(1, 0, 0, 0, 0.02, 0.03, 0.04, 0, 0, 0)
    rod.setMass(mass)
    hinge = ode.HingeJoint(world)
    hinge.attach(rod, ode.environment)
    hinge.setAnchor((0, 0, 0))
    hinge.setAxis((0, 1, 0))
    hinge.setParam(ode.ParamVel, 2.0)
    hinge.setParam(force_parameter, 1.0)
    print(f"parameter {force_parameter} set to 1; ParamFMax reads {hinge.getParam(ode.ParamFMax):g}", end=": ")
    for _ in range(20):
        world.step(0.001)
    print(f"{hinge.getAngleRate():.4f} rad/s after 0.02 s")
    return hinge.getAngleRate()


by_name, by_number = rate(ode.ParamFMax), rate(5)
print(f"1 N·m on 0.03 kg·m²: {0.02 / 0.03:.4f} rad/s; ParamFMax is {ode.ParamFMax}, ParamBounce is {ode.ParamBounce}")
sys.exit(0 if by_name == 0.0 and isclose(by_number, 0.02 / 0.03, rel_tol=1e-9) and ode.ParamBounce == 5 else 1)
PYTHON
/usr/bin/python3 seen.py
