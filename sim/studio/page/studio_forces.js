// Forces in the pane Model: springs between two points, spheres that touch a floor, gravity, drive trains.

import { forms } from './studio_forms.js';
import { facts } from './studio_model.js';
import { $, ask, attempt, made, question, say } from './studio_server.js';
import * as units from './studio_units.js';
import * as view from './studio_view.js';

const FLOOR = { height: 0, stiffness: 1e5, damping: 100, friction: 0 };
const short = (x) => units.typed(+x.toFixed(6));

let trains = null; // of the catalogue

/** A link and the point in its axes: clicked in the view, or typed. */
function pointField(label, { link, at }) {
  const [scale, unit] = units.length();
  const select = made('select', { 'aria-label': `${label} link` }, ...['world', ...facts.links].map((one) => made('option', {}, one)));
  select.value = link;
  const inputs = ['x', 'y', 'z'].map((axis, k) => made('input', { type: 'number', step: 'any', 'aria-label': `${label} ${axis}`, value: units.typed(at[k] * scale) }));
  return { row: made('label', {}, `${label} `, select, ...inputs, unit), value: () => [select.value, inputs.map((input) => short((input.valueAsNumber || 0) / scale))] };
}

/** A number that is shown `factor` times as large as the setup has it. */
function numberField(label, value, factor = 1) {
  const input = made('input', { type: 'number', step: 'any', 'aria-label': label, value: units.typed(value * factor) });
  return { row: made('label', {}, `${label} `, input), value: () => units.typed((input.valueAsNumber || 0) / factor) };
}

async function clicked(what) {
  say(`${what}, or press Esc to type it.`, { well: true });
  const point = await view.picked();
  say('');
  return point ? { link: point.link, at: point.at.map(short) } : { link: 'world', at: [0, 0, 0] };
}

async function addSpring() {
  const first = await clicked('Click the first point of the spring on a link');
  const second = await clicked('Click its second point');
  const [scale, unit] = units.length();
  const [i, j, stiffness, damping, length] = [pointField('from', first), pointField('to', second), numberField(`stiffness [N/${unit}]`, 1000, 1 / scale), numberField(`damping [N·s/${unit}]`, 0, 1 / scale), numberField(`free length [${unit}]`, 0, scale)];
  if (await question('A spring between two points', [i.row, j.row, stiffness.row, damping.row, length.row], [['', 'Cancel'], ['yes', 'Use it']]) !== 'yes') return;
  const taken = new Set(forms.setup.springs.map(({ name }) => name));
  let k = 1;
  while (taken.has(`spring${k}`)) k += 1;
  forms.change({ springs: [...forms.setup.springs, { name: `spring${k}`, i: i.value(), j: j.value(), stiffness: stiffness.value(), damping: damping.value(), free_length: length.value() }] });
}

async function addSphere() {
  const point = await clicked('Click the centre of the sphere in contact with the floor');
  const now = forms.setup.floor ?? { spheres: [], ...FLOOR };
  const [scale, unit] = units.length();
  const rows = [['height', `height of the floor [${unit}]`, scale], ['stiffness', `stiffness [N/${unit}^1.5]`, scale ** -1.5], ['damping', `damping [N·s/${unit}]`, 1 / scale], ['friction', 'coefficient of friction', 1]];
  const [at, radius, ...rest] = [pointField('middle', point), numberField(`radius [${unit}]`, 0.02, scale), ...rows.map(([key, label, factor]) => ({ key, ...numberField(label, now[key], factor) }))];
  if (await question('Contact with the floor', [made('p', {}, 'A sphere of a link pushes off a level floor: IMPACT of ADAMS, exponent 1.5. Contact requires the method adaptive, which is chosen.'), at.row, radius.row, ...rest.map(({ row }) => row)], [['', 'Cancel'], ['yes', 'Use it']]) !== 'yes') return;
  forms.change({ floor: { ...Object.fromEntries(rest.map(({ key, value }) => [key, value()])), spheres: [...now.spheres, [...at.value(), radius.value()]] }, method: 'adaptive' });
}

