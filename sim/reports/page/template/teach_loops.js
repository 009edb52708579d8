// Loops that passive joints close: their equations, and Newton's method from a closed pose beside, as in sim/kinematics/closure.py.
//
// Frame b of one link may not move against frame a of another in some ways (sim/kinematics/loop_rows.py). Where b is as seen from a,
// at p and turned by R:
//
//   along  e = d · p      square  e = u · R w      length  e = |p| - L      function  e = f(p, R)

import { evaluate, parse } from './language.js';
import { chances, cross, dot, leastSquares, minus, range, singularValues, solved, times, transposed } from './teach_linear.js';

const CLOSED = 1e-10; // m and rad
const CONVERGED = 1e-9; // of a correction [rad or m]; the error after it is about its square
const CONTRACTION = 0.25; // of one correction to the next
const ITERATIONS = 12;
const LONGEST = 0.1; // rad, or of the arm's length: a piece of the way; longer ones could come to another assembly
const SHORTEST = 1e-5; // of the same: nearer to where the loops close no farther nothing is looked for

const SINGULAR = 1e-4; // of the largest singular value: there the loops do not say which way the passive joints go on
const BESIDE = 0.5; // rad or m; a regular pose is near enough to leave a singular one by

const TRIED = 40; // places of the passive joints from which another assembly is looked for
const RELAXED = 60; // steps of such a search
const SAME = 1e-6; // rad or m; two assemblies that differ by less are one
const TAU = 2 * Math.PI;

const NONE = [0, 0, 0];
const STEP = 1e-6; // rad and m, of central differences; a gradient is right to its square
const READINGS = { // of frame b as seen from a, which a function may read
  DM: ({ p }) => Math.hypot(...p),
  DX: ({ p }) => p[0],
  DY: ({ p }) => p[1],
  DZ: ({ p }) => p[2],
  AX: ({ R, whole }) => whole(0, Math.atan2(-R[1][2], R[2][2])),
  AY: ({ R, whole }) => whole(1, Math.atan2(R[0][2], R[2][2])),
  AZ: ({ R, whole }) => whole(2, Math.atan2(R[1][0], R[0][0])),
};

/** A frame T (3 x 4 by rows) that a node carries, in the world. */
function frameAt(node, T) {
  const m = node.matrixWorld.elements;
  const own = range(3).map((r) => [m[r], m[4 + r], m[8 + r]]);
  const axes = transposed(T).map((column) => times(own, column)); // x y z and the place
  return { R: transposed(axes.slice(0, 3)), p: axes[3].map((x, r) => x + m[12 + r]) };
}

/** A function read: what it reads of the two frames stands as a name. */
function readFunction(text) {
  const bound = (node) => {
    if (node.call in READINGS) return { name: node.call };
    return node.parts ? { ...node, parts: node.parts.map(bound) } : node;
  };
  return bound(parse(text));
}

/** R turned further by a small angle about an axis of the frame that it is seen from, to its first order. */
const turned = (R, k, by) => {
  const [i, j] = [(k + 1) % 3, (k + 2) % 3];
  return R.map((row, r) => row.map((x, c) => x + by * (r === j ? R[i][c] : r === i ? -R[j][c] : 0)));
};

/** Value of a loop's function, and its gradient by the place and by the turning of frame b as seen from a. */
function functionRow({ tree, turns }, q, p, R) {
  const angles = new Map(turns.map(({ axis, of, at_zero }) => [axis, dot(of, q) + at_zero]));
  const whole = (axis, angle) => (angles.has(axis) ? angle + TAU * Math.round((angles.get(axis) - angle) / TAU) : angle);
  const beside = [STEP, -STEP].flatMap((by) => [...range(3).map((k) => ({ p: p.map((x, r) => (r === k ? x + by : x)), R, whole })), ...range(3).map((k) => ({ p, R: turned(R, k, by), whole }))]);
  const seen = [...beside, { p, R, whole }];
  const curves = new Map(Object.entries(READINGS).map(([name, of]) => [name, { v: Float64Array.from(seen, of), unit: '1' }]));
  const { v } = evaluate(tree, new Float64Array(seen.length), curves);
  const slopes = range(6).map((k) => (v[k] - v[6 + k]) / (2 * STEP));
  return [v[12], slopes.slice(0, 3), slopes.slice(3)];
}

