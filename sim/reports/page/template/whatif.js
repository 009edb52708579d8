// What if: sliders for payload, speed and gravity in the page of a run. A bundle of its own, opened when it comes into view.

import { $, $$, clamp, element, text } from './store.js';
import { borderOf, evaluated, heaviest, openCurves, parts, speeds } from './whatif_curves.js';
import { drawChart, drawMap, percent, readInk } from './whatif_drawing.js';

const DEGREES = 180 / Math.PI;
const seconds = (t) => `${t.toFixed(2)} s`;
const SLIDERS = [
  ['mass', 'Payload', 'kg', 1, (most) => [0, most.mass, most.mass / 300]],
  ['x', 'Centre x', 'mm', 1000, (most) => [-most.x, most.x, 0.001]],
  ['y', 'Centre y', 'mm', 1000, (most) => [-most.y, most.y, 0.001]],
  ['z', 'Centre z', 'mm', 1000, (most) => [-most.z, most.z, 0.001]],
  ['spread', 'Radius of gyration', 'mm', 1000, (most) => [0, most.spread, 0.001]],
  ['speed', 'Speed', '×', 1, (most) => [0.1, most.speed, 0.01]],
  ['gravity', 'Gravity', 'm/s²', 1, (most) => [0, most.gravity, 0.01]],
];
const LEAST = { mass: 0, spread: 0, gravity: 0, speed: 0.01 };
// Ratings by what binds: their words, and of the figures of a joint the share that is used; 1 is at the rating.
const RATINGS = {
  torque: ['rated torque', (s) => s.share, (joint) => joint.weakest === 'torque' && joint.effort],
  speed: ['rated speed', (s) => s.fast, (joint) => joint.velocity],
  'gear peak': ['gear peak torque', (s) => s.share, (joint) => joint.weakest === 'gear peak' && joint.effort],
  'gear mean': ['gear mean torque', (s) => s.meanShare, ({ train }) => train?.gear_rated],
  'motor peak': ['motor peak torque', (s) => s.motor.share, ({ train }) => train?.motor_peak],
  'motor curve': ['motor torque at speed', (s) => s.curveShare, ({ train }) => train?.motor_power ?? train?.motor_level],
  'motor RMS': ['motor continuous torque', (s) => s.rmsShare, ({ train }) => train?.motor_rated],
};
const isRated = (joint, what) => { const rating = RATINGS[what][2](joint); return Boolean(rating) && Number.isFinite(rating); };
const BEYOND = 1 + 1e-9;
const DIGITS = { mass: 4, speed: 4, gravity: 4 };

