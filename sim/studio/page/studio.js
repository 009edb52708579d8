// The window: forms in, preview and script out. What the forms hold is in studio_forms.js.

import { blank, forms, putBack } from './studio_forms.js';
import * as forces from './studio_forces.js';
import { list, listRobots, listScripts } from './studio_lists.js';
import * as model from './studio_model.js';
import * as motion from './studio_motion.js';
import * as path from './studio_path.js';
import * as runs from './studio_runs.js';
import { $, Refusal, ask, attempt, made, question, say } from './studio_server.js';
import * as studies from './studio_studies.js';
import * as teach from './studio_teach.js';
import * as units from './studio_units.js';
import * as view from './studio_view.js';

const PANES = ['model', 'teach', 'motion', 'script', 'studies', 'runs', 'result'];
const SOON = 15; // ms in which keys are gathered before a preview
const QUIET = 800; // ms without a change after which the script is saved
const KEYS = [['Ctrl Enter', 'run'], ['Esc', 'stop the run or study, close a dialog'], ['Alt 1 … 7', 'panes Model, Teach, Motion, Script, Studies, Runs, Result'], ['Ctrl Z, Ctrl Y', 'undo, redo (outside of text fields)'], ['space', 'play the motion (outside of fields)'], ['← →', 'one sample of the motion (outside of fields)'], ['drag, wheel', 'in the view: rotate, zoom'], ['?', 'this list']];

let saved = { name: null, sha256: null }; // the file that the forms hold
let handwritten = null; // the text of a script that is shown and not the forms'
let wrong = null; // why the setup cannot be saved
let asked = 0;
let pending = null;
let [running, again] = [false, false]; // a preview, and whether another is to follow it
let quiet = null; // the wait until it is saved
let isSaved = true; // or it cannot be
let loaded = ''; // robot, tool and mount that the view shows

// ---- robot

/** Begins anew with a robot, perhaps at a pose and with a tool, or with a setup that was read from a script. */
async function choose(robot, setup = null, { tool = '', pose } = {}) {
  if (!robot) return;
  handwritten = null;
  const wanted = setup ?? { ...blank(robot), tool };
  const facts = await model.load(wanted);
  loaded = shownPart(wanted);
  motion.forget();
  path.forget();
  if (forms.setup?.robot !== robot) teach.forget();
  studies.forget();
  if (facts.deck) Object.assign(wanted, facts.deck.setup);
  else if (!setup) {
    wanted.start = pose ?? facts.start;
    await freshName();
  }
  $('#name').disabled = Boolean(facts.deck);
  $('#robot').value = robot;
  if ($('#robot').value !== robot) await listRobots(robot);
  usable(true);
  forms.begin(wanted);
  isSaved = true; // nothing is changed yet
}

/** Without a robot nothing can be typed or run. */
function usable(on) {
  $('#run').disabled = !on;
  for (const id of ['#model-fields', '#forces', '#motion', '#study']) $(id).inert = !on;
}

/** Another tool or mount is shown anew. */
const shownPart = ({ robot, tool, mount }) => JSON.stringify([robot, tool, mount]);
async function reload() {
  if (shownPart(forms.setup) === loaded) return;
  loaded = shownPart(forms.setup);
  await model.load(forms.setup);
  view.payload(forms.setup.payload, forms.setup.com);
  for (const pane of [model, motion, forces, teach]) pane.draw(true);
  await preview();
}

const take = attempt(async (files) => {
  let robot = await model.pick(await model.store(files));
  if (robot && /\.xacro$/i.test(robot)) robot = await model.expanded(robot);
  if (robot?.startsWith('decks/')) { await list(); show('model'); await choose(robot); return; }
  if (!robot) { if (forms.setup) await choose(forms.setup.robot, forms.setup); return; }
  await list();
  let refusal = null;
  try { await choose(robot); } catch (error) { refusal = error; }
  show('model');
  if (refusal) { // the audit of a file that does not load states why
    model.unload();
    motion.forget();
    forms.setup = blank(robot);
    $('#robot').value = robot;
    usable(false);
  }
  await model.audit();
  if (refusal) say(refusal.message);
});

