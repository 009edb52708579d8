// What keys, buttons and links do to the page, and how it begins.

import { addressOf } from './address.js';
import { cards, enlarge } from './card.js';
import { addBar, end, first, nudge, pause, play, seek, seekPaused, setSpeed, toggleLoop } from './clock.js';
import { channels, meta, paths, readCurves, sampleAt, shownUnit, unpacked, valueAt } from './data.js';
import { letGo } from './hands.js';
import { evaluate, parse } from './language.js';
import { addMarks, clearMarks, readMarks, setMark } from './marks.js';
import { openPicker } from './picker.js';
import { keepCurve } from './formulas.js';
import { closePlot, openPlot } from './own.js';
import { addPlots, drawAll, isAnyChosen, openPlots, releaseAll, reveal } from './plots.js';
import { videoOf } from './film.js';
import { notice, openMenu } from './menu.js';
import { allPlanes } from './planes.js';
import { copyLink, csv, pictureOf, save, saveAll, tableOf } from './saving.js';
import { searchFor, showGroup } from './search.js';
import { spectrum } from './signals.js';
import { statistics } from './statistics.js';
import { $, $$, clamp, colour, element, on, rounded, state, tell, text } from './store.js';

const opened = performance.now();
const timing = {};
let robot = null; // the three-dimensional view, where there is one
let events = [];

function jump(forward) {
  if (!events.length) return;
  const next = forward
    ? events.find(({ t }) => t > state.t + 1e-7) ?? events[0]
    : events.findLast(({ t }) => t < state.t - 1e-7) ?? events.at(-1);
  focus(next.id);
  seekPaused(next.t);
}

function focus(id) {
  if (!cards.has(id)) return;
  state.focus = id;
  showGroup(null);
  if (state.search) searchFor('');
  tell('focus');
  reveal(id);
}

/* The address is kept while the run stands still. */
let later = 0;
function writeAddress() {
  clearTimeout(later);
  later = setTimeout(() => {
    if (state.playing) return;
    history.replaceState(null, '', `#${addressOf()}`);
  }, 200);
}

function readAddress() {
  if (!location.hash.includes('=')) return; // a link to a section
  const words = new URLSearchParams(location.hash.slice(1));
  if (words.has('view')) showValues(words.get('view'));
  readMarks(words);
  if (words.has('unit') && (words.get('unit') === 'deg') !== state.degrees) toggleDegrees();
  if (words.has('length') && (words.get('length') === 'mm') !== state.millimetres) toggleMillimetres();
  openPlots(words.getAll('plot'));
  if (words.has('ch')) focus(words.get('ch'));
  if (words.has('t')) seekPaused(Number.parseFloat(words.get('t')));
}

/** What plots show: `value`, `error`, or less another run where there is one: `compared`, `reference`. */
function showValues(name) {
  const buttons = $$('[data-values]');
  if (name === state.values || !buttons.some(({ dataset }) => dataset.values === name)) return;
  state.values = name;
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.values === name));
  tell('show');
  writeAddress();
}

const toggleValues = (name) => showValues(state.values === name ? 'value' : name);

function resetZoom() {
  releaseAll();
  state.zoom = null;
  tell('zoom');
}

function toggleStatistics() {
  state.statistics = !state.statistics;
  $('#statistics').setAttribute('aria-pressed', String(state.statistics));
  tell('statistics');
}

