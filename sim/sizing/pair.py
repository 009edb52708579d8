"""A motor with a gear."""

from __future__ import annotations

from dataclasses import dataclass

from sim.robots.drive_train import DriveTrain
from sim.sizing.parts import Gear, Motor


@dataclass(frozen=True)
class Pair:
    """A motor and the gear on its shaft."""

    motor: Motor
    gear: Gear

    @property
    def name(self) -> str:
        """Names of motor and gear."""
        return f"{self.motor.name} with {self.gear.name}"

    @property
    def mass(self) -> float | None:
        """[kg]; None if one is unknown."""
        motor, gear = self.motor.mass, self.gear.mass
        return None if motor is None or gear is None else motor + gear

    @property
    def torque(self) -> float:
        """Size if masses are unknown: continuous torque of the motor plus gear's peak [N·m]."""
        return abs(self.gear.ratio) * self.motor.torque_continuous + self.gear.torque_peak

    @property
    def train(self) -> DriveTrain:
        """Return the drive train of the pair with its ratings, for `Robot.with_drives`."""
        motor, gear = self.motor, self.gear
        return DriveTrain(
            gear.ratio,
            rotor_inertia=motor.inertia + gear.inertia,
            coulomb=gear.friction or 0.0,
            efficiency=gear.efficiency,
            efficiency_back=gear.efficiency_back,
            motor_rated_torque=motor.torque_continuous,
            motor_peak_torque=motor.torque_peak,
            gear_rated_torque=gear.torque_average,
            gear_peak_torque=gear.torque_peak,
            motor_peak_power=motor.power_peak,
            motor_no_load_speed=motor.speed_no_load,
            motor_corner_speed=motor.speed_corner or 0.0,
        )