async function addTrain() {
  trains ??= await ask('catalogue');
  const select = (label, names) => made('select', { 'aria-label': label }, ...names.map((one) => made('option', {}, one)));
  const joint = select('joint', facts.rows.filter(({ passive, ball }) => !passive && !ball).map(({ name }) => name));
  const motor = select('motor', Object.keys(trains));
  const gear = select('gear', Object.keys(Object.values(trains)[0]));
  const body = [made('p', {}, 'The catalogue is fictitious, for trying it out. Its values (SI units; motor at its shaft, gear at the joint) are written into the script, where you can replace them.'), ...[['joint', joint], ['motor', motor], ['gear', gear]].map(([label, one]) => made('label', {}, `${label} `, one))];
  const numbers = made('p', { class: 'dim' });
  const tell = () => { numbers.textContent = Object.entries(trains[motor.value][gear.value]).map(([key, value]) => `${key.replaceAll('_', ' ')} ${units.brief(value)}`).join(', '); };
  for (const one of [motor, gear]) one.addEventListener('change', tell);
  tell();
  body.push(numbers);
  if (await question('A drive train', body, [['', 'Cancel'], ['yes', 'Use it']]) !== 'yes') return;
  forms.change({ drive_trains: { ...forms.setup.drive_trains, [joint.value]: trains[motor.value][gear.value] } });
}

const where = ([link, at]) => { const [scale, unit] = units.length(); return `${link} (${at.map((x) => units.brief(x * scale)).join(' ')} ${unit})`; };

function row(text, remove) {
  const button = made('button', { type: 'button', 'aria-label': `remove ${text}` }, 'remove');
  button.addEventListener('click', remove);
  return made('li', {}, `${text} `, button);
}

/** Lists what acts on the robot. */
export function draw() {
  const { setup } = forms;
  if (!setup || !facts) return;
  const { springs, floor, drive_trains: geared, gravity } = setup;
  const spheres = floor?.spheres ?? [];
  const [scale, unit] = units.length();
  $('#force-rows').replaceChildren(
    ...springs.map((one) => row(`${one.name}: ${where(one.i)} to ${where(one.j)}, ${units.brief(one.stiffness / scale)} N/${unit}, ${units.brief(one.damping / scale)} N·s/${unit}, free length ${units.brief(one.free_length * scale)} ${unit}`, () => forms.change({ springs: springs.filter((other) => other !== one) }))),
    ...spheres.map((one) => row(`touches the floor: ${where(one)}, radius ${units.brief(one[2] * scale)} ${unit}`, () => forms.change({ floor: spheres.length > 1 ? { ...floor, spheres: spheres.filter((other) => other !== one) } : null }))),
    ...Object.entries(geared).map(([joint, train]) => row(`drive train of ${joint}: ratio ${units.brief(train.ratio)}, rotor ${units.brief(train.rotor_inertia ?? 0)} kg·m²`, () => forms.change({ drive_trains: Object.fromEntries(Object.entries(geared).filter(([name]) => name !== joint)) }))),
  );
  gravity.forEach((x, k) => { const input = $(`#g${'xyz'[k]}`); if (document.activeElement !== input) input.value = units.typed(x); });
  view.forces(setup);
}

/** Connects the inputs. */
export function connect() {
  for (const [id, act] of [['#add-spring', addSpring], ['#add-sphere', addSphere], ['#add-train', addTrain]]) $(id).addEventListener('click', attempt(act));
  ['#gx', '#gy', '#gz'].forEach((id, k) => $(id).addEventListener('input', () => { const value = $(id).valueAsNumber; if (Number.isFinite(value)) forms.change({ gravity: forms.setup.gravity.map((x, j) => (j === k ? value : x)) }, id); }));
}
