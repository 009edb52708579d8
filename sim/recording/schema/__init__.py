"""Schema of the data of a run: channels, description, methods, verdicts."""

__all__ = [
    "channels",
    "choosing",
    "corners",
    "cut_instants",
    "description",
    "facts",
    "horizon",
    "measured_facts",
    "methods",
    "provenance",
    "verdicts",
]
