// All plots of a run: one cursor, one zoom, and what each card's menu has.

import { difference, otherOf } from './against.js';
import { channels, meta } from './data.js';
import { applyZoom, fit, isHeightChosen, moveCursor, pointer, release } from './chart.js';
import { card, cards, enlarge, measure, read, refresh } from './card.js';
import { FREQUENCY, addBunches, addOwn, closePlot, keyOf, openPlot, openedPlot, plotOf, pressBunches } from './own.js';
import { WINDOWS } from './formulas.js';
import { addPlanes, drawPlanes, watchPlanes } from './planes.js';
import { openPicker } from './picker.js';
import { copyLink, savePicture, saveTable } from './saving.js';
import { addSearch } from './search.js';
import { $, $$, element, on, state } from './store.js';

const OPEN = ['tau', 'qd', 'energy']; // groups that need no click to be seen
let seen = null; // watches which cards are in sight
let go = null; // goes to a time
let twin = null; // beside a channel's difference: its values

export function addPlots(seek) {
  const host = $('#plots');
  go = seek;
  seen = new IntersectionObserver(
    (entries) => entries.forEach(({ isIntersecting, target }) => {
      const one = cards.get(target.dataset.ch);
      if (!one) return;
      one.near = isIntersecting;
      if (!isIntersecting) return;
      refresh(one);
      measure(one);
    }),
    { rootMargin: '300px' },
  );
  for (const [group, title] of Object.entries(meta.groups)) addGroup(host, group, title);
  addOwn(host, {
    go,
    items: itemsOf,
    watch: (one) => seen.observe(one.figure),
    unwatch: (one) => seen.unobserve(one.figure),
  });
  for (const one of cards.values()) seen.observe(one.figure);
  watchPlanes(seek, itemsOfPlane);
  new ResizeObserver(() => cards.forEach((one) => one.chart && fit(one))).observe(host);
  listen();
  addSearch();
}

function addGroup(host, group, title) {
  const mine = [...channels.values()].filter((curve) => curve.group === group);
  if (!mine.length) return;
  const failing = mine.some((curve) => curve.fails.length);
  const grid = element('div', { class: 'grid' });
  const heading = element('summary', {}, element('h3', {}, title, ' ', element('span', { class: 'dim' }, `${mine.length}`)));
  const bunches = addBunches(mine, grid);
  if (bunches) heading.append(bunches);
  host.append(element('details', { class: 'group', 'data-group': group, open: OPEN.includes(group) || failing }, heading, grid));
  const [moving, constant] = [[], []];
  for (const curve of mine) (isConstant(curve) ? constant : moving).push(curve);
  for (const curve of moving) grid.append(card({ curve }, go, itemsOf).figure);
  if (constant.length) addConstant(grid, constant, title);
  addPlanes(group, grid);
}

/** Whether a channel is zero throughout in this run, its model and all others, such as the torque of a passive joint. */
const isConstant = ({ fails, peak, error, over }) => !fails.length && peak === 0 && [error, ...Object.values(over)].every((values) => values.every((v) => v === 0));

/** Channels that stay at zero, in one line that opens. */
function addConstant(grid, curves, title) {
  const names = curves.map(({ label }) => label).join(', ');
  const inside = element('div', { class: 'grid' }, ...curves.map((curve) => card({ curve }, go, itemsOf).figure));
  grid.append(element('details', { class: 'constant' }, element('summary', { title: names }, `${title} is zero throughout: ${names}`), inside));
}

const near = (act) => () => cards.forEach((one) => one.near && act(one));

function listen() {
  const readAll = near(read);
  const measureAll = near(measure);
  on('time', () => { cards.forEach(moveCursor); readAll(); });
  on('pointer', readAll);
  on('zoom', () => { near(applyZoom)(); measureAll(); });
  on('marks', () => { near((one) => one.chart?.redraw(false))(); measureAll(); });
  on('statistics', measureAll);
  on('show', () => {
    const focused = cards.get(state.focus);
    if (focused?.curve.over[otherOf(state.values)]) pair(focused);
    else unpair();
    redrawn();
    const delta = $('#delta');
    if (delta) delta.textContent = difference();
  });
  on('theme', redrawn);
  on('focus', markFocus);
  on('plots', pressBunches);
}

const redrawn = () => cards.forEach((one) => { one.stale = true; if (one.near) refresh(one); });

/** What the menu of a card has. */
function itemsOf(one) {
  const { curve, parts, plot } = one;
  const ys = parts ? parts.map(({ id }) => id) : [curve.id];
  return [
    [one.figure.classList.contains('large') ? 'Smaller' : 'Larger', () => enlarge(one)],
    [one.summed ? 'Hide statistics' : 'Statistics', () => { one.summed = !one.summed; measure(one); }],
    ...(isHeightChosen(one) ? [['Reset vertical zoom', () => release(one)]] : []),
    null,
    [parts ? 'Channels…' : 'Compare with…', () => openPicker({ ys }, plot)],
    ...(ys.length > 1 ? [] : calculated(ys[0])),
    ['Over another channel…', () => openPicker({ ys: ys.slice(0, 1), x: besides(ys[0]) })],
    null,
    ['Save as CSV', () => saveTable(one)],
    ['Save as PNG', () => savePicture(one)],
    ['Copy link to this instant', () => copyLink(curve.id)],
    ...(plot ? [null, ['Remove', () => closePlot(plot)]] : []),
  ];
}

