// Runs: start, progress, stop; the list; the page of a run; comparison, baseline, trash.

import { $, ask, attempt, made, question, say } from './studio_server.js';
import * as units from './studio_units.js';
import * as motion from './studio_motion.js';

const PAGES = document.documentElement.dataset.pages;
const EVERY = 150; // ms between two questions about progress

let runs = [];
let shown = null; // the run whose page is open
let openPane = () => {};

/** Starts a saved script and follows it to its page. */
export async function run(saved) {
  await ask('run', { method: 'POST', json: saved });
  await follow();
}

/** Starts a deck and follows it to its page. */
export async function runDeck(deck) {
  await ask('deck', { method: 'POST', json: deck });
  await follow();
}

/** Follows the run that goes on. */
export async function follow() {
  busy(true);
  let now;
  try {
    for (;;) {
      now = await ask('run');
      if (now.state !== 'running') break;
      $('#progress').value = now.share;
      $('#phase').textContent = phase(now);
      await new Promise((done) => { setTimeout(done, EVERY); });
    }
  } finally {
    busy(false);
  }
  if (now.state === 'failed') {
    say(`${now.name}: ${now.error}`);
    if (now.joint) { openPane('motion'); motion.failed(now.joint, now.error); }
  }
  if (now.state === 'stopped') say(now.phase.startsWith('case') ? 'Stopped; finished cases are kept, see Studies.' : 'Stopped; nothing of this run is kept.');
  if (now.state === 'done' && !now.study) { await list(); open(now.name, now.id); }
  return now;
}

/** Loads a page into the pane Result, which is shown before: a hidden frame may stay blank. */
function load(address) {
  $('#tab-result').disabled = false;
  openPane('result');
  $('#page').src = address;
}

/** Opens a page that is not that of one run: it can be saved, and `text` stands above it. */
function openOther(page, file, name, { text = '', peaks = '', command = '' } = {}) {
  shown = null;
  load(`${PAGES}${page}`);
  $('#result-verdict').replaceChildren();
  $('#result-name').textContent = name;
  $('#result-peaks').textContent = peaks;
  $('#result-command').textContent = command;
  $('#study-text').textContent = text;
  $('#study-text').hidden = !text;
  for (const one of ['#with-previous', '#accept', '#limits', '#export', '#commands']) $(one).hidden = true;
  Object.assign($('#share'), { href: `${PAGES}${page}`, download: file, hidden: false });
}

/** Opens the page of a study, with what its command prints above it. */
export function openStudy(id, text, command) {
  const lines = text.trim().split('\n');  // the last are the verdict, which may be broken
  const verdict = lines.slice(lines.findLastIndex((line) => line.startsWith('folder ')) + 1).map((line) => line.trim()).join(' ');
  openOther(`study/${id}`, `${id}.html`, verdict || id, { text: text.trim(), command });
}

/** Opens the page that was named in the terminal. */
export const openGiven = (title) => openOther('given', 'report.html', title);

function phase({ phase: name, share, began }) {
  const gone = Date.now() / 1000 - began;
  return (name === 'engine' || name.startsWith('case')) && share > 0.1 ? `${name}, ${Math.max(1, Math.ceil(gone / share - gone))} s left` : `${name || 'starting'} …`;
}

function busy(on) {
  $('#run').hidden = on;
  $('#stop').hidden = $('#progress').hidden = !on;
  $('#phase').textContent = '';
  if (!on) $('#progress').removeAttribute('value');
}

export const stamp = (id) => id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d).*/, '$1-$2-$3 $4:$5:$6');
const badge = ({ verdict, checks, failed }) => made('span', { class: `verdict ${verdict}` }, verdict === 'pass' ? `pass, ${checks} checks` : `fail, ${failed} of ${checks} checks`);
const row = (name, id) => runs.find((one) => one.name === name && one.id === id);

