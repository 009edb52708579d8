// The teach page: a slider for each joint, the tool's pose, inverse kinematics, taught poses and the motion through them.

import { unpacked } from './packed.js';
import { armOf } from './arm.js';
import { branchOf, bring, leastSingular, solutions } from './teach_arm.js';
import { picturesOf, videoOf } from './film.js';
import { playerOf } from './teach_film.js';
import { assemblies, loopsOf } from './teach_loops.js';
import { $, element as made } from './store.js';
import { closedMotion, closedWay, motionOf, scriptOf } from './teach_script.js';

const facts = JSON.parse($('#facts').textContent);
const DEG = 180 / Math.PI;
const SHOWN = 8; // solutions
const NEAR = 0.02; // singular value below which some joint moves fifty times as fast as the tool
const FIELDS = [0, 1, 2, 3, 4, 5].map((k) => $(`#p${k}`));

const digits = (value, count) => value.toFixed(count).replace(/^-(0\.?0*)$/, '$1').replace('-', '−');
const scale = ({ sliding }) => (sliding ? 1000 : DEG);
const unit = ({ sliding }) => (sliding ? 'mm' : '°');
const button = (text, act, attributes = {}) => { const one = made('button', { type: 'button', ...attributes }, text); one.addEventListener('click', act); return one; };

let parts = null; // of three.js
let arm = null;
let view = null;
let player = null; // of the taught motion
let exact = []; // the pose, of which the fields show rounded numbers
const sliders = [];
const taught = []; // { name, q }
let way = null; // through them, with closed loops; null until it is asked for

async function start() {
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(await unpacked('robot'));
  document.head.append(script);
  ({ parts } = globalThis.RobotView);
  const { scene } = await new parts.GLTFLoader().parseAsync((await unpacked('scene')).buffer, '');
  arm = armOf(scene, facts, parts, loopsOf);
  view = parts.viewOf(scene, $('#view'));
  $('#no3d').hidden = view !== null;
  $('#stands').hidden = !facts.family;
  $('#picture').disabled = view === null;
  arm.rows.forEach(addSlider);
  for (const [name, q] of Object.entries(facts.poses)) $('#named').append(button(name, () => go(q)));
  $('#follow').hidden = !arm.isLooped;
  player = playerOf(place, { bar: $('#bar'), play: $('#play'), scrub: $('#scrub'), clock: $('#time') });
  wire();
  show();
  listTaught();
  document.body.dataset.ready = 'yes';
}

function addSlider(row, k) {
  if (row.passive) {
    const value = made('output');
    const host = made('div', { class: 'joint' }, made('span', {}, row.name), value);
    sliders.push({ number: value, host });
    $('#passive').append(host);
    return;
  }
  const ends = [row.low, row.high].map((end) => end * scale(row));
  const slide = made('input', { type: 'range', min: ends[0], max: ends[1], step: 'any', 'aria-label': row.name });
  const number = made('input', { type: 'number', step: 'any', 'aria-label': `${row.name} [${unit(row)}]` });
  const label = made('label', {}, row.name);
  const host = made('div', { class: 'joint' }, label, made('span', {}, number, ` ${unit(row)}`), slide, made('span', { class: 'ends dim' }, made('i', {}, digits(ends[0], 0)), made('i', {}, digits(ends[1], 0))));
  const set = (value) => { if (Number.isFinite(value)) go(arm.q.map((x, at) => (at === k ? Math.min(Math.max(value / scale(row), row.low), row.high) : x)), slide); else show(); };
  slide.addEventListener('input', () => set(slide.valueAsNumber));
  slide.addEventListener('change', () => show()); // where the loops did not follow it
  number.addEventListener('change', () => set(number.valueAsNumber));
  sliders.push({ slide, number, host });
  $('#joints').append(host);
}

/** Moves the joints as a person asks, where the loops close there. */
function go(q, except = null) {
  player.stop();
  const before = arm.q;
  const share = bring(arm, q);
  const came = arm.q;
  if (share < 1) arm.place(before);
  place(arm.q, except);
  $('#open').textContent = share < 1 ? `Loops cannot close beyond this pose: ${comes(came, q)}.` : '';
}

