// The drawing of a card: its axes, curves and bands, and what a pointer does to it.

import { allowance, lessWhat } from './against.js';
import { axesOf } from './axes.js';
import { bracketed, meta, shownUnit } from './data.js';
import { DASHES, axisOf, drawLines, drawNames, drawUnder, series, setZoom, strokeOf, yRange, zoomOf } from './drawing.js';
import { colour, element, state, tell } from './store.js';
import { written } from './ticks.js';

const { uPlot } = globalThis; // a script before this one

const HEIGHT = 144;
const TALL = 352;
const PAIRED = 202;
const JOINT = 252;
let zooming = false;
export const pointer = { t: null }; // time under it

/** Draws a card anew, where it is in sight and no longer true. */
export function redraw(one) {
  if (!one.stale || !one.area.clientWidth) return false;
  one.stale = false;
  one.chart?.destroy();
  const size = { width: one.area.clientWidth, height: height(one), font: 11 };
  one.unit.textContent = captionOf(one);
  const drawn = options(one, size);
  one.chart = new uPlot({ ...drawn, ...live(drawn) }, series(one), one.area);
  one.line = element('div', { class: 'now' });
  one.tag = element('div', { class: 'tag' });
  one.chart.over.append(one.line, one.tag);
  one.chart.over.addEventListener('mouseleave', leave);
  applyZoom(one);
  return true;
}

/** Units of a card's axes, and what its curves are less. */
export function captionOf(one) {
  const second = one.parts?.find((part) => axisOf(one, part) === 'y2');
  const right = second ? `, right axis ${bracketed(shownUnit(second)[0])}` : '';
  return `${bracketed(shownUnit(one.parts?.[0] ?? one.curve)[0])}${right} ${lessWhat(one)}`.trim();
}

function height({ figure, parts }) {
  if (figure.classList.contains('large')) return TALL;
  if (parts) return JOINT;
  return figure.classList.contains('paired') ? PAIRED : HEIGHT;
}

/** A card's chart as wide as its card. */
export function fit(one) {
  const width = one.area.clientWidth;
  if (width && one.chart.width !== width) {
    one.chart.setSize({ width, height: height(one) });
    moveCursor(one);
  }
}

/** A drawing of a card that nobody works with, such as the one that is saved. */
export function still(one, size, host) {
  const chart = new uPlot(options(one, size), series(one), host);
  const [min, max] = state.zoom ?? [meta.t.first, meta.t.last];
  chart.setScale('x', { min, max });
  return chart;
}

/** What is added to a drawing for one to work with. */
function live({ hooks }) {
  return {
    cursor: {
      sync: { key: 'run', setSeries: false },
      drag: { x: true, y: false, setScale: true, dist: 4 },
      points: { size: 6 },
    },
    hooks: {
      ...hooks,
      setCursor: [(u) => hover(u)],
      setScale: [(u, key) => { if (key === 'x' && !zooming) zoomed(u); }],
    },
  };
}

const plain = { points: { show: false }, pxAlign: 0 };

function options(one, { width, height: high, font }) {
  const right = one.parts?.some((part) => axisOf(one, part) === 'y2');
  return {
    width,
    height: high,
    ...axesOf({ font, right, range: (key) => (u, low, high) => yRange(one, low, high, key) }),
    focus: { alpha: 1 },
    cursor: { show: false },
    ...(one.parts ? jointLines(one, font / 11) : lines(one, font / 11)),
    hooks: {
      drawClear: [(u) => drawUnder(u, one.curve)],
      draw: [(u) => drawLines(u, one, font), (u) => drawNames(u, font)],
    },
  };
}

/** The curves of a channel: after times two edges, recorded, analytic and the other runs. */
function lines(one, ratio) {
  const { curve } = one;
  const { show } = state;
  const judged = allowance(one) !== null;
  const others = meta.overlays.map((_, k) => ({
    stroke: colour(`over${(k % 3) + 1}`), width: 1.5 * ratio, dash: DASHES[k % DASHES.length], show: show.over[k],
    ...plain, spanGaps: false,
  }));
  const edge = { stroke: 'transparent', width: 0, show: judged && show.band, ...plain };
  const theirEdges = curve.bands.flatMap(({ run }) => {
    const side = { stroke: 'transparent', width: 0, show: show.band && show.over[run], ...plain, spanGaps: false };
    return [side, side];
  });
  const theirBands = curve.bands.map(({ run }, k) => {
    const low = 5 + others.length + 2 * k;
    return { series: [low + 1, low], fill: `${colour(`over${(run % 3) + 1}`)}33` };
  });
  return {
    series: [
      {},
      edge,
      edge,
      { stroke: colour('recorded'), width: 2.4 * ratio, show: show.recorded, ...plain },
      { stroke: colour('analytic'), width: 1.1 * ratio, dash: [5, 4], show: show.analytic, ...plain },
      ...others,
      ...theirEdges,
    ],
    bands: [...(judged ? [{ series: [2, 1], fill: colour('band') }] : []), ...theirBands],
  };
}

