// What if: torques of a prescribed motion for another payload, speed and gravity, and what the ratings allow.
//
//   tau = r² (D0 + Σ D_k θ_k) + γ (G0 + Σ G_k θ_k) + r V + f sign(qd) + E
//
// as `sim/reports/page/what_if.py` has it; r: speed over the run's, γ: gravity over 9.81 m/s², θ: the payload's ten numbers.

import { coefficients, curveAt, extreme, senseAt, senseOf } from './whatif_series.js';
import { linkRange, meanRatings, meanShares, motorAt, motorPeak, motorRows, speedRange, thinned } from './whatif_trains.js';

const MOST_SAMPLES = 1600;
const LARGEST_MASS = 1e6; // kg: as good as any
const FASTEST = 1e3; // times the run's speed
const [LOOKED, HALVED] = [12, 44]; // places between which a share over a cycle is taken to cross 1 once, and how often they are halved
const [LOOKED_FEW, HALVED_FEW] = [4, 8]; // for a picture
const BLOCKS = 19; // D0 G0 qd D(10) G(4) E V
const STANDARD = 9.81;

/** A joint with its ratings, Infinity without one; the torque that the link may get is the weaker of its own and the gear's. */
function rated(joint) {
  const [effort, gear] = [joint.effort ?? Infinity, joint.train?.gear_peak ?? Infinity];
  return { ...joint, effort: Math.min(effort, gear), weakest: gear < effort ? 'gear peak' : 'torque', velocity: joint.velocity ?? Infinity };
}

/** All curves at samples that end and begin at each corner (two at one time), with weights of Simpson's rule. */
export function openCurves(facts, bytes) {
  const whole = coefficients(bytes, facts.width);
  const n = facts.joints.length;
  const joints = facts.joints.map(rated);
  const first = facts.pieces[0][0];
  const counts = facts.pieces.map(([a, b]) => 2 * Math.ceil(((b - a) / facts.duration) * MOST_SAMPLES / 2) + 9);
  const N = counts.reduce((sum, c) => sum + c, 0);
  const rows = Array.from({ length: BLOCKS * n }, () => new Float64Array(N));
  const [t, w, piece] = [new Float64Array(N), new Float64Array(N), new Uint32Array(N)];
  const series = []; // of each piece: where it begins in `whole`, and its length
  let [at, from] = [0, 0];
  facts.pieces.forEach(([a, b, d], p) => {
    const count = counts[p];
    series.push({ a, b, d, from });
    const T = Array.from({ length: d }, () => new Float64Array(count));
    for (let i = 0; i < count; i++) {
      const x = (2 * i) / (count - 1) - 1;
      t[at + i] = a + ((b - a) * i) / (count - 1);
      w[at + i] = ((b - a) / (count - 1) / 3) * (i === 0 || i === count - 1 ? 1 : i % 2 ? 4 : 2);
      piece[at + i] = p;
      for (let k = 0; k < d; k++) T[k][i] = k === 0 ? 1 : k === 1 ? x : 2 * x * T[k - 1][i] - T[k - 2][i];
    }
    rows.forEach((row, r) => {
      for (let k = 0; k < d; k++) {
        const c = whole[from++] * facts.worth[r];
        if (c !== 0) for (let i = 0; i < count; i++) row[at + i] += c * T[k][i];
      }
    });
    at += count;
  });
  const block = (k) => rows.slice(k * n, (k + 1) * n);
  const made = { ...facts, joints, n, N, t, w, piece, series, whole, first, D0: block(0), G0: block(1), qd: block(2), E: block(17), V: block(18),
    D: Array.from({ length: 10 }, (_, k) => block(3 + k)), G: Array.from({ length: 4 }, (_, k) => block(13 + k)) };
  made.topSpeed = made.qd.map((v, j) => extreme(made, (i) => Math.abs(v[i]), (p, s) => Math.abs(curveAt(made, 2 * n + j, p, s))).value);
  made.dry = joints.map(({ dry }, j) => (dry ? made.qd[j].map((v) => dry * senseOf(v, made.topSpeed[j])) : null));
  made.motor = joints.map((_, j) => motorRows(made, j));
  made.was = evaluated(made, made.run);
  const thin = (row) => row?.filter((_, i) => i % 4 === 0);
  const all = (list) => list.map(thin);
  made.few = { ...made, N: thin(t).length, t: thin(t), D0: all(made.D0), G0: all(made.G0), qd: all(made.qd), E: all(made.E), V: all(made.V), dry: all(made.dry), w: thinned(made.w), motor: made.motor.map((rows) => rows && Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, thin(row)]))), D: made.D.map(all), G: made.G.map(all) };
  return made;
}

