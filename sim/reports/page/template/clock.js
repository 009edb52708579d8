// The clock of a run, and the bar that shows and moves it.

import { channels, meta, sampleAt, timeOf } from './data.js';
import { marked } from './marks.js';
import { $, clamp, on, state, tell } from './store.js';

export const { first, last: end } = meta.t;
let last = null; // when the run was moved on

/** Goes to a time [s]. */
export function seek(t) {
  state.t = clamp(Number.isFinite(t) ? t : first, first, end);
  tell('time');
}

export function pause() {
  state.playing = false;
  tell('playing');
}

/** Goes to a time and stays there. */
export function seekPaused(t) {
  if (state.playing) pause();
  seek(t);
}

const span = () => marked() ?? state.zoom ?? [first, end];

export function play() {
  const [from, to] = state.loop ? span() : [first, end];
  if (state.t >= to - 1e-9 || state.t < from) seek(from);
  state.playing = true;
  last = null;
  tell('playing');
  requestAnimationFrame(tick);
}

function tick(now) {
  if (!state.playing) return;
  if (last !== null) {
    const [from, to] = state.loop ? span() : [first, end];
    let t = state.t + ((now - last) / 1000) * state.speed;
    if (t >= to) {
      t = state.loop ? from : to;
      if (!state.loop) pause();
    }
    seek(t);
  }
  last = now;
  if (state.playing) requestAnimationFrame(tick);
}

/** Goes on by so many samples, and stays there. */
export function nudge(samples) {
  if (state.playing) pause();
  seek(timeOf(clamp(sampleAt(state.t) + samples, 0, meta.t.count - 1)));
}

/** Slower or faster by so many entries of the list. */
export function setSpeed(step) {
  const select = $('#speed');
  select.selectedIndex = clamp(select.selectedIndex + step, 0, select.length - 1);
  state.speed = Number(select.value);
}

/** The bar below the view: buttons, time, and a strip for each failure. */
export function addBar() {
  const scrub = $('#scrub');
  Object.assign(scrub, { min: first, max: end, step: (end - first) / (meta.t.count - 1) });
  scrub.addEventListener('input', () => seekPaused(Number(scrub.value)));
  $('#play').addEventListener('click', () => (state.playing ? pause() : play()));
  $('#back').addEventListener('click', () => nudge(-1));
  $('#forth').addEventListener('click', () => nudge(1));
  $('#speed').addEventListener('change', () => setSpeed(0));
  $('#loop').addEventListener('click', toggleLoop);
  const digits = Math.min(6, Math.max(3, Math.ceil(-Math.log10((end - first) / (meta.t.count - 1)) - 1e-3)));
  on('time', () => {
    scrub.value = state.t;
    const t = state.t.toFixed(digits);
    scrub.setAttribute('aria-valuetext', `${t} seconds`);
    $('#time').textContent = t;
  });
  on('playing', () => {
    $('#play').setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
    document.body.dataset.playing = state.playing;
  });
  const strips = [...channels.values()].flatMap(({ fails }) => fails).sort((a, b) => a[0] - b[0]);
  const drawn = $('#marks');
  let reach = -Infinity;
  const share = (t) => (1000 * (t - first)) / (end - first);
  for (const [from, to] of strips) {
    if (to <= reach) continue;
    reach = to;
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const width = Math.max(3, share(to) - share(from));
    for (const [name, value] of Object.entries({ x: Math.min(share(from), 997), y: 0, width, height: 4 })) rect.setAttribute(name, value);
    drawn.append(rect);
  }
}

export function toggleLoop() {
  state.loop = !state.loop;
  $('#loop').setAttribute('aria-pressed', String(state.loop));
}
