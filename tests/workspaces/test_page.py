"""The page of a workspace: what stands in it, and that it loads nothing."""

import base64
import gzip
import html
import json
import re

import numpy as np
import pytest

from sim.workspaces.page import blocks, page, page_data
from tests.helpers.coarse_workspaces import coarse_workspace


@pytest.fixture(scope="module")
def found():
    return coarse_workspace("kr210")


def test_blocks_hold_values_and_postures_of_every_point(found):
    data, n = page_data(found), 6
    N = found.is_reached.size
    for one, block, told in zip(found.maps, blocks(found), data["maps"], strict=True):
        raw = gzip.decompress(base64.b64decode(block))
        values = np.frombuffer(raw, "<f4", N)
        np.testing.assert_allclose(values, one.values, rtol=1e-7)
        changes = np.frombuffer(raw, "<u2", n * N, 4 * N).reshape(n, N)
        steps = np.cumsum(changes, axis=1, dtype=np.uint16).astype(np.int16)
        q = steps * np.array(told["scale"])[:, None]
        off = np.abs(q - one.q)[:, one.is_reached]
        assert off.max() <= np.radians(350) / 32_000  # half a step, at most
        end = 4 * N + 2 * n * N
        if one.joint is None:
            assert len(raw) == end
        else:
            np.testing.assert_array_equal(np.frombuffer(raw, "u1", N, end), one.joint)


def test_the_page_loads_nothing_and_cannot_be_ended_by_a_name(found):
    text = page(found)
    assert not re.search(r'(?:src|href)="(?!data:)', text)
    assert "default-src 'none'" in html.unescape(text)
    assert text.count('<svg class="chart map"') == len(found.maps) == 3
    inner = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]
    assert json.loads(inner)["joints"][0] == ["joint_1", True]
    assert "every posture exceeds a rating" in text


def test_a_robot_that_is_named_like_a_tag_is_text(found):
    object.__setattr__(found.robot, "name", "</script><b>")
    try:
        text = page(found)
    finally:
        object.__setattr__(found.robot, "name", "kr210")
    assert "</script><b>" not in text
    assert "&lt;/script&gt;&lt;b&gt;" in text