/** Opens the page of a run. */
export function open(name, id) {
  const one = row(name, id);
  shown = one;
  const before = runs.filter((other) => other.name === name && other.id < id)[0];
  $('#study-text').hidden = true;
  load(`${PAGES}run/${name}/${id}`);
  $('#result-verdict').replaceChildren(...(one ? [badge(one)] : []));
  $('#result-name').textContent = `${name}, ${stamp(id)}${one?.accepted ? ', baseline' : ''}`;
  $('#result-peaks').textContent = one && before ? difference(before, one) : '';
  $('#result-command').textContent = one?.command ?? '';
  $('#with-previous').hidden = !before;
  $('#with-previous').onclick = attempt(() => compare([one, before]));
  $('#accept').hidden = !one || one.verdict !== 'pass' || one.accepted;
  $('#accept').onclick = attempt(() => accept(one));
  for (const id of ['#limits', '#export', '#commands']) $(id).hidden = !one;
  Object.assign($('#share'), { href: `${PAGES}run/${name}/${id}`, download: `${name}_${id}.html`, hidden: false });
  document.body.dataset.verdict = one?.verdict ?? '';
}

/** The largest change of a peak torque from one run to the next. */
function difference(before, after) {
  const changes = Object.entries(after.peaks).filter(([name, peak]) => before.peaks[name] && peak !== null).map(([name, peak]) => [name, peak / before.peaks[name] - 1]);
  const [name, most] = changes.reduce((best, one) => (Math.abs(one[1]) > Math.abs(best[1]) ? one : best), ['', 0]);
  return name ? `largest change of a peak: ${name} ${most > 0 ? '+' : ''}${units.brief(100 * most)} %` : '';
}

async function compare(pair) {
  say('Laying the runs over each other …', { well: true });
  const { page, peaks, command } = await ask('overlay', { method: 'POST', json: { runs: pair.map(({ name, id }) => [name, id]) } });
  say('');
  const shares = peaks.map((one) => { const [scale, unit] = units.effort(one); return `${one.joint} ${units.brief(one.first * scale)} / ${units.brief(one.second * scale)} ${unit}`; });
  openOther(`overlay/${page}`, page, pair.map(({ name, id }) => `${name}, ${stamp(id)}`).join(' and '), { peaks: `peaks: ${shares.join(', ')}`, command });
}

async function accept({ name, id }) {
  const reason = made('textarea', { 'aria-label': 'Reason', maxlength: 500, required: '' });
  const body = [made('p', {}, `${name}, ${stamp(id)} becomes the result that later runs of ${name} are compared with (results/baselines/${name}).`), made('label', {}, 'Reason', reason)];
  if (await question('Accept as baseline', body, [['', 'Cancel'], ['yes', 'Accept']]) !== 'yes') return;
  if (!reason.value.trim()) { say('A reason is needed to accept a run.'); return; }
  const { command } = await ask(`runs/${name}/${id}/accept`, { method: 'POST', json: { reason: reason.value.trim() } });
  await list();
  say(`Accepted: ${command}`, { well: true });
  $('#accept').hidden = true;
}

async function remove({ name, id }) {
  const body = [made('p', {}, `${name}, ${stamp(id)} is moved to .studio_trash in the folder, from where it can be brought back.`)];
  if (await question('Delete this run?', body, [['', 'Keep'], ['yes', 'Delete']]) !== 'yes') return;
  const { trash } = await ask(`runs/${name}/${id}`, { method: 'DELETE' });
  await list();
  say(`Moved to ${trash}`, { well: true });
}

/** Words that are broken between each other only. */
const apart = (words, between = ',') => words.flatMap((word, k) => [made('span', {}, k < words.length - 1 ? word + between : word), ' ']);

function largest({ forces }, joint, peak) {
  const [scale, unit] = units.effort({ sliding: forces.includes(joint) });
  return [`${units.brief(peak * scale)} ${unit}`, joint];
}