/** Ten numbers of a payload about the tool frame, with its mass centre at x y z and its radius of gyration `spread`. */
function theta({ mass: m, x, y, z, spread }, shape) {
  const own = shape.map((s) => m * spread * spread * s);
  return [m, m * x, m * y, m * z, m * x * x + own[0], m * x * y + own[1], m * x * z + own[2], m * y * y + own[3], m * y * z + own[4], m * z * z + own[5]];
}

/** tau = r² D + r V + C of each joint, for a payload and a gravity. */
export function parts(one, at) {
  const th = theta(at, one.shape);
  const g = at.gravity / STANDARD;
  const D = one.D0.map((d) => d.slice());
  const C = one.G0.map((c) => c.slice());
  const add = (to, row, f) => { if (f !== 0) for (let i = 0; i < one.N; i++) to[i] += f * row[i]; };
  for (let j = 0; j < one.n; j++) {
    for (let k = 0; k < 10; k++) add(D[j], one.D[k][j], th[k]);
    for (let k = 0; k < 4; k++) add(C[j], one.G[k][j], th[k]);
    const [c, dry, e] = [C[j], one.dry[j], one.E[j]];
    for (let i = 0; i < one.N; i++) c[i] = g * c[i] + (dry ? dry[i] : 0) + e[i];
  }
  return { D, C, V: one.V };
}

/** The same of one joint at any time of a piece: [D, V, C]. */
function partsAt(one, at, j, p, time) {
  const th = theta(at, one.shape);
  const value = (block) => curveAt(one, block * one.n + j, p, time);
  let [d, c] = [value(0), value(1)];
  for (let k = 0; k < 10; k++) if (th[k] !== 0) d += th[k] * value(3 + k);
  for (let k = 0; k < 4; k++) if (th[k] !== 0) c += th[k] * value(13 + k);
  const { dry } = one.joints[j];
  const qd = dry ? value(2) : 0;
  return [d, value(18), (at.gravity / STANDARD) * c + (dry ? dry * senseAt(one, j, p, time, qd) : 0) + value(17)];
}

/** Torques and what they ask of each drive. */
export function evaluated(one, at) {
  const p = parts(one, at);
  const r = at.speed;
  const tau = p.D.map((d, j) => {
    const out = new Float64Array(one.N);
    const [c, v] = [p.C[j], p.V[j]];
    for (let i = 0; i < one.N; i++) out[i] = r * r * d[i] + r * v[i] + c[i];
    return out;
  });
  const sizing = tau.map((y, j) => {
    let [square, delivered, back, power] = [0, 0, 0, 0];
    const [qd, { w, duration }] = [one.qd[j], one];
    for (let i = 0; i < one.N; i++) {
      const P = y[i] * qd[i] * r;
      square += w[i] * y[i] * y[i];
      if (P > power) power = P;
      if (P > 0) delivered += (w[i] * P) / r; else back -= (w[i] * P) / r;
    }
    const exactly = (piece, time) => { const [d, v, c] = partsAt(one, at, j, piece, time); return r * r * d + r * v + c; };
    const most = extreme(one, (i) => Math.abs(y[i]), (piece, time) => Math.abs(exactly(piece, time)));
    const { effort, velocity } = one.joints[j];
    const speed = one.topSpeed[j] * r;
    const motor = motorPeak(one, j, y, r, exactly);
    return { motor, ...meanShares(one, j, y, r), peak: y[most.i] < 0 ? -most.value : most.value, at: most.t, rms: Math.sqrt(square / duration), speed, power, delivered, back, share: most.value / effort, fast: speed / velocity };
  });
  return { tau, sizing, parts: p };
}

