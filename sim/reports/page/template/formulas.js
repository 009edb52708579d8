// Channels that a reader makes by an expression of others, and their spectra.

import { channels, meta } from './data.js';
import { evaluate, namesIn, parse } from './language.js';
import { WINDOWS, spectrum } from './signals.js';
import { resampled, union } from './statistics.js';
import { textOf, times, unitOf } from './units.js';

const MOST = 20001; // samples of a curve that must be even

const tried = new Map(); // expressions, plotted or not

/** A channel, or the curve of an expression of channels; a text that says why it is neither. */
export function curveOf(id) {
  if (channels.has(id)) return channels.get(id);
  if (!tried.has(id)) {
    try {
      tried.set(id, formula(id));
    } catch (error) {
      tried.set(id, error.message);
    }
  }
  return tried.get(id);
}

/** Makes an expression that is plotted a channel like the others. */
export const keep = (id) => channels.set(id, curveOf(id));

/** Makes a curve that is read off the view a channel like the others. */
export function keepCurve(id, unit, x, values) {
  const peak = values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  const error = values.map(() => 0);
  channels.set(id, {
    id, label: id, group: null, unit, x, recorded: values, error, steps: [0, 0], off: 0, derived: true,
    n: x.length, samples: [], scale: peak, peak, fails: [], limit: null, allowed: null, ratings: [], checks: [], over: [], bands: [],
  });
}

/** Times in even steps from the first to the last, as many as the run has, up to a bound. */
function evenTimes(from, to, most) {
  const n = Math.max(Math.min(Math.round(((to - from) / (meta.t.last - meta.t.first)) * (meta.t.count - 1)) + 1, most), 2);
  return Array.from({ length: n }, (_, k) => from + ((to - from) * k) / (n - 1));
}

/** A curve that an expression is: of what is recorded, and of the model. */
function formula(text) {
  const tree = parse(text);
  const { names, filtered, sampled } = namesIn(tree, channels);
  const parts = [...names].map((name) => channels.get(name));
  const even = filtered || !parts.length;
  const timesOf = (some) => (even ? evenTimes(meta.t.first, meta.t.last, MOST) : Array.from(union(some.map((part) => part.x))));
  const found = (values, some = parts, x = timesOf(some)) =>
    evaluate(tree, x, new Map(some.map((part) => [part.id, { v: Float64Array.from(resampled(part.x, values(part), x)), unit: part.unit }])));
  const x = timesOf(parts);
  const recorded = found((part) => part.recorded);
  const model = found((part) => Array.from(part.recorded, (v, k) => v - part.error[k]));
  const error = recorded.v.map((v, k) => v - model.v[k]);
  const peak = recorded.v.reduce((most, v) => (Math.abs(v) > most ? Math.abs(v) : most), 0);
  return {
    id: text, label: text, group: null, unit: recorded.unit, x, recorded: Array.from(recorded.v), error: Array.from(error), steps: stepsOf(recorded.v, found, parts),
    off: sampled ? offBySampling(x, recorded.v, found, parts, timesOf) : 0,
    n: x.length, samples: [], scale: peak, peak, fails: [], limit: null, allowed: null, ratings: [], checks: [], over: [], bands: [],
  };
}

const half = (list) => Array.from(list).filter((_, k, { length }) => k % 2 === 0 || k === length - 1);

/** Twice the largest change where every other sample that the page keeps is left out, as in `sim/curves/language.py`. */
function offBySampling(x, v, found, parts, timesOf) {
  const some = parts.map((part) => ({ ...part, x: half(part.x), recorded: half(part.recorded) }));
  if (!some.length) return NaN;
  const times = timesOf(some);
  const coarse = found((part) => part.recorded, some, times).v;
  const fine = resampled(x, v, times);
  return 2 * coarse.reduce((most, value, k) => Math.max(most, Math.abs(value - fine[k]) || 0), 0);
}

/** How far a half step of any channel, the same way or to and fro, moves the values: digits below are none. */
function stepsOf(recorded, found, parts) {
  let step = 0;
  for (const part of parts) {
    let most = 0;
    for (const way of [() => 1, (k) => (k % 2 ? -1 : 1)]) {
      const moved = found((other) => (other === part ? Array.from(part.recorded, (v, k) => v + (way(k) * part.steps[0]) / 2) : other.recorded)).v;
      moved.forEach((v, k) => { const off = Math.abs(v - recorded[k]); if (off > most) most = off; });
    }
    step += 2 * most;
  }
  return [step, step];
}

/** Lines of a channel's spectrum between two times, of recorded and model, and their unit. */
export function linesOf(id, [from, to], window, density) {
  const curve = channels.get(id);
  const x = evenTimes(from, to, MOST);
  const of = (values) => spectrum(x, Float64Array.from(resampled(curve.x, values, x)), window, density);
  const model = Array.from(curve.recorded, (v, k) => v - curve.error[k]);
  const own = unitOf(curve.unit);
  const several = Object.keys(own).length > 1;
  const unit = several ? `(${curve.unit})²/Hz` : `${textOf(times(own, own))}/Hz`;
  return { recorded: of(curve.recorded), model: of(model), unit: density ? unit : curve.unit };
}

export { WINDOWS };
