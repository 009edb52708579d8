"""Runs for tests of the report's page, and a reader of its blocks that is not the page's own."""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from msgspec import structs

from sim.checks import check, judge, verdict
from sim.recording import Recording
from sim.reports.page.data import Curves, CurvesMeta, curves
from sim.reports.page.glb_scene import GlbScene, scene_of
from sim.reports.page.page_meta import VisibleChannels
from tests.helpers.short_runs import arm, short_run, with_settings


def judged(recording: Recording) -> Recording:
    """The recording with its checks and verdict, as the command writes them."""
    checks = check(recording)
    return recording.with_description(checks=checks, verdict=verdict(checks))


@cache
def good_run() -> Recording:
    """A judged run that passes."""
    return judged(short_run())


@cache
def bad_run() -> Recording:
    """A judged run with wrong torque in the elbow: samples 100 to 139 and 250."""
    table = short_run().recorded.copy()
    tau = table["tau.elbow"].to_numpy().copy()
    tau[100:140] += 0.5
    tau[250] -= 2.0
    table["tau.elbow"] = tau
    return judged(replace(short_run(), recorded=table))


@cache
def arm_scene() -> GlbScene:
    """Scene of the arm of both runs."""
    return GlbScene.read(scene_of(arm()))


def stretched(recording: Recording, times: int) -> VisibleChannels:
    """The recording's tables again and again, at the same step; its checks as they were."""
    tables = {}
    for name in ("recorded", "analytic"):
        table = getattr(recording, name)
        long = table.iloc[np.tile(np.arange(len(table)), times)]
        long.index = recording.run.settings.dt * np.arange(len(long))
        long.index.name = "t"
        tables[name] = long
    duration = float(tables["recorded"].index[-1])
    judgements = [
        one if one.error is None else structs.replace(one, error=np.tile(one.error, times))
        for one in judge(recording)
    ]
    long = with_settings(replace(recording, **tables), duration=duration)
    return VisibleChannels(long, judgements)


def block(html: str, name: str) -> bytes:
    """A packed block of a page."""
    found = re.search(rf'<script type="application/gzip;base64" id="{name}">([^<]*)</script>', html)
    assert found is not None, name
    return gzip.decompress(base64.b64decode(found[1]))


def meta_of(html: str) -> Any:
    """The plain values of a page."""
    found = re.search(r'<script type="application/json" id="meta">(.*?)</script>', html, re.S)
    assert found is not None
    return json.loads(found[1])


def found_curves(recording: Recording, others: Sequence[pd.DataFrame] = ()) -> Curves:
    """The curves of a page of the recording."""
    return curves(recording, judge(recording), others)


def whole_numbers(data: bytes, at: int, count: int, width: int) -> list[int]:
    """Numbers whose bytes lie by place, the lowest place first."""
    return [
        sum(data[at + place * count + k] << (8 * place) for place in range(width))
        for k in range(count)
    ]


def decoded(codes: Sequence[int], exponent: int) -> np.ndarray:
    """A curve out of its codes, number by number."""
    strange, at, values = (np.nan, np.inf, -np.inf), 0, []
    for code in codes:
        if code < 3:
            values.append(strange[code])
            continue
        folded = code - 3
        at += -(folded + 1) // 2 if folded % 2 else folded // 2
        values.append(at * 2.0**exponent)
    return np.array(values)


def curves_of(meta: CurvesMeta, data: bytes) -> dict[str, dict[str, Any]]:
    """Samples, recorded values and errors of each channel that a page holds."""
    size, width = meta.layout["values"], meta.layout["width"]
    codes = whole_numbers(data, 0, size, width)
    apart = whole_numbers(data, width * size, meta.layout["samples"], meta.layout["sample_width"])
    found: dict[str, dict[str, Any]] = {}
    f, s = 0, 0
    for channel in meta.channels:
        n = channel.n
        parts = [
            decoded(codes[f + k * n : f + (k + 1) * n], exponent)
            for k, exponent in enumerate(channel.steps)
        ]
        found[channel.id] = {
            "samples": np.cumsum(apart[s : s + n]),
            "recorded": parts[0],
            "error": parts[1],
            "over": parts[2:],
        }
        s += n
        f += len(parts) * n
    return found


def chunks(glb: bytes) -> tuple[Any, bytes]:
    """JSON and bytes of a GLB, by the letter of the glTF 2.0 specification, section 4.4."""
    magic, version, length = struct.unpack_from("<III", glb)
    assert (magic, version, length) == (0x46546C67, 2, len(glb))
    size, kind = struct.unpack_from("<II", glb, 12)
    assert kind == 0x4E4F534A
    tree = json.loads(glb[20 : 20 + size])
    if 20 + size == length:
        return tree, b""
    count, kind = struct.unpack_from("<II", glb, 20 + size)
    assert kind == 0x004E4942
    return tree, glb[28 + size : 28 + size + count]


def numbers(tree: Any, data: bytes, index: int) -> np.ndarray:
    """An accessor of float32, shape (count, width)."""
    accessor = tree["accessors"][index]
    view = tree["bufferViews"][accessor["bufferView"]]
    assert accessor["componentType"] == 5126
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    return np.frombuffer(data, "<f4", width * accessor["count"], view.get("byteOffset", 0)).reshape(
        -1, width
    )
