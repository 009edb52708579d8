"""Playback: a run or a robot in PyBullet's window; a run as a video, without a display."""

from sim.playback.playing import play, teach
