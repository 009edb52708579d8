// The pane Model: robot, audit, payload, mount, tool; joints with their limits, ratings, start and friction.

import { forms } from './studio_forms.js';
import { $, ask, attempt, breakable, made, question, say } from './studio_server.js';
import * as units from './studio_units.js';
import * as view from './studio_view.js';

const KINDS = ['.urdf', '.xml', '.sdf', '.adm', '.xacro', '.yaml', '.yml', '.stl', '.obj', '.dae', '.mtl', '.png', '.jpg', '.jpeg'];
const ROBOTS = ['.urdf', '.xml', '.sdf', '.adm', '.xacro'];
const LARGEST = 30e6; // bytes of a file, as in guard.py
const LINES = 8; // findings of an audit that are shown at first

export let facts = null;

/** Reads a robot and shows it. */
export async function load(setup) {
  const [robot, scene] = await Promise.all([
    ask(`robot?name=${encodeURIComponent(setup.robot)}&tool=${encodeURIComponent(setup.tool)}&mount=${setup.mount}`),
    ask(`scene?name=${encodeURIComponent(setup.robot)}&mount=${setup.mount}`),
  ]);
  await view.show(robot, await scene.arrayBuffer());
  facts = robot;
  clearAudit();
  return robot;
}

/** Shows no robot: the file of the chosen one cannot be read. */
export function unload() {
  facts = null;
  view.clear();
  clearAudit();
  $('#joints tbody').replaceChildren();
  $('#repairs').replaceChildren();
  $('#shapes').hidden = true;
  $('#about').textContent = '';
  $('#audit-go').disabled = false;
}

/** Joint positions at which the run starts [rad or m]. */
export function startOf(setup) {
  if (Object.keys(setup.positions).length) return facts.rows.map(({ name }) => setup.positions[name] ?? 0);
  return facts.poses[setup.start] ?? facts.rows.map(() => 0);
}

const isOpen = () => !$('#model').hidden;

/** Draws the pane from the setup; inputs that have the focus are left alone. */
export function draw(anew) {
  const { setup } = forms;
  if (!setup || !facts) return;
  if (anew || !$('#joints tbody').childElementCount) drawJoints();
  const [scale, unit] = units.length();
  put('#payload', setup.payload);
  ['#cx', '#cy', '#cz'].forEach((id, k) => put(id, setup.com[k] * scale));
  $('#model [data-unit=length]').textContent = unit;
  const named = Object.keys(facts.poses);
  fill('#start', [...named, ...(Object.keys(setup.positions).length ? ['sliders'] : [])], Object.keys(setup.positions).length ? 'sliders' : setup.start);
  fill('#mount', ['floor', 'wall', 'ceiling'], setup.mount);
  fill('#tool', ['', ...facts.tools], setup.tool, (one) => one || (facts.tool ?? 'none'));
  $('#about').textContent = `${facts.name}: ${facts.rows.length} joints, ${units.brief(facts.mass)} kg, tool frame ${facts.tool ?? 'ambiguous: choose it in Model'}`;
  $('#shapes').replaceChildren(...facts.notes.map((note) => made('p', {}, note)), facts.notes.some((note) => note.includes('does not exist')) ? 'Torques do not depend on shapes. Drop the missing mesh with its folder to see it.' : '');
  $('#shapes').hidden = !facts.notes.length;
  $('#repairs').replaceChildren(...facts.repairs.map((one) => made('p', { class: 'note' }, `repaired ${one}`)));
  $('#audit-go').disabled = Boolean(facts.deck);
  drawStart();
  drawDeck();
  view.payload(setup.payload, setup.com);
}

/** Of a deck only duration and step are chosen here; what it has besides is listed. */
function drawDeck() {
  const { deck } = facts;
  document.body.classList.toggle('deck', Boolean(deck));
  $('#deck').hidden = !deck;
  for (const input of document.querySelectorAll('#model :is(input, select), #drives :is(input, select), #method, #engine')) if (deck) input.disabled = true; else if (!input.closest('tbody')) input.disabled = false;
  if (!deck) return;
  $('#deck p').textContent = `${forms.setup.robot} is a deck: its motions, forces (${deck.forces}) and requests (${deck.requests}) are run as they stand. Duration and step are chosen in Motion; Script shows it as a scenario that can be changed in an editor.`;
  $('#deck ul').replaceChildren(...deck.notes.map((note) => made('li', {}, note)));
}

function put(id, value) {
  const input = $(id);
  if (document.activeElement !== input || !input.validity.valid) input.value = units.typed(value);
}

function fill(id, values, chosen, label = (one) => one) {
  $(id).replaceChildren(...values.map((one) => made('option', { value: one }, label(one))));
  $(id).value = chosen;
}

