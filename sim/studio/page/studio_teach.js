// The pane Teach: the panel of the teach page, on the arm of the view; what is taught becomes the motion of the forms.

import { forms } from './studio_forms.js';
import { facts, startOf } from './studio_model.js';
import { drawTable } from './studio_motion.js';
import { $, made } from './studio_server.js';
import * as units from './studio_units.js';
import * as view from './studio_view.js';

const { panelOf } = globalThis.Teaching;
let taught = []; // poses
let openPane = () => {};

/** Draws the panel with the arm at its start; what is taught stays until another robot is chosen. */
export function draw() {
  const pane = $('#teach');
  view.pose(!pane.hidden);
  if (pane.hidden) return;
  if (!facts || typeof facts.teach === 'string') {
    view.pose(false);
    pane.replaceChildren(made('p', { class: 'dim' }, facts ? facts.teach : 'Choose a robot first.'));
    return;
  }
  panelOf(pane, { ...view.stage(), units: units.shown(), taught, use }).go(startOf(forms.setup));
  pane.append(made('p', { class: 'dim' }, 'A page with this panel, as one file for another machine: ', made('code', {}, `sim teach ${forms.setup.robot} --out teach.html`)));
}

/** The taught motion as displacements; where passive joints close loops, with the pose at which they do. */
function use(functions, q, duration) {
  const isLooped = facts.rows.some(({ passive }) => passive);
  const drives = Object.fromEntries(Object.entries(functions).map(([name, text]) => [name, { kind: 'displacement', text }]));
  const positions = isLooped ? Object.fromEntries(facts.rows.map(({ name }, k) => [name, q[k]])) : forms.setup.positions;
  forms.change({ drives, positions, table: null, path: null, points: null, duration: units.typed(duration) });
  drawTable();
  openPane('motion');
}

/** Another robot: what was taught is not of it. */
export const forget = () => { taught = []; };

/** Connects the pane; `show` opens a pane by its name. */
export function connect(show) { openPane = show; }
