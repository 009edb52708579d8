#!/usr/bin/env bash
# TITLE: liquid-pid takes a gain of 0 as its default, and its `tune` changes nothing
# GUESS: 2 for Kp 2, Ki 0, Kd 0 and an error of 1; after `tune(5, 6, 7)` 5 + 6 + 7 = 18
# SEEN: 1000, the limit, as Ki 0 is taken as 1000 and Kd 0 as 9; after `tune` still 4, by the old gains 2, 1, 1: numbers are what it refuses
# VERSIONS: liquid-pid@1.0.0
# MATTERS: a proportional controller is an on-off controller, and tuning by a program has no effect
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --prefix "$folder" --silent --no-fund --no-audit liquid-pid@1.0.0
cd "$folder"
cat > seen.cjs <<'JAVASCRIPT'
const PID = require("liquid-pid");

console.log("liquid-pid", require("liquid-pid/package.json").version);
/** A controller to 10 degrees; its output is in the same unit as its gains for a maximum of 1000. */
const controller = (Kp, Ki, Kd) => new PID({ temp: { ref: 10 }, Pmax: 1000, Kp, Ki, Kd });
const MEASURED = 9; // an error of 1
const zero = controller(2, 0, 0).calculate(MEASURED);
const tiny = controller(2, 1e-9, 1e-9).calculate(MEASURED);
console.log(`gains 2, 0, 0: ${zero}; gains 2, 1e-9, 1e-9: ${tiny.toFixed(6)}; Kp·e = 2`);
const tuned = controller(2, 1, 1);
tuned.tune(5, 6, 7);
const after = tuned.calculate(MEASURED);
const before = controller(2, 1, 1).calculate(MEASURED);
console.log(`gains 2, 1, 1: ${before}; after tune(5, 6, 7): ${after}; first output (Kp + Ki + Kd)·e = 4 and 18`);
process.exit(zero === 1000 && Math.abs(tiny - 2) < 1e-6 && before === 4 && after === 4 ? 0 : 1);
JAVASCRIPT
node seen.cjs