/** Largest mass inside all ratings with the rest as it is: at each place torque is a straight line of the mass. `mean`: by cycles, too. */
export function heaviest(one, at, mean = true) {
  const [none, some] = [{ ...at, mass: 0 }, { ...at, mass: 1 }];
  const [empty, more] = [parts(one, none), parts(one, some)];
  const [r, rr] = [at.speed, at.speed * at.speed];
  const limit = ([lo, hi], A, slope) => (A > hi + 1e-12 * Math.abs(hi) || A < lo - 1e-12 * Math.abs(lo) ? -1 : slope > 0 ? (hi - A) / slope : slope < 0 ? (lo - A) / slope : Infinity);
  const torque = ([d, v, c]) => rr * d + r * v + c;
  let best = { mass: Infinity };
  const tau = (j, m) => empty.D[j].map((d, i) => rr * (d + m * (more.D[j][i] - d)) + r * empty.V[j][i] + empty.C[j][i] + m * (more.C[j][i] - empty.C[j][i]));
  one.joints.forEach(({ effort: R, weakest, train }, j) => {
    const V = empty.V[j];
    const most = (what, rangeOf, rangeAt) => {
      const sampled = (i) => {
        const A = rr * empty.D[j][i] + empty.C[j][i] + r * V[i];
        return -limit(rangeOf(i), A, rr * (more.D[j][i] - empty.D[j][i]) + more.C[j][i] - empty.C[j][i]);
      };
      const exactly = (p, time) => { const A = torque(partsAt(one, none, j, p, time)); return -limit(rangeAt(p, time), A, torque(partsAt(one, some, j, p, time)) - A); };
      const { value, t } = extreme(one, sampled, exactly);
      if (-value < best.mass) best = { mass: -value, joint: j, what, t };
    };
    const own = () => [-R, R];
    if (Number.isFinite(R)) most(weakest, own, own);
    if (train?.motor_peak) most('motor peak', (i) => linkRange(train, one.motor[j], i, r), (p, time) => linkRange(train, motorAt(one, j, p, time), 0, r));
  });
  if (mean) one.joints.forEach((joint, j) => {
    for (const [what, key] of meanRatings(joint)) {
      if (best.mass < 0) return;
      const share = (m) => meanShares(one, j, tau(j, m), r)[key];
      const [from, to] = within(share, 0, best.mass, LARGEST_MASS);
      if (from > 0) best = { mass: -1, joint: j, what };
      else if (to < best.mass) best = { mass: to, joint: j, what };
    }
  });
  return best.mass < 0 ? { ...best, mass: 0, never: true } : best;
}

/** Where a share stays within 1: the first stretch of values from `low` to `high`, ends found by halving; [Infinity, -Infinity] if nowhere. */
function within(share, low, high, beyond, looked = LOOKED, halved = HALVED) {
  const end = Number.isFinite(high) ? high : beyond;
  const inside = (x) => share(x) <= 1;
  const edge = (a, b, is) => { for (let k = 0; k < halved; k++) { const c = (a + b) / 2; if (inside(c) === is) a = c; else b = c; } return (a + b) / 2; };
  // the last is the end; those before grow, as a share that does so by squares and cubes is fast beyond 1
  const places = Array.from({ length: looked + 1 }, (_, k) => low + (end - low) * (Number.isFinite(high) ? k / looked : (k / looked) ** 8));
  const first = places.findIndex(inside);
  if (first < 0) return [Infinity, -Infinity];
  const from = first === 0 ? low : edge(places[first - 1], places[first], false);
  const next = places.findIndex((x, k) => k > first && !inside(x));
  return [from, next < 0 ? high : edge(places[next - 1], places[next], true)];
}

