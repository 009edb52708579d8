// Which plots are shown: those of a group, those that fail, those with words.

import { bracketed, channels, meta } from './data.js';
import { cards } from './card.js';
import { $, $$, on, state } from './store.js';

/** What a channel is found by. */
export const wordsIn = ({ id, label, group, unit }) => `${id} ${label} ${meta.groups[group] ?? ''} ${bracketed(unit)}`.toLowerCase();

const asked = () => state.search.toLowerCase().split(/\s+/).filter(Boolean);

const wordsOfCard = (one) => (one.parts ? one.parts.map(wordsIn).join(' ') : wordsIn(one.curve));

/** Shows a group, `failing` or, for null, all. */
export function showGroup(name) {
  state.group = name === 'all' ? null : name;
  for (const button of $$('button[data-group]')) {
    button.setAttribute('aria-pressed', String(button.dataset.group === (state.group ?? 'all')));
  }
  sift();
}

/** Shows what has words; nothing asked shows all. */
export function searchFor(words) {
  state.search = words;
  const box = $('#search');
  if (box && box.value !== words) box.value = words;
  sift();
}

function sift() {
  const words = asked();
  const failing = state.group === 'failing';
  const found = new Set();
  for (const one of cards.values()) {
    const has = wordsOfCard(one);
    const mine = words.every((word) => has.includes(word));
    if (mine && channels.has(one.curve.id)) found.add(one.curve.id);
    one.figure.hidden = !mine || (failing && !one.curve.fails.length);
  }
  for (const figure of $$('.card[data-plane]')) {
    const has = `${figure.dataset.plane} ${figure.textContent}`.toLowerCase();
    figure.hidden = failing || !words.every((word) => has.includes(word));
  }
  for (const group of $$('details.group')) {
    const some = $$('.card', group).some((figure) => !figure.hidden);
    const named = failing || !state.group || group.dataset.group === state.group;
    group.hidden = !some || !named;
    const wanted = words.length || state.group;
    // What a search has opened, its end closes again.
    if (wanted && !group.hidden && !group.open) [group.open, group.dataset.was] = [true, state.group ? '' : 'closed'];
    else if (!wanted && group.dataset.was === 'closed') [group.open, group.dataset.was] = [false, ''];
  }
  const count = $('#matches');
  if (count) count.textContent = words.length ? `${found.size} of ${channels.size}` : '';
}

export function addSearch() {
  const box = $('#search');
  if (!box) return;
  box.addEventListener('input', () => searchFor(box.value));
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    searchFor('');
    box.blur();
  });
  on('plots', sift);
}
