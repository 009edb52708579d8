"""The order in which things are computed of which some need others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


class CircleError(ValueError):
    """Some need each other: `circle` begins and ends with the same one."""

    def __init__(self, circle: tuple[Hashable, ...]) -> None:
        super().__init__(" -> ".join(map(str, circle)))
        self.circle = circle


def dependency_order(first: Iterable[Key], needs: Callable[[Key], Iterable[Key]]) -> list[Key]:
    """`first` and all that they need, each once and after what it needs itself.

    Works without recursion, in a time that grows with the number of needs.

    Raises
    ------
    CircleError
        If some need each other.
    """
    done: dict[Key, None] = {}
    for one in first:
        path: dict[Key, None] = {}
        waiting = [iter([one])]
        while waiting:
            key = next(waiting[-1], None)
            if key is None:
                waiting.pop()
                if path:
                    done[path.popitem()[0]] = None
            elif key in path:
                names = [*path]
                raise CircleError((*names[names.index(key) :], key))
            elif key not in done:
                path[key] = None
                waiting.append(iter(needs(key)))
    return [*done]