/** Loops of an arm whose links are `nodes` by name; `facts` are those of the page. */
export const loopsOf = (facts, nodes) => facts.map((loop) => ({ ...loop, a: nodes.get(loop.link_a), b: nodes.get(loop.link_b), tree: loop.function === null ? null : readFunction(loop.function) }));

/** How far each equation is from being fulfilled [m or rad], and its gradient, a row of the joints each. */
export function loopEquations(arm) {
  const e = [];
  const J = [];
  for (const loop of arm.loops) {
    const { a, b, T_a, T_b, along, square, length, tree } = loop;
    const [A, B] = [frameAt(a, T_a), frameAt(b, T_b)];
    const back = transposed(A.R);
    const p = times(back, minus(B.p, A.p));
    const [of_a, of_b] = [a, b].map((node) => arm.rates(node, B.p));
    const apart = of_b.map((column, k) => minus(column, of_a[k]));
    const add = (value, force, moment) => {
      e.push(value);
      const row = [...times(A.R, force), ...times(A.R, moment)];
      J.push(apart.map((column) => dot(row, column)));
    };
    for (const d of along) add(dot(d, p), d, NONE);
    for (const [u, w] of square) {
      const z = times(back, times(B.R, w));
      add(dot(u, z), NONE, cross(z, u));
    }
    if (length !== null) {
      const far = Math.hypot(...p);
      add(far - length, p.map((x) => x / (far || 1)), NONE);
    }
    if (tree) add(...functionRow(loop, arm.q, p, transposed(transposed(B.R).map((column) => times(back, column)))));
  }
  return { e, J };
}

const largest = (values) => Math.max(0, ...values.map(Math.abs));
const isPassive = (arm, k) => arm.rows[k].passive;
const columnsOf = (arm, J, wanted) => range(arm.rows.length).filter(wanted).map((k) => J.map((row) => row[k]));

/** Moves the passive joints. */
function shift(arm, by) {
  let at = 0;
  arm.place(arm.q.map((x, k) => (isPassive(arm, k) ? x + by[at++] : x)));
}

export const isClosed = (arm) => largest(loopEquations(arm).e) <= CLOSED;

/** Newton's method for the passive joints, which gives up where it does not contract; whether the loops are closed. */
export function close(arm) {
  let last = Infinity;
  for (let k = 0; k < ITERATIONS; k++) {
    const { e, J } = loopEquations(arm);
    const change = leastSquares(columnsOf(arm, J, (r) => isPassive(arm, r)), e.map((x) => -x));
    const size = largest(change);
    if (!(size <= Math.max(CONTRACTION * last, CONVERGED))) return false;
    shift(arm, change);
    if (size <= CONVERGED) return isClosed(arm);
    last = size;
  }
  return false;
}

/** Remembers a pose that is regular; a singular one, where bars come to lie in one line, is left from the last regular one beside it. */
function standRegular(arm) {
  const { J } = loopEquations(arm);
  const sizes = singularValues(columnsOf(arm, J, (k) => isPassive(arm, k)));
  if (Math.min(...sizes) > SINGULAR * Math.max(...sizes)) arm.regular = arm.q;
  else if (arm.regular && largest(minus(arm.regular, arm.q)) <= BESIDE) arm.place(arm.regular);
}

/** One piece of the way, by the tangent and Newton's method; false leaves the joints anywhere. */
function step(arm, wanted) {
  standRegular(arm);
  const { J } = loopEquations(arm);
  const by = wanted.map((x, k) => (isPassive(arm, k) ? 0 : x - arm.q[k]));
  const change = leastSquares(columnsOf(arm, J, (k) => isPassive(arm, k)), times(J, by).map((x) => -x));
  arm.place(wanted.map((x, k) => (isPassive(arm, k) ? arm.q[k] : x)));
  shift(arm, change);
  return close(arm);
}

