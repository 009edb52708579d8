"""Order of evaluation of items that depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


class CircleError(ValueError):
    """Circular dependency: `circle` begins and ends with the same item."""

    def __init__(self, circle: tuple[Hashable, ...]) -> None:
        super().__init__(" -> ".join(map(str, circle)))
        self.circle = circle


def dependency_order(first: Iterable[Key], needs: Callable[[Key], Iterable[Key]]) -> list[Key]:
    """Return `first` and all their dependencies, each once and after its own dependencies.

    Works without recursion, in a time proportional to the number of dependencies.

    Raises
    ------
    CircleError
        If dependencies are circular.
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
