// The setup that the forms hold: one object in SI, with undo and redo. All else is drawn from it.

import { say } from './studio_server.js';

const HISTORY = 200;
const PAUSE = 1000; // ms; changes of one field with less between them are one step of undo

/** A setup of a robot before anything is typed. */
export const blank = (robot) => ({ robot, tool: '', drives: {}, table: null, path: null, points: null, start: 'zero', positions: {}, mount: 'floor', payload: 0, com: [0, 0, 0], friction: {}, drive_trains: {}, springs: [], floor: null, gravity: [0, 0, -9.81], duration: 10, dt: 0.001, method: 'stepped', engine: null, varied: [] });

export const forms = {
  setup: null,
  past: [],
  future: [],
  listeners: new Set(),

  /** Replaces parts of the setup; changes of the same `kind` shortly after each other are one step of undo. */
  change(parts, kind = null) {
    const isOne = kind !== null && kind === this.kind && performance.now() - this.changed < PAUSE;
    this.changed = performance.now();
    if (!isOne) {
      this.past.push(this.setup);
      if (this.past.length > HISTORY) this.past.shift();
    }
    this.kind = kind;
    this.future = [];
    this.set({ ...this.setup, ...parts });
  },

  /** Puts a setup in the place of the present one, without a step of undo. */
  set(setup, anew = false) {
    this.setup = setup;
    for (const listen of this.listeners) listen(anew);
  },

  /** Begins with a setup of a robot; nothing before it can be undone. */
  begin(setup) {
    this.past = [];
    this.future = [];
    this.kind = null;
    this.set(setup, true);
  },

  undo() {
    if (!this.past.length) return;
    this.future.push(this.setup);
    this.kind = null;
    this.set(this.past.pop(), true);
  },

  redo() {
    if (!this.future.length) return;
    this.past.push(this.setup);
    this.kind = null;
    this.set(this.future.pop(), true);
  },

  /** The drive of a joint; one that holds has none. */
  drive(joint) {
    return this.setup.drives[joint] ?? { kind: 'hold', text: '' };
  },

  /** Sets kind or text of the drives of some joints. */
  drives(changes, kind = null) {
    const drives = { ...this.setup.drives };
    for (const [joint, { kind: one, text }] of Object.entries(changes)) {
      if (one === 'hold') delete drives[joint];
      else drives[joint] = { kind: one, text };
    }
    this.change({ drives }, kind);
  },
};

/** Of a field that is left with no number of the setup: `draw` puts back the one that is kept, and the message names it. */
export const putBack = (draw) => ({ target }) => {
  if (!forms.setup || !target.matches('#model [type=number], #motion [type=number]')) return;
  const isPositive = target.matches('#duration, #dt');
  if (target.validity.valid && Number.isFinite(target.valueAsNumber) && !(isPositive && target.valueAsNumber <= 0)) return;
  const bounds = isPositive ? ['above 0'] : [target.min && `from ${target.min}`, target.max && `to ${target.max}`].filter(Boolean);
  const name = target.getAttribute('aria-label') ?? target.closest('label').firstChild.textContent.trim();
  target.blur();
  draw();
  say(`${[name, 'is a number', ...bounds].join(' ')}${target.isConnected ? `; ${target.value} is kept` : ''}.`);
};
