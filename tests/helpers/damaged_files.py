"""Files of a run as a bad disk, a broken transfer or a careless hand leave them."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec

from sim.comparison import Acceptance
from sim.recording.schema.description import Run, description_text, with_seal
from sim.recording.schema.element_facts import read_facts

VALUES = (
    *(None, True, -1, 0, 7, 1e308, -0.5, 10**30, 2**62, "", "x", "../../x", "NaN", "q.shoulder"),
    *([], {}, [[1]], {"x": 1}, "é" * 300, [0.0] * 3),
)

Damage = Callable[[bytes, random.Random], bytes]


def flipped(data: bytes, chance: random.Random) -> bytes:
    """One bit is another."""
    changed = bytearray(data)
    changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def truncated(data: bytes, chance: random.Random) -> bytes:
    """The end is missing."""
    return data[: chance.randrange(len(data))]


def overwritten(data: bytes, chance: random.Random) -> bytes:
    """Some bytes are others."""
    start = chance.randrange(len(data))
    count = chance.choice([1, 4, 64])
    return data[:start] + chance.randbytes(count) + data[start + count :]


def another_value(data: bytes, chance: random.Random) -> bytes:
    """One value of a JSON document is another, or is missing; else as `flipped`."""
    try:
        content = json.loads(data)
    except ValueError:
        return flipped(data, chance)
    places = list(_places(content))
    holder, key = chance.choice(places)
    if chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice(VALUES)
    return json.dumps(content).encode()


DAMAGES: tuple[Damage, ...] = (flipped, truncated, overwritten, another_value)


def damaged_copy(folder: Path, name: str, into: Path, seed: int, *, anew: bool) -> Path:
    """A copy of a run or baseline with one damaged file; with `anew` all hashes are made to fit.

    The copy has the name of `folder`.
    """
    chance = random.Random(f"{name} {seed}")
    copy = into / folder.name
    shutil.copytree(folder, copy)
    path = copy / name
    path.write_bytes(DAMAGES[seed % len(DAMAGES)](path.read_bytes(), chance))
    if anew:
        reseal(copy, name)
    return copy


def reseal(copy: Path, name: str) -> None:
    """As somebody would who wants to be believed, where the description can be read at all."""
    run = (copy / "run.json").exists()
    description = copy / ("run.json" if run else "baseline.json")
    try:
        whole = Run if run else Acceptance
        described = msgspec.json.decode(description.read_bytes(), type=whole, dec_hook=read_facts)
        files = dict(described.files)
        fresh = hashlib.sha256((copy / name).read_bytes()).hexdigest()
        if run and name in files:
            files[name] = fresh
        for kind, kept in described.files.items():
            if not run and kept == name:
                stem, _, ending = name.rpartition(".")
                files[kind] = f"{stem.rpartition('-')[0]}-{fresh[:16]}.{ending}"
                (copy / name).rename(copy / files[kind])
        described = with_seal(msgspec.structs.replace(described, files=files))
        description.write_bytes(description_text(described))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return


def _places(content: object):  # type: ignore[no-untyped-def]
    """Every place in a JSON document that holds a value."""
    keys = content if isinstance(content, dict) else range(len(content))  # type: ignore[arg-type]
    for key in keys:
        yield content, key
        if isinstance(content[key], dict | list):  # type: ignore[index]
            yield from _places(content[key])  # type: ignore[index]
