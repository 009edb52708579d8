"""Selection of channels by patterns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from sim.errors import RecordingError


def choose_channels(channels: Sequence[str], patterns: str | Sequence[str] | None) -> list[str]:
    """Return the channels that match patterns, in the order of the patterns, without duplicates.

    Parameters
    ----------
    channels : sequence of str
        Available channels.
    patterns : str, sequence of str, or None
        ``*`` matches any text, ``?`` one character, ``[xyz]`` one of several; case-sensitive
        (default: all channels).

    Raises
    ------
    RecordingError
        If a pattern matches none; lists the most similar channels and the available groups.
    """
    if patterns is None:
        return list(channels)
    texts = [patterns] if isinstance(patterns, str) else list(patterns)
    if not texts:
        raise RecordingError(f"No pattern of channels is given; there are {_groups(channels)}")
    chosen: dict[str, None] = {}
    for pattern in texts:
        matched = [channel for channel in channels if fnmatchcase(channel, pattern)]
        if not matched:
            raise RecordingError(
                f"No channel matches {pattern!r}{_near(pattern, channels)}; "
                f"there are {_groups(channels)}"
            )
        chosen |= dict.fromkeys(matched)
    return list(chosen)


def _near(pattern: str, channels: Sequence[str]) -> str:
    groups = {f"{channel.partition('.')[0]}.*" for channel in channels if "." in channel}
    near = get_close_matches(pattern, [*sorted(groups), *channels], n=3)
    return f"; the nearest are {', '.join(near)}" if near else ""


def _groups(channels: Sequence[str]) -> str:
    """Return text such as ``tau.* (6), q.* (6), energy``."""
    counts = Counter(channel.partition(".")[0] for channel in channels)
    alone = {channel for channel in channels if "." not in channel}
    return ", ".join(
        group if group in alone and count == 1 else f"{group}.* ({count})"
        for group, count in counts.items()
    )
