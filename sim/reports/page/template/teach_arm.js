// A robot that is moved by its joints: pose of the tool, Jacobian, inverse kinematics.
//
// Poses are 3 x 4 by rows, of the tool frame in the world [m]; joints in rad or m.

import { branchAt, branchesOf } from './teach_branches.js';

const REACHED = 1e-9; // m and rad
const CLOSE = 5e-3; // m and rad; what axes that miss their family's geometry may leave to the search
const SLACK = 1e-9; // rad and m; an end printed with fewer digits than a solution is still kept
const STARTS = 60; // from which a pose is looked for, always the same ones
const STEPS = 200; // of a search
const SAME = 1e-6; // rad and m; two solutions that differ by less are one
const TAU = 2 * Math.PI;

const range = (count) => Array.from({ length: count }, (_, k) => k);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** The arm of a scene's root: `q` of its independent joints; those that follow move with them. */
export function armOf(root, facts, { Vector3 }) {
  const carried = new Map(facts.tree.map((joint) => [joint.name, joint]));
  const moved = []; // the nodes that joints move
  let tool = null;
  root.traverse((node) => {
    const { link, joint, axis, kind } = node.userData;
    if (link === facts.tool) tool = node;
    if (joint) moved.push({ ...carried.get(joint), node, axis: new Vector3(...axis), sliding: kind === 'prismatic', at: node.position.clone() });
  });
  const above = new Set(); // of the tool: only these move it
  for (let node = tool; node; node = node.parent) above.add(node);
  const arm = { facts, rows: facts.rows, q: facts.rows.map(({ start }) => start), tool };

  arm.place = (q = arm.q) => {
    arm.q = [...q];
    for (const { node, axis, sliding, at, of, offset } of moved) {
      const value = dot(of, arm.q) + offset;
      if (sliding) node.position.copy(at).addScaledVector(axis, value);
      else node.quaternion.setFromAxisAngle(axis, value);
    }
    root.updateMatrixWorld(true);
  };
  arm.pose = () => {
    const e = tool.matrixWorld.elements;
    return [0, 1, 2].map((r) => [e[r], e[4 + r], e[8 + r], e[12 + r]]);
  };
  arm.jacobian = () => {
    const place = (node) => [...node.matrixWorld.elements.slice(12, 15)];
    const p = place(tool);
    const columns = arm.rows.map(() => new Array(6).fill(0));
    for (const { node, axis, sliding, of } of moved) {
      if (!above.has(node)) continue;
      const z = axis.clone().transformDirection(node.parent.matrixWorld).toArray();
      const o = place(node);
      const column = sliding ? [...z, 0, 0, 0] : [...cross(z, p.map((x, k) => x - o[k])), ...z];
      of.forEach((share, k) => { if (share) column.forEach((x, r) => { columns[k][r] += share * x; }); });
    }
    return columns;
  };
  arm.place();
  return arm;
}

/** Smallest singular value of the Jacobian, lengths over that of the chain: by Jacobi's rotations of its columns. */
export function leastSingular(arm) {
  let A = arm.jacobian().map((column) => column.map((x, r) => (r < 3 ? x / arm.facts.length : x)));
  if (A.length > 6) A = range(6).map((r) => A.map((column) => column[r]));
  for (let sweep = 0; sweep < 30; sweep++) {
    let turned = false;
    for (let p = 0; p < A.length; p++) for (let q = p + 1; q < A.length; q++) {
      const [pp, qq, pq] = [dot(A[p], A[p]), dot(A[q], A[q]), dot(A[p], A[q])];
      if (Math.abs(pq) <= 1e-16 * Math.sqrt(pp * qq) || !pq) continue;
      turned = true;
      const way = (qq - pp) / (2 * pq);
      const t = (way < 0 ? -1 : 1) / (Math.abs(way) + Math.hypot(way, 1));
      const c = 1 / Math.hypot(t, 1);
      const [a, b] = [A[p], A[q]];
      A[p] = a.map((x, k) => c * (x - t * b[k]));
      A[q] = b.map((x, k) => c * (x + t * a[k]));
    }
    if (!turned) break;
  }
  return Math.min(...A.map((column) => Math.sqrt(dot(column, column))));
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

/** x of A x = b, by elimination with pivots. */
function solved(A, b) {
  const n = b.length;
  const M = A.map((row, k) => [...row, b[k]]);
  for (let k = 0; k < n; k++) {
    const best = range(n).slice(k).reduce((most, r) => (Math.abs(M[r][k]) > Math.abs(M[most][k]) ? r : most), k);
    [M[k], M[best]] = [M[best], M[k]];
    for (let r = k + 1; r < n; r++) {
      const share = M[r][k] / M[k][k];
      for (let c = k; c <= n; c++) M[r][c] -= share * M[k][c];
    }
  }
  const x = new Array(n).fill(0);
  for (let k = n - 1; k >= 0; k--) x[k] = (M[k][n] - dot(M[k].slice(k + 1, n), x.slice(k + 1))) / M[k][k];
  return x;
}

/** Levenberg-Marquardt from the joints as they stand, within their ends if `bounded`; how far it ends from the pose. */
function approach(arm, wanted, bounded) {
  let damping = 1e-3;
  let e = away(arm, wanted);
  for (let step = 0; step < STEPS && Math.hypot(...e) > 1e-13; step++) {
    const J = arm.jacobian();
    const A = J.map((a, r) => J.map((b, c) => dot(a, b) + (r === c ? damping : 0)));
    const change = solved(A, J.map((column) => dot(column, e)));
    const before = arm.q;
    arm.place(before.map((x, k) => (bounded ? Math.min(Math.max(x + change[k], arm.rows[k].low), arm.rows[k].high) : x + change[k])));
    const next = away(arm, wanted);
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

/** Where a search may begin that has no closed form: as the arm stands, and STARTS other places, always the same ones. */
function starts(arm) {
  let seed = 1;
  const chance = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const place = ({ low, high, turns }) => { const [a, b] = turns ? [Math.max(low, -Math.PI), Math.min(high, Math.PI)] : [low, high]; return a + (b - a) * chance(); };
  return [arm.q, ...range(STARTS).map(() => arm.rows.map(place))].map((q) => ({ q, label: '' }));
}

/**
 * Joints that bring the tool to a pose, those within the joints' ends (`inside`) first and the nearest of them first, by their
 * largest move; none if it is out of reach. Of an arm with a closed form they are all its branches, by name. Any other
 * is searched: from a singular pose, such as a stretched arm, and against a joint's end a search often stops
 * short, hence from many places. The arm stays.
 */
export function solutions(arm, wanted) {
  const { family } = arm.facts;
  const start = arm.q;
  const found = [];
  const begin = family ? branchesOf(family, wanted, start).filter(({ gap }) => gap <= CLOSE) : starts(arm);
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

/** The name of the branch that the arm stands in; empty where it has no closed form. */
export const branchOf = (arm) => (arm.facts.family ? branchAt(arm.facts.family, arm.pose(), arm.q) : '');