/** Several channels: each in its colour, and its model in thin dots over it. */
function jointLines(one, ratio) {
  const { show } = state;
  const each = one.parts.flatMap((part, k) => {
    const mine = { ...strokeOf(k), scale: axisOf(one, part), ...plain };
    return [
      { ...mine, width: 2 * ratio, show: show.recorded },
      { ...mine, stroke: colour('analytic'), width: ratio, dash: [2, 3], show: show.analytic },
    ];
  });
  return { series: [{}, ...each] };
}

/** The zoom of the page in a card. */
export function applyZoom(one) {
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

export function moveCursor(one) {
  if (!one.chart || !one.near) return;
  const x = one.chart.valToPos(state.t, 'x');
  one.line.style.transform = `translateX(${Math.round(x)}px)`;
  one.line.style.visibility = x < -1 || x > one.chart.over.clientWidth + 1 ? 'hidden' : 'visible';
}

/** The time under the pointer, below every plot. */
export function moveTag(one) {
  const { chart, tag } = one;
  if (!chart) return;
  const { min, max } = chart.scales.x;
  const seen = pointer.t !== null && pointer.t >= min && pointer.t <= max;
  tag.style.display = seen ? 'block' : 'none';
  if (!seen) return;
  tag.textContent = `${written(pointer.t, max - min, chart.over.clientWidth)} s`;
  tag.style.transform = `translateX(calc(${Math.round(chart.valToPos(pointer.t, 'x'))}px - 50%))`;
}

let waiting = false;
function hover(u) {
  const left = u.cursor.left;
  if (left === undefined || left < 0) return; // a chart that follows another one may not have its place
  pointer.t = u.posToVal(left, 'x');
  tellPointer();
}

function tellPointer() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; tell('pointer'); });
}

function leave() {
  pointer.t = null;
  tellPointer();
}

const axes = (one) => Object.keys(one.chart.scales).filter((key) => key !== 'x');

/** A part of the height becomes the whole: from pixel `top` to pixel `bottom`. */
function take(one, top, bottom) {
  for (const key of axes(one)) setZoom(one, key, [one.chart.posToVal(bottom, key), one.chart.posToVal(top, key)]);
  tell('heights');
  applyZoom(one);
}

/** The whole height again. */
export function release(one) {
  if (!Object.keys(one.ranges).length) return;
  one.ranges = {};
  tell('heights');
  applyZoom(one);
}

export const isHeightChosen = (one) => Boolean(one.chart) && axes(one).some((key) => zoomOf(one, key));

/** With shift a drag or the wheel zooms the height; a double click takes it back. */
export function addHeights(one) {
  const { area } = one;
  let from = null;
  let box = null;
  const top = (event) => {
    const { over } = one.chart;
    const { top: edge, height: high } = over.getBoundingClientRect();
    return Math.min(Math.max(event.clientY - edge, 0), high);
  };
  // uPlot's own drag begins below, at the mouse's button.
  area.addEventListener('mousedown', (event) => { if (event.shiftKey) event.stopPropagation(); }, { capture: true });
  area.addEventListener('pointerdown', (event) => {
    if (!event.shiftKey || event.button !== 0 || !one.chart) return;
    event.preventDefault();
    from = top(event);
    box = element('div', { class: 'height' });
    one.chart.over.append(box);
    area.setPointerCapture(event.pointerId);
  });
  area.addEventListener('pointermove', (event) => {
    if (from === null) return;
    const to = top(event);
    box.style.top = `${Math.min(from, to)}px`;
    box.style.height = `${Math.abs(to - from)}px`;
  });
  const end = (event) => {
    if (from === null) return;
    const to = top(event);
    box.remove();
    if (event.type === 'pointerup' && Math.abs(to - from) > 4) take(one, Math.min(from, to), Math.max(from, to));
    from = null;
  };
  area.addEventListener('pointerup', end);
  area.addEventListener('pointercancel', end);
  area.addEventListener('wheel', (event) => {
    if (!event.shiftKey || !one.chart) return;
    event.preventDefault();
    const factor = Math.exp(0.0015 * (event.deltaY || event.deltaX)); // some browsers turn the wheel with shift
    const at = top(event);
    take(one, at - factor * at, at + factor * (one.chart.over.clientHeight - at));
  }, { passive: false });
  area.addEventListener('dblclick', () => release(one));
}
