"""GLB: one JSON document and one block of bytes, the binary form of glTF 2.0."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import RecordingError

Json = dict[str, Any]  # a glTF object as in its specification

MAGIC, VERSION = b"glTF", 2
FLOAT, BYTE, USHORT, UINT = 5126, 5120, 5123, 5125
_COMPONENTS = {np.dtype("f4"): FLOAT, np.dtype("i1"): BYTE, np.dtype("u2"): USHORT}
_COMPONENTS |= {np.dtype("u4"): UINT}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
_KINDS = {width: kind for kind, width in WIDTHS.items()}

ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


class Document:
    """A glTF document under construction; `tree` is its JSON, `block` its bytes."""

    def __init__(self, tree: Json, block: bytes = b"") -> None:
        # A deep copy, since the caller's document must not change.
        self.tree: Json = json.loads(json.dumps(tree))
        self.block = bytearray(block)
        for name in ("bufferViews", "accessors"):
            self.tree.setdefault(name, [])

    def add(
        self,
        values: NDArray[Any],
        *,
        target: int | None = None,
        normalized: bool = False,
        bounds: bool = False,
    ) -> int:
        """Return the index of a new accessor of `values`, shape (count,) or (count, 3 or 4).

        Parameters
        ----------
        values : ndarray of float32, int8, uint16 or uint32
        target : int, optional
            Use of the bytes, for vertices and indices.
        normalized : bool
            Whether integers are fractions of their largest value.
        bounds : bool
            Whether the accessor states its extremes, as positions and times must.
        """
        width = 1 if values.ndim == 1 else values.shape[1]
        rows = np.ascontiguousarray(values).reshape(len(values), width)
        view: Json = {"buffer": 0, "byteOffset": len(self.block)}
        size = width * rows.itemsize
        if size % 4 and target == ARRAY_BUFFER:  # rows of a vertex attribute are aligned to 4 bytes
            padded = np.zeros((len(rows), -(-width // 4) * 4), rows.dtype)
            padded[:, :width] = rows
            view["byteStride"] = padded.shape[1] * rows.itemsize
            data = padded.tobytes()
        else:
            data = rows.tobytes()
        view["byteLength"] = len(data)
        if target is not None:
            view["target"] = target
        self.tree["bufferViews"].append(view)
        self.block += data + bytes(-len(data) % 4)
        accessor: Json = {
            "bufferView": len(self.tree["bufferViews"]) - 1,
            "componentType": _COMPONENTS[rows.dtype],
            "count": len(rows),
            "type": _KINDS[width],
        }
        if normalized:
            accessor["normalized"] = True
        if bounds:
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.tree["accessors"].append(accessor)
        return len(self.tree["accessors"]) - 1

    def to_bytes(self) -> bytes:
        """Return the file."""
        tree = {key: value for key, value in self.tree.items() if value != []}
        if self.block:
            tree["buffers"] = [{"byteLength": len(self.block)}]
        text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        if self.block:
            chunks += struct.pack("<I4s", len(self.block), b"BIN\0") + bytes(self.block)
        return struct.pack("<4sII", MAGIC, VERSION, 12 + len(chunks)) + chunks


def read_glb(data: bytes, source: str) -> Document:
    """Return the document in the bytes of a GLB file.

    Raises
    ------
    RecordingError
        If the bytes are no GLB of version 2, or truncated; `source` names the file.
    """
    try:
        magic, version, length = struct.unpack_from("<4sII", data)
        if magic != MAGIC or version != VERSION or length > len(data):
            raise ValueError("it is no glTF 2.0 file, or cut short")
        size, kind = struct.unpack_from("<I4s", data, 12)
        if kind != b"JSON" or 20 + size > length:
            raise ValueError("its JSON is missing")
        tree = json.loads(data[20 : 20 + size])
        block = b""
        if 20 + size < length:
            count, kind = struct.unpack_from("<I4s", data, 20 + size)
            block = data[28 + size : 28 + size + count]
            if kind != b"BIN\0" or len(block) != count:
                raise ValueError("its block of bytes is cut short")
    except (struct.error, ValueError) as error:
        raise RecordingError(f"{source} cannot be read as GLB: {error}") from None
    if not isinstance(tree, dict) or not isinstance(tree.get("nodes"), list):
        raise RecordingError(f"{source} cannot be read as GLB: it has no nodes")
    tree.pop("buffers", None)
    return Document(tree, block)
