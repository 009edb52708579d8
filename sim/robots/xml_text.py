"""Parsing of XML text; harmless faults are ignored."""

from __future__ import annotations

import codecs
import contextlib
import re
from typing import TYPE_CHECKING, Any

from sim.errors import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from lxml.etree import XMLParser, _Element

UNREADABLE = "\ufffd"  # replaces a byte that cannot be decoded
# Possessive repeats (*+): with many comments and no declaration, backtracking would otherwise try
# every combination of comment ends.
_DECLARATION = re.compile(
    r"(?P<blanks>\s*+(?:<!--.*?-->\s*+)*+)<\?xml\b(?P<declared>[^<>]*?)\?>", re.DOTALL
)
# Each comment is matched once: comments that may end in the next one cost 2^n for n of them.
_OUTERMOST = re.compile(r"(?>\s+|<\?xml[^>]*\?>|<!--.*?-->)*+<(\w++)[\s/>]", re.DOTALL)
_ENCODING = re.compile(
    rb"""\s*<\?xml\b[^<>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]{0,30})["']"""
)
_VERSION = re.compile(r"""\s+version\s*=\s*["']([^"'<>]{0,20})["']""")
_MORE_THAN_A_NAME = re.compile(r"""<!ENTITY|<!DOCTYPE[^<>\["']*+[\["']""")
# Faults that change no element; all readers of URDF except strict ones ignore them.
_HARMLESS = {
    "NS_ERR_UNDEFINED_NAMESPACE": "a prefix whose namespace is not declared",
    "ERR_HYPHEN_IN_COMMENT": "a comment with -- in it",
}


def text_of(tree: Any) -> str:
    """Return the text of an element of lxml, or of a whole document."""
    from lxml import etree

    text: str = etree.tostring(tree, encoding="unicode")
    return text


def is_xacro(path: Path) -> bool:
    """True for a file called ``*.xacro``; no other template is expanded."""
    return path.suffix.lower() == ".xacro"


def is_mjcf(text: str) -> bool:
    """Whether the outermost element of a text is that of MJCF."""
    return _outermost(text) == "mujoco"


def is_sdf(text: str) -> bool:
    """Whether the outermost element of a text is that of SDF."""
    return _outermost(text) == "sdf"


def _outermost(text: str) -> str:
    """Return the tag of the outermost element; empty if the text does not begin as XML."""
    match = _OUTERMOST.match(text[:100_000].lstrip("\ufeff"))
    return "" if match is None else match[1]


def decode_text(data: bytes) -> str:
    """Decode a file: UTF-8, or the encoding of a byte order mark or the XML declaration.

    In a URDF with neither, each undecodable byte becomes `UNREADABLE`, which `flaws` reports:
    nearly always it is in a comment.

    In a URDF that is neither, each byte that cannot be read becomes `UNREADABLE`, which `flaws`
    reports: nearly always it is in a comment.

    Raises
    ------
    UnicodeDecodeError
        If it has none of these encodings and is not a URDF.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        declaration = _ENCODING.match(data)
        with contextlib.suppress(LookupError, UnicodeDecodeError):
            if declaration is not None and b"\0" not in data:
                return data.decode(declaration[1].decode("ascii"))
        if b"<robot" in data and b"\0" not in data:
            return data.decode("utf-8", errors="replace")
        raise


def parse(text: str, source: str) -> _Element:
    """Return the root element of an XML document, without expanding entities or fetching files.

    Raises
    ------
    ModelError
        If the text is not XML, except for `flaws`, or declares entities or a grammar.
    """
    return _read(text, source)[0]


def flaws(text: str) -> tuple[str, ...]:
    """Return the faults of a text that `parse` tolerates; empty for a valid XML document."""
    return _read(text, "")[1]


def _read(text: str, source: str) -> tuple[_Element, tuple[str, ...]]:
    text, fault = _without_bad_declaration(text)
    faults = [] if fault is None else [fault]
    body, tail = _split_tail(text)
    if tail:
        faults.append(f"after the last element there is {tail[:20]!r}")
        text = body
    if UNREADABLE in text:
        faults.append(f"it is not UTF-8: bytes that cannot be decoded are {UNREADABLE} here")
    root, harmless = _element(text, source)
    if root.getroottree().docinfo.internalDTD is not None and _MORE_THAN_A_NAME.search(text):
        raise ModelError(
            f"{source}: a document type (<!DOCTYPE ...>) is not allowed in a URDF if it has more "
            "than a name; take it out"
        )
    return root, (*faults, *harmless)


def _element(text: str, source: str) -> tuple[_Element, tuple[str, ...]]:
    from lxml import etree

    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ModelError(f"{source}: not an XML document: {error.reason}") from None
    parser = _parser(recover=False)
    try:
        return etree.fromstring(data, parser), ()
    except etree.XMLSyntaxError as error:
        refusal = ModelError(f"{source}, line {error.lineno}: not an XML document: {error.msg}")
    first = _kinds(parser)  # up to the first fatal fault
    if not first or not set(first) <= _HARMLESS.keys():
        raise refusal
    parser = _parser(recover=True)
    root = etree.fromstring(data, parser)
    kinds = _kinds(parser)
    if root is None or not set(kinds) <= _HARMLESS.keys():
        raise refusal
    return root, tuple(_HARMLESS[kind] for kind in kinds)


def _kinds(parser: XMLParser) -> list[str]:
    """Return the kinds of fault that a parser found, without duplicates."""
    return list(dict.fromkeys(str(entry.type_name) for entry in parser.error_log))


def remove_elements(root: _Element, *tags: str) -> None:
    """Remove all elements with these tags below a root."""
    for element in list(root.iter(*tags)):
        if (parent := element.getparent()) is not None:
            parent.remove(element)


def _parser(*, recover: bool) -> XMLParser:
    from lxml import etree

    return etree.XMLParser(
        encoding="utf-8", resolve_entities=False, load_dtd=False, no_network=True, recover=recover
    )


def _without_bad_declaration(text: str) -> tuple[str, str | None]:
    """Return the text without an invalid XML declaration, and the fault of the declaration.

    Such a declaration has an unknown version, or follows blanks. Line numbers are unchanged. Other
    texts are returned as they are, with None.
    """
    if (declaration := _DECLARATION.match(text)) is None:
        return text, None
    version = _VERSION.match(declaration["declared"])
    known = version is not None and version[1] in ("1.0", "1.1")
    if known and not declaration["blanks"]:
        return text, None
    if known:
        fault = "there is text before the XML declaration, which must be at the start"
    elif version is None:
        fault = "the XML declaration gives no version"
    else:
        fault = f"the XML declaration gives version {version[1]!r}, which there is not"
    lines = "\n" * declaration[0].count("\n")
    return lines + text[declaration.end() :], fault


def _split_tail(text: str) -> tuple[str, str]:
    """Return the text up to its last tag, and the non-blank text after it."""
    end = text.rfind(">") + 1
    tail = text[end:].strip()
    return (text[:end], tail) if end and tail else (text, "")