/** What can be computed of a channel. */
function calculated(id) {
  const name = channels.get(id).group === null ? id : /^[A-Za-z_$][\w$.]*$/.test(id) ? id : `"${id}"`;
  const plot = (text) => openPlot({ x: null, ys: [text] })?.figure.scrollIntoView({ block: 'nearest' });
  const filtered = () => {
    const cutoff = prompt('Cut-off frequency in Hz (zero-phase Butterworth, filtfilt; −6 dB at the cut-off)', '10');
    if (cutoff) plot(`FILTER(${name}, ${cutoff})`);
  };
  return [
    ['Derivative', () => plot(`DIF(${name})`)],
    ['Integral', () => plot(`INTEGRAL(${name})`)],
    ['Filtered…', filtered],
    ['Spectrum', () => openPlot({ x: FREQUENCY, ys: [id] })?.figure.scrollIntoView({ block: 'nearest' })],
    null,
  ];
}

/** What a channel is most often drawn over: a joint's torque over its speed, its speed over its position. */
function besides(id) {
  const [, group, rest] = id.match(/^([^.]*)\.?(.*)$/);
  const likely = group === 'qd' ? `q.${rest}` : `qd.${rest}`;
  return channels.has(likely) && likely !== id ? likely : null;
}

function itemsOfPlane(plane) {
  const plot = openedPlot(plane.name);
  const swapped = plot && plot.x !== FREQUENCY && plot.ys.length === 1 ? { x: plot.ys[0], ys: [plot.x] } : null;
  return [
    ...(plane.kind ? windowsOf(plane) : []),
    ...(plot ? [['Channels…', () => openPicker(plot, plane.name)]] : []),
    ...(swapped ? [['Swap the axes', () => openPlot(swapped, { before: plane.name })]] : []),
    ...(plot ? [null] : []),
    ['Save as CSV', () => saveTable(plane)],
    ['Save as PNG', () => savePicture(plane)],
    ['Copy link to this instant', () => copyLink()],
    ...(plot ? [null, ['Remove', () => closePlot(plane.name)]] : []),
  ];
}

/** How a spectrum may be made otherwise. */
function windowsOf({ kind, change }) {
  const others = Object.keys(WINDOWS).filter((name) => name !== kind.window);
  return [
    ...others.map((name) => [name === 'boxcar' ? 'No window' : `Window ${name}`, () => change({ window: name })]),
    [kind.density ? 'Amplitudes' : 'Density', () => change({ density: !kind.density })],
    null,
  ];
}

/** A channel's difference from another run, and its values above it, both at full width. */
function pair(one) {
  if (one.parts || twin?.curve === one.curve || !one.curve.over[otherOf(state.values)]) return;
  unpair();
  twin = card({ curve: one.curve, view: 'value' }, go, itemsOf);
  one.figure.before(twin.figure);
  for (const each of [twin, one]) {
    each.figure.classList.add('paired');
    each.stale = true;
  }
  seen.observe(twin.figure);
  if (one.near) refresh(one);
}

function unpair() {
  if (!twin) return;
  const one = cards.get(twin.curve.id);
  one.figure.classList.remove('paired');
  one.stale = true;
  seen.unobserve(twin.figure);
  twin.chart?.destroy();
  twin.figure.remove();
  cards.delete(twin.key);
  twin = null;
  if (one.near) refresh(one);
}

/** The whole height of every card. */
export const releaseAll = () => cards.forEach((one) => one.chart && release(one));

/** Whether any card's height is zoomed. */
export const isAnyChosen = () => [...cards.values()].some(isHeightChosen);

function markFocus() {
  $$('.card.on').forEach((figure) => figure.classList.remove('on'));
  cards.get(state.focus)?.figure.classList.add('on');
}

/** Shows a channel's card: its group open, in sight. */
export function reveal(id) {
  const one = cards.get(id);
  if (!one) return;
  const group = one.figure.closest('.group');
  group.hidden = false;
  group.open = true;
  one.figure.closest('.constant')?.setAttribute('open', '');
  one.figure.hidden = false;
  pair(one);
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const paired = twin?.curve === one.curve;
  const figure = paired ? twin.figure : one.figure;
  figure.scrollIntoView({ block: paired ? 'start' : 'center', behavior: calm ? 'auto' : 'smooth' });
}

/** Opens the plots that an address names, and no others. */
export function openPlots(keys) {
  const wanted = keys.map((key) => [key, plotOf(key)]).filter(([, plot]) => plot);
  const names = wanted.map(([, plot]) => keyOf(plot));
  state.plots.filter((key) => !names.includes(key)).forEach(closePlot);
  for (const [, plot] of wanted.toReversed()) openPlot(plot);
}

/** Every plot drawn, for paper. */
export function drawAll() {
  pointer.t = null;
  cards.forEach((one) => { if (one.area.clientWidth) { one.near = true; refresh(one); measure(one); } });
  drawPlanes();
}
