"""Drive train of a joint: rotor and gear between what the motor gives and what the link gets.

With the ratio N, the rotor's inertia J and the motor's torque tau_m, at the joint::

    y   = N tau_m - N² J qdd - N² b qd - |N| c        what the rotor leaves
    tau = eta_f y       where the motor drives the joint (y along its motion)
        = y / eta_b     where the joint drives the motor

c is the Coulomb friction of motor and gear in this sense of the joint, b its viscous friction, both
at the motor's shaft; at rest c may hold `breakaway` times as much. tau is what the gear gives the
link. As tau rises with y, one y belongs to each tau, whatever the efficiencies; the loss ``(y -
tau) qd`` is never negative.

With a stiffness the motor has an angle theta of its own, and `sim.robots.gear_spring` couples the
two: tau is what the spring gives the link, and all of the motor is on its side of it, also
the losses in the mesh.

References
----------
Spong, Hutchinson and Vidyasagar 2006, Robot Modeling and Control, section 6.1 (reflected inertia).
Corke and Armstrong-Helouvry 1994 (Coulomb friction that differs each way, at the motor).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.motor_curve import MotorCurve
from sim.robots.quantity import Checker
from sim.robots.twist_law import TwistLaw
from sim.showing.one_line import changed_fields


@checked
@dataclass(frozen=True)
class DriveTrain:
    """A motor with its rotor and gear in a joint, by the law at the head of this file.

    The motor's units are those of a shaft that turns; of a joint that slides the ratio is in
    [rad/m]. Efficiencies count losses that grow with the torque, friction those that do not.

    Parameters
    ----------
    ratio : float
        N, motor speed over joint speed, with its sign; not 0.
    rotor_inertia : float
        J of all that turns with the motor, about its shaft [kg·m²].
    coulomb : float
        Dry friction at the shaft while the joint moves forwards [N·m].
    coulomb_back : float, optional
        The same while the joint moves backwards, positive [N·m] (default: as forwards).
    breakaway : float
        Dry friction that holds the shaft at rest over that which meets it in motion, at least 1.
    viscous : float
        b, at the shaft [N·m·s/rad].
    efficiency : float
        eta_f, above 0 and at most 1.
    efficiency_back : float, optional
        eta_b, of a motor that is driven by its joint (default: `efficiency`).
    motor_rated_torque, motor_peak_torque : float, optional
        Ratings at the shaft [N·m].
    gear_rated_torque, gear_peak_torque : float, optional
        Ratings at the joint [N·m or N].
    motor_peak_power : float, optional
        Largest power at the shaft, of either sign [W].
    motor_no_load_speed : float, optional
        Speed at which nothing is left of the peak torque [rad/s].
    motor_corner_speed : float
        Speed up to which there is all of it; between both it falls on a straight line [rad/s].
    gyroscopic : bool
        The rotor is a body of the robot, which the links before it carry around, and not an inertia
        in the joint alone: see `sim.robots.rotor_body`. For a gear without losses in the mesh;
        what the gear gives the link has the rotor's torque in it then.
    stiffness : float, optional
        Of the gear, at the joint, up to the torque `knee` [N·m/rad or N/m]; by default the gear
        is rigid. It needs a rotor.
    stiffness_2, stiffness_3 : float, optional
        From `knee` to `knee_2`, and above: strain wave gears are catalogued with three slopes.
    knee, knee_2 : float, optional
        Torques at the joint at which the slope changes [N·m or N].
    gear_damping : float
        Of the spring, at the joint [N·m·s/rad or N·s/m].
    backlash : float
        By how much the joint can be turned with the motor locked before the gear bears [rad or m].

    Raises
    ------
    ModelError
        If a number is not finite or out of its range.
    """

    ratio: float
    rotor_inertia: float = 0.0
    coulomb: float = 0.0
    coulomb_back: float | None = None
    viscous: float = 0.0
    efficiency: float = 1.0
    efficiency_back: float | None = None
    motor_rated_torque: float | None = None
    motor_peak_torque: float | None = None
    gear_rated_torque: float | None = None
    gear_peak_torque: float | None = None
    gyroscopic: bool = False
    stiffness: float | None = None
    stiffness_2: float | None = None
    stiffness_3: float | None = None
    knee: float | None = None
    knee_2: float | None = None
    gear_damping: float = 0.0
    backlash: float = 0.0
    breakaway: float = 1.0
    motor_peak_power: float | None = None
    motor_no_load_speed: float | None = None
    motor_corner_speed: float = 0.0

    def __post_init__(self) -> None:
        check = Checker("Drive train")
        check.set_fields(self, check.finite, "", "ratio")
        check.set_fields(self, check.not_negative, "kg·m²", "rotor_inertia")
        check.set_fields(self, check.not_negative, "N·m", "coulomb")
        check.set_fields(self, check.not_negative, "N·m·s/rad", "viscous")
        check.set_fields(self, check.positive, "", "efficiency", "breakaway")
        check.set_fields(self, check.not_negative, "N·m", "coulomb_back")
        check.set_fields(self, check.positive, "", "efficiency_back")
        torques = ("motor_rated", "motor_peak", "gear_rated", "gear_peak")
        check.set_fields(self, check.positive, "N·m", *(f"{part}_torque" for part in torques))
        check.set_fields(self, check.not_negative, "rad/s", "motor_corner_speed")
        check.set_fields(self, check.positive, "W", "motor_peak_power")
        check.set_fields(self, check.positive, "rad/s", "motor_no_load_speed")
        _require_curve(self)
        _require_ranges(self)
        if self.has_rotor_body and not self.rotor_inertia:
            cause = "gyroscopic" if self.gyroscopic else "a stiffness"
            raise ModelError(
                f"Drive train: {cause} makes the rotor a body, which needs a rotor_inertia above 0"
            )
        if self.gyroscopic and not self.is_elastic and min(self.efficiencies) < 1.0:
            raise ModelError(
                f"Drive train: gyroscopic leaves no torque between rotor and gear of which an "
                f"efficiency of {min(self.efficiencies):g} could take a part; leave gyroscopic "
                "out, or give the gear a stiffness"
            )
        of_spring = {
            name: value
            for name in ("stiffness_2", "stiffness_3", "knee", "knee_2", "gear_damping", "backlash")
            if (value := getattr(self, name))
        }
        if self.is_elastic:
            law = self.twist_law
            for name in ("stiffness", *of_spring):
                object.__setattr__(self, name, getattr(law, name.removeprefix("gear_")))
        elif of_spring:
            name, value = next(iter(of_spring.items()))
            raise ModelError(
                f"Drive train: {name} {value!r} is of an elastic gear, which needs a stiffness"
            )

    def __repr__(self) -> str:
        return changed_fields(self)

    @property
    def is_elastic(self) -> bool:
        """True if a spring is between motor and link."""
        return self.stiffness is not None

    @property
    def twist_law(self) -> TwistLaw:
        """Stiffness, damping and backlash of an elastic gear.

        Raises
        ------
        ModelError
            If it has no stiffness, or one of the numbers is not finite or out of its range.
        """
        if self.stiffness is None:
            raise ModelError("Drive train: it has no stiffness, and its gear is rigid")
        slopes = (self.stiffness, self.stiffness_2, self.stiffness_3)
        return TwistLaw(*slopes, self.knee, self.knee_2, self.gear_damping, self.backlash)

    @property
    def motor_curve(self) -> MotorCurve | None:
        """Largest torque of the motor over its speed; None where nothing depends on speed."""
        if self.motor_peak_power is None and self.motor_no_load_speed is None:
            return None
        torque, power = self.motor_peak_torque, self.motor_peak_power
        return MotorCurve(
            math.inf if torque is None else torque,
            self.motor_corner_speed,
            math.inf if self.motor_no_load_speed is None else self.motor_no_load_speed,
            math.inf if power is None else power,
        )

    @property
    def has_rotor_body(self) -> bool:
        """True if the rotor is a body of the robot."""
        return self.gyroscopic or self.is_elastic

    @property
    def at_motor(self) -> DriveTrain:
        """The rotor with its friction at ratio 1, without the gear mesh."""
        forwards, backwards = self.coulomb, self.coulomb_back
        if backwards is not None and self.ratio < 0:
            forwards, backwards = backwards, forwards
        return DriveTrain(
            1.0,
            rotor_inertia=self.rotor_inertia,
            coulomb=forwards,
            coulomb_back=backwards,
            viscous=self.viscous,
            breakaway=self.breakaway,
            gyroscopic=True,
        )

    @property
    def reflected_inertia(self) -> float:
        """Rotor inertia reflected to the joint, N² J [kg·m², or kg of a prismatic joint].

        0 of a rotor that is a body of its own.
        """
        return 0.0 if self.has_rotor_body else self.ratio**2 * self.rotor_inertia

    @property
    def dry(self) -> tuple[float, float]:
        """|N| c, Coulomb friction at the joint, forwards and backwards [N·m or N]."""
        back = self.coulomb if self.coulomb_back is None else self.coulomb_back
        return abs(self.ratio) * self.coulomb, abs(self.ratio) * back

    @property
    def efficiencies(self) -> tuple[float, float]:
        """Efficiencies eta_f and eta_b."""
        back = self.efficiency if self.efficiency_back is None else self.efficiency_back
        return self.efficiency, back


def _require_curve(train: DriveTrain) -> None:
    """Check that the line of a motor's curve has a torque and a length.

    Raises
    ------
    ModelError
        If it has not.
    """
    corner, no_load = train.motor_corner_speed, train.motor_no_load_speed
    if no_load is None and corner:
        raise ModelError("Drive train: motor_corner_speed requires motor_no_load_speed")
    if no_load is not None and train.motor_peak_torque is None:
        raise ModelError("Drive train: motor_no_load_speed requires motor_peak_torque")
    if no_load is not None and corner >= no_load:
        raise ModelError(
            f"Drive train: motor_corner_speed {corner:g} rad/s must be below motor_no_load_speed "
            f"{no_load:g} rad/s"
        )


def _require_ranges(train: DriveTrain) -> None:
    """Check what is beyond a sign.

    Raises
    ------
    ModelError
        If a number is out of its range.
    """
    if train.ratio == 0.0:
        raise ModelError(
            "Drive train: ratio 0 must not be 0; it is the motor's speed over the joint's, "
            "1 of a direct drive"
        )
    for name in ("efficiency", "efficiency_back"):
        value = getattr(train, name)
        if value is not None and value > 1.0:
            raise ModelError(
                f"Drive train: {name} {value:g} is above 1; it must be above 0 and at "
                "most 1 (a percentage divided by 100)"
            )
    if train.breakaway < 1.0:
        raise ModelError(
            f"Drive train: breakaway {train.breakaway:g} is below 1; it is the dry friction at "
            "rest over that in motion"
        )
