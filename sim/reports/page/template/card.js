// A card: a plot with its name, the values under the pointer, its statistics and its menu.

import { apart, difference, otherOf, shown, stepIn, valuesIn } from './against.js';
import { meta, nearest, shownUnit } from './data.js';
import { addHeights, moveCursor, moveTag, pointer, redraw } from './chart.js';
import { wordsOf } from './drawing.js';
import { openMenu } from './menu.js';
import { statistics } from './statistics.js';
import { element, state, tell, text } from './store.js';
import { written } from './ticks.js';

export const cards = new Map();

/**
 * A card, in `cards` by its key.
 *
 * `curve` is what it is of; with `view` it shows that, whatever the others show; with `parts` it has
 * several curves. `go` goes to a time, and `items` lists what its menu has.
 */
export function card({ curve, view = null, parts = null }, go, items) {
  const key = view ? `${curve.id} ${view}` : curve.id;
  const out = element('output', { 'aria-live': 'off' });
  const unit = element('span', { class: 'dim' });
  const area = element('div', { class: 'area' });
  const sums = element('div', { class: 'sums' });
  const larger = element('button', { class: 'icon', title: 'Larger (f)', 'aria-label': `Larger plot of ${curve.label}` }, '⤢');
  const more = element('button', { class: 'icon', title: 'More: compare, save, link', 'aria-label': `More of ${curve.label}`, 'aria-haspopup': 'menu' }, '⋯');
  const caption = element('figcaption', {}, element('b', { title: curve.id }, curve.label), ' ', unit);
  if (curve.fails.length) caption.append(' ', element('span', { class: 'bad' }, '✗ fails'));
  caption.append(element('span', { class: 'reading' }, out, larger, more));
  const names = { class: parts ? 'card joint' : 'card', id: `ch-${key}`, 'data-ch': key, tabindex: '0', role: 'group' };
  const figure = element('figure', names, caption, ...(parts ? [legend(parts)] : []), area, sums);
  const one = { curve, view, parts, key, figure, area, out, unit, sums, chart: null, stale: true, near: false, ranges: {} };
  cards.set(key, one);
  figure.setAttribute('aria-label', described(curve));
  larger.addEventListener('click', () => enlarge(one));
  more.addEventListener('click', () => openMenu(more, items(one)));
  figure.addEventListener('focus', () => { state.focus = curve.id; tell('focus'); });
  area.addEventListener('pointerdown', (event) => { one.pressed = event.shiftKey ? -Infinity : event.clientX; });
  area.addEventListener('pointerup', (event) => {
    const over = one.chart?.over;
    if (!over || Math.abs(event.clientX - one.pressed) > 3) return;
    state.focus = curve.id;
    tell('focus');
    go(one.chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
  });
  addHeights(one);
  return one;
}

/** Names of several curves in their colours, each with its value. */
function legend(parts) {
  const names = wordsOf(parts);
  const rows = parts.map((part, k) => element('span', { class: 'entry', title: part.id }, swatch(k), ' ', names[k], ' ', element('output', { 'aria-live': 'off' })));
  return element('div', { class: 'legend' }, ...rows);
}

function swatch(k) {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  for (const [name, value] of Object.entries({ class: 'key', viewBox: '0 0 24 8', 'aria-hidden': 'true' })) svg.setAttribute(name, value);
  const path = document.createElementNS(ns, 'path');
  path.setAttribute('class', `k-part${(k % 6) + 1}${k < 6 ? '' : ' dashed'}`);
  path.setAttribute('d', 'M0 4h24');
  svg.append(path);
  return svg;
}

function described(curve) {
  const checks = curve.checks.map((k) => meta.checks[k]);
  const failed = checks.filter((check) => !check.ok);
  const worst = failed[0] ?? checks[0];
  const name = curve.group ? `${meta.groups[curve.group]}: ${curve.label}` : curve.label;
  if (!worst) return `${name}, not judged`;
  const how = `${worst.name} ${text(worst.worst)} at ${text(worst.at)} s, limit ${text(worst.limit)}`;
  return `${name}, ${failed.length ? 'fails' : 'passes'}: ${how} ${curve.unit}`;
}

/** Enlarges a card, or makes it small again. */
export function enlarge(one) {
  one.figure.classList.toggle('large');
  one.stale = true;
  refresh(one);
}

/** Draws a card that is in sight anew, where that is due, and all that stands beside it. */
export function refresh(one) {
  if (!redraw(one)) return;
  moveCursor(one);
  read(one);
  measure(one);
}

/** The values under the pointer, or of now. */
export function read(one) {
  moveTag(one);
  const { curve, out } = one;
  const t = pointer.t ?? state.t;
  const view = shown(one);
  if (one.parts) {
    const outputs = one.figure.querySelectorAll('.entry output');
    one.parts.forEach((part, k) => {
      const [, factor] = shownUnit(part);
      const value = valuesIn(part, view)[nearest(part.x, t)];
      outputs[k].textContent = text(value * factor, view === 'value' ? part.scale * factor : 0, stepIn(part, view) * factor);
    });
    return;
  }
  const [, factor] = shownUnit(curve);
  const k = nearest(curve.x, t);
  out.title = difference(view);
  if (otherOf(view) !== null) {
    out.textContent = apart(one, k);
    return;
  }
  const value = text(curve.recorded[k] * factor, curve.derived ? 0 : curve.scale * factor, curve.steps[0] * factor);
  out.textContent = `${value}  ${apart(one, k)}`.trim();
}

/** Where statistics are taken: between both marks, else over what is shown. */
export function measured() {
  const { a, b } = state.marks;
  if (a !== null && b !== null && a !== b) return { name: 'A–B', range: [Math.min(a, b), Math.max(a, b)] };
  return state.zoom ? { name: 'shown', range: state.zoom } : { name: 'whole run', range: [meta.t.first, meta.t.last] };
}

/** Statistics of a card's curves, as shown. */
export function sumsOf(one) {
  const { range } = measured();
  return (one.parts ?? [one.curve]).map((curve) => {
    const [unit, factor] = shownUnit(curve);
    const found = statistics(curve.x, valuesIn(curve, shown(one)), ...range);
    if (!found) return null;
    const step = stepIn(curve, shown(one)) * factor;
    const times = ({ value, t }) => ({ value: value * factor, t });
    return { ...found, unit, step, off: (curve.off ?? 0) * factor, min: times(found.min), max: times(found.max), mean: found.mean * factor, rms: found.rms * factor };
  });
}

/** Writes the statistics below a card, where they are asked for. */
export function measure(one) {
  const { sums, figure } = one;
  const wanted = state.statistics || one.summed || figure.classList.contains('large');
  sums.hidden = !wanted;
  if (!wanted) return;
  const { name, range } = measured();
  const [from, to] = range.map((t) => written(t, range[1] - range[0], 100));
  const view = shown(one);
  const what = view === 'value' ? 'the recorded curve' : difference(view).slice(4);
  const rows = sumsOf(one).map((found, k) => {
    const { n } = (one.parts ?? [one.curve])[k];
    const cells = found
      ? [
        ['min', text(found.min.value, 0, found.step), ` at ${text(found.min.t)} s`],
        ['max', text(found.max.value, 0, found.step), ` at ${text(found.max.t)} s`],
        ['mean', text(found.mean, 0, found.step), ''],
        ['RMS', text(found.rms, 0, found.step), ''],
        ...(found.off ? [['±', Number(found.off.toPrecision(2)).toString().replace('-', '−'), ' by the samples kept']] : []),
      ]
      : [['', 'nothing here', '']];
    const row = cells.map(([word, value, at]) => element('span', {}, element('span', { class: 'dim' }, word, ' '), value, element('span', { class: 'dim' }, at)));
    const kept = n < meta.t.count ? `the ${n} of ${meta.t.count} samples that this page keeps: the extremes and what lies between them` : `all ${n} samples`;
    const title = `Of ${what} from ${from} s to ${to} s, straight between ${kept}. `
      + 'Mean: its integral over time, by the time. RMS: the root of the integral of its square, by the time.'
      + (found ? ` Values are kept in steps of ${text(found.step)}${found.unit ? ` ${found.unit}` : ''}.` : '');
    return element('div', { title }, ...(one.parts ? [swatch(k), ' '] : []), ...row);
  });
  const over = element(one.parts ? 'div' : 'span', { class: 'dim' }, `${name}, ${from} to ${to} s`);
  if (one.parts) rows.unshift(over);
  else rows[0].append(over);
  sums.replaceChildren(...rows);
}
