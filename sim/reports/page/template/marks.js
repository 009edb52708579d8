// The marks A and B in time: set, taken away, shown on the time bar, kept in the address.

import { meta } from './data.js';
import { $, $$, clamp, element, on, state, tell } from './store.js';

const { first, last: end } = meta.t;

/** Part of the run between the marks, up to an end of the run where one is missing; null without any. */
export function marked() {
  const { a, b } = state.marks;
  return a === null && b === null ? null : [a ?? first, b ?? end];
}

/** Sets a mark, or takes it away with null; A is before B, so that the other goes where it would not be. */
export function setMark(name, t) {
  const marks = { ...state.marks, [name]: t === null ? null : clamp(t, first, end) };
  if (marks.a !== null && marks.b !== null && marks.a >= marks.b) marks[name === 'a' ? 'b' : 'a'] = null;
  if (marks.a === state.marks.a && marks.b === state.marks.b) return;
  state.marks = marks;
  tell('marks');
}

export function clearMarks() {
  setMark('a', null);
  setMark('b', null);
}

/** Takes the marks from the words of an address, in order of time, where it says any. */
export function readMarks(words) {
  const said = ['a', 'b'].filter((name) => words.has(name));
  const times = said.map((name) => Number.parseFloat(words.get(name)));
  if (!said.length || !times.every(Number.isFinite)) return;
  times.sort((s, t) => s - t);
  clearMarks();
  said.forEach((name, k) => setMark(name, times[k]));
}

/** Says the marks in an address. */
export function writeMarks(words) {
  for (const [name, t] of Object.entries(state.marks)) if (t !== null) words.set(name, String(Math.round(t * 1e6) / 1e6));
}

/** Buttons, and flags on the time bar. */
export function addMarks() {
  for (const button of $$('[data-ab]')) button.addEventListener('click', () => setMark(button.dataset.ab, state.t));
  $('#unmark').addEventListener('click', clearMarks);
  const share = (t) => `${(100 * (t - first)) / (end - first)}%`;
  const flags = $('#flags');
  const show = () => {
    flags.replaceChildren();
    const part = marked();
    $('#unmark').disabled = !part;
    for (const button of $$('[data-ab]')) button.setAttribute('aria-pressed', String(state.marks[button.dataset.ab] !== null));
    if (!part) return;
    const band = element('i');
    band.style.left = share(part[0]);
    band.style.width = `calc(${share(part[1])} - ${share(part[0])})`;
    flags.append(band);
    for (const [name, t] of Object.entries(state.marks)) {
      if (t === null) continue;
      const flag = element('b', { class: name }, name.toUpperCase());
      flag.style.left = share(t);
      flags.append(flag);
    }
  };
  on('marks', show);
  show();
}
