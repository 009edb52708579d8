"""Minimisation of inputs: parts are removed as long as the finding remains (Zeller's ddmin)."""

from __future__ import annotations

import time
from collections.abc import Callable

from tools.fuzz.target import Target


def shrunk(
    target: Target, data: bytes, still: Callable[[bytes], bool], seconds: float = 30.0
) -> bytes:
    """Return a smaller input for which `still` holds, as small as possible in so many seconds."""
    end = time.monotonic() + seconds
    data = _fewer(target.parts(data), target.joined, still, end)
    if len(data) < 600 and target.suffix != ".json":
        split = [data[k : k + 1] for k in range(len(data))]
        data = _fewer(split, b"".join, still, end)
    return data


def _fewer(
    parts: list[bytes],
    joined: Callable[[list[bytes]], bytes],
    still: Callable[[bytes], bool],
    end: float,
) -> bytes:
    whole = joined(parts)
    size = len(parts) // 2
    while size and time.monotonic() < end:
        start, smaller = 0, False
        while start < len(parts) and time.monotonic() < end:
            rest = parts[:start] + parts[start + size :]
            if rest and still(joined(rest)):
                parts, smaller = rest, True
            else:
                start += size
        size = size if smaller and size == 1 else size // 2
    made = joined(parts)
    return made if still(made) else whole