/** Everything of the section: reads `facts` and the curves' bytes, and returns what scripts may set and read. */
export function openWhatIf(host, facts, bytes) {
  const one = openCurves(facts, bytes);
  const now = { ...one.run };
  const inputs = {};
  const charts = [];
  let [ink, inPercent, border, state, map, asked] = [readInk(), false, [], null, null, null];

  function buildSliders() {
    for (const [key, title, unit, times, range] of SLIDERS) {
      const [low, high, step] = range(one.most).map((v) => Number((v * times).toPrecision(8)));
      const slide = element('input', { type: 'range', min: low, max: high, step: Number(step.toPrecision(3)), 'aria-label': `${title} [${unit}]`, 'data-slide': key });
      const typed = element('input', { type: 'number', step: 'any', 'aria-label': `${title}, typed [${unit}]`, 'data-typed': key });
      const box = element('div', { class: 'slider' }, element('span', {}, title), element('span', {}, typed, ' ', element('span', { class: 'unit' }, unit)), slide);
      const set = (v) => { if (Number.isFinite(v)) now[key] = Math.max(LEAST[key] ?? -Infinity, v / times); write(key); ask(key); };
      slide.addEventListener('input', () => set(Number(slide.value)));
      slide.addEventListener('dblclick', () => set(one.run[key] * times));
      typed.addEventListener('change', () => set(typed.value === '' ? NaN : Number(typed.value)));
      inputs[key] = { slide, typed, box, times };
      write(key);
      $('.sliders', host).append(box);
    }
  }

  function write(key) {
    const { slide, typed, box, times } = inputs[key];
    slide.value = now[key] * times;
    typed.value = Number((now[key] * times).toFixed(DIGITS[key] ?? 1));
    box.classList.toggle('changed', Math.abs(now[key] - one.run[key]) > 1e-12);
  }

  function buildCharts() {
    $('.charts', host).append(...one.joints.map((joint, j) => {
      const canvas = element('canvas', { role: 'img', 'aria-label': `Torque of ${joint.name}` });
      const [unit, out] = [element('span', { class: 'dim' }), element('output')];
      const figure = element('figure', {}, element('figcaption', {}, element('b', {}, joint.name), unit, out), canvas);
      charts.push({ canvas, figure, unit, out, j });
      return figure;
    }));
  }

  /** Columns of the table: a head, words of the figures of a joint, and, of a share, the rating that it is of. */
  function columnsOf() {
    const torque = (v, { turns }) => `${text(v, largest())} ${turns ? 'N·m' : 'N'}`;
    const speed = (v, { turns }) => (turns ? `${text(v * DEGREES)} °/s` : `${text(v)} m/s`);
    const used = (...kinds) => ['Used', (s, joint) => { const what = kinds.find((kind) => isRated(joint, kind)); return what ? percent(RATINGS[what][1](s)) : '–'; }, kinds];
    const shaft = (head, of) => [head, (s, { train }) => (train ? `${text(of(s))} N·m` : '–')];
    const has = (...kinds) => one.joints.some((joint) => kinds.some((kind) => isRated(joint, kind)));
    return [
      ['Drive', (s, joint) => joint.name],
      ['Peak torque', (s, joint) => torque(Math.abs(s.peak), joint)], ['Rated', (s, joint) => (Number.isFinite(joint.effort) ? torque(joint.effort, joint) : '–')], used('torque', 'gear peak'),
      ['Peak in this run', (s, joint, was) => torque(Math.abs(was.peak), joint)], ['RMS torque', (s, joint) => torque(s.rms, joint)],
      ['Peak speed', (s, joint) => speed(s.speed, joint)], ['Rated', (s, joint) => (Number.isFinite(joint.velocity) ? speed(joint.velocity, joint) : '–')], used('speed'),
      ['Peak power', (s) => `${text(s.power, largest())} W`], ['Delivered', (s) => `${text(s.delivered, largest())} J`], ['Regenerated', (s) => `${text(s.back, largest())} J`],
      ...(has('motor peak') ? [shaft('Motor, peak', (s) => s.motor.peak), used('motor peak')] : []),
      ...(has('motor RMS') ? [shaft('Motor, RMS', (s) => s.motorRms), used('motor RMS')] : []),
      ...(has('gear mean') ? [['Gear, mean', (s, joint) => (joint.train ? torque(s.gearMean, joint) : '–')], used('gear mean')] : []),
    ];
  }

  function buildTable() {
    const side = (k) => (k ? 'n' : null);
    const body = one.joints.map(() => element('tr', {}, ...columns.map((_, k) => element('td', { class: side(k) }))));
    $('.redrawn', host).append(element('thead', {}, element('tr', {}, ...columns.map(([head], k) => element('th', { scope: 'col', class: side(k) }, head)))), element('tbody', {}, ...body));
    return body.map((row) => [...row.children]);
  }

  function fillTable(cells) {
    state.sizing.forEach((s, j) => columns.forEach(([, wordsOf, kinds], k) => {
      const [cell, joint] = [cells[j][k], one.joints[j]];
      const words = wordsOf(s, joint, one.was.sizing[j]);
      if (cell.textContent !== words) cell.textContent = words;
      if (kinds) cell.classList.toggle('bad', kinds.some((kind) => isRated(joint, kind) && RATINGS[kind][1](s) > BEYOND));
    }));
  }

  const largest = () => Math.max(...state.sizing.map(({ peak }) => Math.abs(peak)));
  const nameOf = (j) => one.joints[j].name;

  function say() {
    const { most, low, high, held } = state;
    const rated = state.sizing.flatMap((s, j) => Object.keys(RATINGS).filter((what) => isRated(one.joints[j], what)).map((what) => [RATINGS[what][1](s), j, what]));
    const worst = rated.sort((a, b) => b[0] - a[0])[0];
    state.inside = !worst || worst[0] <= BEYOND;
    const verdict = $('.standing', host);
    verdict.textContent = !worst ? 'No joint has a rating' : state.inside ? '✓ Within all ratings' : '✗ Exceeds a rating';
    verdict.classList.toggle('fail', !state.inside);
    verdict.classList.toggle('pass', state.inside);
    $('.nearest', host).textContent = worst ? `${state.inside ? 'Closest to limit' : 'Largest excess'}: ${nameOf(worst[1])}, ${percent(worst[0])} of ${RATINGS[worst[2]][0]}.` : '';
    const never = most.never ? `${nameOf(most.joint)} exceeds its rating without payload` : '';
    $('.mass-most', host).textContent = most.never ? 'none' : Number.isFinite(most.mass) ? `${text(most.mass)} kg` : 'any';
    $('.mass-why', host).textContent = never || (Number.isFinite(most.mass) ? `limiting: ${nameOf(most.joint)} ${RATINGS[most.what][0]}${most.t === undefined ? '' : ` at ${seconds((most.t - one.first) / now.speed)}`}; ${held.never ? 'some poses of the path exceed a rating at standstill' : `static limit ${text(held.mass)} kg`}` : 'independent of rated torques');
    const none = !(low.r <= high.r);
    $('.speed-most', host).textContent = none ? 'none' : Number.isFinite(high.r) ? `${text(high.r)} ×` : 'any';
    const slow = low.r > 0 ? `. Below ${text(low.r)} × ${nameOf(low.joint)} exceeds its rating` : '';
    $('.speed-why', host).textContent = none ? `${nameOf(low.joint ?? high.joint)} exceeds its rating at every speed` : Number.isFinite(high.r) ? `${seconds(one.duration / high.r)} instead of ${seconds(one.duration)}; limiting: ${nameOf(high.joint)} ${RATINGS[high.what][0]}${slow}` : `independent of ratings${slow}`;
    $('[data-take=mass]', host).disabled = most.never || !Number.isFinite(most.mass);
    $('[data-take=speed]', host).disabled = none || !Number.isFinite(high.r);
  }

  /** The command that simulates this, where the scenario has a parameter for all that was changed. */
  function sayCommand() {
    const changed = SLIDERS.filter(([key]) => Math.abs(now[key] - one.run[key]) > 1e-12);
    const missing = changed.filter(([key]) => !(key in one.settable));
    const value = { mass: () => now.mass, speed: () => one.duration / now.speed };
    const words = [...one.command];
    for (const [key, name] of Object.entries(one.settable)) words.push('--set', `${name}=${Number(value[key]().toPrecision(12))}`);
    words.push(...one.tail);
    $('.again', host).hidden = missing.length > 0;
    $('.again code', host).textContent = words.join(' ');
    $('.cannot', host).textContent = missing.length ? `Cannot be simulated by a command: the scenario has no parameter for ${missing.map(([, title]) => title.toLowerCase()).join(', ')}.` : '';
  }

  function redraw(why = 'all') {
    if (why !== 'mass' && why !== 'speed' && why !== 'look') border = borderOf(one, now);
    if (why !== 'look') {
      state = evaluated(one, now);
      Object.assign(state, { most: heaviest(one, now), ...speeds(one, state.parts, now), held: heaviest(one, { ...now, speed: 0 }, false) });
      say(); fillTable(cells); sayCommand();
    }
    const shown = { one, state, now, border, inPercent, largest: largest() };
    for (const { canvas, figure, unit, out, j } of charts) {
      drawChart(canvas, { ...shown, j }, ink);
      const { effort, turns } = one.joints[j];
      const name = turns ? 'N·m' : 'N';
      const hasRating = Number.isFinite(effort);
      figure.classList.toggle('bad', hasRating && state.sizing[j].share > BEYOND);
      unit.textContent = inPercent && hasRating ? `[% of ${Number(effort.toPrecision(4))} ${name}]` : `[${name}]`;
      out.textContent = hasRating ? `${percent(state.sizing[j].share)} of ${Number(effort.toPrecision(4))}` : 'not rated';
    }
    map = drawMap($('.map canvas', host), shown, ink);
  }

  function ask(why) {
    if (asked) { if (asked !== why) asked = 'all'; return; }
    asked = why;
    requestAnimationFrame(() => { const reason = asked; asked = null; redraw(reason); });
  }

  function set(values) {
    Object.assign(now, values);
    for (const key of Object.keys(inputs)) write(key);
  }

  function drag(event) {
    const at = event.target.getBoundingClientRect();
    const { box, m1, r1 } = map;
    const mass = clamp(((event.clientX - at.left - box.l) / (box.r - box.l)) * m1, 0, m1);
    const speed = clamp(((box.b - (event.clientY - at.top)) / (box.b - box.t)) * r1, 0.1, r1);
    set({ mass: Number(mass.toPrecision(3)), speed: Number(speed.toFixed(2)) });
    ask('mass');
  }

  function addTools() {
    const below = (v) => { const step = 10 ** (Math.floor(Math.log10(v)) - 3); return Number((Math.floor(v / step) * step).toPrecision(4)); };
    $('[data-take=mass]', host).addEventListener('click', () => { set({ mass: below(state.most.mass) }); ask('mass'); });
    $('[data-take=speed]', host).addEventListener('click', () => { set({ speed: below(state.high.r) }); ask('speed'); });
    $('.reset', host).addEventListener('click', () => { set(one.run); ask('all'); });
    for (const button of $$('[data-scale]', host)) {
      button.addEventListener('click', () => {
        inPercent = button.dataset.scale === 'share';
        for (const other of $$('[data-scale]', host)) other.setAttribute('aria-pressed', String(other === button));
        ask('look');
      });
    }
    $('.again button', host).addEventListener('click', () => navigator.clipboard?.writeText($('.again code', host).textContent).catch(() => {}));
    const canvas = $('.map canvas', host);
    canvas.addEventListener('pointerdown', (event) => { canvas.setPointerCapture(event.pointerId); drag(event); });
    canvas.addEventListener('pointermove', (event) => { if (event.buttons) drag(event); });
    new ResizeObserver(() => ask('look')).observe(host);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { ink = readInk(); ask('look'); });
  }

  $('.sliders', host).hidden = false;
  buildSliders();
  buildCharts();
  const columns = columnsOf();
  const cells = buildTable();
  redraw();
  addTools();
  host.dataset.ready = 'yes';
  return { one, now, get state() { return state; }, set: (values) => { set(values); redraw(); }, parts };
}