// ---- preview and script

function changed(anew) {
  if ($('#message').classList.contains('well')) say('');
  for (const pane of [model, motion, path, forces]) pane.draw(anew);
  drawStudies();
  for (const [id, list] of [['#undo', forms.past], ['#redo', forms.future]]) $(id).disabled = !list.length;
  reload().catch((error) => say(error.message));
  soon();
  clearTimeout(quiet);
  quiet = setTimeout(() => { quiet = null; autosave(); }, QUIET);
  isSaved = false;
  $('#saved').textContent = '';
}

/** Saves what has been changed, once nothing is typed and the newest preview has shown that it can be. */
function autosave() {
  if (isSaved || quiet !== null || running || pending !== null) return;
  isSaved = true;
  save().catch(() => {}); // `unsaved` shows why
}

const drawStudies = () => { studies.draw().catch((error) => say(error.message)); };

/** One preview at a time: what is typed meanwhile is in the next one. */
function soon() {
  pending ??= setTimeout(async () => {
    pending = null;
    if (running) { again = true; return; }
    running = true;
    await preview().catch((error) => say(error.message));
    running = false;
    if (again) { again = false; soon(); } else autosave();
  }, SOON);
}

async function preview() {
  const { setup } = forms;
  if (!setup || !model.facts) return;
  const number = (asked += 1);
  let answer;
  try {
    answer = await ask('preview', { method: 'POST', json: setup });
  } catch (error) {
    wrong = error.message;
    throw error;
  }
  if (number !== asked || path.isLed(setup) !== path.isLed()) return; // of an earlier setup
  const bad = Object.entries(answer.rows).find(([, row]) => row.error);
  wrong = bad ? `${bad[0]}: ${bad[1].error.reason}` : answer.failed ?? null;
  motion.take(answer);
  path.tell(answer);
  view.take(answer, path.isLed());
  if (!$('#model').hidden) view.place(answer.q && !path.isLed() ? answer.q.map((row) => row[0]) : model.startOf(setup));
  if (!$('#model').hidden) path.drawPlace();
  document.body.dataset.previews = number;
  await drawScript();
}

async function drawScript() {
  const name = $('#name').value;
  $('#command').textContent = model.facts?.deck ? deckCommand() : `sim run ${name}.py`;
  if ($('#script').hidden || !forms.setup) return;
  if (model.facts.deck) {
    $('#text').textContent = model.facts.deck.script;
    $('#owner').textContent = `${forms.setup.robot} as a scenario script. With its URDF it is written by: sim convert ${forms.setup.robot} FOLDER`;
    return;
  }
  if (handwritten !== null) { $('#text').textContent = handwritten; return; }
  $('#text').textContent = await (await ask('script', { method: 'POST', json: forms.setup })).text();
  $('#owner').textContent = wrong ? `Not saved: ${wrong}` : `${name}.py in this folder is kept in step with the forms.`;
}

const deckCommand = () => `sim run ${forms.setup.robot} --set duration=${forms.setup.duration} --set dt=${forms.setup.dt}`;

const unsaved = (why) => Object.assign($('#saved'), { textContent: `not saved: ${why}`, title: why });

/** Writes the script; the same name with the content of somebody else is refused. */
async function save() {
  if (!forms.setup || !model.facts || model.facts.deck || handwritten !== null) return null;
  if (wrong) { unsaved(wrong); throw new Refusal(422, wrong); }
  const name = $('#name').value;
  const base = saved.name === name ? saved.sha256 : null;
  try {
    const { sha256 } = await ask(`scripts/${name}`, { method: 'PUT', json: { setup: forms.setup, base } });
    const isNew = saved.name !== name;
    saved = { name, sha256 };
    $('#saved').textContent = 'saved';
    $('#saved').title = '';
    if (isNew) await listScripts();
    return saved;
  } catch (error) {
    unsaved(error.message);
    if (error.status === 409) say(`${error.message}.`, { offers: [[`open ${name}.py`, () => openScript(name)], ['save under another name', async () => { await freshName(); await save(); }]] });
    throw error;
  }
}