/** Reads the list of runs and draws it. */
export async function list() {
  runs = await ask('runs');
  const marks = new Set();
  $('#run-rows tbody').replaceChildren(...runs.map((one) => {
    const { name, id, parameters, accepted } = one;
    const mark = made('input', { type: 'checkbox', 'aria-label': `mark ${name} ${stamp(id)}` });
    mark.addEventListener('change', () => {
      if (mark.checked) marks.add(one); else marks.delete(one);
      $('#overlay').disabled = marks.size !== 2;
      $('#runs-command').textContent = `sim report ${[...marks].map((each) => `results/runs/${each.name}/${each.id}`).join(' ') || 'RUN RUN'}`;
    });
    const [joint, peak] = Object.entries(one.peaks).reduce((best, each) => ((each[1] ?? 0) > best[1] ? each : best), ['', 0]);
    const acts = made('div', { class: 'actions' }, ...[['show', () => open(name, id)], ['delete', () => remove(one)], ...(one.verdict === 'pass' && !accepted ? [['accept', () => accept(one)]] : [])].map(([label, act]) => {
      const button = made('button', { type: 'button', 'aria-label': `${label} ${name} ${stamp(id)}` }, label);
      button.addEventListener('click', attempt(act));
      return button;
    }));
    return made('tr', {}, ...[mark, name, made('div', {}, ...apart([...stamp(id).split(' '), ...(accepted ? ['(baseline)'] : [])], '')), made('div', {}, ...apart(Object.entries(parameters).map((pair) => pair.join(' = ')))), badge(one), made('div', {}, ...(joint ? apart(largest(one, joint, peak)) : [])), acts].map((cell) => made('td', {}, cell)));
  }));
  $('#runs .none').hidden = runs.length > 0;
  $('#overlay').disabled = true;
  $('#overlay').onclick = attempt(() => compare(runs.filter((one) => marks.has(one))));
}

async function limits() {
  const { text, command } = await ask(`runs/${shown.name}/${shown.id}/limits`, { method: 'POST' });
  await question('Largest speed and payload within the ratings', [made('pre', {}, text.trim()), made('code', { class: 'dim' }, command)], [['', 'Close']]);
}

async function exported() {
  const ending = $('#export').value;
  $('#export').value = '';
  if (!ending) return;
  say('Exporting …', { well: true });
  const { file, command } = await ask(`runs/${shown.name}/${shown.id}/export`, { method: 'POST', json: { ending } });
  say(`${file} is written in the folder: ${command}`, { well: true });
}

async function cite() {
  const text = `@software{sim,\n  title = {sim: robot arms simulated from ADAMS-style drives, and proved against their Lagrangian model},\n  author = {{The authors of sim}},\n  version = {${document.documentElement.dataset.version}}\n}`;
  const lines = shown ? [`Run ${shown.name}, ${stamp(shown.id)}: ${shown.command}, ${shown.checks} checks, verdict ${shown.verdict}. Versions and hashes are in results/runs/${shown.name}/${shown.id}/run.json.`] : [];
  const copied = await question('Cite', [made('pre', {}, text), ...lines.map((one) => made('p', {}, one))], [['', 'Close'], ['yes', 'Copy']]);
  if (copied === 'yes') await navigator.clipboard.writeText(text);
}

/** The commands of a terminal that do what the buttons of this run do. */
async function commands() {
  const folder = `results/runs/${shown.name}/${shown.id}`;
  const lines = [['run again', $('#result-command').textContent], ['write its page', `sim report ${folder}`], ['limits', `sim fit-time ${folder} --payload`], ['export', `sim export ${folder} FILE.xlsx`], ['compare', `sim report ${folder} RUN`], ['accept as baseline', `sim accept ${folder} --reason TEXT`]];
  await question('The same in a terminal, in this folder', [made('dl', {}, ...lines.map(([what, line]) => made('div', {}, made('dt', {}, what), made('dd', {}, made('code', {}, line)))))], [['', 'Close']]);
}

/** Connects the buttons; `pane` opens a pane by its name. */
export function connect(pane) {
  openPane = pane;
  $('#stop').addEventListener('click', attempt(() => ask('run', { method: 'DELETE' })));
  $('#limits').addEventListener('click', attempt(limits));
  $('#export').addEventListener('change', attempt(exported));
  $('#cite').addEventListener('click', attempt(cite));
  $('#commands').addEventListener('click', attempt(commands));
}
