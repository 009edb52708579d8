// Axes of the charts over time of all pages: their lines, where numbers stand and how they are written.

import { colour } from './store.js';
import { labels, splits } from './ticks.js';

/**
 * What uPlot takes for the axes of a chart.
 *
 * `font` is in pixels, `range` gives the ends of a scale by its key, `right` is whether there is a second scale, `label` names
 * the axis of time.
 */
export function axesOf({ font, range, right = false, label = null }) {
  const face = `${font}px system-ui, sans-serif`;
  const ratio = font / 11;
  const ink = (name) => () => colour(name); // of the theme as it is when it is drawn
  const axis = {
    stroke: ink('ink2'),
    font: face,
    grid: { stroke: ink('grid'), width: 1 },
    ticks: { show: false },
    // Where numbers stand is chosen here; uPlot finds no step for ranges of rounding errors.
    incrs: [1e300],
    values: (u, values) => labels(values),
  };
  const room = (u, values) => Math.max(54 * ratio, ...(values ?? []).map((v) => (v.length * 6.2 + 14) * ratio));
  const upright = {
    ...axis,
    size: room,
    gap: 6,
    splits: (u, k, low, high) => splits(low, high, u.bbox.height / devicePixelRatio / (26 * ratio)),
  };
  const below = {
    ...axis,
    size: 34 * ratio,
    gap: 3,
    splits: (u, k, low, high) => splits(low, high, u.bbox.width / devicePixelRatio / (52 * ratio)),
    ...(label ? { label, labelSize: 16 * ratio, labelGap: 0, labelFont: face } : {}),
  };
  return {
    legend: { show: false },
    padding: [6, right ? 0 : 20 * ratio, 0, 0], // half of the last time's digits
    scales: { x: { time: false }, y: { range: range('y') }, ...(right ? { y2: { range: range('y2') } } : {}) },
    axes: [below, upright, ...(right ? [{ ...upright, scale: 'y2', side: 1, grid: { show: false } }] : [])],
  };
}
