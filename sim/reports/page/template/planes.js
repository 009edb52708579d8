// Curves in a plane: the tool's path beside its target, torque over speed inside the ratings.

import { channels, meta, paths, shownUnit, timeOf, valueAt } from './data.js';
import { colour, element, on, state } from './store.js';

const POINTS = 600;
const planes = [];

export function addPlanes(group, grid) {
  if (group === 'tool' && paths.tool) grid.prepend(pathCard());
  if (group === 'tau') {
    for (const curve of [...channels.values()].filter((c) => c.group === 'tau')) {
      const speed = channels.get(`qd.${curve.label}`);
      const rated = [rating(speed), rating(curve)];
      if (rated[0] && rated[1]) ratings(curve, speed, rated);
    }
    if (planes.some((plane) => plane.rated)) {
      const mine = planes.filter((plane) => plane.rated).map((plane) => plane.figure);
      const inside = element('div', { class: 'grid small' }, ...mine);
      const title = element('h3', {}, 'Torque over speed ', element('span', { class: 'dim' }, 'dashed: rated'));
      const section = element('details', { class: 'group', 'data-group': 'tau', open: true }, element('summary', {}, title), inside);
      grid.closest('.group').after(section);
    }
  }
  if (planes.length && !planes.watched) watch();
}

/** Every plane drawn, for paper. */
export function drawPlanes() {
  planes.forEach(draw);
}

function watch() {
  planes.watched = true;
  const seen = new IntersectionObserver((entries) => entries.forEach(({ isIntersecting, target }) => {
    const plane = planes.find((one) => one.figure === target);
    plane.near = isIntersecting;
    if (isIntersecting) draw(plane);
  }), { rootMargin: '200px' });
  queueMicrotask(() => planes.forEach((plane) => seen.observe(plane.figure)));
  const redraw = () => planes.forEach((plane) => plane.near && draw(plane));
  for (const what of ['time', 'theme', 'show']) on(what, redraw);
  addEventListener('resize', redraw);
}

// Torque and speed have no other lines than their rating, on both sides.
const rating = (curve) => curve?.ratings.find(([, value]) => value > 0)?.[1];

function figure(title, unit, name, label) {
  const canvas = element('canvas', { class: 'plane', role: 'img', 'aria-label': label });
  const caption = element('figcaption', {}, element('b', {}, title), ' ', element('span', { class: 'dim' }, unit));
  return { canvas, figure: element('figure', { class: 'card', 'data-plane': name }, caption, canvas) };
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
  const pick = (path) => path && Array.from({ length: path.count }, (_, k) => [path.points[3 * k + a], path.points[3 * k + b]]);
  const names = 'xyz';
  const plane = {
    ...figure('tool path', `${names[b]} over ${names[a]} [m]`, 'path', `Path of the tool, ${names[b]} over ${names[a]} in metres`),
    curve: pick(paths.tool),
    target: pick(paths.target),
    equal: true,
    at: (t) => ['xyz'[a], 'xyz'[b]].map((c) => valueAt(channels.get(`tool.${c}`), t)),
  };
  plane.figure.classList.add('square');
  planes.push(plane);
  return plane.figure;
}

function ratings(curve, speed, rated) {
  const [unit, factor] = shownUnit(speed);
  const span = meta.t.last - meta.t.first;
  const at = (t) => [valueAt(speed, t) * factor, valueAt(curve, t)];
  planes.push({
    ...figure(curve.label, `${curve.unit} over ${unit}`, `rated.${curve.label}`, `Torque of ${curve.label} over its speed, with the rated torque and speed`),
    curve: Array.from({ length: POINTS }, (_, k) => at(meta.t.first + (span * k) / (POINTS - 1))),
    rated: [rated[0] * factor, rated[1]],
    at,
  });
}

function limits(plane) {
  const all = [...plane.curve, ...(plane.target ?? [])];
  if (plane.rated) all.push(plane.rated, plane.rated.map((v) => -v));
  const ends = [0, 1].map((axis) => {
    const values = all.map((p) => p[axis]).filter(Number.isFinite);
    return [values.reduce((m, v) => Math.min(m, v), Infinity), values.reduce((m, v) => Math.max(m, v), -Infinity)];
  });
  return ends.map(([low, high]) => {
    const margin = 0.07 * (high - low) || 0.1;
    return [low - margin, high + margin];
  });
}

function steps([low, high], room) {
  const rough = (high - low) / Math.max(2, room / 55);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * power >= rough) * power;
  const found = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step; v += step) found.push(Math.abs(v) < step / 1e6 ? 0 : v);
  return found;
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
  const box = { left: 46, top: 6, width: w - 56, height: h - 30 };
  let [x, y] = limits(plane);
  if (plane.equal) {
    const scale = Math.max((x[1] - x[0]) / box.width, (y[1] - y[0]) / box.height);
    x = widened(x, scale * box.width);
    y = widened(y, scale * box.height);
  }
  const px = (v) => box.left + ((v - x[0]) / (x[1] - x[0])) * box.width;
  const py = (v) => box.top + box.height - ((v - y[0]) / (y[1] - y[0])) * box.height;
  grid(ctx, box, x, y, px, py);
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left, box.top, box.width, box.height);
  ctx.clip();
  if (plane.rated) {
    const [s, tau] = plane.rated;
    ctx.strokeStyle = colour('bad');
    ctx.setLineDash([4, 3]);
    ctx.strokeRect(px(-s), py(tau), px(s) - px(-s), py(-tau) - py(tau));
    ctx.setLineDash([]);
  }
  if (state.show.recorded) line(ctx, plane.curve, px, py, colour('recorded'), 1.8, []);
  if (plane.target && state.show.analytic) line(ctx, plane.target, px, py, colour('analytic'), 1.3, [5, 4]);
  const [nx, ny] = plane.at(state.t);
  ctx.fillStyle = colour('now');
  ctx.beginPath();
  ctx.arc(px(nx), py(ny), 4, 0, 2 * Math.PI);
  ctx.fill();
  ctx.restore();
}

function widened([low, high], span) {
  const middle = (low + high) / 2;
  return [middle - span / 2, middle + span / 2];
}

function line(ctx, points, px, py, stroke, width, dash) {
  ctx.strokeStyle = stroke;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (const [a, b] of points) ctx.lineTo(px(a), py(b));
  ctx.stroke();
  ctx.setLineDash([]);
}

function grid(ctx, box, x, y, px, py) {
  ctx.font = '11px system-ui, sans-serif';
  ctx.fillStyle = colour('ink2');
  ctx.strokeStyle = colour('grid');
  ctx.lineWidth = 1;
  const shown = (v) => String(Number(v.toPrecision(4))).replace('-', '−');
  ctx.textAlign = 'center';
  ctx.textBaseline = 'top';
  for (const v of steps(x, box.width)) {
    stroke(ctx, px(v), box.top, px(v), box.top + box.height);
    ctx.fillText(shown(v), px(v), box.top + box.height + 6);
  }
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  for (const v of steps(y, box.height * 1.4)) {
    stroke(ctx, box.left, py(v), box.left + box.width, py(v));
    ctx.fillText(shown(v), box.left - 6, py(v));
  }
}

function stroke(ctx, ax, ay, bx, by) {
  ctx.beginPath();
  ctx.moveTo(Math.round(ax) + 0.5, Math.round(ay) + 0.5);
  ctx.lineTo(Math.round(bx) + 0.5, Math.round(by) + 0.5);
  ctx.stroke();
}
