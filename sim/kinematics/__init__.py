"""Arm kinematics: pure functions over arrays whose last axis is time."""
