// Cards of curves over time: one cursor, one zoom, values beside the name.

import uPlot from 'uplot';
import { channels, meta, nearest, shownUnit } from './data.js';
import { $, $$, colour, element, on, state, tell, text } from './store.js';
import { addPlanes, drawPlanes } from './planes.js';

const OPEN = ['tau', 'qd', 'energy']; // groups that need no click to be seen
const HEIGHT = 132;
const TALL = 340;
const DASHES = [[2, 3], [8, 3, 2, 3], [1, 4], [10, 4]];
export const cards = new Map();
let hovered = null; // time under the pointer
let zooming = false;

export function addPlots(seek) {
  const host = $('#plots');
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
    for (const curve of mine) grid.append(card(curve, seek));
    host.append(section);
    addPlanes(group, grid, seek);
  }
  const seen = new IntersectionObserver(
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
  on('show', () => cards.forEach((one) => { one.stale = true; if (one.near) refresh(one); }));
  on('theme', () => cards.forEach((one) => { one.stale = true; if (one.near) refresh(one); }));
  on('focus', markFocus);
}

function card(curve, seek) {
  const bad = curve.fails.length > 0;
  const out = element('output', { 'aria-live': 'off' });
  const unit = element('span', { class: 'dim' });
  const area = element('div', { class: 'area' });
  const larger = element('button', { class: 'icon', title: 'Larger (f)', 'aria-label': `Larger plot of ${curve.id}` }, '⤢');
  const caption = element('figcaption', {}, element('b', {}, curve.label), ' ', unit);
  if (bad) caption.append(' ', element('span', { class: 'bad' }, '✗ fails'));
  caption.append(out, larger);
  const figure = element('figure', { class: 'card', id: `ch-${curve.id}`, 'data-ch': curve.id, tabindex: '0', role: 'group' }, caption, area);
  const one = { curve, figure, area, out, unit, chart: null, stale: true, near: false };
  cards.set(curve.id, one);
  figure.setAttribute('aria-label', described(curve));
  larger.addEventListener('click', () => enlarge(one));
  figure.addEventListener('focus', () => { state.focus = curve.id; tell('focus'); });
  area.addEventListener('pointerdown', (event) => { one.pressed = event.clientX; });
  area.addEventListener('pointerup', (event) => {
    const over = one.chart?.over;
    if (!over || Math.abs(event.clientX - one.pressed) > 3) return;
    state.focus = curve.id;
    tell('focus');
    seek(one.chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
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

/** Enlarges a card, or makes it small again. */
export function enlarge(one) {
  one.figure.classList.toggle('large');
  one.stale = true;
  refresh(one);
}

const height = (one) => (one.figure.classList.contains('large') ? TALL : HEIGHT);

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
  one.unit.textContent = unit ? `[${unit}]` : '';
  one.chart = new uPlot(options(one), series(one.curve), one.area);
  one.line = element('div', { class: 'now' });
  one.chart.over.append(one.line);
  applyZoom(one);
  moveCursor(one);
  read(one);
}

const listed = (values, factor) => Array.from(values, (v) => (Number.isFinite(v) ? v * factor : null));

/** Times, lower and upper edge of the band, recorded, analytic, other runs, edges of their bands. */
function series(curve) {
  const [, factor] = shownUnit(curve);
  const { x, recorded, error, over, limit } = curve;
  const model = state.error ? recorded.map(() => 0) : recorded.map((v, k) => v - error[k]);
  const own = state.error ? error : recorded;
  const others = meta.overlays.map((_, k) => {
    if (!over[k]) return x.map(() => null);
    // Another run's curve is its difference from this one's.
    const base = state.error ? over[k].map((d, i) => d + error[i]) : over[k].map((d, i) => d + recorded[i]);
    return listed(base, factor);
  });
  const half = limit ?? 0;
  const edges = [-half, half].map((side) => (limit === null ? x.map(() => null) : listed(model.map((v) => v + side), factor)));
  const theirs = curve.bands.flatMap(({ run, half: side }) =>
    [-side, side].map((d) => others[run].map((v) => (v === null ? null : v + d * factor))));
  return [x, ...edges, listed(own, factor), listed(model, factor), ...others, ...theirs];
}

function tick(u, values) {
  return values.map((v) => {
    if (v === 0 || Math.abs(v) < 1e-12 * Math.abs(values.at(-1) - values[0])) return '0';
    const plain = Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3 ? v.toExponential() : String(Number(v.toPrecision(4)));
    return plain.replace(/(\.\d{2})\d+e/, '$1e').replace('e+', 'e').replaceAll('-', '−');
  });
}

function options(one) {
  const { curve } = one;
  const judged = curve.limit !== null;
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
    scales: { x: { time: false }, y: { range: (u, low, high) => yRange(curve, low, high) } },
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
      draw: [(u) => drawLines(u, curve)],
      setCursor: [(u) => hover(u)],
      setScale: [(u, key) => { if (key === 'x' && !zooming) zoomed(u); }],
    },
  };
}

/** The curves with a margin; what is nothing beside its group's largest is not blown up. */
function yRange(curve, low, high) {
  const [, factor] = shownUnit(curve);
  const judged = (state.error || curve.derived) && curve.limit !== null;
  const least = factor * (judged ? curve.limit : (state.error ? 1e-9 : 1e-6) * curve.scale) || 1e-12;
  if (low === null) return [-least, least];
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, least, 1e-3 * Math.abs(middle)) * 1.12;
  return [middle - half, middle + half];
}

/** Strips where a check fails; short marks at corners of the drives. */
function drawUnder(u, curve) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = colour('failing');
  for (const [from, to] of curve.fails) {
    const a = u.valToPos(from, 'x', true);
    const b = u.valToPos(to, 'x', true);
    ctx.fillRect(a - 1, bbox.top, Math.max(2, b - a + 2), bbox.height);
  }
  ctx.fillStyle = colour('corner');
  for (const t of meta.corners) {
    const x = u.valToPos(t, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x - 3, bbox.top + bbox.height);
    ctx.lineTo(x + 3, bbox.top + bbox.height);
    ctx.lineTo(x, bbox.top + bbox.height - 5);
    ctx.fill();
  }
  ctx.restore();
}

/** Ratings and ends of ranges, where they are in sight. */
function drawLines(u, curve) {
  if (state.error || !curve.ratings.length) return;
  const { ctx, bbox } = u;
  const [, factor] = shownUnit(curve);
  const { min, max } = u.scales.y;
  ctx.save();
  ctx.strokeStyle = colour('bad');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const [, value] of curve.ratings) {
    if (value * factor < min || value * factor > max) continue;
    const y = Math.round(u.valToPos(value * factor, 'y', true));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
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
  const value = text(curve.recorded[k] * factor, curve.derived ? 0 : curve.scale * factor);
  const shift = curve.derived || curve.limit === null ? '' : `  Δ ${text(curve.error[k] * factor)}`;
  out.textContent = value + shift;
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
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  one.figure.scrollIntoView({ block: 'center', behavior: calm ? 'auto' : 'smooth' });
}

/** Every plot drawn, for paper. */
export function drawAll() {
  cards.forEach((one) => { if (one.area.clientWidth) { one.near = true; refresh(one); } });
  drawPlanes();
}
