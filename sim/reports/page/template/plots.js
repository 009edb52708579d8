// Cards of curves over time: one cursor, one zoom, values beside the name.

import uPlot from 'uplot';
import { allowance, apart, lessWhat, otherOf, shown } from './against.js';
import { channels, meta, nearest, shownUnit } from './data.js';
import { DASHES, drawLines, drawUnder, series, tick, yRange } from './drawing.js';
import { $, $$, colour, element, on, state, tell, text } from './store.js';
import { addPlanes, drawPlanes } from './planes.js';

const OPEN = ['tau', 'qd', 'energy']; // groups that need no click to be seen
const HEIGHT = 132;
const TALL = 340;
const PAIRED = 190;
export const cards = new Map();
let hovered = null; // time under the pointer
let zooming = false;
let seen = null; // watches which cards are in sight
let go = null; // goes to a time
let twin = null; // beside a channel's difference: its values

export function addPlots(seek) {
  const host = $('#plots');
  go = seek;
  for (const [group, title] of Object.entries(meta.groups)) {
    const mine = [...channels.values()].filter((curve) => curve.group === group);
    if (!mine.length) continue;
    const failing = mine.some((curve) => curve.fails.length);
    const grid = element('div', { class: 'grid' });
    const count = element('span', { class: 'dim' }, `${mine.length}`);
    const section = element(
      'details',
      { class: 'group', 'data-group': group, open: OPEN.includes(group) || failing },
      element('summary', {}, element('h3', {}, title, ' ', count)),
      grid,
    );
    for (const curve of mine) grid.append(card(curve));
    host.append(section);
    addPlanes(group, grid, seek);
  }
  seen = new IntersectionObserver(
    (entries) => entries.forEach(({ isIntersecting, target }) => {
      const one = cards.get(target.dataset.ch);
      one.near = isIntersecting;
      if (isIntersecting) refresh(one);
    }),
    { rootMargin: '300px' },
  );
  for (const one of cards.values()) seen.observe(one.figure);
  new ResizeObserver(() => cards.forEach((one) => one.chart && fit(one))).observe(host);
  on('time', () => { cards.forEach(moveCursor); readAll(); });
  on('zoom', () => cards.forEach((one) => one.near && applyZoom(one)));
  on('show', () => {
    const focused = cards.get(state.focus);
    if (focused?.curve.over[otherOf(state.values)]) pair(focused);
    else unpair();
    redrawn();
  });
  on('theme', redrawn);
  on('focus', markFocus);
}

const redrawn = () => cards.forEach((one) => { one.stale = true; if (one.near) refresh(one); });

