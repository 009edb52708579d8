#!/usr/bin/env bash
# TITLE: Rapier's position motor divides its stiffness by neither the inertia about the hinge nor none
# GUESS: 5 N·m/rad at 1 rad accelerates 0.07 kg·m² by 71.4 rad/s², or, where the motor model sets accelerations, by 5 rad/s² whatever the body
# SEEN: 2.14 rad/s²: the default model counts the body's inertia about its mass centre, 0.03 of 0.07 kg·m²; ForceBased gives 71.4
# VERSIONS: @dimforge/rapier3d-compat@0.21.0
# MATTERS: a motor's stiffness is neither N·m/rad nor 1/s²: an arm of the same gains is as slow as its mass is far from its hinge
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --prefix "$folder" --silent --no-fund --no-audit @dimforge/rapier3d-compat@0.21.0
cd "$folder"
cat > seen.mjs <<'JAVASCRIPT'
import { readFileSync } from "node:fs";
import RAPIER from "@dimforge/rapier3d-compat";

const file = "node_modules/@dimforge/rapier3d-compat/package.json";
console.log("@dimforge/rapier3d-compat", JSON.parse(readFileSync(file, "utf8")).version);
await RAPIER.init();
const STEP = 1e-4; // [s]

/** Acceleration in one step of a rod of 1 kg, its mass centre at x beside the hinge [rad/s²]. */
function acceleration(x, model) {
  const world = new RAPIER.World({ x: 0, y: 0, z: 0 });
  world.timestep = STEP;
  const zero = { x: 0, y: 0, z: 0 };
  const tensor = { x: 0.02, y: 0.03, z: 0.04 }; // about the mass centre [kg·m²]
  const mass = RAPIER.RigidBodyDesc.dynamic().setAdditionalMassProperties(
    1, { x, y: 0, z: 0 }, tensor, { x: 0, y: 0, z: 0, w: 1 });
  const base = world.createRigidBody(RAPIER.RigidBodyDesc.fixed());
  const rod = world.createRigidBody(mass);
  const hinge = RAPIER.JointData.revolute(zero, zero, { x: 0, y: 1, z: 0 });
  const joint = world.createImpulseJoint(hinge, base, rod, true);
  if (model !== null) joint.configureMotorModel(model);
  joint.configureMotorPosition(1.0, 5.0, 0.0); // target [rad], stiffness, damping
  world.step();
  return rod.angvel().y / STEP;
}

const near = (a, b) => Math.abs(a / b - 1) < 1e-3;
let isAsSeen = true;
for (const x of [0, 0.2, 0.4]) {
  const inertia = 0.03 + x * x;
  const [plain, force] = [acceleration(x, null), acceleration(x, RAPIER.MotorModel.ForceBased)];
  console.log(`inertia about the hinge ${inertia.toFixed(2)} kg·m²: default ${plain.toFixed(4)} rad/s², ` +
    `ForceBased ${force.toFixed(4)}; 5 N·m ${(5 / inertia).toFixed(4)}, 5·0.03/inertia ${(0.15 / inertia).toFixed(4)}`);
  isAsSeen &&= near(force, 5 / inertia) && near(plain, 0.15 / inertia);
}
process.exit(isAsSeen ? 0 : 1);
JAVASCRIPT
node seen.mjs
