"""Arm dynamics: pure functions over arrays whose last axis is time."""
