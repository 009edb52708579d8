// The panel of the teach page and of the studio: joints, the tool's pose, inverse kinematics, taught poses, the motion through them.

import { branchOf, bring, leastSingular, solutions } from './teach_arm.js';
import { picturesOf, videoOf } from './film.js';
import { assemblies } from './teach_loops.js';
import { $, element as made } from './store.js';
import { closedMotion, closedWay, functionsOf, motionOf, scriptOf } from './teach_script.js';

const DEG = 180 / Math.PI;
const SHOWN = 8; // solutions
const NEAR = 0.02; // singular value below which some joint moves fifty times as fast as the tool
const MARKUP = `
<section><h2>Joints</h2><div id="teach-joints"></div><p id="teach-open" class="bad" role="status"></p><div id="teach-follow" hidden><h3>Passive joints (from the loops)</h3><div id="teach-passive"></div><div class="line"><button type="button" id="teach-assembly">another assembly</button></div></div><div class="line" id="teach-named"></div></section>
<section><h2>Tool <span class="dim"><span id="teach-tool"></span>, in world coordinates</span></h2>
<form id="teach-pose"><div class="six" id="teach-six"></div><button>go</button></form>
<p id="teach-reached" role="status"></p><div class="line" id="teach-branches"></div>
<p id="teach-stands" hidden>Branch <b></b></p>
<p>Smallest singular value <b id="teach-sigma"></b> <b id="teach-near" class="bad"></b> <span class="dim">lengths divided by <span id="teach-length"></span> m</span></p></section>
<section><h2>Taught poses</h2>
<form id="teach-teaching" class="line"><input type="text" id="teach-name" placeholder="name" aria-label="name of the pose" maxlength="60"><button>teach</button></form>
<ol id="teach-taught"></ol>
<p class="dim" id="teach-few">Teach at least two poses for a motion and a scenario.</p>
<p class="bad" id="teach-apart" role="status"></p>
<div class="line"><label>move time <input type="number" id="teach-move" value="2" min="0.01" step="any" required> s,</label><label>rest time <input type="number" id="teach-hold" value="0.5" min="0" step="any" required> s</label></div>
<div class="line"><button type="button" id="teach-use" class="main">use as the motion</button><button type="button" id="teach-copy">copy scenario</button><button type="button" id="teach-save">save taught.py</button></div>
<div class="line"><button type="button" id="teach-picture">save picture</button><button type="button" id="teach-video">save WebM</button><button type="button" id="teach-pictures">save PNGs</button></div>
<p class="dim" id="teach-said" role="status"></p>
<details id="teach-text"><summary>Script, for <code>sim run taught.py</code></summary><textarea readonly aria-label="script" spellcheck="false"></textarea></details></section>`;

const digits = (value, count) => value.toFixed(count).replace(/^-(0\.?0*)$/, '$1').replace('-', '−');
const button = (text, act, attributes = {}) => { const one = made('button', { type: 'button', ...attributes }, text); one.addEventListener('click', act); return one; };

/**
 * The panel in an element of the page, for an arm of `armOf` with its loops.
 *
 * `parts` are those of three.js, `view` is null without WebGL, `player` plays the taught motion. `units` have factor and name of an
 * angle and of a length. `taught` are poses { name, q } from before. `use` takes the taught motion into forms: functions of time by joint,
 * the first pose, and the duration (default: the panel writes a script).
 */
