"""Motors and gears as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Motor:
    """A motor of a catalogue, in SI units at its shaft. None means unknown.

    Parameters
    ----------
    name, source : str
    torque_continuous : float
        Continuous torque at its rated speed [N·m].
    torque_peak : float
        [N·m]
    speed_rated : float
        [rad/s]
    inertia : float
        Of the rotor and its brake [kg·m²].
    mass : float, optional
        [kg]
    speed_max : float, optional
        Maximum speed [rad/s] (default: `speed_rated`).
    torque_standstill : float, optional
        Continuous torque at rest; linear between rest and rated speed [N·m].
    resistance, torque_constant : float, optional
        Of the winding at 25 °C [ohm], [N·m/A].
    thermal_winding_housing, thermal_housing_ambient : float, optional
        [K/W]
    temperature_max : float, optional
        Of the winding [°C].
    power_peak : float, optional
        Largest power at the shaft [W].
    speed_no_load, speed_corner : float, optional
        The peak torque decreases linearly to zero from the corner speed to the no-load speed
        [rad/s] (default: no line; a corner at 0).
    """

    name: str
    torque_continuous: float
    torque_peak: float
    speed_rated: float
    inertia: float
    source: str
    mass: float | None = None
    speed_max: float | None = None
    torque_standstill: float | None = None
    resistance: float | None = None
    torque_constant: float | None = None
    thermal_winding_housing: float | None = None
    thermal_housing_ambient: float | None = None
    temperature_max: float | None = None
    power_peak: float | None = None
    speed_no_load: float | None = None
    speed_corner: float | None = None

    @property
    def highest_speed(self) -> float:
        """Largest permitted speed [rad/s]."""
        return self.speed_rated if self.speed_max is None else self.speed_max

    def continuous_at(self, speed: float) -> float:
        """Return the continuous torque at a speed [rad/s]: linear up to the rated speed [N·m]."""
        if (rest := self.torque_standstill) is None:
            return self.torque_continuous
        share = min(abs(speed) / self.speed_rated, 1.0)
        return rest + share * (self.torque_continuous - rest)


@dataclass(frozen=True)
class Gear:
    """A gear of a catalogue, in SI units. None means unknown.

    Parameters
    ----------
    name, source : str
    ratio : float
        Motor speed over joint speed, with its sign; not 0.
    torque_peak : float
        At the output, repeatable in every cycle [N·m].
    inertia : float
        At the input [kg·m²].
    efficiency : float
        Above 0 and at most 1, while the motor drives.
    efficiency_back : float, optional
        While the joint back-drives the motor (default: `efficiency`).
    mass : float, optional
        [kg]
    torque_average : float, optional
        Limit of the cubic mean at the output, weighted by speed [N·m].
    speed_peak, speed_average : float, optional
        At the input [rad/s].
    friction : float, optional
        Dry friction at the input [N·m].
    """

    name: str
    ratio: float
    torque_peak: float
    inertia: float
    efficiency: float
    source: str
    efficiency_back: float | None = None
    mass: float | None = None
    torque_average: float | None = None
    speed_peak: float | None = None
    speed_average: float | None = None
    friction: float | None = None
