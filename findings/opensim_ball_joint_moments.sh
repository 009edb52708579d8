#!/usr/bin/env bash
# TITLE: OpenSim's inverse dynamics gives wrong moments at a BallJoint
# GUESS: the moments along the three coordinates, or about the axes of the ground: -0.0815 or 0.0543 N·m for the third
# SEEN: 0.0085 N·m, neither: the rates of the three angles are put in for the speeds of the joint, which are angular velocities; a GimbalJoint of the same coordinates is right
# VERSIONS: opensim==4.6 numpy==2.4.6
# MATTERS: hip, shoulder or wrist moments of a model with ball or free joints are those of another motion, without a message
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check opensim==4.6 numpy==2.4.6
cd "$folder"
cat > seen.py <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import opensim as osim

print("opensim", version("opensim"), flush=True)
osim.Logger.setLevelString("Off")
INERTIA = np.array([0.02, 0.05, 0.04])  # [kg·m²]
TIME = 0.5  # [s]


def angles(t: float) -> np.ndarray:
    return np.array([0.5 + 0.8 * t, 0.7 * np.sin(2 * t) + 0.2, 0.3 * t * t])


def axes(t: float) -> tuple[np.ndarray, np.ndarray]:
    """Rotation of the body, X then Y then Z of the body, and the axes of the three angles [rows]."""
    a, b, c = angles(t)
    X = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    Y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    Z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    return X @ Y @ Z, np.array([[1, 0, 0], X[:, 1], (X @ Y)[:, 2]])


def as_speeds(t: float, h: float = 1e-4) -> np.ndarray:
    """Moment about the axes of the ground if rates of the angles were angular velocities [N·m]."""
    R, _ = axes(t)
    w = (angles(t + h) - angles(t - h)) / (2 * h)
    turning = (angles(t + h) - 2 * angles(t) + angles(t - h)) / h**2
    tensor = R @ np.diag(INERTIA) @ R.T
    return tensor @ turning + np.cross(w, tensor @ w)


def momentum(t: float, h: float = 1e-5) -> np.ndarray:
    """Angular momentum [N·m·s], from the rates of the angles."""
    R, rows = axes(t)
    return R @ np.diag(INERTIA) @ R.T @ rows.T @ ((angles(t + h) - angles(t - h)) / (2 * h))


def by_tool(kind: type) -> np.ndarray:
    """Moments of InverseDynamicsTool in the middle of the motion [N·m]."""
    model = osim.Model()
    model.setGravity(osim.Vec3(0, 0, 0))
    body = osim.Body("body", 2.0, osim.Vec3(0, 0, 0), osim.Inertia(*INERTIA, 0, 0, 0))
    model.addBody(body)
    model.addJoint(kind("joint", model.getGround(), body))
    model.finalizeConnections()
    model.printToXML("model.osim")
    times = np.linspace(0, 1, 201)
    names = [f"joint_coord_{k}" for k in range(3)]
    rows = ["\t".join(f"{x:.12f}" for x in (t, *angles(t))) for t in times]
    head = ["motion", "version=1", "nRows=201", "nColumns=4", "inDegrees=no", "endheader"]
    with open("motion.mot", "w") as file:
        file.write("\n".join([*head, "\t".join(["time", *names]), *rows]) + "\n")
    read = osim.Model("model.osim")  # the tool does not keep it alive
    tool = osim.InverseDynamicsTool()
    tool.setModel(read)
    tool.setCoordinatesFileName("motion.mot")
    tool.setStartTime(0)
    tool.setEndTime(1)
    tool.setResultsDir(".")
    tool.setOutputGenForceFileName("moments.sto")
    tool.run()
    table = osim.TimeSeriesTable("moments.sto")
    return table.getRowAtIndex(table.getNearestRowIndexForTime(TIME)).to_numpy().ravel()


ground = (momentum(TIME + 1e-4) - momentum(TIME - 1e-4)) / 2e-4
along = axes(TIME)[1] @ ground
ball, gimbal = by_tool(osim.BallJoint), by_tool(osim.GimbalJoint)
print(f"true moment about the axes of the ground {ground.round(4)}, along the coordinates {along.round(4)} N·m")
print(f"with the rates put in for speeds {as_speeds(TIME).round(4)} N·m")
print(f"BallJoint {ball.round(4)} N·m; GimbalJoint {gimbal.round(4)} N·m")
is_neither = abs(ball - ground).max() > 0.02 < abs(ball - along).max()
is_seen = np.allclose(ball, as_speeds(TIME), atol=1e-4)
sys.exit(0 if np.allclose(gimbal, along, atol=1e-4) and is_neither and is_seen else 1)
PYTHON
"$folder/venv/bin/python" seen.py
