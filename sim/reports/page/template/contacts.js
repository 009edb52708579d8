// The forces of contacts, as arrows where they act.

import { reaction, setReaction } from './arrows.js';

const POINT = 'contact_point.';

/** An arrow for each contact of the run; all are on one scale. */
export function addContacts(view, page) {
  const names = Object.keys(page.paths).filter((name) => name.startsWith(POINT)).map((name) => name.slice(POINT.length));
  const all = names.map((name) => {
    const force = ['fx', 'fy', 'fz'].map((axis) => page.channels.get(`contact.${name}.${axis}`));
    return force.every(Boolean) ? { name, path: page.paths[POINT + name], ...reaction(view, view.scene, force) } : null;
  }).filter(Boolean);
  const largest = Math.max(0, ...all.map(({ force }) => Math.hypot(...force.map(({ peak }) => peak))));
  for (const one of all) one.full = largest || 1;
  return all;
}

/** Puts an arrow where its contact is at the time shown, as long as its force is of the largest. */
export function placeContact(view, page, one, shown) {
  one.group.visible = shown;
  if (!shown) return;
  setReaction(view, page, one);
  const { every, count, points } = one.path;
  const k = page.clamp(Math.round(page.sampleAt(page.state.t) / every), 0, count - 1);
  one.group.position.fromArray([...points.slice(3 * k, 3 * k + 3)]);
}
