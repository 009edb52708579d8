// The pane Studies: a sweep, a largest value or an optimum of the script, its command, and the studies of the folder.

import { forms } from './studio_forms.js';
import { facts } from './studio_model.js';
import * as runs from './studio_runs.js';
import { $, ask, attempt, made } from './studio_server.js';

const SOON = 200; // ms after which the command of what is typed is asked for

let waiting = null;
let script = () => ''; // the script's name
let drawnFor = null;
let numbers = {}; // of the forms, by the name that each has as a parameter: value and place in a function

/** Parameters with the value that the forms hold. */
const parameters = () => {
  if (facts.deck) return facts.deck.parameters;
  const { payload, duration, varied } = forms.setup;
  return { payload, duration, ...Object.fromEntries(varied.filter((name) => name in numbers).map((name) => [name, Number(numbers[name][0])])) };
};

/** Draws a row for each parameter; what is typed in those that were there stays. */
export async function draw() {
  if (!forms.setup || !facts || $('#studies').hidden) return;
  numbers = facts.deck ? {} : await ask('numbers', { method: 'POST', json: forms.setup });
  const free = Object.keys(numbers).filter((name) => !forms.setup.varied.includes(name));
  $('#vary-more').hidden = !free.length;
  $('#vary-more').replaceChildren(made('option', { value: '' }, 'vary another number …'), ...free.map((name) => made('option', { value: name }, `${name} = ${numbers[name][0]}${numbers[name][1] && `   ${numbers[name][1]}`}`)));
  const rows = new Map(drawnFor === forms.setup.robot ? [...$('#vary tbody').children].map((row) => [row.dataset.name, row]) : []);
  drawnFor = forms.setup.robot;
  $('#vary tbody').replaceChildren(...Object.entries(parameters()).map(([name, value], k) => rows.get(name) ?? rowOf(name, value, k === 0 || forms.setup.varied.includes(name))));
  const joints = facts.rows.filter(({ passive }) => !passive).map(({ name }) => name);
  const offered = ['margin', 'energy', 'peak tau.*', ...joints.map((name) => `peak tau.${name}`), ...joints.map((name) => `peak qd.${name}`), ...Object.keys(parameters())];
  $('#responses').replaceChildren(...offered.map((value) => made('option', { value })));
  changed();
}

/** A row of a parameter, from half of its value to twice it. */
function rowOf(name, value, isMarked) {
  const mark = made('input', { type: 'checkbox', 'aria-label': `vary ${name}` });
  mark.checked = isMarked;
  const [low, high] = value ? [value / 2, 2 * value].sort((a, b) => a - b) : [0, name === 'payload' ? 10 : 1];
  const ends = [['from', name === 'payload' ? 0 : low], ['to', high], ['values', 5]].map(([label, start]) => made('input', { type: 'number', step: 'any', 'aria-label': `${name} ${label}`, value: start }));
  const remove = made('button', { type: 'button', 'aria-label': `do not vary ${name}` }, 'remove');
  remove.addEventListener('click', () => forms.change({ varied: forms.setup.varied.filter((other) => other !== name) }));
  const place = numbers[name]?.[1];
  return made('tr', { 'data-name': name }, ...[mark, made('span', {}, name, ...(place ? [made('code', { class: 'dim' }, place)] : [])), ...ends, forms.setup.varied.includes(name) ? remove : ''].map((cell) => made('td', {}, cell)));
}

/** What the fields ask for; without `sha256` it is not started. */
function wanted(sha256 = '') {
  const rows = [...$('#vary tbody').children].filter((row) => row.querySelector('input').checked);
  const vary = rows.map((row) => {
    const [low, high, count] = [...row.querySelectorAll('[type=number]')].map((input) => input.valueAsNumber);
    return { parameter: row.dataset.name, low, high, count: Math.round(count) };
  });
  return { script: facts.deck ? forms.setup.robot : script(), kind: $('#study-kind').value, vary, response: $('#study-response').value.trim(), limit: $('#study-limit').value.trim(), relation: $('#study-relation').value, value: $('#study-value').valueAsNumber || 0, analytic: $('#study-analytic').checked, sha256 };
}

/** Fields that a kind does not have are hidden; the command follows what is typed. */
function changed() {
  const kind = $('#study-kind').value;
  const optimum = kind === 'minimise' || kind === 'maximise';
  $('#study-response').closest('label').hidden = kind === 'largest';
  $('#study-within').hidden = kind === 'sweep';
  $('#study-analytic').closest('label').hidden = kind !== 'sweep';
  $('#vary').classList.toggle('counted', kind === 'sweep');
  if (!optimum && $('#study-response').value in parameters()) $('#study-response').value = '';
  if (optimum && !$('#study-response').value) $('#study-response').value = kind === 'minimise' ? 'energy' : 'payload';
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const row = wanted();
    if (!row.vary.length || !row.script) { $('#study-command').textContent = ''; return; }
    const answer = await ask('study', { method: 'POST', json: row }).catch((error) => ({ command: '', error: error.message }));
    $('#study-command').textContent = answer.command;
    $('#study-why').textContent = answer.error ?? '';
  }, SOON);
}

/** Starts what the fields ask for, of a script that is saved. */
export async function start(saved) {
  const row = wanted(saved.sha256);
  if (!row.vary.length) throw new Error('Mark at least one parameter to vary.');
  const { command } = await ask('study', { method: 'POST', json: row });
  const done = await runs.follow();
  if (done.state !== 'done') return;
  await list();
  runs.openStudy(done.study, done.text, command);
}

/** Reads the list of studies and draws it. */
export async function list() {
  const rows = await ask('studies');
  $('#studies .none').hidden = rows.length > 0;
  $('#study-rows tbody').replaceChildren(...rows.map(({ id, page, scenario, design, varied, cases, state }) => {
    const show = made('button', { type: 'button', 'aria-label': `show ${id}` }, 'show');
    show.disabled = !page;
    show.addEventListener('click', () => runs.openStudy(id, '', ''));
    const stopped = made('code', { class: 'dim' }, `sim sweep --resume results/studies/${id}`);
    return made('tr', {}, ...[scenario, runs.stamp(id.slice(-15)), design, Object.entries(varied).map((pair) => pair.join(' = ')).join(', '), cases, state === 'done' ? state : made('span', {}, 'not finished; go on with ', stopped), show].map((cell) => made('td', {}, cell)));
  }));
}

/** Another robot has other parameters and responses. */
export const forget = () => { drawnFor = null; };

/** Connects the inputs; `name` is the script's, `save` saves it and `begin` starts the study. */
export function connect(name, begin) {
  script = name;
  for (const type of ['input', 'change']) $('#study').addEventListener(type, changed);
  $('#vary-more').addEventListener('change', () => forms.change({ varied: [...forms.setup.varied, $('#vary-more').value] }));
  $('#study-go').addEventListener('click', attempt(begin));
}
