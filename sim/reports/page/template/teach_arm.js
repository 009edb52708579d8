// Inverse kinematics of an arm of `arm.js`, with its loops closed.

import { branchAt, branchesOf } from './teach_branches.js';
import { chances, cross, dot, minus, range, singularValues, solved } from './teach_linear.js';
import { close, drivenJacobian, follow, isClosed, loopEquations } from './teach_loops.js';

const REACHED = 1e-9; // m and rad
const CLOSE = 5e-3; // m and rad; what axes that miss their family's geometry may leave to the search
const SLACK = 1e-9; // rad and m; an end printed with fewer digits than a solution is still kept
const STARTS = 60; // from which a pose is looked for, always the same ones
const FEWER = 12; // of a robot whose loops must be closed in each
const STEPS = 200; // of a search
const SAME = 1e-6; // rad and m; two solutions that differ by less are one
const TAU = 2 * Math.PI;

/** Smallest singular value of the Jacobian, by the driven joints where loops move the others; lengths over that of the chain. */
export function leastSingular(arm) {
  const J = arm.isLooped ? drivenJacobian(arm) : arm.jacobian();
  return Math.min(...singularValues(J.map((column) => column.map((x, r) => (r < 3 ? x / arm.facts.length : x)))));
}

/** Brings the arm to `q` with its loops closed: to positions that close them as they are, else with the driven joints as there. The share of the way that it came. */
export function bring(arm, q) {
  const before = arm.q;
  arm.place(q);
  if (!arm.isLooped || isClosed(arm)) return 1;
  arm.place(before);
  return follow(arm, q);
}

/** How far the tool is from a wanted pose: metres, and the turn there as a vector [rad], in the world. */
function away(arm, wanted) {
  const now = arm.pose();
  const d = range(3).map((r) => wanted[r][3] - now[r][3]);
  const R = range(3).map((r) => range(3).map((c) => dot(wanted[r].slice(0, 3), now[c])));
  const v = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]];
  const [s, c] = [Math.hypot(...v) / 2, (R[0][0] + R[1][1] + R[2][2] - 1) / 2];
  if (s > 1e-12) return [...d, ...v.map((x) => (x / 2) * (Math.atan2(s, c) / s))];
  if (c > 0) return [...d, ...v.map((x) => x / 2)];
  const most = range(3).reduce((best, k) => (R[k][k] > R[best][best] ? k : best), 0); // half a turn
  const axis = range(3).map((r) => R[r][most] + (r === most ? 1 : 0));
  return [...d, ...axis.map((x) => (Math.PI * x) / Math.hypot(...axis))];
}

/** What is left to a wanted pose, and of the loops; and its gradient, a column for each joint. */
const left = (arm, wanted) => [...away(arm, wanted), ...loopEquations(arm).e];
function gradient(arm) {
  const { J } = loopEquations(arm);
  return arm.jacobian().map((column, k) => [...column, ...J.map((row) => -row[k])]);
}

/** Levenberg-Marquardt from the joints as they stand, within their ends if `bounded`; how far it ends from the pose. */
function approach(arm, wanted, bounded) {
  let damping = 1e-3;
  let e = left(arm, wanted);
  for (let step = 0; step < STEPS && Math.hypot(...e) > 1e-13; step++) {
    const J = gradient(arm);
    const A = J.map((a, r) => J.map((b, c) => dot(a, b) + (r === c ? damping : 0)));
    const change = solved(A, J.map((column) => dot(column, e)));
    const before = arm.q;
    arm.place(before.map((x, k) => (bounded ? Math.min(Math.max(x + change[k], arm.rows[k].low), arm.rows[k].high) : x + change[k])));
    const next = left(arm, wanted);
    if (Math.hypot(...next) < Math.hypot(...e)) {
      e = next;
      damping = Math.max(1e-14, damping / 6);
    } else {
      arm.place(before);
      damping *= 8;
      if (damping > 1e6) break;
    }
  }
  return Math.hypot(...e);
}

const within = (value, { low, high }) => value >= low - SLACK && value <= high + SLACK;

/** The copy by whole turns that is nearest to `near` within the joints' ends, or else the nearest of all. */
function nearest(arm, q, near) {
  return q.map((x, k) => {
    if (!arm.rows[k].turns) return x;
    const copies = [-2, -1, 0, 1, 2].map((n) => x + n * TAU);
    const inside = copies.filter((v) => within(v, arm.rows[k]));
    return (inside.length ? inside : copies).reduce((best, v) => (Math.abs(v - near[k]) < Math.abs(best - near[k]) - SLACK ? v : best)); // of two as near the lower
  });
}

const travel = (q, near) => Math.max(...q.map((x, k) => Math.abs(x - near[k])));

/** Other places where a search may begin, always the same ones. */
function places(arm, count) {
  const chance = chances();
  const place = ({ low, high, turns }) => { const [a, b] = turns ? [Math.max(low, -Math.PI), Math.min(high, Math.PI)] : [low, high]; return a + (b - a) * chance(); };
  return range(count).map(() => arm.rows.map(place));
}

/**
 * Joints that bring the tool to a pose, those within the joints' ends (`inside`) first and the nearest of them first, by their
 * largest move; none if it is out of reach. Of an arm with a closed form they are all its branches, by name. Any other
 * is searched: from a singular pose, such as a stretched arm, and against a joint's end a search often stops
 * short, hence from many places. The arm stays.
 */
export function solutions(arm, wanted) {
  const { family } = arm.facts;
  if (arm.isLooped) return closedSolutions(arm, wanted);
  const start = arm.q;
  const found = [];
  const begin = family ? branchesOf(family, wanted, start).filter(({ gap }) => gap <= CLOSE) : [start, ...places(arm, STARTS)].map((q) => ({ q, label: '' }));
  for (const { q: from, label } of begin) {
    arm.place(from);
    const off = approach(arm, wanted, !family);
    const q = nearest(arm, arm.q, start);
    if (off > REACHED || found.some((other) => travel(other.q, q) <= SAME)) continue;
    found.push({ q, off, label, travel: travel(q, start), inside: q.every((x, k) => within(x, arm.rows[k])) });
  }
  arm.place(start);
  return found.sort((a, b) => b.inside - a.inside || a.travel - b.travel);
}

/** The same of an arm whose loops are closed by passive joints: those that it comes to, from where it stands, with its loops closed. */
function closedSolutions(arm, wanted) {
  const start = arm.q;
  const driven = (q) => q.filter((_, k) => !arm.rows[k].passive);
  const found = [];
  for (const q of [start, ...places(arm, FEWER)]) {
    arm.place(start);
    follow(arm, q); // as far as the loops close
    const begin = arm.q;
    approach(arm, wanted, true);
    if (!close(arm)) continue;
    const [there, off] = [arm.q, Math.hypot(...away(arm, wanted))];
    if (off > REACHED || found.some((other) => travel(other.q, there) <= SAME)) continue;
    arm.place(begin);
    if (follow(arm, there) < 1 || travel(arm.q, there) > SAME) continue; // another assembly
    found.push({ q: there, off, label: '', travel: travel(driven(there), driven(start)), inside: there.every((x, k) => within(x, arm.rows[k])) });
  }
  arm.place(start);
  return found.sort((a, b) => b.inside - a.inside || a.travel - b.travel);
}

/** The name of the branch that the arm stands in; empty where it has no closed form. */
export const branchOf = (arm) => (arm.facts.family ? branchAt(arm.facts.family, arm.pose(), arm.q) : '');
