// What if: torques of a prescribed motion for another payload, speed and gravity, and what the ratings allow.
//
//   tau = r² (D0 + Σ D_k θ_k) + γ (G0 + Σ G_k θ_k) + r V + f sign(qd) + E
//
// as `sim/reports/page/what_if.py` has it; r: speed over the run's, γ: gravity over 9.81 m/s², θ: the payload's ten numbers.

const MOST_SAMPLES = 1600;
const BLOCKS = 19; // D0 G0 qd D(10) G(4) E V
const STANDARD = 9.81;
const REST = 1e-8; // of a joint's top speed: below it stands
const BESIDE = 1e-2; // of the way to the middle of a piece
const RIVAL = 3e-4; // of the extreme sample: others as near may be beyond it between samples

/** Whole numbers folded and sorted by place. */
function coefficients(bytes, width) {
  const count = bytes.length / width;
  const found = new Float64Array(count);
  for (let place = 0; place < width; place++) {
    const worth = 256 ** place;
    for (let k = 0; k < count; k++) found[k] += worth * bytes[place * count + k];
  }
  return found.map((z) => (z % 2 ? -(z + 1) / 2 : z / 2));
}

/** All curves at samples that end and begin at each corner (two at one time), with weights of Simpson's rule. */
export function openCurves(facts, bytes) {
  const whole = coefficients(bytes, facts.width);
  const n = facts.joints.length;
  const joints = facts.joints.map((joint) => ({ ...joint, effort: joint.effort ?? Infinity, velocity: joint.velocity ?? Infinity }));
  const first = facts.pieces[0][0];
  const counts = facts.pieces.map(([a, b]) => 2 * Math.ceil(((b - a) / facts.duration) * MOST_SAMPLES / 2) + 9);
  const N = counts.reduce((sum, c) => sum + c, 0);
  const rows = Array.from({ length: BLOCKS * n }, () => new Float64Array(N));
  const [t, w, piece] = [new Float64Array(N), new Float64Array(N), new Uint32Array(N)];
  const series = []; // of each piece: where it begins in `whole`, and its length
  let [at, from] = [0, 0];
  facts.pieces.forEach(([a, b, d], p) => {
    const count = counts[p];
    series.push({ a, b, d, from });
    const T = Array.from({ length: d }, () => new Float64Array(count));
    for (let i = 0; i < count; i++) {
      const x = (2 * i) / (count - 1) - 1;
      t[at + i] = a + ((b - a) * i) / (count - 1);
      w[at + i] = ((b - a) / (count - 1) / 3) * (i === 0 || i === count - 1 ? 1 : i % 2 ? 4 : 2);
      piece[at + i] = p;
      for (let k = 0; k < d; k++) T[k][i] = k === 0 ? 1 : k === 1 ? x : 2 * x * T[k - 1][i] - T[k - 2][i];
    }
    rows.forEach((row, r) => {
      for (let k = 0; k < d; k++) {
        const c = whole[from++] * facts.worth[r];
        if (c !== 0) for (let i = 0; i < count; i++) row[at + i] += c * T[k][i];
      }
    });
    at += count;
  });
  const block = (k) => rows.slice(k * n, (k + 1) * n);
  const made = { ...facts, joints, n, N, t, w, piece, series, whole, first, D0: block(0), G0: block(1), qd: block(2), E: block(17), V: block(18),
    D: Array.from({ length: 10 }, (_, k) => block(3 + k)), G: Array.from({ length: 4 }, (_, k) => block(13 + k)) };
  made.topSpeed = made.qd.map((v, j) => extreme(made, (i) => Math.abs(v[i]), (p, s) => Math.abs(curveAt(made, 2 * n + j, p, s))).value);
  made.dry = joints.map(({ dry }, j) => (dry ? made.qd[j].map((v) => dry * senseOf(v, made.topSpeed[j])) : null));
  made.was = evaluated(made, made.run);
  const thin = (row) => row?.filter((_, i) => i % 4 === 0);
  const all = (list) => list.map(thin);
  made.few = { ...made, N: thin(t).length, t: thin(t), D0: all(made.D0), G0: all(made.G0), qd: all(made.qd), E: all(made.E), V: all(made.V), dry: all(made.dry), D: made.D.map(all), G: made.G.map(all) };
  return made;
}

