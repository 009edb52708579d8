// What a card draws: the curves of what it shows, its band, its range, and marks below and above them.

import { allowance, otherOf, shown } from './against.js';
import { meta, shownUnit } from './data.js';
import { colour } from './store.js';

export const DASHES = [[2, 3], [8, 3, 2, 3], [1, 4], [10, 4]];

const listed = (values, factor) => Array.from(values, (v) => (Number.isFinite(v) ? v * factor : null));

/** Times, lower and upper edge of the band, recorded, analytic, other runs, edges of their bands. */
export function series(one) {
  const { curve } = one;
  const [, factor] = shownUnit(curve);
  const { x, recorded, error, over } = curve;
  const nothing = x.map(() => null);
  const half = allowance(one);
  const about = (middle) => [-1, 1].map((side) => (half === null ? nothing : listed(middle.map((v) => v + side * half), factor)));
  const zero = recorded.map(() => 0);
  const run = otherOf(shown(one));
  if (run !== null) {
    const apart = over[run];
    const other = meta.overlays.map((_, k) => (apart && k === run ? listed(zero, factor) : nothing));
    const none = curve.bands.flatMap(() => [nothing, nothing]);
    return [x, ...about(zero), apart ? listed(apart.map((d) => 0 - d), factor) : nothing, nothing, ...other, ...none];
  }
  const errors = shown(one) === 'error';
  const model = errors ? zero : recorded.map((v, k) => v - error[k]);
  const own = errors ? error : recorded;
  // Another run's curve is its difference from this one's.
  const others = meta.overlays.map((_, k) => (over[k] ? listed(over[k].map((d, i) => d + own[i]), factor) : nothing));
  const theirs = curve.bands.flatMap(({ run, half: side }) =>
    [-side, side].map((d) => others[run].map((v) => (v === null ? null : v + d * factor))));
  return [x, ...about(model), listed(own, factor), listed(model, factor), ...others, ...theirs];
}

/** Numbers at the axes. */
export function tick(u, values) {
  return values.map((v) => {
    if (v === 0 || Math.abs(v) < 1e-12 * Math.abs(values.at(-1) - values[0])) return '0';
    const plain = Math.abs(v) >= 1e4 || Math.abs(v) < 1e-3 ? v.toExponential() : String(Number(v.toPrecision(4)));
    return plain.replace(/(\.\d{2})\d+e/, '$1e').replace('e+', 'e').replaceAll('-', '−');
  });
}

/** The curves with a margin; what is nothing beside its group's largest is not blown up. */
export function yRange(one, low, high) {
  const { curve } = one;
  const [, factor] = shownUnit(curve);
  const values = shown(one) === 'value';
  const allowed = allowance(one);
  const judged = (!values || curve.derived) && allowed !== null;
  const least = factor * (judged ? allowed : (values ? 1e-6 : 1e-9) * curve.scale) || 1e-12;
  if (low === null) return [-least, least];
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, least, 1e-3 * Math.abs(middle)) * 1.12;
  return [middle - half, middle + half];
}

/** Strips where a check fails; short marks at corners of the drives. */
export function drawUnder(u, curve) {
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
export function drawLines(u, one) {
  const { curve } = one;
  if (shown(one) !== 'value' || !curve.ratings.length) return;
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