function addTools() {
  for (const button of $$('button[data-group]')) button.addEventListener('click', () => showGroup(button.dataset.group));
  for (const button of $$('[data-values]')) {
    button.addEventListener('click', () => showValues(button.dataset.values));
  }
  for (const button of $$('[data-trace]')) {
    button.addEventListener('click', () => {
      const [name, k] = button.dataset.trace.split(':');
      const shown = k === undefined ? (state.show[name] = !state.show[name]) : (state.show.over[k] = !state.show.over[k]);
      button.setAttribute('aria-pressed', String(shown));
      tell('show');
      tell('time');
    });
  }
  $('#degrees')?.addEventListener('click', toggleDegrees);
  $('#millimetres')?.addEventListener('click', toggleMillimetres);
  $('#wide').addEventListener('click', resetZoom);
  const wide = () => { $('#wide').disabled = !state.zoom && !isAnyChosen(); };
  on('zoom', wide);
  on('heights', wide);
  on('plots', writeAddress);
  $('#statistics').addEventListener('click', toggleStatistics);
  $('#own').addEventListener('click', () => openPicker());
  $('#link').addEventListener('click', () => copyLink());
  $('#links')?.addEventListener('click', () => robot && openMenu($('#links'), linkItems()));
  $('#export').addEventListener('click', () => openMenu($('#export'), exports()));
  wide();
  for (const row of $$('[data-seek]')) {
    row.addEventListener('click', (event) => {
      event.preventDefault();
      if (row.dataset.view) showValues(row.dataset.view);
      focus(row.dataset.seek);
      if (row.dataset.at) seekPaused(Number(row.dataset.at));
    });
  }
  $('#copy')?.addEventListener('click', () => navigator.clipboard?.writeText($('#command').textContent).catch(() => {}));
  $('#help')?.addEventListener('click', () => $('#keys').showModal());
  $('#saved')?.addEventListener('click', saveModel);
}

function toggleUnit(name) {
  const button = $(`#${name}`);
  if (!button) return; // nothing turns
  state[name] = !state[name];
  button.setAttribute('aria-pressed', String(state[name]));
  showQuantities();
  tell('show');
  writeAddress();
}

const toggleDegrees = () => toggleUnit('degrees');
const toggleMillimetres = () => toggleUnit('millimetres');

/** Quantities of headline and tables in the units of the plots. */
function showQuantities() {
  for (const cell of $$('[data-unit]')) {
    const { si, digits, bare } = cell.dataset;
    const [unit, factor] = shownUnit(cell.dataset);
    const words = si === undefined ? [unit] : [rounded(Number(si) * factor, Number(digits)), ...(bare === undefined ? [unit] : [])];
    cell.textContent = words.join(' ');
  }
}

/** Links with a tick where they are shown. */
const hidden = new Set();
function linkItems() {
  return robot.links().map((link) => [`${hidden.has(link) ? '☐' : '☑'} ${link}`, () => {
    if (!hidden.delete(link)) hidden.add(link);
    robot.show(link, !hidden.has(link));
    openMenu($('#links'), linkItems());
  }]);
}

/** What the whole page can be saved as. */
function exports() {
  const plots = () => [...cards.values(), ...allPlanes()];
  return [
    ['All plots as CSV (ZIP)', () => saveAll(plots(), 'csv')],
    ['All plots as PNG (ZIP)', () => saveAll(plots(), 'png')],
    ['Page as PDF…', () => print()],
    ...(robot && globalThis.VideoEncoder ? [['Motion as video (WebM)', saveVideo]] : []),
  ];
}

/** Records the motion, 25 pictures a second of the run. */
async function saveVideo() {
  const before = state.t;
  const clip = {
    motion: { duration: end - first },
    playing: false,
    seek: (t) => seekPaused(first + t),
    stop: () => { clip.playing = false; },
  };
  pause();
  try {
    const video = await videoOf(clip, robot.film(), (words) => notice(words));
    if (video) save(video, `${meta.name}.webm`);
  } catch (error) {
    notice(error.message);
  }
  seekPaused(before);
}

