"""Error tree: every error raised on purpose by this package is a `SimError`."""

import re

LONGEST = 1600  # characters of a line of a message
BELOW = "\n    "  # precedes a list or drawing in lines of its own


class SimError(Exception):
    """Base of all errors; the message names the request and the allowed values.

    It is one line, or one line and a list below it, indented by four blanks.
    """

    def __str__(self) -> str:
        return BELOW.join(map(in_one_line, super().__str__().split(BELOW)))


class ModelError(SimError, ValueError):
    """A robot description (URDF, card, payload, joint or frame name) is invalid."""


class ExpressionError(SimError, ValueError):
    """A function expression is malformed; the message shows it with a caret at `position`.

    Parameters
    ----------
    reason : str
        The fault, and the allowed syntax.
    text : str
        The expression as typed.
    position : int or None
        Index of the fault in `text`, if known.
    """

    def __init__(self, reason: str, text: str, position: int | None = None) -> None:
        self.reason = reason
        self.text = text
        self.position = position
        line = in_one_line(reason)
        super().__init__(line if position is None else _with_caret(line, text, position))

    def __str__(self) -> str:
        return str(self.args[0])


class DeckError(SimError, ValueError):
    """An ADAMS deck cannot be read or run here; the message names line and statement."""


class ScenarioError(SimError, ValueError):
    """A scenario, a parameter, a motion or a setting is invalid."""


class RecordingError(SimError, ValueError):
    """A run's folder or a baseline cannot be read or written."""


class ForeignError(SimError, ValueError):
    """A table of another program, its columns, units or their names are invalid."""


class CurveError(SimError, ValueError):
    """A curve cannot be computed: its samples, a filter, a window or times do not fit."""


class PlaybackError(SimError, RuntimeError):
    """A window, a video or a picture cannot be made here."""


class EngineError(SimError, RuntimeError):
    """The physics engine failed: NaN, divergence, or a model that was read differently."""


def missing(path: object) -> str:
    """Return the standard message for a file or folder that does not exist."""
    return f"{path} does not exist"


def unreadable(path: object, error: OSError | UnicodeDecodeError) -> str:
    """Return why a file cannot be read; if it does not exist, the message of `missing`."""
    if isinstance(error, UnicodeDecodeError):
        return f"{path} is not UTF-8 text: {error.reason} at byte {error.start}"
    if isinstance(error, FileNotFoundError):
        return missing(path)
    return f"{path} cannot be read: {error.strerror or error}"


def in_one_line(text: str) -> str:
    """Return the text on one line, with control characters escaped.

    Messages contain names and numbers from files, which may be anything: a line that is too long
    to read is shortened to its beginning and its end.
    """
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 4 :]}"
    return text if text.isprintable() else escape_controls(re.sub(r"\s++", _blank, text).strip())


def escape_controls(text: str) -> str:
    """Return a text with escape codes for characters that a terminal would interpret."""
    import unicodedata

    obeyed = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return "".join(
        c.encode("unicode_escape").decode("ascii") if unicodedata.category(c) in obeyed else c
        for c in text
    )


def _blank(match: re.Match[str]) -> str:
    """Return one blank for blanks that include a line end, otherwise the blanks unchanged."""
    return match[0] if set("\t\n\r").isdisjoint(match[0]) else " "


def _with_caret(reason: str, text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    line = text[start:] if end < 0 else text[start:end]
    return BELOW.join((reason, line, f"{' ' * (position - start)}^"))
