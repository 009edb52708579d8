// Cards of curves in a plane: the tool's path beside its target, torque over speed inside the
// ratings, and any channel over any other.

import { bracketed, channels, meta, paths, shownUnit, timeOf, valueAt } from './data.js';
import { linesOf } from './formulas.js';
import { openMenu } from './menu.js';
import { drawPlane } from './plane.js';
import { DASHES, strokeOf, wordsOf } from './drawing.js';
import { cut, resampled, union } from './statistics.js';
import { colour, element, on, state, text } from './store.js';

const POINTS = 600;
const PATH_STEP = 1e-6; // [m]; a path's points have the seven digits of a float of 32 bits
const planes = new Set();
let go = null; // goes to a time
let itemsOf = null; // what the menu of a plane has
let seen = null;

/** Planes of the run among the plots of a group. */
export function addPlanes(group, grid) {
  if (group === 'tool' && paths.tool) grid.prepend(pathCard().figure);
  if (group !== 'tau') return;
  const rated = [...channels.values()].filter((c) => c.group === 'tau').flatMap((curve) => {
    const speed = channels.get(`qd.${curve.label}`);
    const both = [rating(speed), rating(curve)];
    return both[0] && both[1] ? [ratings(curve, speed, both)] : [];
  });
  if (!rated.length) return;
  const inside = element('div', { class: 'grid small' }, ...rated.map(({ figure }) => figure));
  const title = element('h3', {}, 'Torque over speed ', element('span', { class: 'dim' }, 'dashed: rated'));
  const section = element('details', { class: 'group', 'data-group': 'tau', open: true }, element('summary', {}, title), inside);
  grid.closest('.group').after(section);
}

/** Every plane drawn, for paper. */
export function drawPlanes() {
  planes.forEach(draw);
}

/** Planes are drawn from now on while they are in sight. */
export function watchPlanes(seek, menuOf) {
  go = seek;
  itemsOf = menuOf;
  seen = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
    const plane = [...planes].find((one) => one.figure === target);
    if (!plane) return;
    plane.near = isIntersecting;
    if (isIntersecting) draw(plane);
  }), { rootMargin: '200px' });
  planes.forEach((plane) => seen.observe(plane.figure));
  const redraw = () => planes.forEach((plane) => plane.near && draw(plane));
  for (const what of ['time', 'zoom', 'theme', 'show', 'marks']) on(what, redraw);
  addEventListener('resize', redraw);
}

/** All planes of the page. */
export const allPlanes = () => [...planes];

/** Takes a plane off the page. */
export function dropPlane(plane) {
  seen?.unobserve(plane.figure);
  plane.figure.remove();
  planes.delete(plane);
}

// Torque and speed have no other lines than their rating, on both sides.
const rating = (curve) => curve?.ratings.find(([, value]) => value > 0)?.[1];

/**
 * A card of a plane.
 *
 * `content` gives the curves, what is rated, and the names of the axes; it is asked again when units
 * or the zoom change. `at` gives the points of a time.
 */
function add({ title, name, label, content, at, equal = false, more = [] }) {
  const canvas = element('canvas', { class: 'plane', role: 'img', 'aria-label': label });
  const unit = element('span', { class: 'dim' });
  const out = element('output', { 'aria-live': 'off' });
  const button = element('button', { class: 'icon', title: 'More: save, link', 'aria-label': `More of ${title}`, 'aria-haspopup': 'menu' }, '⋯');
  const caption = element('figcaption', {}, element('b', { title }, title), ' ', unit, out, button);
  const figure = element('figure', { class: 'card', 'data-plane': name }, caption, canvas);
  const plane = { figure, canvas, unit, out, title, name, content, at, equal, more, near: false, pointed: null };
  planes.add(plane);
  button.addEventListener('click', () => openMenu(button, itemsOf(plane)));
  canvas.addEventListener('pointermove', (event) => { plane.pointed = nearestTo(plane, event); say(plane); });
  canvas.addEventListener('pointerleave', () => { plane.pointed = null; say(plane); });
  canvas.addEventListener('click', (event) => { const found = nearestTo(plane, event); if (found?.t !== undefined) go(found.t); });
  seen?.observe(figure);
  return plane;
}

/** The curves of a plane, kept until what they depend on changes. */
export function contentOf(plane) {
  const now = `${state.degrees} ${state.zoom} ${plane.key?.() ?? ''}`;
  if (plane.now !== now) [plane.now, plane.kept] = [now, plane.content()];
  return plane.kept;
}