/** A name that no script has. */
async function freshName() {
  const taken = new Set((await ask('scripts')).map(({ name }) => name));
  const stem = $('#name').value.replace(/_?\d*$/, '') || 'run';
  let [number, name] = [1, $('#name').value];
  while (taken.has(name)) { number += 1; name = `${stem}${number}`; }
  $('#name').value = name;
  saved = { name: null, sha256: null };
}

async function openScript(name) {
  const one = await ask(`scripts/${name}`);
  if (one.owner === 'hand') {
    handwritten = one.text;
    $('#text').textContent = one.text;
    const parameters = Object.entries(one.parameters).map((pair) => pair.join(' = ')).join(', ') || 'none';
    $('#owner').textContent = `${name}.py was changed beyond the forms. It is shown and never overwritten. Its parameters: ${parameters}. Run it in a terminal: sim run ${name}.py`;
    $('#command').textContent = `sim run ${name}.py`;
    show('script');
    return;
  }
  const own = one.owner === 'forms';
  $('#name').value = name;
  saved = { name, sha256: one.sha256 };
  if (!own) { $('#name').value = `${name}_2`.slice(0, 40); await freshName(); }
  await choose(one.setup.robot, one.setup);
  if (!own) say(`${name}.py has comments or a layout that the forms cannot keep: this is a copy, ${$('#name').value}.py.`);
}

/** The script as it is typed now, saved; for a deck what is run of it. Null where it cannot be. */
async function ready() {
  clearTimeout(quiet);
  clearTimeout(pending);
  quiet = pending = null;
  await preview(); // of what is typed now: another may be on its way
  if (model.facts?.deck) {
    if (wrong) throw new Refusal(422, wrong);
    return { sha256: 'deck' };
  }
  try {
    const done = await save();
    if (!done) say('This script has changes that the forms cannot represent: run it in a terminal.');
    return done;
  } catch (error) {
    if (error.status === 409) return null;
    show('motion');
    throw error;
  }
}

const start = attempt(async () => {
  if ($('#run').disabled || $('#run').hidden) return;
  const done = await ready();
  if (!done) return;
  const { robot, duration, dt } = forms.setup;
  await (model.facts.deck ? runs.runDeck({ deck: robot, duration, dt }) : runs.run(done));
});

async function study() {
  if ($('#run').disabled) throw new Error('Choose a robot first.');
  if ($('#run').hidden) throw new Error('A run or a study is going on; stop it or wait for its end.');
  const done = await ready();
  if (done) await studies.start(done);
}

// ---- panes, lists, keys

function show(pane) {
  for (const one of PANES) {
    $(`#${one}`).hidden = one !== pane;
    $(`#tab-${one}`).setAttribute('aria-selected', one === pane);
  }
  $('#work').hidden = pane === 'result';
  teach.draw();
  if (pane === 'script') drawScript().catch((error) => say(error.message));
  if (pane === 'runs') attempt(runs.list)();
  if (pane === 'studies') { drawStudies(); attempt(studies.list)(); }
  if (pane === 'motion') motion.drawCharts();
  if (pane === 'model' && model.facts && forms.setup) { view.place(model.startOf(forms.setup)); path.drawPlace(); }
}

const help = () => question('Keyboard', [made('dl', {}, ...KEYS.map(([keys, what]) => made('div', {}, made('dt', {}, ...keys.split(', ').map((key) => made('kbd', {}, key))), made('dd', {}, what))))], [['', 'Close']]);