export function panelOf(host, { arm, parts, view, player, units = { angle: [DEG, '°'], length: [1000, 'mm'] }, taught = [], use = null }) {
  const { facts } = arm;
  const [[turn, turnUnit], [far, farUnit]] = [units.angle, units.length];
  const scale = ({ sliding }) => (sliding ? far : turn);
  const unit = ({ sliding }) => (sliding ? farUnit : turnUnit);
  const places = (row, count) => (scale(row) > 1 ? count : count + 3);
  const shown = (x, row, count) => digits(x * scale(row), places(row, count));
  const [LENGTH, ANGLE] = [{ sliding: true }, { sliding: false }];
  host.innerHTML = MARKUP;
  const fields = ['x', 'y', 'z', 'roll', 'pitch', 'yaw'].map((name, k) => {
    const field = made('input', { type: 'number', step: 'any', id: `teach-p${k}` });
    $('#teach-six').append(made('label', {}, `${name} [${unit(k < 3 ? LENGTH : ANGLE)}]`, field));
    return field;
  });
  let exact = []; // the pose, of which the fields show rounded numbers
  let way = null; // through the poses, with closed loops; null until it is asked for
  const sliders = [];

  function addSlider(row, k) {
    if (row.passive) {
      const value = made('output');
      const host = made('div', { class: 'joint' }, made('span', {}, row.name), value);
      sliders.push({ number: value, host });
      $('#teach-passive').append(host);
      return;
    }
    const ends = [row.low, row.high].map((end) => end * scale(row));
    const slide = made('input', { type: 'range', min: ends[0], max: ends[1], step: 'any', 'aria-label': row.name });
    const number = made('input', { type: 'number', step: 'any', 'aria-label': `${row.name} [${unit(row)}]` });
    const label = made('label', {}, row.name);
    const host = made('div', { class: 'joint' }, label, made('span', {}, number, ` ${unit(row)}`), slide, made('span', { class: 'ends dim' }, ...ends.map((end) => made('i', {}, digits(end, scale(row) > 1 ? 0 : 2)))));
    for (const one of [slide, number]) {
      one.addEventListener('input', () => { const value = one.valueAsNumber; if (Number.isFinite(value)) go(arm.q.map((x, at) => (at === k ? Math.min(Math.max(value / scale(row), row.low), row.high) : x)), one); });
      one.addEventListener('change', () => show()); // where ends or loops did not follow it
    }
    sliders.push({ slide, number, host });
    $('#teach-joints').append(host);
  }

  /** Moves the joints as a person asks, where the loops close there. */
  function go(q, except = null) {
    player.stop();
    const before = arm.q;
    const share = bring(arm, q);
    const came = arm.q;
    if (share < 1) arm.place(before);
    place(arm.q, except);
    $('#teach-open').textContent = share < 1 ? `Loops cannot close beyond this pose: ${comes(came, q)}.` : '';
  }

  /** Words for how far the driven joint that was to move most comes. */
  function comes(came, wanted) {
    const way = wanted.map((x, k) => (arm.rows[k].passive ? 0 : Math.abs(x - arm.q[k]) / (arm.rows[k].sliding ? facts.length : 1)));
    const k = way.indexOf(Math.max(...way));
    const row = arm.rows[k];
    const told = (x) => `${shown(x, row, 2)} ${unit(row)}`;
    return `${row.name} reaches ${told(came[k])} of ${told(wanted[k])}`;
  }

  /** Moves the joints, and forgets what was said of the pose before. */
  function place(q, except = null) {
    arm.place(q);
    $('#teach-open').textContent = '';
    $('#teach-reached').textContent = '';
    $('#teach-branches').replaceChildren();
    show(except);
  }

  function show(except = null) {
    arm.rows.forEach((row, k) => {
      const { slide, number, host } = sliders[k];
      const value = arm.q[k] * scale(row);
      if (slide && slide !== except) slide.value = value;
      if (row.passive) number.textContent = `${shown(arm.q[k], row, 2)} ${unit(row)}`;
      else if (number !== except) number.value = +value.toFixed(places(row, 2));
      host.classList.toggle('end', arm.q[k] <= row.low + 1e-9 || arm.q[k] >= row.high - 1e-9);
    });
    const p = arm.pose();
    const { x, y, z } = new parts.Euler().setFromRotationMatrix(arm.tool.matrixWorld, 'ZYX'); // about fixed axes
    exact = [...p.map((row) => row[3] * far), x * turn, y * turn, z * turn];
    fields.forEach((field, k) => { field.value = field.dataset.shown = +exact[k].toFixed(k < 3 ? places(LENGTH, 2) : places(ANGLE, 3)); });
    const least = leastSingular(arm);
    $('#teach-sigma').textContent = least < 1e-12 ? '0' : least.toPrecision(3);
    $('#teach-near').textContent = least < NEAR ? 'close to singular' : '';
    $('#teach-stands b').textContent = branchOf(arm);
    view?.ask();
  }

  /** The pose in the fields. One that was not touched is exact: rounded it could leave a singular pose. */
  function typed() {
    const v = fields.map((field, k) => (field.value === field.dataset.shown ? exact[k] : field.valueAsNumber));
    if (!v.every(Number.isFinite)) return null;
    const e = new parts.Matrix4().makeRotationFromEuler(new parts.Euler(...v.slice(3).map((x) => x / turn), 'ZYX')).elements;
    return [0, 1, 2].map((r) => [e[r], e[4 + r], e[8 + r], v[r] / far]);
  }

  function reach() {
    player.stop();
    const wanted = typed();
    if (!wanted) {
      $('#teach-reached').textContent = 'Enter six numbers.';
      return;
    }
    const all = solutions(arm, wanted);
    const found = all.filter(({ inside }) => inside).slice(0, SHOWN);
    const beyond = all.filter(({ inside }) => !inside).length;
    const count = arm.rows.filter(({ passive }) => !passive).length;
    const few = count < 6 ? ` The robot has ${count} ${arm.isLooped ? 'driven ' : ''}${count === 1 ? 'joint' : 'joints'}: six pose components cannot all be prescribed.` : '';
    $('#teach-branches').replaceChildren();
    if (!found.length) {
      $('#teach-reached').textContent = beyond ? `Not reached: all ${beyond} branches violate a joint limit.` : `Not reached: out of reach${facts.family ? '' : ' or beyond a joint limit'}.${few}`;
      return;
    }
    const more = beyond ? ` ${beyond} more violate a joint limit.` : '';
    $('#teach-reached').textContent = `Reached to ${found[0].off.toExponential(0)} m and rad.${more} ${facts.family ? 'Branches' : 'Solutions'}, sorted by largest joint move:`;
    const from = [...arm.q];
    const choose = (chosen) => {
      player.stop();
      arm.place(found[chosen].q);
      [...$('#teach-branches').children].forEach((one, k) => one.setAttribute('aria-pressed', k === chosen));
      show();
    };
    found.forEach(({ q, label }, k) => {
      const most = q.reduce((best, x, at) => (!arm.rows[at].passive && Math.abs(x - from[at]) > Math.abs(q[best] - from[best]) ? at : best), arm.rows.findIndex(({ passive }) => !passive));
      const row = arm.rows[most];
      const told = q.map((x, at) => `${arm.rows[at].name} ${shown(x, arm.rows[at], 2)} ${unit(arm.rows[at])}`).join('\n');
      $('#teach-branches').append(button(`${label || k + 1}: ${shown(Math.abs(q[most] - from[most]), row, 1)}\u00a0${unit(row)}`, () => choose(k), { title: told }));
    });
    choose(0);
  }

  const times = { move: 2, hold: 0.5 }; // [s]
  const script = () => (use ? '' : scriptOf(facts.robot, facts.keywords, facts.rows, taught, times));

  function teach() {
    const name = $('#teach-name').value.trim() || `pose ${taught.length + 1}`;
    taught.push({ name, q: [...arm.q] });
    $('#teach-name').value = '';
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
    $('#teach-taught').replaceChildren(...taught.map((pose, k) => made('li', {},
      made('span', {}, pose.name),
      button('go to', () => go(pose.q), { 'aria-label': `go to ${pose.name}` }),
      button('remove', () => { taught.splice(k, 1); changeTaught(); }, { 'aria-label': `remove ${pose.name}` }))));
    const motion = motionThrough();
    const enough = motion !== null;
    player.load(motion, place);
    for (const id of ['#teach-copy', '#teach-save', '#teach-use']) $(id).disabled = !enough;
    for (const id of ['#teach-video', '#teach-pictures']) $(id).disabled = !enough || !view;
    $('#teach-few').hidden = taught.length > 1;
    $('#teach-apart').textContent = way?.apart ? whyApart(way.apart) : '';
    $('#teach-text').hidden = !enough || Boolean(use);
    $('#teach-text textarea').value = enough ? script() : '';
  }

  /** The next of the ways in which the loops close with the driven joints as they stand. */
  function reassemble() {
    const before = arm.q;
    const all = assemblies(arm);
    const at = all.findIndex((q) => q.every((x, k) => x === before[k]));
    go(all[(at + 1) % all.length]);
    $('#teach-open').textContent = all.length === 1 ? 'No other assembly found.' : '';
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
    const buttons = ['#teach-video', '#teach-pictures'].map((id) => $(id));
    const tell = (words) => { $('#teach-said').textContent = words; };
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
    $('#teach-assembly').addEventListener('click', reassemble);
    $('#teach-pose').addEventListener('submit', (event) => { event.preventDefault(); reach(); });
    $('#teach-teaching').addEventListener('submit', (event) => { event.preventDefault(); teach(); });
    for (const key of Object.keys(times)) {
      const field = $(`#teach-${key}`);
      field.addEventListener('input', () => { if (field.checkValidity()) times[key] = field.valueAsNumber; listTaught(); }); // else it is marked, and the last good one counts
    }
    $('#teach-copy').addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(script());
        $('#teach-said').textContent = 'copied';
      } catch { // no clipboard here, or not allowed
        $('#teach-text').open = true;
        $('#teach-text textarea').select();
        $('#teach-said').textContent = 'selected below: copy from there';
      }
    });
    $('#teach-save').addEventListener('click', () => save(new Blob([script()], { type: 'text/x-python' }), 'taught.py'));
    $('#teach-video').addEventListener('click', () => record(videoOf, 'webm'));
    $('#teach-pictures').addEventListener('click', () => record(picturesOf, 'zip'));
    $('#teach-use').addEventListener('click', () => use(functionsOf(facts.rows, taught, times), taught[0].q, (taught.length - 1) * (times.move + times.hold)));
    $('#teach-picture').addEventListener('click', async () => save(await view.still(), `${facts.name}.png`));
  }

  $('#teach-tool').textContent = facts.tool;
  $('#teach-length').textContent = +facts.length.toPrecision(4);
  $('#teach-stands').hidden = !facts.family;
  $('#teach-picture').disabled = view === null;
  $('#teach-follow').hidden = !arm.isLooped;
  $('#teach-use').hidden = !use;
  for (const id of ['#teach-copy', '#teach-save']) $(id).hidden = Boolean(use);
  arm.rows.forEach(addSlider);
  for (const [name, q] of Object.entries(facts.poses)) $('#teach-named').append(button(name, () => go(q)));
  wire();
  show();
  listTaught();
  return { go, place, show, listTaught, script, taught };
}
