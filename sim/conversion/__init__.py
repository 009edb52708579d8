"""Conversion of robot files to other formats, each certified by the programs that read it."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.conversion.certificate import Certificate
    from sim.conversion.converting import convert_robot
    from sim.conversion.original import SUFFIXES
    from sim.conversion.terminal_text import certificate_lines
else:
    load_names_on_use(__name__)
