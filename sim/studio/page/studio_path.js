// The tool's path in the pane Motion: functions of the components of its pose, and dialogs that write them.

import { forms } from './studio_forms.js';
import { facts, startOf } from './studio_model.js';
import { excerpt } from './studio_motion.js';
import { $, ask, attempt, made, question, say } from './studio_server.js';
import * as units from './studio_units.js';
import * as view from './studio_view.js';

const PLACE = ['x', 'y', 'z'];
const TURN = ['b1', 'b2', 'b3'];
const WHOLE = 6; // joints that a whole pose takes
const taught = []; // points of the tool [m]
let jointMotion = {}; // drives and table before the tool was moved

export const isLed = ({ path, points } = forms.setup) => Boolean(path || points);

/** Position [m] and Body 1-2-3 angles [rad] of the tool where the arm stands in the view. */
function poseNow() {
  const pose = view.toolPose();
  if (!pose) return null;
  const place = pose.map((row) => row[3]);
  const c2 = Math.hypot(pose[0][0], pose[0][1]);
  const b1 = c2 < 1e-6 ? 0 : Math.atan2(-pose[1][2], pose[2][2]); // at b2 = ±90° only b1 and b3 together matter
  const [c1, s1] = [Math.cos(b1), Math.sin(b1)];
  return { place, turn: [b1, Math.atan2(pose[0][2], c2), Math.atan2(c1 * pose[1][0] + s1 * pose[2][0], c1 * pose[1][1] + s1 * pose[2][1])] };
}

const number = (value) => `${+value.toFixed(6)}`; // shapes have seven digits

/** The tool, or the joints, are moved. */
function choose(what) {
  if (what === 'joints') { forms.change({ path: null, points: null, ...jointMotion }); return; }
  view.place(startOf(forms.setup));
  const pose = poseNow();
  if (!pose) { $('#moved').value = 'joints'; say('The tool frame of this robot is ambiguous: choose it in Model.'); return; }
  const path = Object.fromEntries([...PLACE.map((name, k) => [name, number(pose.place[k])]), ...(facts.rows.length < WHOLE ? [] : TURN.map((name, k) => [name, number(pose.turn[k])]))]);
  jointMotion = { drives: forms.setup.drives, table: forms.setup.table };
  forms.change({ path, points: null, drives: {}, table: null });
}

/** Draws the rows from the setup; the one that has the focus is left alone. */
export function draw() {
  const { path, points } = forms.setup;
  $('#moved').value = isLed() ? 'tool' : 'joints';
  $('#path').hidden = !isLed();
  for (const name of [...PLACE, ...TURN]) {
    const input = $(`#path-${name}`);
    const spline = points?.columns[name];
    if (document.activeElement !== input) input.value = path?.[name] ?? '';
    input.placeholder = spline ? `through ${spline.length} points` : 'free';
  }
}

/** Errors and warnings below the fields. */
export function tell({ rows, failed, hint }) {
  for (const name of [...PLACE, ...TURN]) {
    const row = isLed() ? rows[name] : null;
    const why = $(`#path-${name}`).parentElement.querySelector('.why');
    $(`#path-${name}`).classList.toggle('wrong', Boolean(row?.error));
    why.classList.toggle('lint', !row?.error);
    const text = forms.setup.path?.[name] ?? '';
    if (row?.error) why.replaceChildren(...(Number.isInteger(row.error.position) ? [made('code', {}, excerpt(text, row.error.position))] : []), row.error.reason);
    else why.replaceChildren(row?.warnings?.[0] ?? '');
  }
  $('#path-why').replaceChildren(...(isLed() && failed ? [failed, ...(hint ? [made('strong', {}, ` ${hint}`)] : [])] : []));
}

function typed(name, text) {
  const path = { ...forms.setup.path };
  if (text.trim()) path[name] = text; else delete path[name];
  const columns = { ...forms.setup.points?.columns };
  delete columns[name];
  const points = Object.keys(columns).length ? { ...forms.setup.points, columns } : null;
  forms.change({ path: Object.keys(path).length || !points ? path : null, points }, `path ${name}`);
}

// ---- dialogs

const field = (label, value, attributes = {}) => made('input', { type: 'number', step: 'any', 'aria-label': label, value: units.typed(value), ...attributes });

/** Three numbers for a point, in the chosen unit of length, and a button that takes the tool's place. */
function pointField(label, value) {
  const [scale, unit] = units.length();
  const inputs = PLACE.map((axis, k) => field(`${label} ${axis}`, value[k] * scale));
  const here = made('button', { type: 'button' }, 'where the tool is');
  here.addEventListener('click', () => poseNow().place.forEach((x, k) => { inputs[k].value = units.typed(x * scale); }));
  return { row: made('label', {}, `${label} [${unit}] `, ...inputs, here), value: () => inputs.map((input) => units.typed((input.valueAsNumber || 0) / scale)) };
}

async function asked(title, rows) {
  return await question(title, rows, [['', 'Cancel'], ['yes', 'Use it']]) === 'yes';
}

/** Functions of a shape take the place of x, y and z; the run lasts as long as the path. */
async function use(shape, duration) {
  const rows = await ask('path', { method: 'POST', json: shape });
  forms.change({ path: { ...forms.setup.path, ...rows }, points: null, duration: units.typed(duration) });
}

const timeField = (label = 'time [s]', value = forms.setup.duration) => field(label, value, { min: 0 });

