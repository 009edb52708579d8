// Plots that a reader makes: several channels over time or over another channel.

import { channels, meta } from './data.js';
import { card, cards } from './card.js';
import { addPlane, addSpectrum, dropPlane } from './planes.js';
import { curveOf, keep } from './formulas.js';
import { element, state, tell } from './store.js';
import { notice } from './menu.js';

const made = new Map(); // by key: { figure, drop }
let host = null;
let tools = null;

/** What a plot is called among the others and in the address. */
export const keyOf = ({ x, ys }) => [ys.map(word).join(','), ...(x ? [word(x)] : [])].join('~');
/** What a spectrum is over. */
export const FREQUENCY = 'frequency';

const word = (id) => id.replace(/[%,~]/g, encodeURIComponent).replaceAll('~', '%7E');

/** The plot of a key; null where the run has no such channels, or they have no plot together. */
export function plotOf(key) {
  const [names, over = null, ...rest] = key.split('~');
  try {
    const ys = names.split(',').map(decodeURIComponent);
    const plot = { x: over === null ? null : decodeURIComponent(over), ys };
    return rest.length || refusal(plot) ? null : plot;
  } catch {
    return null; // a broken %
  }
}

/** Why channels cannot be in one plot; empty where they can. */
export function refusal({ x, ys }) {
  if (!ys.length) return 'choose a channel';
  const unknown = [x, ...ys].find((id) => id !== null && id !== FREQUENCY && typeof curveOf(id) === 'string');
  if (unknown !== undefined) return `${unknown}: ${curveOf(unknown)}`;
  if (x === FREQUENCY && ys.length > 1) return 'a spectrum shows one channel';
  const units = [...new Set(ys.map((id) => curveOf(id).unit))];
  const room = x ? 1 : 2;
  if (units.length <= room) return '';
  return x ? `channels over another channel must share one unit, not ${units.join(' and ')}` : `at most two units in one plot, not ${units.join(', ')}`;
}

/** Where own plots stand; `made` gives what a card needs: { go, items, watch, unwatch }. */
export function addOwn(plots, given) {
  tools = given;
  const grid = element('div', { class: 'grid' });
  const section = element('details', { class: 'group', 'data-group': 'own', open: true, hidden: true }, element('summary', {}, element('h3', {}, 'Own plots')), grid);
  plots.prepend(section);
  host = { grid, section };
}

/** Puts a plot on the page, in place of another one where that is named. */
export function openPlot(plot, { grid = host.grid, before = null } = {}) {
  const why = refusal(plot);
  if (why) return notice(why);
  for (const id of [plot.x, ...plot.ys]) if (id !== null && id !== FREQUENCY && !channels.has(id)) keep(id);
  const key = keyOf(plot);
  const old = before === null ? null : made.get(before);
  if (before !== key && made.has(key)) made.get(key).figure.scrollIntoView({ block: 'nearest' });
  if (made.has(key)) return undefined;
  const one = plot.x ? plane(plot, key) : joint(plot, key);
  if (old) old.figure.replaceWith(one.figure);
  else grid.prepend(one.figure);
  made.set(key, { ...one, plot });
  if (old) closePlot(before);
  told();
  return one;
}

function plane({ x, ys }, key) {
  if (x === FREQUENCY) {
    const lines = addSpectrum(ys[0], key);
    return { figure: lines.figure, drop: () => dropPlane(lines) };
  }
  const one = addPlane(channels.get(x), ys.map((id) => channels.get(id)), key);
  return { figure: one.figure, drop: () => dropPlane(one) };
}

function joint({ ys }, key) {
  const parts = ys.map((id) => channels.get(id));
  const groups = [...new Set(parts.map(({ group }) => group))];
  const fails = parts.flatMap((part) => part.fails).sort((a, b) => a[0] - b[0]);
  const label = parts.length === 1 ? parts[0].id : `${groups.map((group) => meta.groups[group] ?? 'expression').join(', ')}`;
  const none = { derived: true, limit: null, allowed: null, ratings: [], over: [], bands: [], checks: [], group: null };
  const curve = { ...none, id: `plot:${key}`, label, unit: parts[0].unit, fails, n: 0 };
  const one = card({ curve, parts }, tools.go, tools.items);
  one.plot = key;
  tools.watch(one);
  return {
    figure: one.figure,
    drop: () => {
      tools.unwatch(one);
      one.chart?.destroy();
      one.figure.remove();
      cards.delete(one.key);
    },
  };
}

/** Takes a plot off the page. */
export function closePlot(key) {
  made.get(key)?.drop();
  made.delete(key);
  told();
}

/** Whether a plot is on the page. */
export const isOpen = (key) => made.has(key);

/** Channels of a plot, and what they are over. */
export const openedPlot = (key) => made.get(key)?.plot;

function told() {
  state.plots = [...made.keys()].reverse(); // the newest stands first
  host.section.hidden = !host.grid.children.length;
  tell('plots');
}

/** Bunches of a group's channels that one click puts into one plot: of one component, or of one unit. */
export function bunches(curves) {
  const parts = curves.map(({ label }) => label.split('  ')[1] ?? '');
  const byPart = parts.every(Boolean);
  const found = new Map();
  curves.forEach((curve, k) => {
    const name = byPart ? parts[k] : curve.unit;
    found.set(name, [...(found.get(name) ?? []), curve.id]);
  });
  return [...found].filter(([, ids]) => ids.length > 1);
}

/** Buttons of a group's heading: all its channels in one plot, by component or by unit. */
export function addBunches(curves, grid) {
  const found = bunches(curves);
  if (!found.length) return null;
  const joints = curves.every(({ label }) => channels.has(`q.${label}`));
  const all = joints ? 'all joints' : 'in one plot';
  const row = element('span', { class: 'bunches' });
  if (found.length > 1) row.append(element('span', { class: 'dim' }, joints ? 'all joints:' : 'in one plot:'));
  for (const [name, ids] of found) {
    const key = keyOf({ x: null, ys: ids });
    const title = `${ids.length} channels in one plot`;
    const button = element('button', { class: 'text', title, 'aria-pressed': 'false' }, found.length > 1 ? name : all);
    button.addEventListener('click', (event) => {
      event.preventDefault(); // the heading stays as it is
      if (isOpen(key)) return closePlot(key);
      grid.closest('.group').open = true;
      return openPlot({ x: null, ys: ids }, { grid });
    });
    row.append(button);
    buttons.push([key, button]);
  }
  return row;
}

const buttons = [];

/** Marks the buttons whose plot is open. */
export function pressBunches() {
  for (const [key, button] of buttons) button.setAttribute('aria-pressed', String(isOpen(key)));
}