/** Words for how far the driven joint that was to move most comes. */
function comes(came, wanted) {
  const way = wanted.map((x, k) => (arm.rows[k].passive ? 0 : Math.abs(x - arm.q[k]) / (arm.rows[k].sliding ? facts.length : 1)));
  const k = way.indexOf(Math.max(...way));
  const row = arm.rows[k];
  const told = (x) => `${digits(x * scale(row), 2)} ${unit(row)}`;
  return `${row.name} reaches ${told(came[k])} of ${told(wanted[k])}`;
}

/** Moves the joints, and forgets what was said of the pose before. */
function place(q, except = null) {
  arm.place(q);
  $('#open').textContent = '';
  $('#reached').textContent = '';
  $('#branches').replaceChildren();
  show(except);
}

function show(except = null) {
  arm.rows.forEach((row, k) => {
    const { slide, number, host } = sliders[k];
    const value = arm.q[k] * scale(row);
    if (slide && slide !== except) slide.value = value;
    if (row.passive) number.textContent = `${digits(value, 2)} ${unit(row)}`;
    else number.value = +value.toFixed(2);
    host.classList.toggle('end', arm.q[k] <= row.low + 1e-9 || arm.q[k] >= row.high - 1e-9);
  });
  const p = arm.pose();
  const { x, y, z } = new parts.Euler().setFromRotationMatrix(arm.tool.matrixWorld, 'ZYX'); // about fixed axes
  exact = [...p.map((row) => row[3] * 1000), x * DEG, y * DEG, z * DEG];
  FIELDS.forEach((field, k) => { field.value = field.dataset.shown = +exact[k].toFixed(k < 3 ? 2 : 3); });
  const least = leastSingular(arm);
  $('#sigma').textContent = least < 1e-12 ? '0' : least.toPrecision(3);
  $('#near').textContent = least < NEAR ? 'close to singular' : '';
  $('#stands b').textContent = branchOf(arm);
  view?.ask();
}

/** The pose in the fields. One that was not touched is exact: rounded it could leave a singular pose. */
function typed() {
  const v = FIELDS.map((field, k) => (field.value === field.dataset.shown ? exact[k] : field.valueAsNumber));
  if (!v.every(Number.isFinite)) return null;
  const e = new parts.Matrix4().makeRotationFromEuler(new parts.Euler(v[3] / DEG, v[4] / DEG, v[5] / DEG, 'ZYX')).elements;
  return [0, 1, 2].map((r) => [e[r], e[4 + r], e[8 + r], v[r] / 1000]);
}

function reach() {
  player.stop();
  const wanted = typed();
  if (!wanted) {
    $('#reached').textContent = 'Enter six numbers.';
    return;
  }
  const all = solutions(arm, wanted);
  const found = all.filter(({ inside }) => inside).slice(0, SHOWN);
  const beyond = all.filter(({ inside }) => !inside).length;
  const count = arm.rows.filter(({ passive }) => !passive).length;
  const few = count < 6 ? ` The robot has ${count} ${arm.isLooped ? 'driven ' : ''}${count === 1 ? 'joint' : 'joints'}: six pose components cannot all be prescribed.` : '';
  $('#branches').replaceChildren();
  if (!found.length) {
    $('#reached').textContent = beyond ? `Not reached: all ${beyond} branches violate a joint limit.` : `Not reached: out of reach${facts.family ? '' : ' or beyond a joint limit'}.${few}`;
    return;
  }
  const more = beyond ? ` ${beyond} more violate a joint limit.` : '';
  $('#reached').textContent = `Reached to ${found[0].off.toExponential(0)} m and rad.${more} ${facts.family ? 'Branches' : 'Solutions'}, sorted by largest joint move:`;
  const from = [...arm.q];
  const choose = (chosen) => {
    player.stop();
    arm.place(found[chosen].q);
    [...$('#branches').children].forEach((one, k) => one.setAttribute('aria-pressed', k === chosen));
    show();
  };
  found.forEach(({ q, label }, k) => {
    const most = q.reduce((best, x, at) => (!arm.rows[at].passive && Math.abs(x - from[at]) > Math.abs(q[best] - from[best]) ? at : best), arm.rows.findIndex(({ passive }) => !passive));
    const row = arm.rows[most];
    const told = q.map((x, at) => `${arm.rows[at].name} ${digits(x * scale(arm.rows[at]), 2)} ${unit(arm.rows[at])}`).join('\n');
    $('#branches').append(button(`${label || k + 1}: ${digits(Math.abs(q[most] - from[most]) * scale(row), 1)}\u00a0${unit(row)}`, () => choose(k), { title: told }));
  });
  choose(0);
}

