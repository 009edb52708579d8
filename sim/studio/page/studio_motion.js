// The pane Motion: the drive of each joint with its error or warning, its peak torque, and charts of one joint.

import { axesOf } from './axes.js';
import { colour } from './store.js';
import { forms } from './studio_forms.js';
import { facts } from './studio_model.js';
import { $, ask, breakable, made, question, say } from './studio_server.js';
import * as units from './studio_units.js';
import * as view from './studio_view.js';

const { uPlot } = globalThis;
const KINDS = ['hold', 'displacement', 'velocity', 'acceleration', 'torque', 'free', 'table'];
const TYPED = ['displacement', 'velocity', 'acceleration', 'torque'];
const HINTS = { hold: 'stays at its start', free: 'moved by gravity and the other joints', table: 'follows its column of the pasted table' };
const EXAMPLES = { displacement: 'STEP(time, 0, 0, 1, 40d)', velocity: 'STEP(time, 0, 0, 1, 40d)', acceleration: '20d*SIN(2*PI*time/4)', torque: '10*SIN(2*PI*time)' };
const ROUNDING = 1e-12; // of the largest torque; less is none
const NONE = 1e-9; // N·m or N; what rounding leaves where no joint is loaded
const COLOURS = ['part1', 'torque', 'part2'];

let chosen = 0;
let seen = null; // the last preview
let typings = 0;
let wasLed = false; // whether the tool's path moved the joints when the table was drawn
let said = null; // why there is no motion, where no joint is to blame
let old = false; // whether torques and motion are of an earlier setup
const texts = new Map(); // of joints whose kind has no text
const charts = [];

const rows = () => facts.rows;
const isUndriven = ({ passive, ball }) => passive || Boolean(ball);
const lines = () => [...$('#drives tbody').children];

/** Draws the pane from the setup. */
export function draw(anew) {
  const { setup } = forms;
  if (!setup || !facts) return;
  const led = Boolean(setup.path || setup.points);
  if (led !== wasLed && seen) seen = { ...seen, failed: null, joint: null }; // it is of the other motion
  if (anew || lines().length !== rows().length || led !== wasLed) drawTable();
  wasLed = led;
  $('#allkinds').disabled = led || Boolean(facts.deck);
  for (const [id, value] of [['#duration', setup.duration], ['#dt', setup.dt * 1000]]) if (document.activeElement !== $(id)) $(id).value = units.typed(value);
  $('#method').value = setup.method;
  $('#engine').value = setup.engine ?? '';
  $('#table-note').textContent = setup.table ? `table: ${setup.table.times.length} rows of ${setup.table.level}` : '';
}

/** Draws a line for each joint from the setup. */
export function drawTable() {
  chosen = Math.min(chosen, rows().length - 1);
  $('#drives tbody').replaceChildren(...rows().map((row, k) => {
    const { kind, text } = forms.drive(row.name);
    const led = Boolean(forms.setup.path || forms.setup.points);
    const offered = led ? ['path'] : row.ball ? ['free'] : KINDS.filter((one) => one !== 'table' || forms.setup.table?.columns[row.name]);
    const select = made('select', { 'aria-label': `motion of ${row.name}` }, ...offered.map((one) => made('option', {}, one)));
    select.value = led ? 'path' : row.ball ? 'free' : kind;
    select.disabled = isUndriven(row) || led || Boolean(facts.deck);
    select.addEventListener('change', () => { setKinds([row.name], select.value); input.focus(); });
    const input = made('input', { 'aria-label': `function of ${row.name}`, spellcheck: 'false', autocomplete: 'off', maxlength: 4000, placeholder: row.passive ? 'follows the loop' : led ? 'follows the path of the tool' : row.ball ? HINTS.free : HINTS[kind] ?? EXAMPLES[kind] });
    input.value = TYPED.includes(kind) ? text : '';
    input.disabled = !TYPED.includes(kind) || Boolean(facts.deck);
    input.title = facts.deck ? text : '';
    input.addEventListener('input', () => { document.body.dataset.typed = performance.now(); texts.set(row.name, input.value); typing(k, select.value, input.value); forms.drives({ [row.name]: { kind: select.value, text: input.value } }, `drive ${row.name}`); });
    input.addEventListener('paste', (event) => paste(event, k));
    const line = made('tr', {}, made('td', {}, ...breakable(row.name)), made('td', {}, select), made('td', {}, input, made('div', { class: 'why' })), made('td', { class: 'n' }));
    const pick = () => { if (chosen !== k) { chosen = k; mark(); drawCharts(); } };
    line.addEventListener('focusin', pick);
    line.addEventListener('click', pick);
    return line;
  }));
  mark();
  if (seen) tell();
}
const mark = () => lines().forEach((line, k) => line.classList.toggle('chosen', k === chosen));

