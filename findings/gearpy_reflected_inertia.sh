#!/usr/bin/env bash
# TITLE: gearpy reflects the inertia of the motor through a gear by the ratio, not by its square
# GUESS: 106.7 rad/s² at the output: 0.8 x 5 x 1 N m on 0.01 + 5² x 0.0011 kg m²
# SEEN: 258.1 rad/s²: the motor's side counts 5 x 0.0011 kg m²
# VERSIONS: gearpy==1.3.1 numpy==2.4.6
# MATTERS: a drive with ratio 50 starts up to 50 times too fast, and the motor is chosen too small
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check gearpy==1.3.1 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

from gearpy.mechanical_objects import DCMotor, SpurGear
from gearpy.powertrain import Powertrain
from gearpy.solver import Solver
from gearpy.units import AngularPosition, AngularSpeed, InertiaMoment, TimeInterval, Torque
from gearpy.utils import add_fixed_joint, add_gear_mating

print("gearpy", version("gearpy"))
motor = DCMotor(name="motor", no_load_speed=AngularSpeed(2000, "rpm"), maximum_torque=Torque(1, "Nm"),
                inertia_moment=InertiaMoment(0.001, "kgm^2"))
pinion = SpurGear(name="pinion", n_teeth=10, inertia_moment=InertiaMoment(0.0001, "kgm^2"))
wheel = SpurGear(name="wheel", n_teeth=50, inertia_moment=InertiaMoment(0.01, "kgm^2"))
add_fixed_joint(master=motor, slave=pinion)
add_gear_mating(master=pinion, slave=wheel, efficiency=0.8)
wheel.external_torque = lambda angular_position, angular_speed, time: Torque(0, "Nm")
wheel.angular_position, wheel.angular_speed = AngularPosition(0, "rad"), AngularSpeed(0, "rad/s")
Solver(Powertrain(motor=motor)).run(time_discretization=TimeInterval(0.001, "sec"), simulation_time=TimeInterval(0.01, "sec"))
start = wheel.time_variables["angular acceleration"][0].to("rad/s^2").value
square, plain = (0.8 * 5 * 1 / (0.01 + factor * 0.0011) for factor in (25, 5))
print(f"acceleration of the wheel at the start {start:.2f} rad/s²; with the ratio squared {square:.2f}, with the ratio {plain:.2f}")
sys.exit(0 if abs(start - plain) < 0.01 else 1)
PYTHON
"$folder/venv/bin/python" seen.py
