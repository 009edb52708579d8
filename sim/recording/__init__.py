"""A run on disk: its tables, its description and the meaning of its channels."""

from typing import TYPE_CHECKING

from sim.interface import load_names_on_use

if TYPE_CHECKING:
    from sim.recording.recorded_robot import robot_of
    from sim.recording.recording import Recording
    from sim.recording.schema.channels import unit_of
    from sim.recording.schema.element_facts import facts_of, value_of
    from sim.recording.schema.measured_facts import MeasuredFacts
    from sim.recording.schema.request_facts import request_facts, request_of
else:
    load_names_on_use(__name__)