/**
 * Brings the driven joints to those of `wanted` on a straight line, the passive ones after them, from a pose with closed loops.
 * The share of the way on which the loops close: 1 where it is there. The arm stands where it came to.
 */
export function follow(arm, wanted) {
  const from = arm.q;
  const way = wanted.map((x, k) => (isPassive(arm, k) ? 0 : x - from[k]));
  const size = Math.max(...way.map((x, k) => Math.abs(x) / (arm.rows[k].sliding ? arm.facts.length : 1)));
  if (!size) return 1;
  let [done, piece] = [0, Math.min(1, LONGEST / size)];
  while (done < 1) {
    const next = done + piece > 1 - 1e-12 ? 1 : done + piece;
    const before = arm.q;
    if (step(arm, next === 1 ? wanted : from.map((x, k) => x + next * way[k]))) {
      done = next;
      piece = Math.min(2 * piece, LONGEST / size);
    } else {
      arm.place(before);
      piece = (next - done) / 2;
      if (piece * size < SHORTEST) break;
    }
  }
  return done;
}

/** Brings the passive joints near to where the loops close, from anywhere (Levenberg-Marquardt). */
function relax(arm) {
  let damping = 1e-2;
  let { e, J } = loopEquations(arm);
  for (let k = 0; k < RELAXED && largest(e) > CONVERGED; k++) {
    const columns = columnsOf(arm, J, (r) => isPassive(arm, r));
    const A = columns.map((a, r) => columns.map((b, c) => dot(a, b) + (r === c ? damping : 0)));
    const before = arm.q;
    shift(arm, solved(A, columns.map((column) => -dot(column, e))));
    const next = loopEquations(arm);
    if (Math.hypot(...next.e) < Math.hypot(...e)) {
      ({ e, J } = next);
      damping /= 6;
    } else {
      arm.place(before);
      damping *= 8;
    }
  }
}

/** The ways to close the loops with the driven joints as they stand that a search finds, in an order of their own; the arm stays. */
export function assemblies(arm) {
  const start = arm.q;
  const chance = chances();
  const anywhere = ({ low, high, sliding }, x) => {
    const half = sliding ? arm.facts.length : Math.PI;
    const [a, b] = [Math.max(low, x - half), Math.min(high, x + half)];
    return a + (b - a) * chance();
  };
  const near = (x, k) => (arm.rows[k].passive && arm.rows[k].turns ? x - TAU * Math.round((x - start[k]) / TAU) : x);
  const found = [start];
  for (let k = 0; k < TRIED; k++) {
    arm.place(start.map((x, r) => (isPassive(arm, r) ? anywhere(arm.rows[r], x) : x)));
    relax(arm);
    if (!close(arm)) continue;
    const q = arm.q.map(near);
    if (q.every((x, r) => !isPassive(arm, r) || (x >= arm.rows[r].low - SAME && x <= arm.rows[r].high + SAME)) && !found.some((other) => largest(minus(other, q)) <= SAME)) found.push(q);
  }
  arm.place(start);
  const key = (q) => q.map((x, k) => (arm.rows[k].turns ? Math.sin(x - 1) : x)); // the same after whole turns, and from each of them
  return found.map((q) => [key(q), q]).sort(([a], [b]) => { const k = a.findIndex((x, r) => Math.abs(x - b[r]) > SAME); return k < 0 ? 0 : a[k] - b[k]; }).map(([, q]) => q);
}

/** The tool's Jacobian by the driven joints, whose passive ones follow: a column of six for each driven joint. */
export function drivenJacobian(arm) {
  const whole = arm.jacobian();
  const { J } = loopEquations(arm);
  const passive = columnsOf(arm, J, (k) => isPassive(arm, k));
  const follows = range(whole.length).filter((k) => isPassive(arm, k));
  return range(whole.length).filter((k) => !isPassive(arm, k)).map((k) => {
    const rates = leastSquares(passive, J.map((row) => -row[k]));
    return whole[k].map((x, r) => x + follows.reduce((sum, row, at) => sum + rates[at] * whole[row][r], 0));
  });
}
