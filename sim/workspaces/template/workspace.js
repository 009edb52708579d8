// Postures of a workspace: a click on a map draws the arm of each map at that point and lists its joints.
const data = JSON.parse(document.getElementById('data').textContent);
const [left, above, u0, v1, scale] = data.frame;
const [columns, rows] = [data.u[2], data.v[2]];
const SVG = 'http://www.w3.org/2000/svg';

async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new DataView(await new Response(stream).arrayBuffer());
}

// Values, joint positions [joint][point] in SI, and the joint nearest to its rating.
function read(map, view) {
  const N = columns * rows, n = data.joints.length;
  const values = Float32Array.from({ length: N }, (_, k) => view.getFloat32(4 * k, true));
  const q = map.scale.map((size, j) => {
    let steps = 0;
    return Float64Array.from({ length: N }, (_, k) => {
      steps = (steps + view.getUint16(4 * N + 2 * (j * N + k), true)) << 16 >> 16;
      return steps * size;
    });
  });
  const joint = map.has_joint ? (k) => view.getUint8(4 * N + 2 * n * N + k) : () => -1;
  return { ...map, values, q, joint };
}

// Product of two poses of 16 numbers, row by row.
function times(A, B) {
  return A.map((_, k) => [0, 1, 2, 3].reduce((sum, i) => sum + A[k - k % 4 + i] * B[4 * i + k % 4], 0));
}

// Motion along or about z.
function moved(slides, q) {
  const [c, s] = slides ? [1, 0] : [Math.cos(q), Math.sin(q)];
  return [c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, slides ? q : 0, 0, 0, 0, 1];
}

// Poses of all bodies, the tool last.
function poses(q) {
  const chain = data.chain, found = [];
  chain.parent.forEach((parent, k) => {
    const own = chain.q0[k] + chain.S[k].reduce((sum, share, j) => sum + share * q[j], 0);
    const T = times(chain.T[k], moved(chain.slides[k], own));
    found.push(parent < 0 ? T : times(found[parent], T));
  });
  const [body, T] = chain.tool;
  return [...found, body < 0 ? T : times(found[body], T)];
}

const place = (T) => [T[3], T[7], T[11]];
const pixel = (p) => [left + scale * (p[data.across[0]] - u0), above + scale * (v1 - p[data.across[1]])];

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
}

function draw(group, map, k, spot) {
  group.replaceChildren();
  if (!Number.isNaN(map.values[k])) {
    const all = poses(map.q.map((row) => row[k])), tip = all.at(-1);
    const ends = [...data.chain.parent, data.chain.tool[0]].map((parent, i) =>
      [parent < 0 ? data.chain.root : place(all[parent]), place(all[i])].map(pixel));
    const path = ends.map(([a, b]) => `M${a}L${b}`).join('');
    const aim = pixel(place(tip).map((x, i) => x + 24 / scale * tip[4 * i + 2]));
    group.append(element('path', { class: 'halo', d: path }), element('path', { class: 'arm', d: path }));
    ends.slice(0, -1).forEach(([, [cx, cy]]) => group.append(element('circle', { class: 'joint', cx, cy, r: 3.2 })));
    group.append(element('path', { class: 'aim', d: `M${pixel(place(tip))}L${aim}` }));
  }
  group.append(element('circle', { class: 'here', cx: spot[0], cy: spot[1], r: 6 }));
}

const number = (x, digits) => x.toFixed(digits).replace(/^-(?=0*\.?0*$)/, '').replace('-', '−');
const shown = (q, isAngle) => isAngle ? `${number(q * 180 / Math.PI, 1)}°` : `${number(q, 4)} m`;

function line(cells, tag) {
  const row = document.createElement('tr');
  cells.forEach((text, k) => {
    const cell = document.createElement(k && tag !== 'th' ? 'td' : 'th');
    cell.textContent = text;
    if (k) cell.className = 'n';
    row.append(cell);
  });
  return row;
}

function table(maps, k) {
  const there = (map) => !Number.isNaN(map.values[k]);
  const value = ({ name, values }) => name === 'singular value' ? number(values[k], 3) : `${number(100 * values[k], 1)} %`;
  document.getElementById('heads').replaceChildren(line(['', ...maps.map((map) => map.name)], 'th'));
  const lines = [line(['value', ...maps.map((map) => there(map) ? value(map) : 'not reached')])];
  data.joints.forEach(([name, isAngle], j) => lines.push(line([name, ...maps.map((map) =>
    there(map) ? shown(map.q[j][k], isAngle) + (map.joint(k) === j ? ' ◂' : '') : '–')])));
  document.getElementById('joints').replaceChildren(...lines);
}

(async () => {
  const views = await Promise.all(data.maps.map((_, k) => unpack(`block${k}`)));
  const maps = data.maps.map((map, k) => read(map, views[k]));
  const drawings = [...document.querySelectorAll('figure svg')];
  let at = [0, 0];

  function choose(column, row) {
    at = [Math.min(Math.max(column, 0), columns - 1), Math.min(Math.max(row, 0), rows - 1)];
    const p = [0, 0, 0];
    [p[data.held], p[data.across[0]], p[data.across[1]]] =
      [data.at, data.u[0] + data.u[1] * at[0], data.v[0] + data.v[1] * at[1]];
    const k = at[1] * columns + at[0];
    drawings.forEach((svg, i) => draw(svg.querySelector('.posture'), maps[i], k, pixel(p)));
    document.getElementById('place').textContent =
      `x ${number(p[0], 3)}, y ${number(p[1], 3)}, z ${number(p[2], 3)} m`;
    table(maps, k);
  }

  drawings.forEach((svg) => {
    svg.tabIndex = 0;
    const pick = (event) => {
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      choose(Math.round((u0 + (x - left) / scale - data.u[0]) / data.u[1]),
        Math.round((v1 - (y - above) / scale - data.v[0]) / data.v[1]));
    };
    svg.addEventListener('pointerdown', pick);
    svg.addEventListener('pointermove', (event) => event.buttons & 1 && pick(event));
    svg.addEventListener('keydown', (event) => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!way) return;
      event.preventDefault();
      choose(at[0] + way[0], at[1] + way[1]);
    });
  });
  document.documentElement.dataset.script = 'on';
  // the point whose last map has most: of gravity, the hardest to hold
  const last = maps.at(-1).values;
  const most = last.reduce((best, x, k) => x > last[best] || Number.isNaN(last[best]) ? k : best, 0);
  choose(most % columns, Math.floor(most / columns));
})().catch(() => { document.documentElement.dataset.script = 'failed'; });
