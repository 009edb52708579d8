// What a card's values are taken less: the model, the run compared with, or another program's curve.

import { meta, shownUnit } from './data.js';
import { state, text } from './store.js';

const OTHERS = { compared: meta.compared, reference: meta.reference };

/** Which other run a view takes the values less; null where it takes none. */
export const otherOf = (view) => OTHERS[view] ?? null;

/** What a card shows: `value`, `error`, `compared` or `reference`; values where that has no curve of it. */
export function shown(one) {
  const view = one.view ?? state.values;
  const curves = one.parts ?? [one.curve];
  return view === 'reference' && !curves.some(({ over }) => over[otherOf(view)]) ? 'value' : view;
}

/** What plots show of a channel in a view: its values, its error, or how far it is from another run. */
export function valuesIn(curve, view) {
  if (view === 'value') return curve.recorded;
  if (view === 'error') return curve.error;
  const theirs = curve.over[otherOf(view)];
  return theirs ? theirs.map((d) => 0 - d) : curve.recorded.map(() => NaN);
}

/** Within what a channel's values in a view are kept: a step, in its unit. */
export function stepIn(curve, view) {
  const run = otherOf(view);
  if (run !== null) return curve.steps[2 + Object.keys(curve.over).indexOf(String(run))] ?? 0;
  return curve.steps[view === 'error' ? 1 : 0];
}

/** What Δ is, in a view. */
export function difference(view = state.values) {
  const run = otherOf(view);
  if (run === null) return 'Δ = recorded − analytic';
  return `Δ = ${termed(meta.label)} − ${termed(meta.overlays[run].label)}`;
}

/** A name as a term of a difference. */
const termed = (name) => (name.includes(' = ') ? `(${name})` : name);

/** Half the width of the band: about the model, the run compared with, or another program's curve. */
export function allowance(one) {
  const { curve } = one;
  const view = shown(one);
  if (view === 'compared') return curve.allowed;
  if (view === 'reference') return curve.bands.find(({ run }) => run === meta.reference)?.half ?? null;
  return curve.limit;
}

/** What is taken off the values that a card shows, in words; empty where nothing is. */
export function lessWhat(one) {
  const view = shown(one);
  const run = otherOf(view);
  if (run !== null) return `minus ${meta.overlays[run].label}`;
  return view === 'error' && !one.curve.derived ? 'minus analytic' : '';
}

/** The difference at a sample that is kept, with its reference where the caption lacks it; empty where a card shows none. */
export function apart(one, k) {
  const { curve } = one;
  const [, factor] = shownUnit(curve);
  const view = shown(one);
  const run = otherOf(view);
  if (run === null) {
    if (curve.derived || curve.limit === null) return '';
    // beside the model alone there is nothing else that a difference could be from
    const of = curve.over.length && view === 'value' ? ' analytic' : '';
    return `Δ${of} ${text(curve.error[k] * factor, 0, stepIn(curve, 'error') * factor)}`;
  }
  const theirs = curve.over[run];
  return theirs ? `Δ ${text((0 - theirs[k]) * factor, 0, stepIn(curve, view) * factor)}` : ''; // the caption names the reference
}