/** What `drawPlane` draws of a plane. */
export function drawing(plane) {
  const { lines, rated, across } = contentOf(plane);
  return {
    lines: lines.filter(isShown).map((line, k) => ({ ...line, ...lineOf(plane, line, k) })),
    rated,
    dots: plane.at(state.t),
    equal: plane.equal,
    name: across,
  };
}

/** Whether a line is of the run itself: no target, no other run. */
export const isOwn = ({ target, run }) => !target && run === undefined;

function isShown({ target, run }) {
  if (target) return state.show.analytic;
  return run === undefined ? state.show.recorded : state.show.over[run];
}

function lineOf(plane, { target, run }, k) {
  if (target) return { stroke: colour('analytic'), width: 1.3, dash: [5, 4] };
  if (run !== undefined) return { stroke: colour(`over${(run % 3) + 1}`), width: 1.6, dash: DASHES[run % DASHES.length] };
  return plane.many ? { ...strokeOf(k), width: 1.8 } : { stroke: colour('recorded'), width: 1.8, dash: [] };
}

function draw(plane) {
  const { canvas } = plane;
  const ratio = devicePixelRatio || 1;
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (!w) return;
  if (canvas.width !== Math.round(w * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const ctx = canvas.getContext('2d');
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, w, h);
  plane.unit.textContent = contentOf(plane).unit;
  plane.places = drawPlane(ctx, drawing(plane), w, h);
  say(plane);
}

/** The point of a plane nearest to the pointer, within 30 pixels. */
function nearestTo(plane, event) {
  if (!plane.places) return null;
  const { px, py } = plane.places;
  const box = plane.canvas.getBoundingClientRect();
  let [best, least] = [null, 30 ** 2];
  contentOf(plane).lines.filter(isOwn).forEach((line, at) => {
    for (let k = 0; k < line.x.length; k++) {
      const far = (px(line.x[k]) - event.clientX + box.left) ** 2 + (py(line.y[k]) - event.clientY + box.top) ** 2;
      if (far < least) [best, least] = [{ line: at, t: line.t?.[k], x: line.x[k], y: line.y[k] }, far];
    }
  });
  return best;
}

/** The point under the pointer, or of now, beside the name. */
function say(plane) {
  const { pointed } = plane;
  const { steps } = contentOf(plane);
  const [x, y] = pointed ? [text(pointed.x, 0, steps[0]), text(pointed.y, 0, steps[pointed.line + 1])] : [];
  if (plane.spectrum) {
    plane.out.textContent = pointed ? `${x} Hz  ${y}` : plane.spectrum.highest;
    return;
  }
  plane.out.textContent = pointed ? `${text(pointed.t)} s  (${x}, ${y})` : '';
}

/** The two axes in which the path is widest. */
function pathCard() {
  const { points, count } = paths.tool;
  const widths = [0, 1, 2].map((axis) => {
    let low = Infinity;
    let high = -Infinity;
    for (let k = 0; k < count; k++) {
      low = Math.min(low, points[3 * k + axis]);
      high = Math.max(high, points[3 * k + axis]);
    }
    return high - low;
  });
  const least = widths.indexOf(Math.min(...widths));
  const [a, b] = [0, 1, 2].filter((axis) => axis !== least);
  const pick = (path, more) => {
    const of = (axis) => Array.from({ length: path.count }, (_, k) => path.points[3 * k + axis]);
    const t = Array.from({ length: path.count }, (_, k) => (k === path.count - 1 ? meta.t.last : timeOf(k * path.every)));
    return { x: of(a), y: of(b), t, ...more };
  };
  const [across, up] = [a, b].map((axis) => 'xyz'[axis]);
  const plane = add({
    title: 'tool path',
    name: 'path',
    label: `Path of the tool, ${up} over ${across} in metres`,
    content: () => ({
      lines: [
        pick(paths.tool, { label: meta.label }),
        ...(paths.target ? [pick(paths.target, { target: true, label: 'target' })] : []),
        ...meta.overlays.flatMap(({ label }, run) => (paths[`over${run}`] ? [pick(paths[`over${run}`], { run, label })] : [])),
      ],
      unit: `${up} over ${across} [m]`,
      across: `${across} [m]`,
      up: `${up} [m]`,
      steps: [PATH_STEP, PATH_STEP],
    }),
    equal: true,
    at: (t) => [[a, b].map((axis) => valueAt(channels.get(`tool.${'xyz'[axis]}`), t))],
  });
  plane.figure.classList.add('square');
  return plane;
}

function ratings(curve, speed, rated) {
  const span = meta.t.last - meta.t.first;
  const times = Array.from({ length: POINTS }, (_, k) => meta.t.first + (span * k) / (POINTS - 1));
  return add({
    title: curve.label,
    name: `rated.${curve.label}`,
    label: `Torque of ${curve.label} over its speed, with the rated torque and speed`,
    content: () => {
      const [unit, factor] = shownUnit(speed);
      return {
        lines: [{ t: times, x: resampled(speed.x, speed.recorded, times).map((v) => v * factor), y: resampled(curve.x, curve.recorded, times), label: 'recorded' }],
        rated: [rated[0] * factor, rated[1]],
        unit: bracketed(curve.unit),
        across: `speed ${bracketed(unit)}`,
        up: `torque ${bracketed(curve.unit)}`,
        steps: [speed.steps[0] * factor, curve.steps[0]],
      };
    },
    at: (t) => [[valueAt(speed, t) * shownUnit(speed)[1], valueAt(curve, t)]],
  });
}

/** A card of channels over another one; they are of one unit. */
export function addPlane(x, ys, name) {
  const names = wordsOf(ys);
  const plane = add({
    title: `${ys.length === 1 ? ys[0].id : names.join(', ')} over ${x.id}`,
    name,
    label: `${ys.map(({ id }) => id).join(', ')} over ${x.id}`,
    equal: x.unit === 'm' && ys[0].unit === 'm',
    content: () => {
      const [[across, fx], [up, fy]] = [shownUnit(x), shownUnit(ys[0])];
      const [from, to] = state.zoom ?? [meta.t.first, meta.t.last];
      const all = union([x, ...ys].map((curve) => curve.x));
      const t = cut(all, all, from, to).x;
      const of = (curve, factor) => resampled(curve.x, curve.recorded, t).map((v) => v * factor);
      const lines = ys.map((y, k) => ({ t, x: of(x, fx), y: of(y, fy), label: names[k] }));
      const steps = [x.steps[0] * fx, ...ys.map((y) => y.steps[0] * fy)];
      return { lines, steps, unit: bracketed(up), across: `${x.id} ${bracketed(across)}`, up: bracketed(up) };
    },
    at: (t) => ys.map((y) => [valueAt(x, t) * shownUnit(x)[1], valueAt(y, t) * shownUnit(y)[1]]),
  });
  plane.many = ys.length > 1;
  plane.figure.classList.add('square', 'own');
  return plane;
}

const SEEN = 0.01; // of the highest line; the axis ends where all others are less

/** A card of a channel's spectrum, of what is between the marks or shown. */
export function addSpectrum(id, name) {
  const kind = { window: 'hann', density: false };
  const range = () => {
    const { a, b } = state.marks;
    if (a !== null && b !== null) return [a, b];
    return state.zoom ?? [meta.t.first, meta.t.last];
  };
  const plane = add({
    title: `spectrum of ${id}`,
    name,
    label: `Spectrum of ${id}`,
    content: () => {
      const [from, to] = range();
      const { recorded, model, unit } = linesOf(id, [from, to], kind.window, kind.density);
      const [, factor] = kind.density ? [] : shownUnit(channels.get(id));
      const shown = kind.density ? unit : shownUnit(channels.get(id))[0];
      const most = recorded.values.slice(1).reduce((high, v) => Math.max(high, v), 0);
      const last = recorded.values.findLastIndex((v, k) => k && v > SEEN ** (kind.density ? 2 : 1) * most);
      const end = Math.min(Math.max(Math.ceil(1.5 * last), 10), recorded.f.length - 1) + 1;
      const line = (of, more) => ({ x: Array.from(of.f.slice(0, end)), y: Array.from(of.values.slice(0, end), (v) => v * (factor ?? 1)), ...more });
      const top = recorded.values.indexOf(most, 1);
      plane.spectrum = { highest: most > 0 ? `highest ${text(most * (factor ?? 1))} at ${text(recorded.f[top])} Hz` : 'no line' };
      const words = `${bracketed(shown)} ${kind.window === 'boxcar' ? 'no window' : kind.window}, ${text(from)}–${text(to)} s`;
      return {
        lines: [line(recorded, { label: 'recorded' }), line(model, { target: true, label: 'analytic' })],
        unit: words, across: 'frequency [Hz]', up: bracketed(shown), steps: [recorded.f[1] / 1000, most * (factor ?? 1) * 1e-6],
      };
    },
    at: () => [],
  });
  plane.key = () => `${range()} ${kind.window} ${kind.density}`;
  plane.change = (change) => { Object.assign(kind, change); draw(plane); };
  plane.kind = kind;
  plane.figure.classList.add('own');
  return plane;
}