/** Gives joints another kind of motion; their text stays where the kind has one. */
function setKinds(names, kind) {
  const free = names.filter((name) => !isUndriven(rows().find((row) => row.name === name)));
  for (const name of free) if (TYPED.includes(forms.drive(name).kind)) texts.set(name, forms.drive(name).text);
  forms.drives(Object.fromEntries(free.map((name) => [name, { kind, text: TYPED.includes(kind) ? texts.get(name) ?? '' : '' }])));
  drawTable();
}

/** The curve of a function while it is typed: it comes before the motion and the torques of all joints. */
async function typing(k, level, text) {
  const number = (typings += 1);
  const row = rows()[k];
  const answer = await ask('curve', { method: 'POST', json: { text, level, duration: forms.setup.duration, sliding: row.sliding } }).catch(() => null);
  if (!answer || number !== typings || !seen || seen.t.length !== answer.t.length) return;
  if (answer.error && !answer.f) answer.f = seen.rows[row.name]?.f;
  seen = { ...seen, rows: { ...seen.rows, [row.name]: answer } };
  old = true;
  tell();
  drawCharts();
  document.body.dataset.curve = performance.now();
}

// ---- what is pasted

/** Lines of functions go to the joints that they name, others to this joint and those below; numbers become a table. */
function paste(event, from) {
  const pasted = event.clipboardData.getData('text');
  const numbers = numbersOf(pasted);
  if (numbers) { event.preventDefault(); pasteTable(numbers, from); return; }
  const text = pasted.replace(/&\s*\n/g, '').split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  if (text.length < 2) return;
  event.preventDefault();
  const kind = TYPED.includes(forms.drive(rows()[from].name).kind) ? forms.drive(rows()[from].name).kind : 'velocity';
  const [changes, spare] = [{}, []];
  text.forEach((line, k) => {
    const match = /^["']?([\w.-]+)["']?\s*[:=\t]\s*(.+)$/.exec(line);
    const named = match && rows().find(({ name }) => name === match[1]);
    const row = named ?? (match ? null : rows()[from + k]);
    const one = (match ? match[2] : line).replace(/,$/, '').replace(/^["'](.*)["']$/, '$1');
    if (!row || isUndriven(row)) { spare.push(line); return; }
    const before = forms.drive(row.name).kind;
    changes[row.name] = { kind: TYPED.includes(before) ? before : kind, text: one };
    texts.set(row.name, one);
  });
  forms.drives(changes);
  drawTable();
  lines()[from].querySelector('input').focus();
  if (spare.length) say(`No joint for ${spare.length} of the pasted lines, the first is: ${spare[0]}`);
}

/** Rows of numbers of a spreadsheet with the names above them, or null where the text is none. */
function numbersOf(text) {
  const cells = text.trim().split(/\r?\n/).map((line) => line.split(/\t|;|,(?=\s)|\s{2,}/).map((cell) => cell.trim()));
  const isNumber = (cell) => cell !== '' && Number.isFinite(Number(cell.replace(',', '.')));
  const names = cells[0]?.every((cell) => !isNumber(cell)) ? cells.shift() : null;
  if (cells.length < 4 || cells[0].length < 2 || !cells.every((row) => row.length === cells[0].length && row.every(isNumber))) return null;
  const columns = cells[0].map((_, c) => cells.map((row) => Number(row[c].replace(',', '.'))));
  return columns[0].every((t, k) => !k || t > columns[0][k - 1]) ? { names, columns } : null;
}

async function pasteTable({ names, columns }, from) {
  const [times, ...values] = columns;
  const joints = values.map((_, c) => rows().find(({ name }) => names && name === names[c + 1]) ?? rows()[from + c]).filter((row) => row && !isUndriven(row));
  const level = made('select', { 'aria-label': 'What the columns give' }, made('option', {}, 'displacement'), made('option', {}, 'velocity'));
  const angle = made('select', { 'aria-label': 'Unit of angles' }, made('option', { value: Math.PI / 180 }, 'degrees'), made('option', { value: 1 }, 'radians'));
  const distance = made('select', { 'aria-label': 'Unit of lengths' }, made('option', { value: 1e-3 }, 'mm'), made('option', { value: 1 }, 'm'));
  const body = [made('p', {}, `${times.length} rows: time from ${times[0]} to ${times.at(-1)} s, then ${joints.map(({ name }) => name).join(', ')}.`), made('label', {}, 'the columns are ', level), made('label', {}, 'angles in ', angle), ...(joints.some(({ sliding }) => sliding) ? [made('label', {}, 'lengths in ', distance)] : [])];
  if (await question('Pasted table', body, [['', 'Cancel'], ['yes', 'Use it']]) !== 'yes') return;
  const scaled = joints.map((row, c) => [row.name, values[c].map((x) => x * +(row.sliding ? distance : angle).value)]);
  const drives = { ...forms.setup.drives };
  for (const { name } of joints) drives[name] = { kind: 'table', text: '' };
  forms.change({ drives, table: { level: level.value, times, columns: Object.fromEntries(scaled) } });
  drawTable();
}

// ---- the preview

/** Shows a preview; curves of a text that is wrong stay as they were, pale. */
export function take(answer) {
  const before = seen;
  for (const [name, row] of Object.entries(answer.rows)) if (row.error && !row.f && before?.rows[name]?.f) row.f = before.rows[name].f;
  old = !answer.q && Boolean(before?.q) && before.q.length === rows().length;
  seen = old ? { ...answer, ...Object.fromEntries(['t', 'q', 'qd', 'tau', 'peaks', 'rates', 'outside', 'unsolved'].map((key) => [key, before[key]])) } : answer;
  tell();
  drawCharts();
  if (seen.tau && !old) document.body.dataset.torques = performance.now();
}

/** Another robot: nothing is known of it. */
export function forget() {
  seen = null;
  old = false;
  chosen = 0;
  texts.clear();
  $('#drives tbody').replaceChildren();
}

/** Errors, warnings and peaks in the table. */
function tell() {
  lines().forEach((line, k) => {
    const { name, ball } = rows()[k];
    const row = seen.rows[name];
    const error = row?.error ?? (seen.joint === (ball ?? name) && seen.failed ? { reason: seen.failed, position: null } : null);
    line.querySelector('input').classList.toggle('wrong', Boolean(error));
    const why = line.querySelector('.why');
    why.classList.toggle('lint', !error);
    why.replaceChildren(...(error ? shownError(error, forms.drive(name).text) : warnings(row, k).slice(0, 1)));
    drawPeak(line.lastElementChild, k);
  });
  const why = seen.joint || wasLed ? null : seen.failed ?? null;
  if (why) say(why); else if (said && $('#message span').textContent === said) say('');
  said = why;
  $('#charts').classList.toggle('old', old);
}

/** Marks the joint that a failed run names. */
export function failed(joint, text) {
  const k = rows().findIndex(({ name, ball }) => (ball ?? name) === joint);
  if (k < 0) return;
  const why = lines()[k].querySelector('.why');
  why.classList.remove('lint');
  why.replaceChildren(text);
}

function shownError({ reason, position }, text) {
  return [...(Number.isInteger(position) && text.trim() ? [made('code', {}, excerpt(text, position))] : []), reason, ...remedy(reason)];
}

/** A button where the remedy is one change. */
function remedy(reason) {
  if (!reason.includes("use method 'adaptive'")) return [];
  const button = made('button', { type: 'button' }, 'use adaptive');
  button.addEventListener('click', () => forms.change({ method: 'adaptive' }));
  return [' ', button];
}

/** The place of an error with a caret below it: the field itself may have scrolled. */
export function excerpt(text, at) {
  const from = Math.max(0, at - 34);
  const shown = `${from ? '…' : ''}${text.slice(from, at + 26)}${at + 26 < text.length ? '…' : ''}`;
  return `${shown}\n${' '.repeat(at - from + (from ? 1 : 0))}^`;
}

function warnings(row, k) {
  const { name, velocity } = rows()[k];
  const [scale, unit] = units.position(rows()[k]);
  const more = [...(row?.warnings ?? [])];
  if (!old && seen.outside?.[name]) more.unshift(`leaves its range by ${units.brief(seen.outside[name] * scale)} ${unit}`);
  if (!old && velocity && seen.rates?.[k] > velocity * (1 + 1e-9)) more.push(`reaches ${units.brief(seen.rates[k] * scale)} ${unit}/s; rated ${units.brief(velocity * scale)}`);
  return more;
}

function drawPeak(cell, k) {
  const largest = Math.max(...(seen.peaks ?? []));
  const peak = seen.peaks ? (seen.peaks[k] < Math.max(ROUNDING * largest, NONE) ? 0 : seen.peaks[k]) : null;
  const { effort, passive } = rows()[k];
  const [scale, unit] = units.effort(rows()[k]);
  cell.replaceChildren();
  cell.classList.toggle('over', Boolean(effort) && peak > effort);
  if (passive) return;
  if (peak === null) { if (seen.unsolved && !old) cell.append(made('span', { class: 'dim' }, 'after the run')); return; }
  const share = effort ? Math.round(100 * peak / effort) : null;
  cell.append(`${units.brief(peak * scale)} ${unit}${effort ? `  ${share} %` : ''}`);
  if (effort) {
    const bar = made('i');
    bar.style.width = `${Math.min(100, share)}%`;
    cell.append(made('small', {}, bar));
  }
  cell.style.opacity = old ? 0.4 : 1;
}

// ---- charts of the chosen joint

export function drawCharts() {
  if (!seen || !facts || $('#motion').hidden) return;
  const row = rows()[chosen];
  const { kind } = forms.drive(row.name);
  const [scale, unit] = units.position(row);
  const [force, forceUnit] = units.effort(row);
  const scaled = (list, by) => list?.map((x) => (x === null ? null : x * by));
  const typed = seen.rows[row.name]?.f;
  const level = { displacement: 0, velocity: 1, torque: 2 }[kind];
  const values = [scaled(seen.q?.[chosen], scale), scaled(seen.qd?.[chosen], scale), scaled(seen.tau?.[chosen], force)];
  if (typed && level !== undefined && (old || !values[level])) values[level] = scaled(typed, level === 2 ? force : scale);
  const unsolved = seen.unsolved?.includes(row.name);
  if (unsolved) values[0] = values[1] = undefined;
  const limits = units.range(row) && `, range ${units.range(row)}`;
  const heads = [['position', unsolved ? 'known after the run' : `[${unit}]${limits}`], ['rate', `[${unit}/s]${row.velocity ? `, rated ${units.brief(row.velocity * scale)}` : ''}`], ['torque', `[${forceUnit}]${row.effort ? `, rated ${units.brief(row.effort * force)}` : ''}`]];
  $('#chart-of').textContent = row.name;
  heads.forEach(([title, fact], k) => {
    let note = fact;
    charts[k] ??= addChart(k);
    const { chart, heading, host } = charts[k];
    charts[k].jumps = (level === k && seen.rows[row.name]?.jumps) || [];
    if (charts[k].jumps.length) note += `, jumps at ${charts[k].jumps.slice(0, 3).map(units.brief).join(', ')} s${charts[k].jumps.length > 3 ? ' …' : ''}`;
    heading.title = `${title} ${note}`;
    heading.replaceChildren(`${title} `, made('span', {}, note));
    chart.setSize({ width: Math.max(120, host.clientWidth), height: height() });
    chart.setData([seen.t, values[k] ?? seen.t.map(() => null)]);
  });
  document.body.dataset.drawn = performance.now();
}
const height = () => Math.max(150, Math.min(420, $('#right').clientHeight - ($('#charts').offsetTop - $('#right').offsetTop) - 50));

function addChart(k) {
  const heading = made('h3');
  const host = made('div');
  $('#charts').append(made('figure', {}, heading, host));
  const follow = ({ cursor }) => { if (cursor.idx !== null && cursor.left >= 0) view.at(cursor.idx); };
  const range = () => (_, low, high) => (low === high ? [low - 1, high + 1] : uPlot.rangeNum(low, high, 0.1, true));
  const chart = new uPlot({
    width: 300, height: 170, ...axesOf({ font: 11, range, label: 'time [s]' }), cursor: { drag: { x: false, y: false } },
    series: [{}, { stroke: () => colour(COLOURS[k]), width: 1.6, spanGaps: false }], hooks: { setCursor: [follow], draw: [(drawn) => markJumps(drawn, charts[k]?.jumps ?? [])] },
  }, [[], []], host);
  return { chart, heading, host };
}

/** Dashed lines at the times [s] at which a function jumps. */
function markJumps({ ctx, bbox, valToPos }, times) {
  ctx.save();
  ctx.strokeStyle = colour('bad');
  ctx.setLineDash([5, 4]);
  ctx.beginPath();
  for (const t of times) {
    const x = valToPos(t, 'x', true);
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

/** Colours of another theme. */
export const redraw = () => charts.forEach(({ chart }) => chart.redraw());

/** Connects the inputs. */
export function connect() {
  $('#allkinds').replaceChildren(made('option', { value: '' }, 'motion: all …'), ...KINDS.slice(0, -1).map((one) => made('option', {}, one)));
  $('#allkinds').addEventListener('change', () => { const kind = $('#allkinds').value; $('#allkinds').value = ''; if (facts && kind) setKinds(rows().map(({ name }) => name), kind); });
  for (const [id, key, unit] of [['#duration', 'duration', 1], ['#dt', 'dt', 1e-3]]) {
    $(id).addEventListener('input', () => { const input = $(id); if (input.validity.valid && input.valueAsNumber > 0) forms.change({ [key]: units.typed(input.valueAsNumber * unit) }, key); });
  }
  $('#method').addEventListener('change', () => forms.change({ method: $('#method').value }));
  $('#engine').addEventListener('change', () => forms.change({ engine: $('#engine').value || null }));
}
