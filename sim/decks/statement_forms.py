"""Forms of the statements of an ADAMS deck, including ignored and refused ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec
from msgspec import Struct


class Form(Struct, frozen=True):
    """Arguments of a statement by kind, blank-separated; `statements.toml` documents them."""

    numbers: str = ""
    ids: str = ""
    functions: str = ""
    texts: str = ""
    flags: str = ""
    lists: str = ""
    series: str = ""
    remarks: str = ""
    short: str = ""
    repeated: str = ""
    may_be_empty: bool = False
    is_force: bool = False

    @property
    def abbreviations(self) -> Mapping[str, str]:
        """Arguments with an ambiguous short form, such as ``C=COMMENT``."""
        return dict(pair.split("=") for pair in self.short.split())

    @property
    def keys(self) -> tuple[str, ...]:
        """All arguments that take a value."""
        kinds = self.numbers, self.ids, self.functions, self.texts
        return tuple(" ".join((*kinds, self.lists, self.series, self.remarks)).split())


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    """Forms of supported statements, and keywords of others by their note."""

    read: dict[str, Form]
    graphics: Form
    skipped: dict[str, str]
    refused: dict[str, str]


def _by_keyword(notes: Mapping[str, str]) -> Mapping[str, str]:
    """Return the note on each keyword."""
    return MappingProxyType({word: note for note, words in notes.items() for word in words.split()})


_TABLE = msgspec.toml.decode(Path(__file__).with_name("statements.toml").read_bytes(), type=_Table)
FORMS: Mapping[str, Form] = MappingProxyType(_TABLE.read)
FORCES = tuple(keyword for keyword, form in FORMS.items() if form.is_force)
SKIPPED, REFUSED = _by_keyword(_TABLE.skipped), _by_keyword(_TABLE.refused)


def form_of(keyword: str) -> Form:
    """Return the form of a supported statement."""
    return _TABLE.graphics if keyword == "GRAPHICS" else FORMS[keyword]
