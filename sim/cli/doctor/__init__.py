"""What is installed here and what works: the examinations of `sim doctor`."""

from sim.cli.doctor.trouble import HealthItem

__all__ = ["HealthItem"]
