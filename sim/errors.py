"""The error tree: every error this package raises on purpose is a `SimError`."""


class SimError(Exception):
    """Base of all errors; its message names what was asked and what is allowed."""


class ModelError(SimError, ValueError):
    """A robot description (URDF, card, payload, joint or frame name) cannot be used."""


class ExpressionError(SimError, ValueError):
    """A function expression is malformed; the message shows it with a caret at `position`.

    Parameters
    ----------
    reason : str
        What is wrong and what is allowed.
    text : str
        The expression as typed.
    position : int or None
        Index into `text` of the place, where known.
    """

    def __init__(self, reason: str, text: str, position: int | None = None) -> None:
        self.reason = reason
        self.text = text
        self.position = position
        super().__init__(reason if position is None else _with_caret(reason, text, position))


class ScenarioError(SimError, ValueError):
    """A scenario, a parameter, a motion or a setting cannot be used."""


class RecordingError(SimError, ValueError):
    """A run's folder or a baseline cannot be read or written."""


class ForeignError(SimError, ValueError):
    """A table of another program, its columns, units or their names cannot be used."""


class PlaybackError(SimError, RuntimeError):
    """A window, a video or a picture cannot be made here."""


class EngineError(SimError, RuntimeError):
    """The physics engine failed: not a number, divergence, or a model it read otherwise."""


def _with_caret(reason: str, text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start:] if end < 0 else text[start:end]
    return f"{reason}\n    {line}\n    {' ' * (position - start)}^"
