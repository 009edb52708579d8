// What if: what motors and gears of drive trains give, and what their ratings allow, by the law of sim/robots/drive_train.py. At the joint
//
//   N tau_m = k tau + r² A qdd + r v qd + s c,    k = 1/eta_f where tau drives the joint, eta_b where it brakes it
//
// tau is what the gear gives the link, s the sense of the motion; at rest k = 1 and c = 0. Ratings over a cycle: the root mean square
// of the motor's torque, and the cubic mean of the gear's, weighted by speed.

import { curveAt, extreme, senseAt, slopeAt } from './whatif_series.js';

const THIN = 4; // samples of which one is kept in the map

const dryOf = ({ dry: [forwards, backwards] }, s) => (s > 0 ? forwards : s < 0 ? -backwards : 0);
const factorOf = ({ efficiency: [driving, driven] }, tau, s) => (s === 0 || tau === 0 ? 1 : tau * s > 0 ? 1 / driving : driven);

/** Of a joint with a drive train, at all samples: a = A qdd, w = v qd, c with its sign, s. Null without one. */
export function motorRows(one, j) {
  const { train } = one.joints[j];
  if (!train) return null;
  const s = one.qd[j].map((v, i) => senseAt(one, j, one.piece[i], one.t[i], v)); // at a stop as just before
  return { a: one.qd[j].map((_, i) => train.inertia * slopeAt(one, 2 * one.n + j, one.piece[i], one.t[i])), w: one.qd[j].map((v) => train.viscous * v), c: s.map((x) => dryOf(train, x)), s };
}

/** The same at any time of a piece, as rows of one. */
export function motorAt(one, j, p, time) {
  const { train } = one.joints[j];
  const row = 2 * one.n + j;
  const qd = curveAt(one, row, p, time);
  const s = senseAt(one, j, p, time, qd);
  return { a: [train.inertia * slopeAt(one, row, p, time)], w: [train.viscous * qd], c: [dryOf(train, s)], s: [s] };
}

/** N tau_m at a sample. */
const given = (train, tau, { a, w, c, s }, i, r) => factorOf(train, tau, s[i]) * tau + r * r * a[i] + r * w[i] + c[i];

/** Least and largest torque of the link within the motor's peak torque. */
export function linkRange(train, rows, i, r) {
  const { a, w, c, s } = rows;
  const own = r * r * a[i] + r * w[i] + c[i];
  const peak = train.ratio * train.motor_peak;
  return [-peak - own, peak - own].map((y) => y / factorOf(train, y, s[i])); // k tau has the sign of tau
}

/** Speeds, up to `high`, at which a torque r² d + r v + c of the link is within the motor's peak torque: the first stretch of them. */
export function speedRange(train, d, v, c, rows, i, high) {
  const peak = train.ratio * train.motor_peak;
  const at = (r) => Math.abs(given(train, r * r * d + r * v + c, rows, i, r));
  const [A, W, own] = [rows.a[i], rows.w[i], rows.c[i]];
  const [driving, driven] = rows.s[i] === 0 ? [1, 1] : [1 / train.efficiency[0], train.efficiency[1]];
  const all = driving * (high * high * Math.abs(d) + high * Math.abs(v) + Math.abs(c)) + high * high * Math.abs(A) + high * Math.abs(W) + Math.abs(own);
  if (all <= peak) return [0, Infinity];
  const places = [0, Infinity];
  for (const k of driving === driven ? [1] : [driving, driven]) for (const p of [peak, -peak]) {
    for (const r of roots(k * d + A, k * v + W, k * c + own - p)) if (r > 0) places.push(r);
  }
  places.sort((x, y) => x - y);
  const isInside = (k) => at(k + 2 < places.length ? (places[k] + places[k + 1]) / 2 : 2 * places[k] + 1) <= peak;
  let first = 0;
  while (first < places.length - 1 && !isInside(first)) first++;
  if (first === places.length - 1) return [Infinity, -Infinity];
  let last = first;
  while (last < places.length - 1 && isInside(last)) last++;
  return [places[first], places[last]];
}

/** Roots of a r² + b r + c, without losing digits. */
function roots(a, b, c) {
  if (a === 0) return b === 0 ? [] : [-c / b];
  const inner = b * b - 4 * a * c;
  if (inner < 0) return [];
  const far = -0.5 * (b + (b < 0 ? -1 : 1) * Math.sqrt(inner));
  return far === 0 ? [0] : [far / a, c / far];
}

/** The motor's peak torque [N·m] with the share of its rating; `exactly` gives the link's torque at a time of a piece. */
export function motorPeak(one, j, tau, r, exactly) {
  const { train } = one.joints[j];
  if (!train) return null;
  const peak = extreme(one, (i) => Math.abs(given(train, tau[i], one.motor[j], i, r)), (p, time) => Math.abs(given(train, exactly(p, time), motorAt(one, j, p, time), 0, r))).value / train.ratio;
  return { peak, share: peak / (train.motor_peak ?? Infinity) };
}

const hasCurve = (train) => Boolean(train?.motor_level ?? train?.motor_power);

/** Largest torque of the motor at a speed of the joint, at the joint, by the law of sim/robots/motor_curve.py without its flat part. */
const curveLimit = ({ motor_level: level, motor_slope: slope, motor_power: power }, speed) => Math.min(level ? Math.max(level - slope * speed, 0) : Infinity, power ? power / speed : Infinity);

/** The ratings of a joint over a cycle: name, and the key of the share in use. */
export const meanRatings = ({ train }) => [...(train?.motor_rated ? [['motor RMS', 'rmsShare']] : []), ...(train?.gear_rated ? [['gear mean', 'meanShare']] : []), ...(hasCurve(train) ? [['motor curve', 'curveShare']] : [])];

/** Root mean square of the motor's torque and cubic mean of the gear's over the run, and the shares of their ratings; nothing without a train. */
export function meanShares({ joints, motor, qd, w, N, duration }, j, tau, r) {
  const { train } = joints[j];
  if (!train) return {};
  let [square, worn, way, curveShare] = [0, 0, 0, 0];
  for (let i = 0; i < N; i++) {
    const torque = given(train, tau[i], motor[j], i, r);
    const speed = Math.abs(qd[j][i]);
    if (torque !== 0) curveShare = Math.max(curveShare, Math.abs(torque) / curveLimit(train, r * speed));
    square += w[i] * torque * torque;
    worn += w[i] * speed * Math.abs(tau[i]) ** 3;
    way += w[i] * speed;
  }
  const rms = Math.sqrt(square / duration) / train.ratio;
  const mean = way > 0 ? Math.cbrt(worn / way) : 0;
  return { motorRms: rms, rmsShare: rms / (train.motor_rated ?? Infinity), gearMean: mean, meanShare: mean / (train.gear_rated ?? Infinity), curveShare };
}

/** Weights of the samples that the map keeps: of those around each. */
export const thinned = (w) => Float64Array.from({ length: Math.ceil(w.length / THIN) }, (_, k) => w.subarray(THIN * k, THIN * (k + 1)).reduce((sum, x) => sum + x, 0));