function drawJoints() {
  $('#joints tbody').replaceChildren(...facts.rows.map((row, k) => {
    const [scale, unit] = units.position(row);
    const [rate, [effort, force]] = [`${unit}/s`, units.effort(row)];
    const ends = units.range(row) || 'no limits';
    const cells = [made('span', {}, ...breakable(row.name)), ends, row.velocity === null ? '–' : `${units.brief(row.velocity * scale)} ${rate}`, row.effort === null ? '–' : `${units.brief(row.effort * effort)} ${force}`];
    const slide = made('div', { class: 'slide' });
    if (row.passive) slide.append(made('span', { class: 'dim' }, 'follows the loop'));
    else slide.append(...slider(row, k, scale, unit));
    const dry = made('input', { type: 'number', min: 0, step: 'any', value: units.typed((forms.setup.friction[row.name] ?? 0) * effort), 'aria-label': `dry friction of ${row.name}` });
    dry.addEventListener('input', () => { if (dry.validity.valid) rub(row.name, (dry.valueAsNumber || 0) / effort); });
    dry.disabled = row.passive || Boolean(row.ball);
    return made('tr', {}, ...cells.map((one, c) => made('td', { class: c > 1 ? 'n' : null, title: row.ball ? `${row.ball} turns about any axis; its three rows are a rotation vector, axis times angle` : null }, one)), made('td', {}, slide), made('td', { class: 'n' }, dry, ` ${force}`));
  }));
}

function slider(row, k, scale, unit) {
  const [low, high] = [row.low * scale, row.high * scale];
  const range = made('input', { type: 'range', min: low, max: high, step: 'any', 'aria-label': `start of ${row.name}`, 'data-start': k });
  const number = made('input', { type: 'number', step: 'any', 'aria-label': `start of ${row.name} [${unit}]`, 'data-start': k });
  for (const one of [range, number]) one.addEventListener('input', () => { if (one.validity.valid && Number.isFinite(one.valueAsNumber)) slide(row.name, one.valueAsNumber / scale); });
  return [range, number, made('span', { class: 'dim' }, unit)];
}

function slide(joint, value) {
  const q = startOf(forms.setup);
  const positions = Object.fromEntries(facts.rows.map(({ name, passive }, k) => [name, passive ? null : name === joint ? value : q[k]]).filter(([, one]) => one !== null));
  forms.change({ positions }, `start ${joint}`);
}

function drawStart() {
  const q = startOf(forms.setup);
  for (const input of document.querySelectorAll('#joints [data-start]')) {
    const row = facts.rows[input.dataset.start];
    if (document.activeElement !== input || input.type !== 'number') input.value = units.typed(q[input.dataset.start] * units.position(row)[0]);
    const [low, high] = row.ends;
    const outside = (low !== null && q[input.dataset.start] < low - 1e-9) || (high !== null && q[input.dataset.start] > high + 1e-9);
    input.classList.toggle('outside', outside);
    input.title = outside ? 'outside the range of this joint' : '';
  }
}

function rub(joint, torque) {
  const friction = { ...forms.setup.friction };
  if (torque > 0) friction[joint] = torque; else delete friction[joint];
  forms.change({ friction }, `friction ${joint}`);
}

// ---- audit

function clearAudit() {
  $('#audit-sum').textContent = '';
  $('#audit-command').textContent = '';
  $('#audit-fix').hidden = true;
  for (const id of ['#audit tbody', '#audit-changes']) $(id).replaceChildren();
}

/** Audits the robot and lists the findings. */
export async function audit() {
  $('#audit-sum').textContent = 'checking …';
  try {
    const { audit: found, command } = await ask('audit', { method: 'POST', json: { robot: forms.setup.robot } });
    list(found.findings);
    $('#audit-command').textContent = command;
    $('#audit-fix').hidden = !forms.setup.robot.includes('.') || !found.findings.length;
    return found;
  } catch (error) {
    $('#audit-sum').textContent = '';
    throw error;
  }
}

function list(findings) {
  const counts = ['error', 'warning', 'note'].map((kind) => [findings.filter(({ severity }) => severity === kind).length, kind]).filter(([count]) => count);
  $('#audit-sum').textContent = counts.length ? counts.map(([count, kind]) => `${count} ${kind}${count > 1 ? 's' : ''}`).join(', ') : 'no findings';
  const rows = findings.map(({ severity, link_or_joint: where, line, text, remedy }) => made('tr', {}, made('td', { class: `severity ${severity === 'error' ? 'bad' : severity === 'warning' ? 'part' : 'dim'}` }, severity), made('td', {}, `${where}${line === null ? '' : `, line ${line}`}`), made('td', {}, text), made('td', {}, remedy)));
  const body = $('#audit tbody');
  body.replaceChildren(...rows.slice(0, LINES));
  if (rows.length <= LINES) return;
  const more = made('button', { type: 'button', class: 'text' }, `${rows.length - LINES} more`);
  more.addEventListener('click', () => body.replaceChildren(...rows));
  body.append(made('tr', {}, made('td', { colspan: 4 }, more)));
}

