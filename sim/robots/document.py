"""XML elements read strictly: every error names the file, the line and the part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from sim.errors import ModelError
from sim.maths.arrays import Array, frozen

if TYPE_CHECKING:
    from lxml.etree import _Element

LONGEST_NAME = 200
LARGEST_NUMBER = 1e100  # far above any quantity of a robot, and products of two stay finite
NUMBER = re.compile(r"[+-]?([0-9]++\.?[0-9]*+|\.[0-9]++)([eE][+-]?[0-9]++)?")
_SHOWN = 60


class Node(Struct, frozen=True):
    """An XML element with its file and the part it belongs to.

    Parameters
    ----------
    element : lxml element
    source : str
        The file, as named in messages.
    subject : str
        What the element describes, as named in messages: ``joint 'elbow'``.
    """

    element: _Element
    source: str
    subject: str

    def error(self, message: str) -> ModelError:
        """Return an error at this element's line, to be raised by the caller."""
        where = f"{self.source}, line {self.element.sourceline}"
        return ModelError(f"{where}: {self.subject}: {message}")

    def children(self, tag: str) -> Iterator[Node]:
        """Yield the children called `tag`, in document order."""
        for element in self.element.iterchildren(tag):
            yield Node(element, self.source, self.subject)

    def only(self, tag: str) -> Node | None:
        """Return the child called `tag`; None if there is none.

        Raises
        ------
        ModelError
            If there are several: readers differ in which one they use.
        """
        nodes = list(self.children(tag))
        if len(nodes) > 1:
            raise nodes[1].error(f"has {len(nodes)} <{tag}> elements; at most one is allowed")
        return nodes[0] if nodes else None

    def require_child(self, tag: str) -> Node:
        """Return the only child called `tag`.

        Raises
        ------
        ModelError
            If there is none, or several.
        """
        if (node := self.only(tag)) is None:
            raise self.error(f"<{self.element.tag}> needs a <{tag}>")
        return node

    def attribute(self, key: str) -> str:
        """Return the attribute `key` as written.

        Raises
        ------
        ModelError
            If it is missing or blank.
        """
        value = self.element.get(key, "")
        if not value.strip():
            raise self.error(f"<{self.element.tag}> needs the attribute {key!r}")
        return value

    def name(self) -> str:
        """Return the attribute ``name``.

        Raises
        ------
        ModelError
            If it is missing, blank or longer than 200 characters.
        """
        name = self.attribute("name")
        if len(name) > LONGEST_NAME:
            raise self.error(
                f"the name {name[:20]!r}... has {len(name)} characters; "
                f"at most {LONGEST_NAME} are allowed"
            )
        return name

    def number(self, key: str, default: float | None = None) -> float:
        """Return the attribute `key` as a number, or `default`.

        Raises
        ------
        ModelError
            If it is not a number, or is missing and has no default.
        """
        if default is not None and key not in self.element.attrib:
            return default
        return self._number(key, self.attribute(key).strip())

    def vector(
        self, key: str, default: tuple[float, ...] | None = None, *, length: int = 3
    ) -> Array:
        """Return the attribute `key` as an array, shape (length,), or `default`.

        Raises
        ------
        ModelError
            If it is not `length` numbers, or is missing and has no default.
        """
        if default is not None and key not in self.element.attrib:
            return frozen(default)
        words = self.attribute(key).split()
        if len(words) != length:
            raise self._fault(
                key, f"has {len(words)} number(s), it needs {length} with blanks between them"
            )
        return frozen([self._number(key, word) for word in words])

    def _number(self, key: str, word: str) -> float:
        if not NUMBER.fullmatch(word) or abs(float(word)) > LARGEST_NUMBER:
            raise self._fault(
                key,
                f"has {word[:_SHOWN]!r}, which is not a number such as -1.5 or 2e-3 "
                f"within ±{LARGEST_NUMBER:g}",
            )
        return float(word)

    def _fault(self, key: str, message: str) -> ModelError:
        shown = self.element.get(key, "")[:_SHOWN]
        return self.error(f'<{self.element.tag} {key}="{shown}"> {message}')
