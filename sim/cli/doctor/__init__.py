"""Diagnoses of `sim doctor`: installed packages, engines, and the machine."""

from sim.cli.doctor.trouble import HealthItem