const times = { move: 2, hold: 0.5 }; // [s]
const script = () => scriptOf(facts.robot, facts.keywords, facts.rows, taught, times);

function teach() {
  const name = $('#name').value.trim() || `pose ${taught.length + 1}`;
  taught.push({ name, q: [...arm.q] });
  $('#name').value = '';
  changeTaught();
}

function changeTaught() {
  way = null;
  listTaught();
}

function motionThrough() {
  if (taught.length < 2) return null;
  if (!arm.isLooped) return motionOf(taught, times);
  way ??= closedWay(arm, taught);
  return way.apart ? null : closedMotion(arm, way, taught, times);
}

function listTaught() {
  $('#taught').replaceChildren(...taught.map((pose, k) => made('li', {},
    made('span', {}, pose.name),
    button('go to', () => go(pose.q), { 'aria-label': `go to ${pose.name}` }),
    button('remove', () => { taught.splice(k, 1); changeTaught(); }, { 'aria-label': `remove ${pose.name}` }))));
  const motion = motionThrough();
  const enough = motion !== null;
  player.load(motion);
  for (const id of ['#copy', '#save']) $(id).disabled = !enough;
  for (const id of ['#video', '#pictures']) $(id).disabled = !enough || !view;
  $('#few').hidden = taught.length > 1;
  $('#apart').textContent = way?.apart ? whyApart(way.apart) : '';
  $('#text').hidden = !enough;
  $('#text textarea').value = enough ? script() : '';
}

/** The next of the ways in which the loops close with the driven joints as they stand. */
function reassemble() {
  const before = arm.q;
  const all = assemblies(arm);
  const at = all.findIndex((q) => q.every((x, k) => x === before[k]));
  go(all[(at + 1) % all.length]);
  $('#open').textContent = all.length === 1 ? 'No other assembly found.' : '';
}

function whyApart({ n, share }) {
  const [from, to] = [n, n + 1].map((k) => `“${taught[k].name}”`);
  if (share === 1) return `From ${from} the loops reach a different assembly than the one taught as ${to}: teach an intermediate pose or a different one.`;
  return `From ${from} to ${to} the loops close only for the first ${digits(100 * share, 0)} % of the move: teach an intermediate pose.`;
}

function save(blob, name) {
  const link = made('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Records the taught motion and saves it; how far it is stands below the buttons. */
async function record(make, ending) {
  const buttons = ['#video', '#pictures'].map((id) => $(id));
  const tell = (words) => { $('#said').textContent = words; };
  for (const one of buttons) one.disabled = true;
  try {
    const blob = await make(player, view, tell, facts.name);
    if (blob) save(blob, `${facts.name}.${ending}`);
    tell(blob ? `saved ${facts.name}.${ending}` : 'cancelled, nothing saved');
  } catch (error) {
    player.stop();
    tell(error.message);
  }
  for (const one of buttons) one.disabled = !player.motion;
}

function wire() {
  $('#assembly').addEventListener('click', reassemble);
  $('#pose').addEventListener('submit', (event) => { event.preventDefault(); reach(); });
  $('#teaching').addEventListener('submit', (event) => { event.preventDefault(); teach(); });
  for (const key of Object.keys(times)) {
    const field = $(`#${key}`);
    field.addEventListener('input', () => { if (field.checkValidity()) times[key] = field.valueAsNumber; listTaught(); }); // else it is marked, and the last good one counts
  }
  $('#copy').addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(script());
      $('#said').textContent = 'copied';
    } catch { // no clipboard here, or not allowed
      $('#text').open = true;
      $('#text textarea').select();
      $('#said').textContent = 'selected below: copy from there';
    }
  });
  $('#save').addEventListener('click', () => save(new Blob([script()], { type: 'text/x-python' }), 'taught.py'));
  $('#video').addEventListener('click', () => record(videoOf, 'webm'));
  $('#pictures').addEventListener('click', () => record(picturesOf, 'zip'));
  $('#picture').addEventListener('click', async () => save(await view.still(), `${facts.name}.png`));
}

globalThis.teaching = { get arm() { return arm; }, get q() { return arm.q; }, go, least: () => leastSingular(arm), solutions: (wanted) => solutions(arm, wanted), script, get player() { return player; }, get view() { return view; } };
start().catch((error) => { document.body.dataset.error = String(error); $('#failed').hidden = false; $('#failed').textContent = `The page could not start: ${error}`; });
