#!/usr/bin/env bash
# TITLE: math3d loses the turn about Y when it looks straight up or down: Euler angles 90, 30, 0 come back as 90, 0, 0
# GUESS: angles of the same orientation: 90, 30, 0 or 90, 0, -30 degrees
# SEEN: 90, 0, 0, an orientation 30 degrees away, and likewise at -90; at 80, 30, 0 the angles come back
# VERSIONS: math3d@0.2.2
# MATTERS: a tool that points straight up or down loses its heading when its pose is written as Euler angles
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --prefix "$folder" --silent --no-fund --no-audit math3d@0.2.2
cd "$folder"
cat > seen.cjs <<'JAVASCRIPT'
const { Quaternion } = require("math3d");

console.log("math3d", require("math3d/package.json").version);
/** Angle between two orientations [degrees]. */
function between(p, q) {
  const dot = Math.abs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w);
  return (2 * Math.acos(Math.min(1, dot)) * 180) / Math.PI;
}

/** How far the Euler angles of an orientation are from it [degrees]. */
function lost(x, y, z) {
  const given = Quaternion.Euler(x, y, z);
  const read = given.eulerAngles;
  const angle = between(given, Quaternion.Euler(read.x, read.y, read.z));
  const shown = [read.x, read.y, read.z].map((value) => value.toFixed(3)).join(", ");
  console.log(`given ${x}, ${y}, ${z}: read ${shown}; ${angle.toFixed(4)} degrees apart, right 0`);
  return angle;
}

const seen = [lost(90, 30, 0), lost(-90, 30, 0), lost(80, 30, 0)];
const same = between(Quaternion.Euler(90, 30, 0), Quaternion.Euler(90, 0, -30)); // at the pole y and -z are one turn
console.log(`90, 30, 0 and 90, 0, -30 are ${same.toFixed(4)} degrees apart`);
const near = (a, b) => Math.abs(a - b) < 1e-4;
process.exit(near(seen[0], 30) && near(seen[1], 30) && near(seen[2], 0) && near(same, 0) ? 0 : 1);
JAVASCRIPT
node seen.cjs
