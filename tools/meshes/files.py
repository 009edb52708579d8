"""Mesh files: an OBJ and a hull for each link, one palette for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from manifold3d import Manifold

from sim.robots import Robot, load_robot
from sim.shapes.palette import image
from tools.meshes import irb460, kr210, puma560, ur10, weld5
from tools.meshes.model import Model
from tools.meshes.obj import hull_obj, material_text, painted_obj

Bodies = list[tuple[Manifold, str]]

MATERIAL = "palette"
ROBOTS: dict[str, Callable[[Robot], Model]] = {
    "irb460": irb460.draw,
    "irb460_paper": irb460.draw,
    "kr210": kr210.draw,
    "kr210_paper": kr210.draw,
    "puma560": puma560.draw,
    "ur10": ur10.draw,
    "weld5": weld5.draw,
}
SHARED = {  # links of equal shape use the other robot's files
    "irb460_paper": "irb460",
    "kr210_paper": "kr210",
}


def drawn(name: str) -> dict[str, Bodies]:
    """Return bodies of each link of a robot in the link's frame, without shared links."""
    robot = load_robot(name)
    model = ROBOTS[name](robot)
    links = {link: model.in_link(link) for link in model.bodies}
    others = drawn(SHARED[name]) if name in SHARED else {}
    return {
        link: bodies
        for link, bodies in links.items()
        if link not in others or not same(bodies, others[link])
    }


def same(bodies: Bodies, others: Bodies) -> bool:
    """Whether two links look alike: equal colours, volumes and extents, body by body."""
    ours, theirs = (
        np.array([(*body.bounding_box(), body.volume()) for body, _ in each])
        for each in (bodies, others)
    )
    colours = [[colour for _, colour in each] for each in (bodies, others)]
    return colours[0] == colours[1] and bool(np.allclose(ours, theirs, rtol=0, atol=1e-6))


def texts(name: str) -> dict[str, str]:
    """Return the content of a robot's files, by file name."""
    files = {f"{MATERIAL}.mtl": material_text(MATERIAL, f"../{MATERIAL}.png")}
    for link, bodies in drawn(name).items():
        files[f"{link}.obj"] = painted_obj(bodies, link, MATERIAL)
        files[f"{link}_hull.obj"] = hull_obj(bodies, link)
    return files


def write(names: Sequence[str], folder: Path) -> list[Path]:
    """Write the files of robots and the palette; return their paths."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    palette = folder / f"{MATERIAL}.png"
    Image.fromarray(image()).save(palette, optimize=True)
    written = [palette]
    for name in names:
        (folder / name).mkdir(exist_ok=True)
        for file, text in texts(name).items():
            path = folder / name / file
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return written