/** A card of a channel; with `view` it shows that, whatever the others show. */
function card(curve, view = null) {
  const key = view ? `${curve.id} ${view}` : curve.id;
  const bad = curve.fails.length > 0;
  const out = element('output', { 'aria-live': 'off' });
  const unit = element('span', { class: 'dim' });
  const area = element('div', { class: 'area' });
  const larger = element('button', { class: 'icon', title: 'Larger (f)', 'aria-label': `Larger plot of ${curve.id}` }, '⤢');
  const caption = element('figcaption', {}, element('b', {}, curve.label), ' ', unit);
  if (bad) caption.append(' ', element('span', { class: 'bad' }, '✗ fails'));
  caption.append(out, larger);
  const figure = element('figure', { class: 'card', id: `ch-${key}`, 'data-ch': key, tabindex: '0', role: 'group' }, caption, area);
  const one = { curve, view, key, figure, area, out, unit, chart: null, stale: true, near: false };
  cards.set(key, one);
  figure.setAttribute('aria-label', described(curve));
  larger.addEventListener('click', () => enlarge(one));
  figure.addEventListener('focus', () => { state.focus = curve.id; tell('focus'); });
  area.addEventListener('pointerdown', (event) => { one.pressed = event.clientX; });
  area.addEventListener('pointerup', (event) => {
    const over = one.chart?.over;
    if (!over || Math.abs(event.clientX - one.pressed) > 3) return;
    state.focus = curve.id;
    tell('focus');
    go(one.chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
  });
  return figure;
}

function described(curve) {
  const checks = curve.checks.map((k) => meta.checks[k]);
  const failed = checks.filter((check) => !check.ok);
  const worst = failed[0] ?? checks[0];
  const name = `${meta.groups[curve.group]}: ${curve.label}`;
  if (!worst) return `${name}, not judged`;
  const how = `${worst.name} ${text(worst.worst)} at ${text(worst.at)} s, limit ${text(worst.limit)}`;
  return `${name}, ${failed.length ? 'fails' : 'passes'}: ${how} ${curve.unit}`;
}

/** A channel's difference from another run, and its values above it, both at full width. */
function pair(one) {
  if (twin?.curve === one.curve || !one.curve.over[otherOf(state.values)]) return;
  unpair();
  card(one.curve, 'value');
  twin = cards.get(`${one.curve.id} value`);
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

/** Enlarges a card, or makes it small again. */
export function enlarge(one) {
  one.figure.classList.toggle('large');
  one.stale = true;
  refresh(one);
}

function height({ figure }) {
  if (figure.classList.contains('large')) return TALL;
  return figure.classList.contains('paired') ? PAIRED : HEIGHT;
}

function fit(one) {
  const width = one.area.clientWidth;
  if (width && one.chart.width !== width) {
    one.chart.setSize({ width, height: height(one) });
    moveCursor(one);
  }
}

function refresh(one) {
  if (!one.stale || !one.area.clientWidth) return;
  one.stale = false;
  one.chart?.destroy();
  const [unit] = shownUnit(one.curve);
  one.unit.textContent = `${unit ? `[${unit}]` : ''} ${lessWhat(one)}`;
  one.chart = new uPlot(options(one), series(one), one.area);
  one.line = element('div', { class: 'now' });
  one.chart.over.append(one.line);
  applyZoom(one);
  moveCursor(one);
  read(one);
}

function options(one) {
  const { curve } = one;
  const judged = allowance(one) !== null;
  const axis = {
    stroke: colour('ink2'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colour('grid'), width: 1 },
    ticks: { show: false },
  };
  const { show } = state;
  const plain = { points: { show: false }, pxAlign: 0 };
  const others = meta.overlays.map((_, k) => ({
    stroke: colour(`over${(k % 3) + 1}`), width: 1.5, dash: DASHES[k % DASHES.length], show: show.over[k],
    ...plain, spanGaps: false,
  }));
  const edge = { stroke: 'transparent', width: 0, show: judged && show.band, ...plain };
  const theirEdges = curve.bands.flatMap(({ run }) => {
    const side = { stroke: 'transparent', width: 0, show: show.band && show.over[run], ...plain, spanGaps: false };
    return [side, side];
  });
  // after times, two edges, recorded, analytic and the other runs
  const theirBands = curve.bands.map(({ run }, k) => {
    const low = 5 + others.length + 2 * k;
    return { series: [low + 1, low], fill: `${colour(`over${(run % 3) + 1}`)}33` };
  });
  return {
    width: one.area.clientWidth,
    height: height(one),
    legend: { show: false },
    padding: [6, 10, 0, 0],
    focus: { alpha: 1 },
    cursor: {
      sync: { key: 'run', setSeries: false },
      drag: { x: true, y: false, setScale: true, dist: 4 },
      points: { size: 6 },
    },
    scales: { x: { time: false }, y: { range: (u, low, high) => yRange(one, low, high) } },
    axes: [
      { ...axis, size: 22, gap: 3, space: 56, values: tick },
      { ...axis, size: 54, gap: 6, space: 28, values: tick },
    ],
    series: [
      {},
      edge,
      edge,
      { stroke: colour('recorded'), width: 2.4, show: show.recorded, ...plain },
      { stroke: colour('analytic'), width: 1.1, dash: [5, 4], show: show.analytic, ...plain },
      ...others,
      ...theirEdges,
    ],
    bands: [...(judged ? [{ series: [2, 1], fill: colour('band') }] : []), ...theirBands],
    hooks: {
      drawClear: [(u) => drawUnder(u, curve)],
      draw: [(u) => drawLines(u, one)],
      setCursor: [(u) => hover(u)],
      setScale: [(u, key) => { if (key === 'x' && !zooming) zoomed(u); }],
    },
  };
}

function applyZoom(one) {
  if (!one.chart) return;
  zooming = true;
  const [min, max] = state.zoom ?? [meta.t.first, meta.t.last];
  one.chart.setScale('x', { min, max });
  zooming = false;
  queueMicrotask(() => moveCursor(one));
}

function zoomed(u) {
  const { min, max } = u.scales.x;
  const all = min <= meta.t.first && max >= meta.t.last;
  const next = all ? null : [Math.max(min, meta.t.first), Math.min(max, meta.t.last)];
  if (String(next) === String(state.zoom)) return;
  state.zoom = next;
  queueMicrotask(() => tell('zoom'));
}

function moveCursor(one) {
  if (!one.chart || !one.near) return;
  const x = one.chart.valToPos(state.t, 'x');
  one.line.style.transform = `translateX(${Math.round(x)}px)`;
  one.line.style.visibility = x < -1 || x > one.chart.over.clientWidth + 1 ? 'hidden' : 'visible';
}

let waiting = false;
function hover(u) {
  const left = u.cursor.left;
  hovered = left === undefined || left < 0 ? null : u.posToVal(left, 'x');
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; readAll(); });
}

function readAll() {
  cards.forEach((one) => one.near && read(one));
}

function read(one) {
  const { curve, out } = one;
  const [, factor] = shownUnit(curve);
  const k = nearest(curve.x, hovered ?? state.t);
  if (otherOf(shown(one)) !== null) {
    out.textContent = apart(one, k);
    return;
  }
  const value = text(curve.recorded[k] * factor, curve.derived ? 0 : curve.scale * factor);
  out.textContent = `${value}  ${apart(one, k)}`.trim();
}

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
  one.figure.hidden = false;
  pair(one);
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const paired = twin?.curve === one.curve;
  const figure = paired ? twin.figure : one.figure;
  figure.scrollIntoView({ block: paired ? 'start' : 'center', behavior: calm ? 'auto' : 'smooth' });
}

/** Every plot drawn, for paper. */
export function drawAll() {
  cards.forEach((one) => { if (one.area.clientWidth) { one.near = true; refresh(one); } });
  drawPlanes();
}
