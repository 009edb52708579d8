// How a name is written where there is less room than it takes: what tells it from others is cut last.

import { channels } from './data.js';
import { element } from './store.js';

/** Where each name begins to differ from the others that it is most like; names are words between `_`. */
export function partings(names) {
  const sorted = [...new Set(names)].sort();
  const shared = (a, b = '') => {
    let k = 0;
    while (k < a.length && a[k] === b[k]) k += 1;
    return k;
  };
  return new Map(sorted.map((name, k) => {
    const same = Math.max(shared(name, sorted[k - 1]), shared(name, sorted[k + 1]));
    return [name, same ? name.lastIndexOf('_', same - 1) + 1 : 0];
  }));
}

const known = new Map(); // by group
const nameOf = (label) => label.split('  ')[0];

/** A channel's label in pieces: the first gives way first, and what follows two spaces never. */
export function piecesOf({ label, group }) {
  if (!known.has(group)) {
    known.set(group, partings([...channels.values()].filter((other) => other.group === group).map((other) => nameOf(other.label))));
  }
  const name = nameOf(label);
  const at = known.get(group).get(name) ?? 0;
  const pieces = [['cut', name.slice(0, at)], ['kept', name.slice(at)], ['whole', label.slice(name.length)]];
  return pieces.filter(([, words]) => words).map(([style, words]) => element('span', { class: style }, words));
}
