"""Arguments of a command from the fields of structs, and structs from parsed arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from sim.cli.arguments import number

Options = TypeVar("Options", bound=msgspec.Struct)


def add_options(
    command: argparse.ArgumentParser,
    structs: Sequence[type[msgspec.Struct]],
    option_of: Callable[[str], str],
    last: Sequence[str] = (),
    without: Container[str] = (),
) -> None:
    """Add an option for each field that has a default.

    Parameters
    ----------
    structs : sequence of Struct types
        The annotation of each field is a `msgspec.Meta` with its help and metavariable.
    option_of : callable
        From the name of a field to its option.
    last : sequence of str
        Fields whose options come last, in this order.
    without : container of str
        Fields that are not options of this command.
    """
    fields = [
        one
        for kind in structs
        for one in msgspec.structs.fields(kind)
        if not one.required and one.name not in without
    ]
    for field in sorted(fields, key=lambda one: last.index(one.name) if one.name in last else -1):
        text = next(meta for meta in get_args(field.type)[1:] if meta.description)
        command.add_argument(
            option_of(field.name),
            dest=field.name,
            help=text.description,
            **{"default": field.default, **_parsing(field.type)},
            **(text.extra or {}),
        )


def read_options(options: argparse.Namespace, kind: type[Options], **others: object) -> Options:
    """Return a struct from parsed arguments; `others` are values of fields read elsewhere.

    A field that is not an option of the command keeps its default.
    """
    values = {**vars(options), **others}
    named = [name for name in kind.__struct_fields__ if name in values]
    return msgspec.convert({name: values[name] for name in named}, kind)


def _parsing(kind: Any) -> dict[str, Any]:
    """Return arguments of `add_argument` that convert the text of an option to a type."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        least = next((meta.ge for meta in parts[1:] if meta.ge is not None), None)
        return _parsing(parts[0]) if least is None else {"type": partial(_whole_number, least)}
    if origin in (Union, UnionType):
        of_parts = {key: value for part in parts for key, value in _parsing(part).items()}
        if of_parts.keys() == {"type", "choices"}:
            return {"type": partial(_word_or_number, of_parts["choices"], of_parts["type"])}
        return of_parts
    if origin is Literal:
        return {"choices": parts}
    if origin in (tuple, Mapping):
        return {"action": "append", "default": []}
    plain: dict[Any, dict[str, Any]] = {
        bool: {"action": "store_true"}, float: {"type": number}, str: {}, NoneType: {}
    }  # fmt: skip
    return plain[kind]


def _whole_number(least: int, text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, {least} or more")
    return int(text)


def _word_or_number(words: Sequence[str], parse: Callable[[str], int], text: str) -> int | str:
    try:
        return text if text in words else parse(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or {' or '.join(words)}") from None
