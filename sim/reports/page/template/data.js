// The run's curves, unpacked from the page.

import { unpacked } from './packed.js';
import { $, clamp, state } from './store.js';

export { unpacked };

export const meta = JSON.parse($('#meta').textContent);
export const channels = new Map();
export const paths = {};
let times = null; // Float64Array, where steps are uneven

/** Whole numbers whose bytes are sorted by place: all lowest bytes, then all second ones. */
function gathered(bytes, at, count, width) {
  const found = new Float64Array(count);
  for (let place = 0; place < width; place++) {
    const [from, worth] = [at + place * count, 256 ** place];
    for (let k = 0; k < count; k++) found[k] += worth * bytes[from + k];
  }
  return found;
}

/** Floats of 64 bits whose bytes are sorted by place. */
function floats(bytes, at, count) {
  const sorted = new Uint8Array(8 * count);
  for (let place = 0; place < 8; place++) {
    for (let k = 0; k < count; k++) sorted[8 * k + place] = bytes[at + place * count + k];
  }
  return new Float64Array(sorted.buffer);
}

const STRANGE = [NaN, Infinity, -Infinity];

/** Values of codes: what is no number, or folded whole steps from the last value that is one. */
function decoded(codes, step) {
  let steps = 0;
  return codes.map((code) => {
    if (code < STRANGE.length) return STRANGE[code];
    const folded = code - STRANGE.length;
    steps += folded % 2 ? -(folded + 1) / 2 : folded / 2;
    return steps * step;
  });
}

export async function readCurves() {
  const bytes = await unpacked('curves');
  const { values, width, samples: count, sample_width: wide } = meta.layout;
  const codes = gathered(bytes, 0, values, width);
  const apart = gathered(bytes, width * values, count, wide);
  if (meta.t.at !== undefined) times = floats(bytes, meta.t.at, meta.t.count);
  let c = 0;
  let s = 0;
  for (const channel of meta.channels) {
    const steps = channel.steps.map((exponent) => 2 ** exponent);
    const [recorded, error, ...others] = steps.map((step) => decoded(codes.subarray(c, (c += channel.n)), step));
    const samples = new Uint32Array(channel.n);
    let sample = 0;
    for (let k = 0; k < channel.n; k++) samples[k] = sample += apart[s + k];
    s += channel.n;
    const curve = { ...channel, steps, samples, x: Array.from(samples, timeOf), recorded, error, over: [] };
    channel.over.forEach((run, k) => { curve.over[run] = others[k]; });
    curve.bands = channel.over.map((run, k) => ({ run, half: channel.over_limits[k] })).filter(({ half }) => half !== null);
    curve.peak = curve.recorded.reduce((most, v) => (Math.abs(v) > most ? Math.abs(v) : most), 0);
    channels.set(channel.id, curve);
  }
  for (const [name, { at, count, every }] of Object.entries(meta.path)) {
    paths[name] = { points: new Float32Array(bytes.slice(at, at + 12 * count).buffer), every, count };
  }
}

const rounded = (t) => Math.round(t * 1e9) / 1e9;

/** Time of a sample [s]. */
export function timeOf(sample) {
  if (times) return times[sample];
  const { first, last, count } = meta.t;
  return rounded(first + ((last - first) * sample) / (count - 1));
}

/** Sample nearest to a time. */
export function sampleAt(t) {
  if (times) return nearest(times, t);
  const { first, last, count } = meta.t;
  return clamp(Math.round(((t - first) / (last - first)) * (count - 1)), 0, count - 1);
}

/** Index of the value nearest to `t` in ascending values. */
export function nearest(values, t) {
  let low = 0;
  let high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= t) low = middle;
    else high = middle;
  }
  return t - values[low] <= values[high] - t ? low : high;
}

/** Recorded value of a channel at a time, straight between the samples kept. */
export function valueAt(curve, t) {
  const { x, recorded } = curve;
  let k = nearest(x, t);
  if (x[k] > t && k > 0) k -= 1;
  if (k >= x.length - 1) return recorded[x.length - 1];
  const share = clamp((t - x[k]) / (x[k + 1] - x[k]), 0, 1);
  return recorded[k] + share * (recorded[k + 1] - recorded[k]);
}

/** A unit as the caption of an axis. */
export const bracketed = (unit) => (unit ? `[${unit}]` : '');

const DEGREES = { rad: '°', 'rad/s': '°/s', 'rad/s²': '°/s²' };
const MILLIMETRES = { m: 'mm', 'm/s': 'mm/s', 'm/s²': 'mm/s²', 'N·m': 'N·mm' };

/** Unit in which a channel is shown, and what its values are multiplied with. */
export function shownUnit(curve) {
  if (state.degrees && DEGREES[curve.unit]) return [DEGREES[curve.unit], 180 / Math.PI];
  if (state.millimetres && MILLIMETRES[curve.unit]) return [MILLIMETRES[curve.unit], 1000];
  return [curve.unit === '1' ? '' : curve.unit, 1];
}
