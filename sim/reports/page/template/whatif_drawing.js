// What if: the small charts of torques over time, and the map of payload and speed.

import { colour, text } from './store.js';
import { labels, splits } from './ticks.js';

const FONT = '11px system-ui, "DejaVu Sans", sans-serif';
const INKS = ['ground-page', 'panel', 'ink', 'ink2', 'rule', 'grid', 'recorded', 'corner', 'ok', 'ok-soft', 'bad', 'bad-soft'];

export const readInk = () => Object.fromEntries(INKS.map((name) => [name, colour(name)]));
// 100.2 % is beyond the rating, and is shown so
export const percent = (share) => (share.toFixed(2) === '1.00' && share !== 1 ? `${(100 * share).toPrecision(4)} %` : share < 1e-9 ? '0 %' : share < 1e-3 ? '< 0.1 %' : `${share >= 0.0995 ? (100 * share).toFixed(0) : (100 * share).toPrecision(2)} %`);

function sized(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  const [wide, high] = [Math.round(w * ratio), Math.round(h * ratio)];
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  g.font = FONT;
  return { g, w, h };
}

const line = (g, points) => { g.beginPath(); points.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y))); g.stroke(); };
const nothing = 1e-9; // of the largest torque of all joints: rounding

/** Torque of a joint: with the sliders' values, of the run, and the rating. */
export function drawChart(canvas, { one, state, now, j, inPercent, largest }, ink) {
  const { g, w, h } = sized(canvas);
  const R = one.joints[j].effort;
  const worth = inPercent && Number.isFinite(R) ? 100 / R : 1;
  const rated = R * worth;
  const s = state.sizing[j];
  const top = Math.max(Math.abs(s.peak), Math.abs(one.was.sizing[j].peak)) * worth;
  const none = top < nothing * largest * worth;
  const seen = Number.isFinite(R) && (inPercent || top > 0.3 * rated);
  let span = none ? 1 : Math.max(1.36 * top, seen ? 1.14 * rated : 0);
  const step = 10 ** Math.floor(Math.log10(span)) / 2;
  span = Math.ceil(span / step) * step; // in steps, so that a curve is seen to grow
  const box = { l: 50, r: w - 8, t: 6, b: h - 20 };
  const X = (t) => box.l + ((box.r - box.l) * (t - one.first)) / one.duration;
  const Y = (v) => (box.t + box.b) / 2 - ((v * worth) / span) * ((box.b - box.t) / 2);
  g.lineWidth = 1; g.textBaseline = 'middle'; g.textAlign = 'right';
  const heights = none ? [0] : splits(-span, span, 4);
  labels(heights).forEach((words, k) => {
    const py = Math.round(Y(heights[k] / worth)) + 0.5;
    g.strokeStyle = heights[k] === 0 ? ink.rule : ink.grid;
    line(g, [[box.l, py], [box.r, py]]);
    g.fillStyle = ink.ink2; g.fillText(words + (inPercent && worth !== 1 ? ' %' : ''), box.l - 6, py);
  });
  g.textBaseline = 'top'; g.textAlign = 'center';
  const times = splits(0, one.duration / now.speed, Math.max(3, w / 80));
  labels(times).forEach((words, k) => {
    const px = Math.round(X(one.first + times[k] * now.speed)) + 0.5;
    g.strokeStyle = ink.grid; line(g, [[px, box.t], [px, box.b]]);
    g.fillStyle = ink.ink2; g.fillText(k === times.length - 1 ? `${words} s` : words, Math.min(px, w - 14), box.b + 5);
  });
  g.save(); g.beginPath(); g.rect(box.l, 0, box.r - box.l, h); g.clip();
  if (seen) {
    g.fillStyle = ink['bad-soft']; g.globalAlpha = 0.55;
    g.fillRect(box.l, box.t, box.r - box.l, Math.max(0, Y(R) - box.t)); g.fillRect(box.l, Y(-R), box.r - box.l, Math.max(0, box.b - Y(-R)));
    g.globalAlpha = 1; g.strokeStyle = ink.bad; g.setLineDash([5, 3]);
    for (const v of [R, -R]) line(g, [[box.l, Y(v)], [box.r, Y(v)]]);
    g.setLineDash([]);
  }
  const curve = (values, style, width) => { g.strokeStyle = style; g.lineWidth = width; g.lineJoin = 'round'; line(g, Array.from(values, (v, i) => [X(one.t[i]), Y(none ? 0 : v)])); };
  curve(one.was.tau[j], ink.corner, 1.5);
  curve(state.tau[j], ink.recorded, 2);
  if (s.share > 1) {
    g.beginPath(); g.rect(box.l, 0, box.r - box.l, Y(R)); g.rect(box.l, Y(-R), box.r - box.l, h); g.clip();
    curve(state.tau[j], ink.bad, 2.6);
  }
  g.restore();
  if (none) return;
  const [px, py] = [X(s.at), Y(s.peak)];
  g.fillStyle = s.share > 1 ? ink.bad : ink.recorded; g.strokeStyle = ink['ground-page']; g.lineWidth = 1.5;
  g.beginPath(); g.arc(px, py, 3.6, 0, 7); g.fill(); g.stroke();
  g.font = `600 ${FONT}`;
  const words = worth !== 1 ? percent(s.share) : text(s.peak);
  const half = g.measureText(words).width / 2;
  const out = py + (s.peak < 0 ? 10 : -10); // outside of the curve, beside it where there is no room
  const inside = out >= box.t + 3 && out <= box.b - 3;
  const left = px + 8 + 2 * half > box.r;
  const [lx, ly] = inside ? [Math.min(Math.max(px, box.l + half + 2), box.r - half - 2), out] : [left ? px - 8 - half : px + 8 + half, Math.min(Math.max(py, box.t + 7), box.b - 7)];
  g.textAlign = 'center'; g.textBaseline = 'middle'; g.lineWidth = 3; g.lineJoin = 'round';
  g.strokeText(words, lx, ly); g.fillText(words, lx, ly);
}

