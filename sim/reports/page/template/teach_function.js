// A loop whose function of two frames stays zero: its value, and its gradient by central differences.

import { evaluate, parse } from './language.js';
import { range, times } from './teach_linear.js';

const STEP = 1e-6; // m and rad; a gradient is right to its square
const READINGS = {
  DM: ({ p }) => Math.hypot(...p),
  DX: ({ p }) => p[0],
  DY: ({ p }) => p[1],
  DZ: ({ p }) => p[2],
  AX: ({ R, whole }) => whole(0, Math.atan2(-R[1][2], R[2][2])),
  AY: ({ R, whole }) => whole(1, Math.atan2(R[0][2], R[2][2])),
  AZ: ({ R, whole }) => whole(2, Math.atan2(R[1][0], R[0][0])),
};

/** The function read: what it reads of the two frames stands as a name. */
export function readFunction(text) {
  const bound = (node) => {
    if (node.call in READINGS) return { name: node.call };
    return node.parts ? { ...node, parts: node.parts.map(bound) } : node;
  };
  return bound(parse(text));
}

const moved = (p, k, by) => p.map((x, r) => (r === k ? x + by : x));

/** R turned further by a small angle about an axis of the frame that it is seen from. */
function turned(R, k, by) {
  const [i, j] = [(k + 1) % 3, (k + 2) % 3];
  const turn = range(3).map((r) => range(3).map((c) => (r === c ? 1 : 0)));
  turn[i][i] = turn[j][j] = Math.cos(by);
  turn[i][j] = -Math.sin(by);
  turn[j][i] = Math.sin(by);
  return range(3).map((r) => range(3).map((c) => times([turn[r]], range(3).map((m) => R[m][c]))[0]));
}

/** Value, and gradient by the place and by the turning of frame b as seen from a; `turns` are the angles with their whole turns. */
export function functionRow(tree, { p, R }, turns) {
  const whole = (axis, angle) => (axis in turns ? angle + 2 * Math.PI * Math.round((turns[axis] - angle) / (2 * Math.PI)) : angle);
  const seen = [{ p, R, whole }];
  for (const by of [STEP, -STEP]) {
    for (const k of range(3)) seen.push({ p: moved(p, k, by), R, whole });
    for (const k of range(3)) seen.push({ p, R: turned(R, k, by), whole });
  }
  const curves = new Map(Object.entries(READINGS).map(([name, of]) => [name, { v: Float64Array.from(seen, of), unit: '1' }]));
  const { v } = evaluate(tree, new Float64Array(seen.length), curves);
  const slope = range(6).map((k) => (v[1 + k] - v[7 + k]) / (2 * STEP));
  return { value: v[0], force: slope.slice(0, 3), moment: slope.slice(3) };
}