function key(event) {
  const field = event.target.matches('input:not([type=range], [type=checkbox]), textarea, select');
  const command = event.ctrlKey || event.metaKey;
  const act = (run) => { event.preventDefault(); run(); };
  if (command && event.key === 'Enter') act(start);
  else if (event.altKey && PANES[event.key - 1] && !$(`#tab-${PANES[event.key - 1]}`).disabled) act(() => show(PANES[event.key - 1]));
  else if (event.key === 'Escape' && !$('#stop').hidden && !$('#dialog').open) act(() => $('#stop').click());
  else if (field || $('#dialog').open) return;
  else if (command && event.key === 'z') act(() => forms.undo());
  else if (command && (event.key === 'y' || event.key === 'Z')) act(() => forms.redo());
  else if (command || event.altKey) return;
  else if (event.key === '?') act(help);
  else if (event.key === ' ' && !event.target.matches('button, [type=checkbox], summary')) act(view.player.toggle);
  else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') { if (!event.target.matches('[type=range], [role=tab]')) act(() => view.nudge(event.key === 'ArrowLeft' ? -1 : 1)); }
}

function tabKey(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const tabs = PANES.map((one) => $(`#tab-${one}`)).filter((tab) => !tab.disabled);
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
}

function connect() {
  model.connect(choose);
  motion.connect();
  path.connect();
  forces.connect();
  runs.connect(show);
  teach.connect(show);
  studies.connect(() => $('#name').value, study);
  forms.listeners.add(changed);
  $('#robot').addEventListener('change', attempt(() => choose($('#robot').value)));
  $('#open').addEventListener('change', attempt(async () => { const name = $('#open').value; $('#open').value = ''; if (name) await openScript(name); }));
  $('#file').addEventListener('change', () => { const files = [...$('#file').files].map((file) => ({ path: file.name, file })); $('#file').value = ''; if (files.length) take(files); });
  $('#name').addEventListener('change', attempt(async () => { if (!$('#name').checkValidity()) throw new Error('The name of a script begins with a lower-case letter and has letters, digits and _ only.'); await drawScript(); await save(); }));
  $('#name').pattern = '[a-z][a-z0-9_]*';
  $('#right').addEventListener('change', putBack(() => { for (const pane of [model, motion]) pane.draw(true); forces.draw(); }));
  $('#undo').addEventListener('click', () => forms.undo());
  $('#redo').addEventListener('click', () => forms.redo());
  $('#units').replaceChildren(...Object.keys(units.SYSTEMS).map((one) => made('option', {}, one)));
  $('#units').addEventListener('change', () => { units.choose($('#units').value); if (forms.setup) { for (const pane of [model, motion]) pane.draw(true); motion.drawCharts(); path.drawPlace(); forces.draw(); teach.draw(); } });
  $('#help').addEventListener('click', help);
  $('#run').addEventListener('click', start);
  $('#message button.icon').addEventListener('click', () => say(''));
  $('#copy-script').addEventListener('click', attempt(async () => { await navigator.clipboard.writeText($('#text').textContent); say('Copied.', { well: true }); }));
  for (const pane of PANES) $(`#tab-${pane}`).addEventListener('click', () => show(pane));
  $('[role=tablist]').addEventListener('keydown', tabKey);
  addEventListener('keydown', key);
  addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('drag'); });
  addEventListener('dragleave', () => document.body.classList.remove('drag'));
  addEventListener('drop', (event) => { event.preventDefault(); document.body.classList.remove('drag'); model.dropped(event.dataTransfer).then((files) => { if (files.length) take(files); }); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', motion.redraw);
  new ResizeObserver(() => setTimeout(motion.drawCharts)).observe($('#scene'));
}

/** Shows what was named in the terminal, which is in the fragment of the address. */
async function begin() {
  const { robot, run, title, ...given } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (title) runs.openGiven(title);
  if (run) { await runs.list(); runs.open(...run.split('/')); }
  if (robot) { await choose(robot, null, given); show('teach'); }
}

attempt(async () => {
  connect();
  usable(false);
  await list();
  await attempt(begin)();
  document.body.dataset.ready = 'yes';
  const now = await ask('run');
  if (now.state === 'running') await runs.follow();
})();
