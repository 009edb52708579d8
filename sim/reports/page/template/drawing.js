// What a card draws: the curves of what it shows, its band, its range, and marks below and above them.

import { allowance, otherOf, shown, valuesIn } from './against.js';
import { meta, shownUnit } from './data.js';
import { resampled, union } from './statistics.js';
import { colour, state } from './store.js';

export const DASHES = [[2, 3], [8, 3, 2, 3], [1, 4], [10, 4]];

const listed = (values, factor) => Array.from(values, (v) => (Number.isFinite(v) ? v * factor : null));

/** Which axis a curve of several has: the first unit's is at the left, the second's at the right. */
export const axisOf = (one, part) => (part.unit === one.parts[0].unit ? 'y' : 'y2');

/** Colour and dashes of curve `k` of several: six colours that all tell apart, then dashed. */
export const strokeOf = (k) => ({ stroke: colour(`part${(k % 6) + 1}`), dash: k < 6 ? [] : [9, 3] });

/** What several channels are called: their labels, where they are of one group, else their names. */
export const wordsOf = (parts) => parts.map(({ id, label, group }) => (parts.every((other) => other.group === group) ? label : id));

/** What stands for what in a card: label, colour, dashes. */
export function legendOf(one) {
  const compared = otherOf(shown(one)) !== null;
  const { show } = state;
  const analytic = { label: 'analytic', stroke: colour('analytic'), dash: [5, 4] };
  if (one.parts) {
    const parts = wordsOf(one.parts).map((label, k) => ({ label, ...strokeOf(k) }));
    return show.analytic && shown(one) === 'value' ? [...parts, { ...analytic, label: 'dotted: analytic', dash: [2, 3] }] : parts;
  }
  const others = meta.overlays.map(({ label }, k) => ({ label, stroke: colour(`over${(k % 3) + 1}`), dash: DASHES[k % DASHES.length] }));
  return [
    ...(show.recorded ? [{ label: meta.label, stroke: colour('recorded'), dash: [] }] : []),
    ...(show.analytic && !compared && !one.curve.derived ? [analytic] : []),
    ...others.filter((_, k) => show.over[k] && one.curve.over[k]),
  ];
}

/** Times, and for each of several curves what is recorded and what the model says. */
function jointly(one) {
  const view = shown(one);
  const times = union(one.parts.map(({ x }) => x));
  return [times, ...one.parts.flatMap((part) => {
    const [, factor] = shownUnit(part);
    const model = view === 'value' ? part.recorded.map((v, k) => v - part.error[k]) : part.recorded.map(() => NaN);
    return [valuesIn(part, view), model].map((values) => listed(resampled(part.x, values, times), factor));
  })];
}

/** Times, lower and upper edge of the band, recorded, analytic, other runs, edges of their bands. */
export function series(one) {
  if (one.parts) return jointly(one);
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

const FURTHEST = 2.2; // of the curve's own height: a rating that lies further out would press the curve flat

/** The curves with a margin, and ratings near them; what is nothing beside its group's largest is not blown up. */
export function yRange(one, low, high, key = 'y') {
  const { curve } = one;
  const view = shown(one);
  const zoomed = zoomOf(one, key);
  if (zoomed) return zoomed;
  const [{ scale }, factor] = onAxis(one, key);
  const values = view === 'value';
  const allowed = allowance(one);
  const judged = (!values || curve.derived) && allowed !== null;
  const least = factor * (judged ? allowed : (values ? 1e-6 : 1e-9) * scale) || 1e-12;
  if (low === null) return [-least, least];
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, least, 1e-3 * Math.abs(middle)) * 1.12;
  return withRatings(ratingsOf(one), middle - half, middle + half);
}

/** The range with the ratings that leave the curve about half of the height, the nearest first. */
function withRatings(ratings, low, high) {
  const most = FURTHEST * (high - low);
  const beyond = (v) => Math.max(low - v, v - high, 0);
  let range = [low, high];
  for (const { value } of [...ratings].sort((a, b) => beyond(a.value) - beyond(b.value))) {
    const room = 0.06 * (high - low);
    const wider = [Math.min(range[0], value - room), Math.max(range[1], value + room)];
    if (beyond(value) && wider[1] - wider[0] <= most) range = wider;
  }
  return range;
}

/** Lines that a card's curve should not cross: values as shown, and words for them. */
function ratingsOf(one) {
  if (shown(one) !== 'value' || one.parts) return [];
  const [unit, factor] = shownUnit(one.curve);
  return one.curve.ratings.map(([name, v]) => {
    const value = v * factor;
    const number = String(Number(value.toPrecision(4))).replace('-', '−');
    const word = name === 'clearance' ? 'wanted' : name.startsWith('rated') ? 'rated' : 'end of range';
    return { value, word, text: `${number} ${unit}`.trim() };
  });
}

/** The curve that an axis is of, and what its values are multiplied with. */
function onAxis(one, key) {
  const mine = one.parts ? one.parts.filter((part) => axisOf(one, part) === key) : [one.curve];
  const widest = mine.reduce((most, part) => (part.scale > most.scale ? part : most));
  return [widest, shownUnit(widest)[1]];
}