async function saveModel() {
  const blob = new Blob([await unpacked('scene')], { type: 'model/gltf-binary' });
  const link = element('a', { download: `${meta.name}.glb`, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function tickBox(name) {
  const box = $(`[data-mark=${name}]`);
  if (box) box.click();
}

const KEYS = {
  ' ': () => (state.playing ? pause() : play()),
  ArrowRight: (e) => nudge(e.shiftKey ? 10 : 1),
  ArrowLeft: (e) => nudge(e.shiftKey ? -10 : -1),
  Home: () => seekPaused(first),
  End: () => seekPaused(end),
  '[': () => setSpeed(-1),
  ']': () => setSpeed(1),
  n: () => jump(true),
  p: () => jump(false),
  e: () => toggleValues('error'),
  c: () => toggleValues(meta.compared === null ? 'reference' : 'compared'),
  r: resetZoom,
  l: toggleLoop,
  a: () => setMark('a', state.t),
  b: () => setMark('b', state.t),
  x: clearMarks,
  d: toggleDegrees,
  m: toggleMillimetres,
  s: toggleStatistics,
  '/': () => $('#search').focus(),
  g: () => tickBox('ghost'),
  t: () => tickBox('torques'),
  v: () => tickBox('follow'),
  f: () => cards.has(state.focus) && enlarge(cards.get(state.focus)),
  1: () => robot?.look('iso'),
  2: () => robot?.look('front'),
  3: () => robot?.look('side'),
  4: () => robot?.look('top'),
  '?': () => $('#keys').showModal(),
};

function addKeys() {
  addEventListener('keydown', (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || $('dialog[open]')) return;
    const free = key === ' ' && letGo(target);
    if (!free && target.matches('select, textarea, input:not([type=range], [type=checkbox])')) return;
    // A button or link keeps the keys by which it is worked.
    if (!free && (key === ' ' || key === 'Enter') && target.matches('button, summary, a, input[type=checkbox]') && target.id !== 'play') return;
    if (!KEYS[key]) return;
    event.preventDefault();
    KEYS[key](event);
  });
}

function addPaper() {
  const paper = document.documentElement;
  let folded = [];
  addEventListener('beforeprint', () => {
    paper.dataset.paper = ''; // light, whatever the screen is
    folded = $$('details:not([open], .constant, .more)');
    for (const section of folded) section.open = true;
    tell('theme');
    drawAll();
    if (robot) $('#still').src = robot.still(1000, 620);
  });
  addEventListener('afterprint', () => {
    delete paper.dataset.paper;
    for (const section of folded) section.open = false;
    tell('theme');
  });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', () => tell('theme'));
}

/** The view is a bundle of its own, so that plots need not wait for it. */
async function addRobot() {
  if (document.readyState === 'loading') await new Promise((done) => addEventListener('DOMContentLoaded', done));
  if (!$('#scene')) return;
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(await unpacked('robot'));
  document.head.append(script);
  const addDistance = ({ name, x, values }) => {
    closePlot(name);
    keepCurve(name, 'm', x, values);
    openPlot({ x: null, ys: [name] });
  };
  const showDistance = (metres) => {
    const [unit, factor] = shownUnit({ unit: 'm' });
    $('#distance').textContent = `${rounded(metres * factor, 4)} ${unit}`;
  };
  const page = { addDistance, showDistance, state, on, channels, meta, paths, sampleAt, valueAt, unpacked, clamp, colour, $, $$ };
  robot = await window.RobotView.openScene(page);
  if (robot) Object.assign(window.run, { poseOf: robot.poseOf, onScreen: robot.onScreen, floor: robot.floor, springs: robot.springs, measured: robot.measured });
}

/** Sliders for payload and speed are a bundle of their own too, opened when they come into view. */
function addWhatIf() {
  const host = $('#whatif');
  if (!host || !$('#whatif-facts')) return;
  const near = new IntersectionObserver(async (seen) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
    near.disconnect();
    const script = document.createElement('script');
    script.textContent = new TextDecoder().decode(await unpacked('whatif-script'));
    document.head.append(script);
    window.run.whatIf = window.WhatIf.openWhatIf(host, JSON.parse($('#whatif-facts').textContent), await unpacked('whatif-curves'));
  }, { rootMargin: '300px' });
  near.observe(host);
}

const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

async function start() {
  await readCurves();
  state.t = first;
  state.degrees = meta.degrees;
  state.show.over = meta.overlays.map(() => true);
  events = [...channels.values()].flatMap(({ id, fails }) => fails.map(([t]) => ({ id, t }))).sort((a, b) => a.t - b.t);
  addPlots(seekPaused);
  addBar();
  on('time', () => { if (!state.playing) writeAddress(); });
  on('playing', writeAddress);
  addMarks();
  on('marks', writeAddress);
  addTools();
  addKeys();
  addPaper();
  const plots = { statistics, csv, tableOf, pictureOf, text, parse, evaluate, spectrum };
  window.run = { state, seek, play, pause, channels, cards, timing, meta, plots, tell };
  seek(first);
  readAddress();
  addEventListener('hashchange', readAddress);
  await painted();
  document.body.dataset.plots = 'ready';
  timing.plots = performance.now();
  await addRobot();
  await painted();
  timing.robot = performance.now();
  timing.script = opened;
  addWhatIf();
  document.body.dataset.ready = 'yes';
}

start().catch((error) => {
  document.body.dataset.error = error.message;
  console.error(error);
});
