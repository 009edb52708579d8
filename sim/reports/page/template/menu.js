// The small menu of a card, and a word that passes.

import { element } from './store.js';

let menu = null;

/** Opens a menu at a button; `items` are pairs of a word and what it does, null for a line between. */
export function openMenu(button, items) {
  menu?.remove();
  menu = element('div', { class: 'menu', role: 'menu', popover: 'auto' });
  for (const item of items) {
    if (!item) {
      menu.append(element('hr'));
      continue;
    }
    const [word, act] = item;
    const row = element('button', { role: 'menuitem' }, word);
    row.addEventListener('click', () => { close(button); act(); });
    menu.append(row);
  }
  menu.addEventListener('keydown', (event) => {
    const rows = [...menu.querySelectorAll('button')];
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    rows[(rows.indexOf(document.activeElement) + move + rows.length) % rows.length].focus();
  });
  const own = menu;
  own.addEventListener('toggle', ({ newState }) => { if (newState === 'closed') own.remove(); });
  document.body.append(menu);
  menu.showPopover?.();
  const at = button.getBoundingClientRect();
  const below = at.bottom + menu.offsetHeight + 8 < innerHeight;
  menu.style.left = `${Math.max(8, Math.min(at.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8))}px`;
  menu.style.top = `${below ? at.bottom + 2 : Math.max(8, at.top - menu.offsetHeight - 2)}px`;
  menu.querySelector('button').focus();
}

function close(button) {
  menu?.hidePopover?.();
  menu?.remove();
  menu = null;
  button.focus({ preventScroll: true });
}

let gone = 0;

/** Says a word at the foot of the page, for two seconds. */
export function notice(words) {
  let said = document.getElementById('notice');
  if (!said) {
    said = element('div', { id: 'notice', role: 'status' });
    document.body.append(said);
  }
  said.textContent = words;
  said.classList.add('seen');
  clearTimeout(gone);
  gone = setTimeout(() => said.classList.remove('seen'), 2200);
}
