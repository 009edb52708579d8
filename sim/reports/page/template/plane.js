// The drawing of a plane: curves of one quantity over another.

import { colour } from './store.js';
import { labels, splits } from './ticks.js';

/**
 * Draws a plane into a context, `w` by `h` pixels.
 *
 * `lines` are curves with `x`, `y`, colour, width and dash; `dots` are points of now; `rated` is half
 * the width and half the height of what is allowed; `name` is what the horizontal axis is of.
 */
export function drawPlane(ctx, { lines, dots, rated, equal, name }, w, h, font = 11) {
  const ratio = font / 11;
  let [x, y] = limits(lines, rated);
  ctx.font = `${font}px system-ui, sans-serif`;
  const box = { top: 6 * ratio, height: h - (name ? 44 : 30) * ratio };
  const upright = labels(splits(...y, box.height / (30 * ratio)));
  box.left = Math.max(46 * ratio, ...upright.map((v) => ctx.measureText(v).width + 14 * ratio));
  box.width = w - box.left - 10 * ratio;
  if (equal) {
    const scale = Math.max((x[1] - x[0]) / box.width, (y[1] - y[0]) / box.height);
    x = widened(x, scale * box.width);
    y = widened(y, scale * box.height);
  }
  const px = (v) => box.left + ((v - x[0]) / (x[1] - x[0])) * box.width;
  const py = (v) => box.top + box.height - ((v - y[0]) / (y[1] - y[0])) * box.height;
  grid(ctx, box, x, y, px, py, ratio);
  if (name) {
    ctx.textAlign = 'right';
    ctx.textBaseline = 'bottom';
    ctx.fillText(name, box.left + box.width, h - 1);
  }
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.left, box.top, box.width, box.height);
  ctx.clip();
  if (rated) {
    const [s, tau] = rated;
    ctx.strokeStyle = colour('bad');
    ctx.lineWidth = ratio;
    ctx.setLineDash([4 * ratio, 3 * ratio]);
    ctx.strokeRect(px(-s), py(tau), px(s) - px(-s), py(-tau) - py(tau));
  }
  for (const line of lines) curve(ctx, line, px, py, ratio);
  for (const [dx, dy] of dots) {
    ctx.fillStyle = colour('now');
    ctx.beginPath();
    ctx.arc(px(dx), py(dy), 4 * ratio, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
  return { px, py };
}

function limits(lines, rated) {
  return ['x', 'y'].map((axis, k) => {
    let [low, high] = rated ? [-rated[k], rated[k]] : [Infinity, -Infinity];
    for (const line of lines) for (const v of line[axis]) if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    if (low > high) [low, high] = [0, 0];
    // Straight lines stay straight: what is rounding beside the value is not blown up.
    const margin = 0.07 * (high - low) > 1e-6 * Math.abs(high + low) ? 0.07 * (high - low) : 0.1 * Math.abs(high + low) || 0.1;
    return [low - margin, high + margin];
  });
}

function widened([low, high], span) {
  const middle = (low + high) / 2;
  return [middle - span / 2, middle + span / 2];
}

function curve(ctx, { x, y, stroke, width, dash }, px, py, ratio) {
  ctx.strokeStyle = stroke;
  ctx.lineWidth = width * ratio;
  ctx.setLineDash(dash.map((d) => d * ratio));
  ctx.beginPath();
  let begun = false;
  for (let k = 0; k < x.length; k++) {
    const known = Number.isFinite(x[k]) && Number.isFinite(y[k]);
    if (known && begun) ctx.lineTo(px(x[k]), py(y[k]));
    else if (known) ctx.moveTo(px(x[k]), py(y[k]));
    begun = known;
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function grid(ctx, box, x, y, px, py, ratio) {
  ctx.fillStyle = colour('ink2');
  ctx.strokeStyle = colour('grid');
  ctx.lineWidth = 1;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'top';
  const across = splits(...x, box.width / (64 * ratio));
  labels(across).forEach((word, k) => {
    stroke(ctx, px(across[k]), box.top, px(across[k]), box.top + box.height);
    ctx.fillText(word, px(across[k]), box.top + box.height + 6 * ratio);
  });
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  const up = splits(...y, box.height / (30 * ratio));
  labels(up).forEach((word, k) => {
    stroke(ctx, box.left, py(up[k]), box.left + box.width, py(up[k]));
    ctx.fillText(word, box.left - 6 * ratio, py(up[k]));
  });
}

function stroke(ctx, ax, ay, bx, by) {
  ctx.beginPath();
  ctx.moveTo(Math.round(ax) + 0.5, Math.round(ay) + 0.5);
  ctx.lineTo(Math.round(bx) + 0.5, Math.round(by) + 0.5);
  ctx.stroke();
}
