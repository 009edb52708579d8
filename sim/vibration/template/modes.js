// The robot swings in the mode that is chosen; the view is that of a run's page.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const data = JSON.parse($('#data').textContent);
  const PERIOD = 1.4; // seconds on the screen of what swings, and of what only decays or grows twice that
  const listeners = new Map();
  const state = { t: 0, mode: 0, phase: 0, playing: false, speed: 1, marks: { a: null, b: null }, show: { over: [] } };
  let robot = null;
  let before = null; // time of the last picture

  const on = (what, listener) => listeners.set(what, [...(listeners.get(what) ?? []), listener]);
  const tell = (what) => (listeners.get(what) ?? []).forEach((listener) => listener());
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

  async function unpacked(id) {
    const bytes = Uint8Array.from(atob($(`#${id}`).textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  const chosen = () => data.modes[state.mode];
  const lasts = () => (chosen().kind === 'swings' ? PERIOD : 2 * PERIOD);
  const number = (x) => (x >= 1e4 || x < 1e-3 ? x.toExponential(1).replace('e+', 'e') : String(Number(x.toPrecision(3)))).replaceAll('-', '−');

  /** A place in the animation: mode k is from 2 k to 2 k + 1. */
  function show() {
    state.t = 2 * state.mode + state.phase;
    $('#scrub').value = state.phase;
    tell('time');
  }

  function pace() {
    const { frequency, kind, time } = chosen();
    const real = kind === 'swings' ? 1 / frequency : 3 * time;
    const factor = lasts() / state.speed / real;
    const words = factor >= 1 ? `${number(factor)} times slower` : `${number(1 / factor)} times faster`;
    const what = kind === 'swings' ? 'oscillates' : kind === 'grows' ? 'is unstable' : 'decays without oscillation';
    $('#pace').textContent = Number.isFinite(real) ? `Mode ${state.mode + 1} ${what}; shown ${words} than real time.` : `Mode ${state.mode + 1} drifts.`;
  }

  function cell(text, name) {
    const made = document.createElement('td');
    if (name) made.className = name;
    made.append(text);
    return made;
  }

  /** From the middle to the right, or to the left where a joint goes against the one that moves most. */
  function bar(size, phase) {
    const space = 'http://www.w3.org/2000/svg';
    const drawing = document.createElementNS(space, 'svg');
    const against = Math.cos(phase * Math.PI / 180) < 0;
    drawing.setAttribute('viewBox', '-50 0 100 10');
    drawing.setAttribute('preserveAspectRatio', 'none');
    drawing.setAttribute('aria-hidden', 'true');
    for (const [tag, values] of [['rect', { x: against ? -50 * size : 0, y: 1, width: 50 * size, height: 8 }], ['line', { x1: 0, x2: 0, y1: 0, y2: 10 }]]) {
      const made = document.createElementNS(space, tag);
      for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
      drawing.append(made);
    }
    return drawing;
  }

  function choose(k) {
    state.mode = clamp(k, 0, data.modes.length - 1);
    state.phase = 0;
    $$('[data-mode]').forEach((button, i) => button.setAttribute('aria-pressed', String(i === state.mode)));
    $$('[data-row]').forEach((row, i) => row.classList.toggle('on', i === state.mode));
    $('#which').textContent = state.mode + 1;
    $('#shape tbody').replaceChildren(...chosen().shape.map(([joint, size, phase]) => {
      const row = document.createElement('tr');
      row.append(cell(joint), cell(size.toFixed(3), 'n'), cell(bar(size, phase)), cell(`${phase.toFixed(0).replace('-', '−').replace(/^−0$/, '0')}°`, 'n'));
      return row;
    }));
    history.replaceState(null, '', `#mode=${state.mode + 1}`);
    pace();
    show();
  }

  function play(playing) {
    state.playing = playing;
    document.body.dataset.playing = String(playing);
    $('#play').setAttribute('aria-label', playing ? 'Pause' : 'Play');
    before = null;
    if (playing) requestAnimationFrame(step);
  }

  function step(now) {
    if (!state.playing) return;
    if (before !== null) {
      state.phase = (state.phase + (now - before) / 1000 * state.speed / lasts()) % 1;
      show();
    }
    before = now;
    requestAnimationFrame(step);
  }

  function wire() {
    $$('[data-row]').forEach((row, k) => row.addEventListener('click', () => choose(k)));
    $('#play').addEventListener('click', () => play(!state.playing));
    $('#speed').addEventListener('change', (event) => { state.speed = Number(event.target.value); pace(); });
    $('#scrub').addEventListener('input', (event) => { play(false); state.phase = Number(event.target.value); show(); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => tell('theme'));
    addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select')) return;
      const keys = { ArrowDown: () => choose(state.mode + 1), ArrowUp: () => choose(state.mode - 1), ' ': () => play(!state.playing) };
      if (!keys[event.key] || (event.key === ' ' && event.target.matches('button'))) return;
      event.preventDefault();
      keys[event.key]();
    });
  }

  async function start() {
    document.documentElement.dataset.script = 'on';
    wire();
    choose(Number.parseInt(new URLSearchParams(location.hash.slice(1)).get('mode') ?? '1', 10) - 1 || 0);
    const script = document.createElement('script');
    script.textContent = new TextDecoder().decode(await unpacked('robot'));
    document.head.append(script);
    const meta = { bounds: data.bounds, tool: data.tool, overlays: [], springs: [], t: { first: 0 } };
    robot = await window.RobotView.openScene({ state, on, channels: new Map(), meta, paths: {}, sampleAt: () => 0, valueAt: () => 0, unpacked, clamp, colour, $, $$ });
    window.run = { state, choose, play, show, robot };
    if (robot) play(!matchMedia('(prefers-reduced-motion: reduce)').matches);
    document.body.dataset.ready = 'yes';
  }

  start().catch((error) => {
    document.body.dataset.error = error.message;
    console.error(error);
  });
})();