/** Writes a corrected copy of the robot and uses it; what was changed is listed. */
async function fix(choose) {
  const { audit: found, fixed, command } = await ask('audit', { method: 'POST', json: { robot: forms.setup.robot, fix: true } });
  const { findings, changes } = found.fixed;
  if (!changes.length) { say('No error has a single interpretation: correct the file as the remedies suggest and drop it under another name.'); return; }
  await choose(fixed);
  list(findings);
  $('#audit-command').textContent = command;
  $('#audit-changes').replaceChildren(...changes.map((one) => made('li', {}, one)));
  say(`${fixed} is written with ${changes.length} changes and is used now.`, { well: true });
}

// ---- files

/** Stores dropped files below robots/ and returns the robots among them. */
export async function store(files) {
  const usable = files.filter(({ path }) => KINDS.some((kind) => path.toLowerCase().endsWith(kind)));
  const robots = usable.filter(({ path }) => ROBOTS.some((kind) => path.toLowerCase().endsWith(kind)) && !/(^|\/)package\.xml$/.test(path));
  if (!usable.length) throw new Error(`${files[0]?.path ?? 'This'} is no robot file: drop a URDF (.urdf), xacro, MJCF (.xml), SDF (.sdf), a deck (.adm), or the folder with its meshes (${KINDS.slice(7).join(' ')}).`);
  const large = usable.find(({ file }) => file.size > LARGEST);
  if (large) throw new Error(`${large.path} has ${Math.round(large.file.size / 1e6)} MB; at most ${LARGEST / 1e6} MB are taken.`);
  const stored = [];
  for (const { path, file } of [...usable.filter((one) => !robots.includes(one)), ...robots]) {
    const clean = /\.adm$/i.test(path) ? deckName(path) : path.split('/').map((part) => part.replace(/[^\w.-]/g, '_').replace(/^[^A-Za-z0-9]+/, '')).filter(Boolean).join('/');
    const { name } = await ask(`file?path=${encodeURIComponent(clean)}`, { method: 'POST', body: file });
    if (robots.some((one) => one.path === path)) stored.push(name);
  }
  return stored;
}

/** Runs of a deck have its name: that of a script. */
const deckName = (path) => `${path.split('/').at(-1).slice(0, -4).toLowerCase().replace(/\W/g, '_').replace(/^[^a-z]/, 'd$&').slice(0, 40)}.adm`;

/** The URDF of a template: its arguments are asked for, and whether its expressions may be evaluated. */
export async function expanded(template) {
  const declared = await ask(`template?name=${encodeURIComponent(template)}`);
  const inputs = declared.map(({ name, default: value }) => [name, made('input', { 'aria-label': `argument ${name}`, value: value ?? '', maxlength: 4000, spellcheck: 'false' })]);
  const body = [made('p', {}, `${template} is a template: expressions of Python in it are evaluated. It can read files in this folder only. Expand templates of people whom you trust.`), ...inputs.map(([name, input]) => made('label', {}, `${name} `, input))];
  if (await question('Expand the template?', body, [['', 'Cancel'], ['yes', 'Expand']]) !== 'yes') return null;
  const values = inputs.filter(([, input], k) => input.value !== (declared[k].default ?? '')).map(([name, input]) => [name, input.value]);
  return (await ask('template', { method: 'POST', json: { template, arguments: Object.fromEntries(values) } })).name;
}

/** Files of a drop, those in folders with their path. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ path: file.name, file }));
  const files = [];
  const visit = async (entry, above) => {
    if (entry.isFile) files.push({ path: `${above}${entry.name}`, file: await new Promise((done, failed) => { entry.file(done, failed); }) });
    else {
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((done, failed) => { reader.readEntries(done, failed); });
        if (!some.length) break;
        for (const one of some) await visit(one, `${above}${entry.name}/`);
      }
    }
  };
  for (const entry of entries) await visit(entry, '');
  return files;
}

/** Which of several robot files is meant. */
export async function pick(names) {
  if (names.length < 2) return names[0] ?? null;
  const select = made('select', { 'aria-label': 'Robot file' }, ...names.map((one) => made('option', {}, one)));
  return (await question('Which robot?', [select], [['', 'Cancel'], ['yes', 'Use it']])) === 'yes' ? select.value : null;
}

/** Connects the inputs; `choose` loads a robot by its name. */
export function connect(choose) {
  const number = (id, act) => $(id).addEventListener('input', () => { const input = $(id); if (input.validity.valid && Number.isFinite(input.valueAsNumber)) act(input.valueAsNumber); });
  number('#payload', (payload) => forms.change({ payload }, 'payload'));
  ['#cx', '#cy', '#cz'].forEach((id, k) => number(id, (value) => forms.change({ com: forms.setup.com.map((x, j) => (j === k ? units.typed(value / units.length()[0]) : x)) }, id)));
  $('#start').addEventListener('change', () => { if ($('#start').value !== 'sliders') forms.change({ start: $('#start').value, positions: {} }); });
  $('#mount').addEventListener('change', () => forms.change({ mount: $('#mount').value }));
  $('#tool').addEventListener('change', () => forms.change({ tool: $('#tool').value }));
  $('#audit-go').addEventListener('click', attempt(audit));
  $('#audit-fix').addEventListener('click', attempt(() => fix(choose)));
}

/** While this pane is open the arm stands at its start. */
export const isStartShown = isOpen;