/** Sign of a speed at a time of a piece; where a moving joint stops or sets out, that of the motion beside. */
function senseAt(one, j, p, time, qd) {
  const top = one.topSpeed[j];
  if (Math.abs(qd) > REST * top) return Math.sign(qd);
  const { a, b } = one.series[p];
  return senseOf(curveAt(one, 2 * one.n + j, p, time + BESIDE * ((a + b) / 2 - time)), top);
}

const senseOf = (v, top) => (Math.abs(v) <= REST * top ? 0 : Math.sign(v));

/** One curve at a time of a piece, by Clenshaw's recurrence. */
function curveAt({ series, whole, worth }, row, p, time) {
  const { a, b, d, from } = series[p];
  const x = (2 * time - a - b) / (b - a);
  let [one, two] = [0, 0];
  for (let k = d - 1; k > 0; k--) [one, two] = [2 * x * one - two + whole[from + row * d + k], one];
  return worth[row] * (whole[from + row * d] + x * one - two);
}

/** Largest value of a function along the path: the extreme samples, each followed to its peak between samples. */
function extreme(one, f, exact) {
  let value = -Infinity;
  let best = 0;
  const { N, t, piece } = one;
  for (let i = 0; i < N; i++) { const v = f(i); if (v > value) { value = v; best = i; } }
  if (!Number.isFinite(value)) return { value, i: best, t: t[best] };
  const least = value - RIVAL * Math.abs(value);
  const rivals = [];
  for (let i = 0; i < N; i++) {
    const v = f(i);
    const inside = (k) => k >= 0 && k < N && piece[k] === piece[i];
    if (v >= least && !(inside(i - 1) && f(i - 1) > v) && !(inside(i + 1) && f(i + 1) > v)) rivals.push([v, i]);
  }
  rivals.sort((a, b) => b[0] - a[0]);
  let found = { value, i: best, t: t[best] };
  for (const [, i] of rivals.slice(0, 12)) {
    const p = piece[i];
    const from = i > 0 && piece[i - 1] === p ? t[i - 1] : t[i];
    const to = i < N - 1 && piece[i + 1] === p ? t[i + 1] : t[i];
    const peak = climbed((s) => exact(p, s), from, to);
    if (peak.value > found.value) found = { ...peak, i };
  }
  return found;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Largest value of a function with one peak between two times, by golden section. */
function climbed(f, a, b) {
  let [c, d] = [b - GOLDEN * (b - a), a + GOLDEN * (b - a)];
  let [fc, fd] = [f(c), f(d)];
  for (let k = 0; k < 28; k++) {
    if (fc > fd) { [b, d, fd] = [d, c, fc]; c = b - GOLDEN * (b - a); fc = f(c); } else { [a, c, fc] = [c, d, fd]; d = a + GOLDEN * (b - a); fd = f(d); }
  }
  return fc > fd ? { value: fc, t: c } : { value: fd, t: d };
}

/** Ten numbers of a payload about the tool frame, with its mass centre at x y z and its radius of gyration `spread`. */
function theta({ mass: m, x, y, z, spread }, shape) {
  const own = shape.map((s) => m * spread * spread * s);
  return [m, m * x, m * y, m * z, m * x * x + own[0], m * x * y + own[1], m * x * z + own[2], m * y * y + own[3], m * y * z + own[4], m * z * z + own[5]];
}

/** tau = r² D + r V + C of each joint, for a payload and a gravity. */
export function parts(one, at) {
  const th = theta(at, one.shape);
  const g = at.gravity / STANDARD;
  const D = one.D0.map((d) => d.slice());
  const C = one.G0.map((c) => c.slice());
  const add = (to, row, f) => { if (f !== 0) for (let i = 0; i < one.N; i++) to[i] += f * row[i]; };
  for (let j = 0; j < one.n; j++) {
    for (let k = 0; k < 10; k++) add(D[j], one.D[k][j], th[k]);
    for (let k = 0; k < 4; k++) add(C[j], one.G[k][j], th[k]);
    const [c, dry, e] = [C[j], one.dry[j], one.E[j]];
    for (let i = 0; i < one.N; i++) c[i] = g * c[i] + (dry ? dry[i] : 0) + e[i];
  }
  return { D, C, V: one.V };
}

/** The same of one joint at any time of a piece: [D, V, C]. */
function partsAt(one, at, j, p, time) {
  const th = theta(at, one.shape);
  const value = (block) => curveAt(one, block * one.n + j, p, time);
  let [d, c] = [value(0), value(1)];
  for (let k = 0; k < 10; k++) if (th[k] !== 0) d += th[k] * value(3 + k);
  for (let k = 0; k < 4; k++) if (th[k] !== 0) c += th[k] * value(13 + k);
  const { dry } = one.joints[j];
  const qd = dry ? value(2) : 0;
  return [d, value(18), (at.gravity / STANDARD) * c + (dry ? dry * senseAt(one, j, p, time, qd) : 0) + value(17)];
}

/** Torques and what they ask of each drive. */
export function evaluated(one, at) {
  const p = parts(one, at);
  const r = at.speed;
  const tau = p.D.map((d, j) => {
    const out = new Float64Array(one.N);
    const [c, v] = [p.C[j], p.V[j]];
    for (let i = 0; i < one.N; i++) out[i] = r * r * d[i] + r * v[i] + c[i];
    return out;
  });
  const sizing = tau.map((y, j) => {
    let [square, delivered, back, power] = [0, 0, 0, 0];
    const [qd, { w, duration }] = [one.qd[j], one];
    for (let i = 0; i < one.N; i++) {
      const P = y[i] * qd[i] * r;
      square += w[i] * y[i] * y[i];
      if (P > power) power = P;
      if (P > 0) delivered += (w[i] * P) / r; else back -= (w[i] * P) / r;
    }
    const exactly = (piece, time) => { const [d, v, c] = partsAt(one, at, j, piece, time); return r * r * d + r * v + c; };
    const most = extreme(one, (i) => Math.abs(y[i]), (piece, time) => Math.abs(exactly(piece, time)));
    const { effort, velocity } = one.joints[j];
    const speed = one.topSpeed[j] * r;
    return { peak: y[most.i] < 0 ? -most.value : most.value, at: most.t, rms: Math.sqrt(square / duration), speed, power, delivered, back, share: most.value / effort, fast: speed / velocity };
  });
  return { tau, sizing, parts: p };
}

/** Largest mass inside all ratings with the rest as it is: at each place torque is a straight line of the mass. */
export function heaviest(one, at) {
  const [none, some] = [{ ...at, mass: 0 }, { ...at, mass: 1 }];
  const [empty, more] = [parts(one, none), parts(one, some)];
  const rr = at.speed * at.speed;
  const limit = (R, A, slope) => (Math.abs(A) > R * (1 + 1e-12) ? -1 : slope > 0 ? (R - A) / slope : slope < 0 ? (-R - A) / slope : Infinity);
  const torque = ([d, v, c]) => rr * d + at.speed * v + c;
  let best = { mass: Infinity };
  one.joints.forEach(({ effort: R }, j) => {
    if (!Number.isFinite(R)) return;
    const V = empty.V[j];
    const sampled = (i) => {
      const A = rr * empty.D[j][i] + empty.C[j][i] + at.speed * V[i];
      return -limit(R, A, rr * (more.D[j][i] - empty.D[j][i]) + more.C[j][i] - empty.C[j][i]);
    };
    const exactly = (p, time) => { const A = torque(partsAt(one, none, j, p, time)); return -limit(R, A, torque(partsAt(one, some, j, p, time)) - A); };
    const { value, t } = extreme(one, sampled, exactly);
    if (-value < best.mass) best = { mass: -value, joint: j, t };
  });
  return best.mass < 0 ? { ...best, mass: 0, never: true } : best;
}

/** Where sign (r² d + r v + c) <= R: from which and to which speed; NaN where never. */
function interval(d, v, c, R, sign) {
  const [a, b, rest] = [sign * d, sign * v, sign * c - R];
  if (rest <= 0) {
    if (a <= 0 && b <= 0) return [0, Infinity];
    if (a === 0) return [0, -rest / b];
    const inner = b * b - 4 * a * rest;
    if (inner < 0) return [0, Infinity];
    // the root that loses no digits
    const to = b > 0 ? (-2 * rest) / (b + Math.sqrt(inner)) : (-b + (a > 0 ? 1 : -1) * Math.sqrt(inner)) / (2 * a);
    return [0, to > 0 ? to : Infinity];
  }
  const inner = b * b - 4 * a * rest;
  if (inner < 0 || (a === 0 && b >= 0)) return [Infinity, -Infinity];
  if (a === 0) return [-rest / b, Infinity];
  const root = Math.sqrt(inner);
  const from = (-b - root) / (2 * a);
  if (!(from > 0)) return [Infinity, -Infinity];
  return [from, a > 0 ? (-b + root) / (2 * a) : Infinity];
}

/** Speeds inside all ratings at each sample, of a whole path; a low end above 0 is real, where gravity alone is too much. */
export function speeds(one, { D, C, V }, at = null) {
  let high = { r: Infinity };
  let low = { r: 0 };
  one.joints.forEach(({ effort: R, velocity }, j) => {
    const most = velocity / one.topSpeed[j];
    if (most < high.r) high = { r: most, joint: j, what: 'speed' };
    if (!Number.isFinite(R)) return;
    const [d, c, v] = [D[j], C[j], V[j]];
    for (let i = 0; i < one.N; i++) {
      for (const sign of [1, -1]) {
        const [from, to] = interval(d[i], v[i], c[i], R, sign);
        if (from > low.r) low = { r: from, joint: j, sign, what: 'torque' };
        if (to < high.r) high = { r: to, joint: j, sign, what: 'torque' };
      }
    }
  });
  if (!at || !Number.isFinite(low.r) || !Number.isFinite(high.r)) return { low, high };
  // Between samples, where it is the answer and not a picture: every joint and sense that comes near.
  one.joints.forEach(({ effort: R }, j) => {
    if (!Number.isFinite(R)) return;
    for (const sign of [1, -1]) {
      const sampled = (end, of) => (i) => of * interval(D[j][i], V[j][i], C[j][i], R, sign)[end];
      const exactly = (end, of) => (p, time) => { const value = of * interval(...partsAt(one, at, j, p, time), R, sign)[end]; return Number.isNaN(value) ? -Infinity : value; };
      const to = extreme(one, sampled(1, -1), exactly(1, -1));
      if (-to.value < high.r) high = { r: -to.value, joint: j, sign, what: 'torque' };
      if (low.r === 0) continue;
      const from = extreme(one, sampled(0, 1), exactly(0, 1));
      if (from.value > low.r) low = { r: from.value, joint: j, sign, what: 'torque' };
    }
  });
  return { low, high };
}

/** The speeds of each payload, on a quarter of the samples: a picture, not an answer. */
export function borderOf(one, now) {
  const { few } = one;
  const steps = 60;
  const empty = parts(few, { ...now, mass: 0 });
  const heavy = parts(few, { ...now, mass: one.most.mass });
  const out = { D: empty.D.map((d) => d.slice()), C: empty.C.map((c) => c.slice()), V: empty.V };
  return Array.from({ length: steps + 1 }, (_, k) => {
    const f = k / steps;
    for (const key of ['D', 'C']) out[key].forEach((row, j) => { const [a, b] = [empty[key][j], heavy[key][j]]; for (let i = 0; i < few.N; i++) row[i] = a[i] + f * (b[i] - a[i]); });
    return { mass: one.most.mass * f, ...speeds(few, out) };
  });
}
