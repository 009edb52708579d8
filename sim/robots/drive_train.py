"""Drive train of a joint: rotor and gear between motor and link.

With the ratio N, the rotor inertia J and the motor torque tau_m, at the joint::

    y   = N tau_m - N² J qdd - N² b qd - |N| c        net of the rotor
    tau = eta_f y       where the motor drives the joint (y along its motion)
        = y / eta_b     where the joint drives the motor

c is the Coulomb friction of motor and gear in this direction of the joint, b their viscous
friction, both at the motor shaft; at rest the friction may reach `breakaway` times c. tau is the
torque of the gear on the link. tau increases with y, hence each tau has a unique y for any
efficiencies; the loss ``(y - tau) qd`` is never negative.

With a finite stiffness the motor has an angle theta of its own, coupled to the joint by
`sim.robots.gear_spring`: tau is then the torque of the spring on the link, and everything of the
motor is on its side of the spring, including the losses in the mesh.

References
----------
Spong, Hutchinson and Vidyasagar 2006, Robot Modeling and Control, section 6.1 (reflected inertia).
Corke and Armstrong-Helouvry 1994 (direction-dependent Coulomb friction at the motor).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim.errors import ModelError
from sim.maths.arguments import checked
from sim.robots.motor_curve import MotorCurve
from sim.robots.quantity import Checker
from sim.robots.twist_law import TwistLaw
from sim.showing.one_line import ChangesShown


@checked
@dataclass(frozen=True, repr=False)
class DriveTrain(ChangesShown):
    """Rotor and gear of a joint, by the law at the head of this file.

    Motor quantities are those of a rotating shaft; the ratio of a prismatic joint is in [rad/m].
    Efficiencies describe losses that grow with the torque, friction those that do not.

    Parameters
    ----------
    ratio : float
        N, motor speed over joint speed, signed; not 0.
    rotor_inertia : float
        J of everything that turns with the motor, about its shaft [kg·m²].
    coulomb : float
        Dry friction at the shaft while the joint moves forwards [N·m].
    coulomb_back : float, optional
        Dry friction while the joint moves backwards, positive [N·m] (default: `coulomb`).
    breakaway : float
        Ratio of the dry friction at rest to that in motion, at least 1.
    viscous : float
        b, at the shaft [N·m·s/rad].
    efficiency : float
        eta_f, above 0 and at most 1.
    efficiency_back : float, optional
        eta_b, where the joint drives the motor (default: `efficiency`).
    motor_rated_torque, motor_peak_torque : float, optional
        Ratings at the shaft [N·m].
    gear_rated_torque, gear_peak_torque : float, optional
        Ratings at the joint [N·m or N].
    motor_peak_power : float, optional
        Largest power at the shaft, of either sign [W].
    motor_no_load_speed : float, optional
        Speed at which the available torque is zero [rad/s].
    motor_corner_speed : float
        Speed up to which the peak torque is available; beyond, it falls linearly [rad/s].
    gyroscopic : bool
        The rotor is a body of the robot, carried by the links before it, and not only an inertia in
        the joint: see `sim.robots.payload`. Only for a gear without losses in the mesh; the
        torque of the gear on the link then includes that of the rotor.
    stiffness : float, optional
        Gear stiffness at the joint, up to the torque `knee` [N·m/rad or N/m] (default: rigid gear).
        Requires a rotor.
    stiffness_2, stiffness_3 : float, optional
        Stiffness from `knee` to `knee_2`, and above: as strain wave gears are catalogued.
    knee, knee_2 : float, optional
        Torques at the joint at which the slope changes [N·m or N].
    gear_damping : float
        Damping of the spring, at the joint [N·m·s/rad or N·s/m].
    backlash : float
        Travel of the joint between the flanks of the gear, with the motor locked [rad or m].

    Raises
    ------
    ModelError
        If a number is not finite or out of range.
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
                f"Drive train: {cause} makes the rotor a body, which requires a rotor_inertia "
                "above 0"
            )
        if self.gyroscopic and not self.is_elastic and min(self.efficiencies) < 1.0:
            raise ModelError(
                f"Drive train: gyroscopic leaves no torque between rotor and gear of which an "
                f"efficiency of {min(self.efficiencies):g} could take a part; omit gyroscopic, "
                "or give the gear a stiffness"
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

    @property
    def is_elastic(self) -> bool:
        """True if a spring connects motor and link."""
        return self.stiffness is not None

    @property
    def twist_law(self) -> TwistLaw:
        """Stiffness, damping and backlash of an elastic gear.

        Raises
        ------
        ModelError
            If it has no stiffness, or a number is not finite or out of range.
        """
        if self.stiffness is None:
            raise ModelError("Drive train: it has no stiffness, and its gear is rigid")
        slopes = (self.stiffness, self.stiffness_2, self.stiffness_3)
        return TwistLaw(*slopes, self.knee, self.knee_2, self.gear_damping, self.backlash)

    @property
    def motor_curve(self) -> MotorCurve | None:
        """Largest torque of the motor over its speed; None if it does not depend on speed."""
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

        0 for a rotor that is a body of its own.
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
    """Check that the motor curve has a peak torque and a valid speed range.

    Raises
    ------
    ModelError
        If it does not.
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
    """Check the ranges of the numbers besides their signs.

    Raises
    ------
    ModelError
        If a number is out of range.
    """
    if train.ratio == 0.0:
        raise ModelError(
            "Drive train: ratio must not be 0; it is motor speed over joint speed, 1 for a "
            "direct drive"
        )
    for name in ("efficiency", "efficiency_back"):
        if (value := getattr(train, name)) is not None and value > 1.0:
            raise ModelError(
                f"Drive train: {name} {value:g} is above 1; it must be above 0 and at "
                "most 1 (a percentage divided by 100)"
            )
    if train.breakaway < 1.0:
        raise ModelError(
            f"Drive train: breakaway {train.breakaway:g} is below 1; it is the ratio of dry "
            "friction at rest to that in motion"
        )
