// The dialog in which a reader chooses the channels of a plot.

import { bracketed, channels, meta, shownUnit } from './data.js';
import { curveOf } from './formulas.js';
import { FUNCTIONS } from './language.js';
import { FREQUENCY, openPlot, openedPlot, refusal } from './own.js';
import { wordsIn } from './search.js';
import { element } from './store.js';

/** Opens the dialog, with a plot's channels chosen; what is chosen comes in place of plot `before`. */
export function openPicker({ x = null, ys = [] } = {}, before = null) {
  const chosen = { x, ys: new Set(ys) };
  const title = element('h2', { id: 'picker-title' }, before ? 'Channels of the plot' : 'New plot');
  const search = element('input', { type: 'search', placeholder: 'search: elbow fx', 'aria-label': 'Search channels', autocomplete: 'off' });
  const formula = element('input', { type: 'search', placeholder: 'or an expression: tau.elbow*qd.elbow, DIF(q.elbow), FILTER(x, 10)', 'aria-label': 'Expression of channels', title: `Names in quotes where they hold other signs, TIME, + - * / **, ${FUNCTIONS.join(' ')}. FILTER(x, cut-off in Hz, order): Butterworth, zero phase.`, autocomplete: 'off', spellcheck: 'false' });
  const list = element('div', { class: 'choices' });
  const said = element('p', { class: 'dim', role: 'status' });
  const done = element('button', { class: 'main' }, 'Plot');
  const leave = element('button', {}, 'Cancel');
  const heads = element('div', { class: 'choice heads dim' }, element('span', {}, 'y'), element('span', {}, 'x'));
  const dialog = element('dialog', { class: 'picker', 'aria-labelledby': 'picker-title' }, title, search, formula, heads, list, said, element('p', { class: 'row' }, done, leave));
  const rows = [row(null), row({ id: FREQUENCY }), ...[...channels.values()].map(row)];
  list.append(...rows.map(({ node }) => node));

  /** A line: whether a channel is drawn, and whether it is what the others are over. */
  function row(curve) {
    const id = curve?.id ?? null;
    const named = curve ? id : 'time';
    const over = element('input', { type: 'radio', name: 'over', 'aria-label': `over ${named}`, checked: chosen.x === id });
    over.addEventListener('change', () => { chosen.x = id; told(); });
    if (id === FREQUENCY) return { node: element('div', { class: 'choice' }, element('span', { class: 'dim' }, 'frequency [Hz]: spectrum'), over), words: 'frequency spectrum fft', id };
    if (!curve) return { node: element('div', { class: 'choice' }, element('span', { class: 'dim' }, 'time [s]'), over), words: 'time', id };
    const box = element('input', { type: 'checkbox', checked: chosen.ys.has(id), 'aria-label': `draw ${named}` });
    box.addEventListener('change', () => { chosen.ys[box.checked ? 'add' : 'delete'](id); told(); });
    const [unit] = shownUnit(curve);
    const label = element('label', {}, box, element('span', {}, id, ' ', element('span', { class: 'dim' }, bracketed(unit), ' ', meta.groups[curve.group] ?? 'expression')));
    const node = element('div', { class: 'choice' }, label, over);
    return { node, words: wordsIn(curve), id, box };
  }

  function sift() {
    const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { node, words, id, box } of rows) node.hidden = id !== null && !box.checked && chosen.x !== id && !asked.every((one) => words.includes(one));
  }

  function wanted() {
    const typed = formula.value.trim();
    return { x: chosen.x, ys: [...chosen.ys, ...(typed && !chosen.ys.has(typed) ? [typed] : [])] };
  }

  function told() {
    const plot = wanted();
    const why = refusal(plot);
    const units = why ? [] : [...new Set(plot.ys.map((id) => shownUnit(curveOf(id))[0]))].map(bracketed);
    const count = `${plot.ys.length} ${plot.ys.length === 1 ? 'channel' : 'channels'} over ${plot.x ?? 'time'}`;
    const axes = plot.x || units.length < 2 ? '' : `, left ${units[0]}, right ${units[1]}`;
    said.textContent = why || count + axes;
    done.disabled = Boolean(why);
  }

  search.addEventListener('input', sift);
  formula.addEventListener('input', told);
  formula.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault(); // else it opens the dialog again: its button has the focus once it is closed
    if (!done.disabled) done.click();
  });
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    const first = rows.find(({ node, box }) => box && !node.hidden && !box.checked);
    if (first && search.value) {
      first.box.click();
      search.value = '';
      sift();
    } else if (!done.disabled) done.click();
  });
  done.addEventListener('click', () => {
    dialog.close();
    const opened = openPlot(wanted(), { before: before && openedPlot(before) ? before : null });
    opened?.figure.scrollIntoView({ block: 'nearest' });
  });
  leave.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  told();
  dialog.showModal();
  search.focus();
}
