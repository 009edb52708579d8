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

from sim.checks import check, judge, verdict
from sim.recording.recording import Recording
from sim.reports.page.data import Curves, CurvesMeta, curves
from sim.reports.page.glb_scene import Scene, scene_of
from sim.reports.page.page_meta import Shown
from tests.helpers.short_runs import arm, short_run, with_settings


def judged(recording: Recording) -> Recording:
    """The recording with its checks and verdict, as the command writes them."""
    checks = check(recording)
    return recording.described(checks=checks, verdict=verdict(checks))


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
def arm_scene() -> Scene:
    """Scene of the arm of both runs."""
    return Scene.read(scene_of(arm()))


def stretched(recording: Recording, times: int) -> Shown:
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
        one if one.error is None else replace(one, error=np.tile(one.error, times))
        for one in judge(recording)
    ]
    long = with_settings(replace(recording, **tables), duration=duration)
    return Shown(long, judgements)


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


def curves_of(meta: CurvesMeta, data: bytes) -> dict[str, dict[str, np.ndarray]]:
    """Samples, recorded values and errors of each channel that a page holds."""
    floats, steps = meta.layout["floats"], meta.layout["steps"]
    planes = np.frombuffer(data, "u1", 4 * floats).reshape(4, floats)
    values = np.ascontiguousarray(planes.T).view("<f4").ravel()
    planes = np.frombuffer(data, "u1", 4 * steps, 4 * floats).reshape(4, steps)
    apart = np.ascontiguousarray(planes.T).view("<u4").ravel()
    found, f, s = {}, 0, 0
    for channel in meta.channels:
        n = channel.n
        found[channel.id] = {
            "samples": np.cumsum(apart[s : s + n]),
            "recorded": values[f : f + n],
            "error": values[f + n : f + 2 * n],
            "over": [values[f + (2 + k) * n : f + (3 + k) * n] for k in range(len(channel.over))],
        }
        s += n
        f += (2 + len(channel.over)) * n
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