async function line() {
  const { place } = poseNow();
  const [begin, end, time] = [pointField('from', place), pointField('to', place), timeField()];
  if (await asked('A straight line of the tool', [begin.row, end.row, made('label', {}, 'time [s] ', time)])) await use({ type: 'line', begin: begin.value(), end: end.value(), time: time.valueAsNumber }, time.valueAsNumber);
}

async function arc() {
  const { place } = poseNow();
  const [begin, via, end, time] = [pointField('from', place), pointField('through', place), pointField('to', place), timeField()];
  if (await asked('An arc of the tool', [begin.row, via.row, end.row, made('label', {}, 'time [s] ', time)])) await use({ type: 'arc', begin: begin.value(), via: via.value(), end: end.value(), time: time.valueAsNumber }, time.valueAsNumber);
}

async function heart() {
  const [scale, unit] = units.length();
  const [size, centre, time, ramp] = [field('size', 0.1 * scale, { min: 0 }), pointField('centre', poseNow().place), timeField(), field('ramp', 0, { min: 0 })];
  const plane = made('select', { 'aria-label': 'plane' }, ...['xy', 'yz', 'xz'].map((one) => made('option', {}, one)));
  const body = [made('label', {}, `radius of the rolling circle [${unit}] `, size), centre.row, made('label', {}, 'plane ', plane), made('label', {}, 'time of one turn [s] ', time), made('label', {}, 'time to come to speed and to stop [s] ', ramp)];
  if (await asked('A heart', body)) await use({ type: 'heart', size: units.typed(size.valueAsNumber / scale), centre: centre.value(), plane: plane.value, time: time.valueAsNumber, ramp: ramp.valueAsNumber }, time.valueAsNumber + ramp.valueAsNumber);
}

async function points() {
  const [scale, unit] = units.length();
  const lines = (taught.length ? taught : [poseNow().place]).map((point) => point.map((x) => units.typed(+(x * scale).toFixed(6))).join('  '));
  const text = made('textarea', { 'aria-label': 'points', spellcheck: 'false' });
  text.value = `${lines.join('\n')}\n`;
  const add = made('button', { type: 'button' }, 'add the tool position');
  add.addEventListener('click', () => { text.value += `${poseNow().place.map((x) => units.typed(+(x * scale).toFixed(6))).join('  ')}\n`; });
  const time = timeField('time of each line [s]', 1);
  const body = [made('p', {}, `One point per line, x y z [${unit}]: typed, pasted, or taught in Model. The tool moves in straight lines and stops at each point. With a time [s] before x y z in each of at least four lines, it follows a smooth curve through the points.`), text, add, made('label', {}, 'time of each line [s] ', time)];
  if (!await asked('Points of the tool', body)) return;
  const rows = text.value.trim().split(/\r?\n/).filter((row) => row.trim()).map((row) => row.trim().split(/[\s;]+/).map((cell) => Number(cell.replace(',', '.'))));
  const width = rows[0].length;
  if (![3, 4].includes(width) || !rows.every((row) => row.length === width && row.every(Number.isFinite))) throw new Error('Each line must have three numbers, or four with the time first.');
  taught.splice(0, taught.length, ...rows.map((row) => row.slice(-3).map((x) => x / scale)));
  if (width === 3) { await use({ type: 'stops', points: taught.map((point) => point.map(units.typed)), time: time.valueAsNumber }, time.valueAsNumber * (rows.length - 1)); return; }
  const path = Object.fromEntries(Object.entries(forms.setup.path ?? {}).filter(([name]) => TURN.includes(name)));
  const columns = Object.fromEntries(PLACE.map((name, k) => [name, taught.map((point) => units.typed(point[k]))]));
  forms.change({ path: Object.keys(path).length ? path : null, points: { times: rows.map(([t]) => t), columns }, duration: rows.at(-1)[0] });
}

/** Where the tool is, while the arm stands at its start. */
export function drawPlace() {
  const pose = forms.setup && facts ? poseNow() : null;
  $('#tool-place').hidden = !pose;
  if (!pose) return;
  const [scale, unit] = units.length();
  const [angle, angleUnit] = units.position({ sliding: false });
  $('#tool-place span').textContent = `tool at ${pose.place.map((x) => units.brief(+(x * scale).toFixed(scale > 1 ? 2 : 5))).join('  ')} ${unit}, Body 1-2-3 angles ${pose.turn.map((x) => units.brief(+(x * angle).toFixed(4))).join('  ')} ${angleUnit}`;
}

/** Another robot: what was taught is not of it. */
export const forget = () => { taught.length = 0; jointMotion = {}; };

/** Connects the inputs. */
export function connect() {
  $('#moved').addEventListener('change', () => choose($('#moved').value));
  $('#path-rows').replaceChildren(...[...PLACE, ...TURN].map((name) => {
    const input = made('input', { id: `path-${name}`, 'aria-label': `${name} of the tool`, spellcheck: 'false', autocomplete: 'off', maxlength: 4000 });
    input.addEventListener('input', () => typed(name, input.value));
    return made('div', {}, made('label', { for: `path-${name}` }, name), input, made('div', { class: 'why' }));
  }));
  for (const [name, act] of Object.entries({ line, arc, heart, points })) $(`#path-new-${name}`).addEventListener('click', attempt(act));
  $('#teach-point').addEventListener('click', () => { taught.push(poseNow().place); say(`Point ${taught.length} is taught: Motion, motion of the tool, points.`, { well: true }); });
}
