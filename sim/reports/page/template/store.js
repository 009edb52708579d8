// What the page shows at this moment, and who wants to know when it changes.

export const state = {
  t: 0,
  playing: false,
  speed: 1,
  loop: false,
  marks: { a: null, b: null }, // times in seconds, A before B
  focus: null, // id of a channel
  values: 'value', // what plots show: or 'error', less analytic; or 'compared', 'reference', less another run
  degrees: false,
  millimetres: false,
  zoom: null, // [from, to] in seconds, or null for all
  statistics: false, // whether each card has its own
  group: null, // the group shown: or 'failing', or null for all
  search: '',
  plots: [], // own ones: { x: id or null for time, ys: [id] }
  show: { recorded: true, analytic: true, band: true, over: [] },
};

const listeners = new Map();

/** Calls `listener` whenever `what` changes: time, playing, zoom, marks, show, focus, theme,
 * statistics, plots. */
export function on(what, listener) {
  if (!listeners.has(what)) listeners.set(what, []);
  listeners.get(what).push(listener);
}

export function tell(what) {
  for (const listener of listeners.get(what) ?? []) listener();
}

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** An element with attributes and children; text is never read as markup. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** Number as the tables have it: that many digits, all of a whole number below 1e5, no zeros at the end. */
export function rounded(value, digits) {
  const size = Math.abs(value);
  const most = Math.max(digits, size < 1e5 ? String(Math.trunc(size)).length : 0);
  const [mantissa, exponent] = value.toExponential(most - 1).split('e').map(Number);
  const plain = exponent < -4 || exponent >= most ? `${mantissa}e${exponent}` : String(Number(value.toPrecision(most)));
  return plain.replaceAll('-', '−');
}

const place = (size) => Math.floor(Math.log10(size));

/** Number as text: four digits, a real minus, zero where it is nothing beside `scale`; no digit below the place of `step`. */
export function text(value, scale = 0, step = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (size <= 1e-9 * scale || size < step / 2 || value === 0) return '0';
  const most = step > 0 ? Math.max(1, place(size) - place(step) + 1) : 4;
  const plain = size >= 1e5 || size < 1e-3 ? value.toExponential(Math.min(3, most - 1)) : value.toPrecision(Math.min(4, most));
  return plain.replace('e+', 'e').replaceAll('-', '−');
}