/** Payload across, speed up: what is inside all ratings, its border with who binds, the run and the sliders' point. */
export function drawMap(canvas, { one, state, now, border }, ink) {
  const { g, w, h } = sized(canvas);
  const box = { l: 38, r: w - 10, t: 8, b: h - 32 };
  const [m1, r1] = [one.most.mass, one.most.speed];
  const X = (m) => box.l + ((box.r - box.l) * m) / m1;
  const Y = (r) => box.b - ((box.b - box.t) * Math.min(r, 2 * r1)) / r1;
  const frame = () => { g.save(); g.beginPath(); g.rect(box.l, box.t, box.r - box.l, box.b - box.t + 1); g.clip(); };
  g.fillStyle = ink['bad-soft']; g.globalAlpha = 0.6; g.fillRect(box.l, box.t, box.r - box.l, box.b - box.t); g.globalAlpha = 1;
  const held = border.filter(({ low, high }) => low.r <= high.r);
  const outline = [...held.map((p) => [X(p.mass), Y(p.high.r)]), ...held.toReversed().map((p) => [X(p.mass), Y(p.low.r)])];
  frame();
  g.beginPath(); outline.forEach(([x, y], k) => (k ? g.lineTo(x, y) : g.moveTo(x, y))); g.closePath(); g.fillStyle = ink['ok-soft']; g.fill();
  g.restore();
  g.lineWidth = 1; g.strokeStyle = ink.rule; g.fillStyle = ink.ink2; g.globalAlpha = 1;
  g.textBaseline = 'middle'; g.textAlign = 'right';
  const [rs, ms] = [splits(0, r1, 5), splits(0, m1, 5)];
  labels(rs).forEach((words, k) => { const y = Math.round(Y(rs[k])) + 0.5; line(g, [[box.l, y], [box.r, y]]); g.fillText(`${words}×`, box.l - 5, y); });
  g.textBaseline = 'top'; g.textAlign = 'center';
  labels(ms).forEach((words, k) => { const x = Math.round(X(ms[k])) + 0.5; line(g, [[x, box.t], [x, box.b]]); g.fillText(words, x, box.b + 4); });
  g.fillText('payload [kg]', (box.l + box.r) / 2, box.b + 18);
  frame(); g.strokeStyle = ink.ok; g.lineWidth = 2; g.lineJoin = 'round'; line(g, outline); g.restore();
  nameBorder(g, one, held, box, X, Y, ink);
  g.strokeStyle = ink.ink2; g.lineWidth = 1.5; g.beginPath(); g.arc(X(one.run.mass), Y(one.run.speed), 4.5, 0, 7); g.stroke();
  g.fillStyle = state.inside ? ink.recorded : ink.bad; g.strokeStyle = ink['ground-page']; g.lineWidth = 2;
  g.beginPath(); g.arc(X(Math.min(now.mass, m1)), Y(Math.min(now.speed, r1)), 6, 0, 7); g.fill(); g.stroke();
  return { box, m1, r1 };
}

/** Who binds, said once for each stretch of the border that is long enough. */
function nameBorder(g, one, held, box, X, Y, ink) {
  const stretches = [];
  for (const p of held) {
    const key = `${p.high.joint} ${p.high.what}`;
    if (stretches.at(-1)?.key === key) stretches.at(-1).points.push(p); else stretches.push({ key, points: [p] });
  }
  const called = ({ joint, what }) => `${one.joints[joint].name.replace(/_joint$/, '').replaceAll('_', ' ')} ${what}`;
  g.font = `600 ${FONT}`; g.textBaseline = 'middle'; g.textAlign = 'left'; g.lineWidth = 3; g.lineJoin = 'round';
  const taken = []; // labels stand beyond the border, and none on another
  const put = (words, x, y) => {
    const width = g.measureText(words).width;
    const at = [Math.min(Math.max(x, box.l + 4), box.r - width - 4), Math.min(Math.max(y, box.t + 8), box.b - 8)];
    if (taken.some(([l, t, wide]) => Math.abs(t - at[1]) < 14 && l < at[0] + width && at[0] < l + wide)) return;
    taken.push([...at, width]);
    g.strokeStyle = ink['bad-soft']; g.strokeText(words, ...at); g.fillStyle = ink.ink; g.fillText(words, ...at);
  };
  for (const { points } of stretches) {
    const [first, last, mid] = [points[0], points.at(-1), points[points.length >> 1]];
    if (first.high.joint === undefined || Y(first.high.r) < box.t || Y(last.high.r) > box.b - 4) continue;
    const drop = Y(last.high.r) - Y(first.high.r);
    if (drop < 0.5 * (X(last.mass) - X(first.mass))) put(called(mid.high), X(first.mass) + 6, Y(first.high.r) - 10);
    else if (drop > 10) put(called(mid.high), X(mid.mass) + 10, Y(mid.high.r) - 4);
  }
  const slow = held.filter((p) => Y(p.low.r) < box.b - 4);
  if (slow.length) { const p = slow[slow.length >> 1]; put(called(p.low).replace(/ (torque|(motor|gear) peak)$/, ' static torque'), X(p.mass) + 10, Y(p.low.r) + 8); }
}
