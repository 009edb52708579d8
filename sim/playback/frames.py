"""Pictures of a run, without a display: robot, shadow, floor, path, ghost and caption."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sim.engines.bullet.view.camera import shadow_on
from sim.engines.bullet.view.scene import Scene, SceneItem
from sim.maths.arrays import Array
from sim.playback.backdrop import Values, backdrop, smaller
from sim.playback.colours import BLUE, BROWN, INK, ORANGE, PEDESTAL, VERDICTS, in_bytes
from sim.playback.framing import framing, size_of
from sim.playback.reach import ground_below, pedestal
from sim.playback.shown_run import PATH_RADIUS, ShownRun
from sim.playback.tube import tube

if TYPE_CHECKING:
    from PIL import ImageFont

Frame = NDArray[np.uint8]

MARGIN = 0.02  # around the reached region, relative to the robot's length
SEEN_THROUGH = 0.35  # opacity of a pedestal that the robot passes through
SHADE = 0.25  # darkness of a shadow
GHOST_WEIGHT = 0.45  # opacity of a ghost
FREE = (-1.0, 1.0, -0.96, 0.84)  # region of the picture used, from -1 to 1; the caption is above it


def frames(
    shown: ShownRun,
    times: Sequence[float],
    width: int,
    height: int,
    speed: float | None = None,
    *,
    graphics: bool = False,
    fine: int = 2,
) -> Iterator[Frame]:
    """Yield pictures of a run at given times [s], each of shape (height, width, 3).

    Parameters
    ----------
    speed : float, optional
        Speed of a video, for captions; None for a still.
    graphics : bool
        As for `Scene`.
    fine : int
        Supersampling in each direction; 1 leaves edges jagged.
    """
    plain = plain_frames(shown, times, width, height, graphics=graphics, fine=fine)
    for time, picture in zip(times, plain, strict=True):
        yield add_caption(picture, shown, time, speed)


def plain_frames(
    shown: ShownRun,
    times: Sequence[float],
    width: int,
    height: int,
    *,
    graphics: bool = False,
    fine: int = 2,
) -> Iterator[Frame]:
    """Yield `frames` without captions, by one camera that sees all that the run reaches."""
    with Scene(graphics=graphics) as scene:
        stage = _stage(scene, shown, width, height, fine)
        for time in times:
            yield np.clip(stage.canvas(time), 0, 255).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class _FrameStage:
    """A scene with a run in it, and the parts common to all pictures."""

    scene: Scene
    shown: ShownRun
    robot: SceneItem
    path: SceneItem | None
    pedestal: SceneItem | None
    ghost: SceneItem | None
    view: Array
    projection: Array
    floor: float
    background: Values
    fine: int

    def canvas(self, time: float) -> Values:
        """Return the picture at a time, without caption; values may slightly exceed 0 … 255."""
        self.scene.place(self.robot, self.shown.track.at(time))
        self.scene.show(self.robot, self.shown.carried_payloads(time))
        canvas = self.background * (1 - SHADE * self._shadow())
        colours, drawn = self._render()
        canvas = canvas * (1 - drawn) + colours
        if self.ghost is None or self.shown.ghost is None:
            return canvas
        self.scene.place(self.ghost, self.shown.ghost.track.at(time))
        self._show_only_ghost(True)
        colours, drawn = self._render()
        self._show_only_ghost(False)
        orange = np.array(in_bytes(ORANGE[:3]), dtype=np.float32)
        tinted = (colours + orange * drawn) / 2
        mixed = canvas * (1 - GHOST_WEIGHT * drawn) + GHOST_WEIGHT * tinted
        return np.asarray(mixed, dtype=np.float32)

    def _render(self) -> tuple[Values, Values]:
        """Return colours, shape (height, width, 3), and the coverage of each pixel, from 0 to 1."""
        height, width, _ = self.background.shape
        picture = self.scene.picture(
            self.view, self.projection, self.fine * width, self.fine * height
        )
        drawn = picture.drawn[..., None].astype(np.uint8)
        return smaller(picture.rgb * drawn, self.fine), smaller(drawn, self.fine)

    def _shadow(self) -> Values:
        """Return the shadow in each pixel of the floor, shape (height, width, 1)."""
        from PIL import Image, ImageFilter

        height, width, _ = self.background.shape
        flat = self.view @ shadow_on(self.floor)
        drawn = self.scene.picture(flat, self.projection, width, height).drawn
        soft = Image.fromarray(drawn.astype(np.uint8) * 255).filter(
            ImageFilter.GaussianBlur(height / 240)
        )
        return np.asarray(soft, dtype=np.float32)[..., None] / np.float32(255)

    def _show_only_ghost(self, only: bool) -> None:
        for body in (self.robot, self.path, self.pedestal):
            if body is not None:
                self.scene.hide(body, hidden=only)
        if self.ghost is not None:
            self.scene.hide(self.ghost, hidden=not only)


def _stage(scene: Scene, shown: ShownRun, width: int, height: int, fine: int) -> _FrameStage:
    size = size_of(shown.robot)
    ground = ground_below(shown)
    floor = ground.floor
    camera = framing(ground.reached.T, MARGIN * size, width / height, FREE)
    projection = camera.projection(width / height)
    middle = np.array([*shown.robot.T_0b[:2, 3], floor])
    background = backdrop(projection @ camera.view, middle, size, width, height)
    path, drum = tube(shown.path, PATH_RADIUS * size), pedestal(ground)
    stands = None if drum is None else scene.add_mesh(drum, PEDESTAL)
    if stands is not None and ground.pierced:
        # Behind the robot and transparent, since the robot passes through it.
        alone = scene.picture(camera.view, projection, width, height)
        drawn = SEEN_THROUGH * alone.drawn[..., None].astype(np.float32)
        background = background * (1 - drawn) + alone.rgb * drawn
        scene.hide(stands)
        stands = None
    ghost = None
    if shown.ghost is not None and shown.ghost.is_visible:
        ghost = scene.add(shown.robot, shown.look.shapes)
        scene.hide(ghost)
    return _FrameStage(
        scene,
        shown,
        scene.add(shown.robot, shown.look.shapes, keep_separate=shown.carried_payloads(0.0)),
        None if path is None else scene.add_mesh(path, BLUE),
        stands,
        ghost,
        camera.view,
        projection,
        floor,
        background,
        fine,
    )


def add_caption(picture: Frame, shown: ShownRun, time: float, speed: float | None = None) -> Frame:
    """Return the picture with name, time and verdict at the upper left, speed at the right."""
    from PIL import Image, ImageDraw

    size = picture.shape[0] / 24
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    font = caption_font(size)
    x = y = size / 2
    draw.text((x, y), shown.caption(time), fill=in_bytes(INK), font=font)
    if speed is not None:
        place = (picture.shape[1] - size / 2, y)
        draw.text(place, speed_text(speed), fill=in_bytes(INK), font=font, anchor="ra")
    if shown.verdict:
        x += draw.textlength(shown.caption(shown.track.duration) + "    ", font=font)
        colour = in_bytes(VERDICTS.get(shown.verdict, INK))
        draw.text((x, y), shown.verdict, fill=colour, font=font)
    if shown.ghost is not None and shown.ghost.is_visible:
        words = f"orange: {shown.ghost.words}"
        small = caption_font(0.7 * size)
        draw.text((size / 2, 2 * size), words, fill=in_bytes(BROWN), font=small)
    return np.asarray(image)


def caption_font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return a font with symbols, Greek and Cyrillic (Matplotlib's); Pillow's has ASCII only."""
    from PIL import ImageFont

    spec = importlib.util.find_spec("matplotlib")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / "DejaVuSans.ttf"
        if path.is_file():
            return ImageFont.truetype(path, size)
    return ImageFont.load_default(size)


def speed_text(speed: float) -> str:
    """Return the text of a video's speed: ``0.5× speed``."""
    return f"{speed:g}× speed"