const rangeName = (one, key) => `${shown(one)} ${key}`;

/** The range chosen for an axis by hand, as shown; null where there is none. */
export function zoomOf(one, key) {
  const range = one.ranges[rangeName(one, key)];
  return range ? range.map((v) => v * onAxis(one, key)[1]) : null;
}

/** Chooses a range for an axis, as shown. */
export function setZoom(one, key, [low, high]) {
  const [, factor] = onAxis(one, key);
  // Nearer than this the page's numbers, which are of 32 bits, are steps.
  const least = 2e-6 * Math.max(Math.abs(low), Math.abs(high));
  if (high - low > least && Number.isFinite(high - low)) one.ranges[rangeName(one, key)] = [low / factor, high / factor];
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
  drawMarks(u);
  ctx.restore();
}

/** The marks A and B, dashed from top to bottom. */
function drawMarks(u) {
  const { ctx, bbox } = u;
  ctx.strokeStyle = ctx.fillStyle = colour('ink2');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.font = `600 ${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textBaseline = 'top';
  for (const [name, t] of Object.entries(state.marks)) {
    if (t === null) continue;
    const x = Math.round(u.valToPos(t, 'x', true));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(name.toUpperCase(), x + 3 * devicePixelRatio, bbox.top);
  }
}

/** What the horizontal axis is of. */
export function drawNames(u, font = 11) {
  const { ctx, bbox } = u;
  const size = font * devicePixelRatio;
  ctx.save();
  ctx.font = `${size}px system-ui, sans-serif`;
  ctx.fillStyle = colour('ink2');
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText('time [s]', bbox.left + bbox.width, u.ctx.canvas.height - devicePixelRatio);
  ctx.restore();
}

/** The rightmost place between the edges where no curve passes behind words of some width and height; undefined without any. */
function placeOf(u, width, top, height) {
  const { left, width: most } = u.bbox;
  const [times, ...curves] = u.data;
  const points = curves.filter((_, k) => u.series[k + 1].show && u.series[k + 1].width).flatMap((values) => {
    const inside = (v) => v !== null && v >= u.posToVal(top + height, 'y', true) && v <= u.posToVal(top, 'y', true);
    return times.filter((_, k) => inside(values[k])).map((t) => u.valToPos(t, 'x', true));
  });
  const margin = 4 * devicePixelRatio;
  const ends = Array.from({ length: 9 }, (_, k) => left + most - margin - (k * (most - width - 2 * margin)) / 8);
  return ends.find((end) => !points.some((x) => x > end - width - margin && x < end + margin));
}

/** Ratings and ends of ranges: a line where they are in sight, else a word at the edge beyond which they lie. */
export function drawLines(u, one, font = 11) {
  const ratings = ratingsOf(one);
  if (!ratings.length) return;
  const { ctx, bbox } = u;
  const { min, max } = u.scales.y;
  const pixel = devicePixelRatio;
  const high = (font + 1) * pixel;
  ctx.save();
  ctx.font = `${(font - 1) * pixel}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'top';
  ctx.lineJoin = 'round';
  const write = (words, tops, ink) => { // at the first of these heights that is free
    const { width } = ctx.measureText(words);
    const top = tops.find((one) => placeOf(u, width, one, high) !== undefined) ?? tops[0];
    const x = placeOf(u, width, top, high) ?? bbox.left + bbox.width - 4 * pixel;
    ctx.setLineDash([]);
    ctx.lineWidth = 3 * pixel;
    ctx.strokeStyle = colour('ground-page'); // a curve behind it leaves it legible
    ctx.strokeText(words, x, top);
    ctx.fillStyle = colour(ink);
    ctx.fillText(words, x, top);
  };
  const edges = [bbox.top + 2 * pixel, bbox.top + bbox.height - high];
  const seen = ratings.filter(({ value }) => value >= min && value <= max);
  const beyond = ratings.filter(({ value }) => (value < min || value > max) && !seen.some((other) => other.value === -value));
  const pair = beyond.length === 2 && beyond[0].value === -beyond[1].value;
  for (const { value, word, text: number } of pair ? beyond.filter(({ value: v }) => v > 0) : beyond) {
    const upper = value > max;
    write(`${word} ${pair ? '±' : ''}${number} ${pair ? '↕' : upper ? '↑' : '↓'}`, pair ? edges : [edges[upper ? 0 : 1]], 'ink2');
  }
  for (const { value, word, text: number } of seen) {
    const y = Math.round(u.valToPos(value, 'y', true));
    ctx.strokeStyle = colour('bad');
    ctx.lineWidth = pixel;
    ctx.setLineDash([3 * pixel, 3 * pixel]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // Its words stand towards the middle, where there is room.
    write(`${word} ${number}`, [value > (min + max) / 2 ? y + 3 * pixel : y - high], 'bad');
  }
  ctx.restore();
}