/** Where sign (r² d + r v + c) <= R: from which and to which speed; NaN where never. */
function interval(d, v, c, R, sign) {
  const [a, b, rest] = [sign * d, sign * v, sign * c - R];
  if (rest <= 0) {
    if (a <= 0 && b <= 0) return [0, Infinity];
    if (a === 0) return [0, -rest / b];
    const inner = b * b - 4 * a * rest;
    if (inner < 0) return [0, Infinity];
    // the root that loses no digits
    const to = b > 0 ? (-2 * rest) / (b + Math.sqrt(inner)) : (-b + (a > 0 ? 1 : -1) * Math.sqrt(inner)) / (2 * a);
    return [0, to > 0 ? to : Infinity];
  }
  const inner = b * b - 4 * a * rest;
  if (inner < 0 || (a === 0 && b >= 0)) return [Infinity, -Infinity];
  if (a === 0) return [-rest / b, Infinity];
  const root = Math.sqrt(inner);
  const from = (-b - root) / (2 * a);
  if (!(from > 0)) return [Infinity, -Infinity];
  return [from, a > 0 ? (-b + root) / (2 * a) : Infinity];
}

/** Speeds inside all ratings at each sample, of a whole path; a low end above 0 is real, where gravity alone is too much. */
export function speeds(one, { D, C, V }, at = null) {
  let high = { r: Infinity };
  let low = { r: 0 };
  const narrow = ([from, to], who) => {
    if (from > low.r) low = { r: from, ...who };
    if (to < high.r) high = { r: to, ...who };
  };
  one.joints.forEach(({ velocity }, j) => narrow([0, velocity / one.topSpeed[j]], { joint: j, what: 'speed' }));
  let sure = 1; // of the fastest so far: what is within ratings up to there need not be looked at closer
  // each limit of a torque: where it holds at a sample, and at any time
  const limits = one.joints.flatMap(({ effort: R, weakest, train }, j) => {
    const [d, c, v, motor] = [D[j], C[j], V[j], one.motor[j]];
    const own = [1, -1].map((sign) => ({ who: { joint: j, what: weakest }, sampled: (i) => interval(d[i], v[i], c[i], R, sign), exactly: (p, time) => interval(...partsAt(one, at, j, p, time), R, sign) }));
    const peak = { who: { joint: j, what: 'motor peak' }, sampled: (i) => speedRange(train, d[i], v[i], c[i], motor, i, sure * high.r), exactly: (p, time) => speedRange(train, ...partsAt(one, at, j, p, time), motorAt(one, j, p, time), 0, sure * high.r) };
    return [...(Number.isFinite(R) ? own : []), ...(train?.motor_peak ? [peak] : [])];
  });
  for (const { who, sampled } of limits) for (let i = 0; i < one.N; i++) narrow(sampled(i), who);
  // Between samples, where it is the answer and not a picture: every joint and sense that comes near.
  sure = 2;
  if (at && Number.isFinite(low.r) && Number.isFinite(high.r)) for (const { who, sampled, exactly } of limits) {
    const end = (k, of) => extreme(one, (i) => of * sampled(i)[k], (p, time) => { const value = of * exactly(p, time)[k]; return Number.isNaN(value) ? -Infinity : value; }).value;
    narrow([0, -end(1, -1)], who);
    if (low.r > 0) narrow([end(0, 1), Infinity], who);
  }
  one.joints.forEach((joint, j) => {
    const tau = (r) => D[j].map((d, i) => r * r * d + r * V[j][i] + C[j][i]);
    for (const [what, key] of meanRatings(joint)) {
      if (low.r <= high.r) narrow(within((r) => meanShares(one, j, tau(r), r)[key], low.r, high.r, FASTEST, ...(at ? [] : [LOOKED_FEW, HALVED_FEW])), { joint: j, what });
    }
  });
  return { low, high };
}

/** The speeds of each payload, on a quarter of the samples: a picture, not an answer. */
export function borderOf(one, now) {
  const { few } = one;
  const steps = 60;
  const empty = parts(few, { ...now, mass: 0 });
  const heavy = parts(few, { ...now, mass: one.most.mass });
  const out = { D: empty.D.map((d) => d.slice()), C: empty.C.map((c) => c.slice()), V: empty.V };
  return Array.from({ length: steps + 1 }, (_, k) => {
    const f = k / steps;
    for (const key of ['D', 'C']) out[key].forEach((row, j) => { const [a, b] = [empty[key][j], heavy[key][j]]; for (let i = 0; i < few.N; i++) row[i] = a[i] + f * (b[i] - a[i]); });
    return { mass: one.most.mass * f, ...speeds(few, out) };
  });
}
