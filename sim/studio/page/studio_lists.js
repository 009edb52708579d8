// The lists in the top bar: robots, and scripts of the folder.

import { $, ask, made } from './studio_server.js';

/** Lists the robots, among them the one that is chosen, wherever its file is. */
export async function listRobots(now = $('#robot').value) {
  const { shipped, own, decks } = await ask('robots');
  if (now && ![...shipped, ...own, ...decks].includes(now)) own.push(now);
  const group = (label, names) => (names.length ? [made('optgroup', { label }, ...names.map((one) => made('option', {}, one)))] : []);
  $('#robot').replaceChildren(made('option', { value: '' }, 'choose …'), ...group('in the folder', own), ...group('decks', decks), ...group('shipped', shipped));
  $('#robot').value = now;
}

/** Lists the scripts, with whose they are. */
export async function listScripts() {
  const marks = { forms: '', noted: ' (with comments)', hand: ' (changed by hand)' };
  const all = await ask('scripts');
  $('#open').replaceChildren(made('option', { value: '' }, 'open …'), ...all.map(({ name, owner }) => made('option', { value: name }, `${name}.py${marks[owner]}`)));
}

/** Both lists. */
export const list = () => Promise.all([listRobots(), listScripts()]);
