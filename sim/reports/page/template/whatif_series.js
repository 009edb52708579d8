// What if: curves as Chebyshev series of the pieces between corners, at any time, and where a function of them is largest.

const REST = 1e-8; // of a joint's top speed: below it stands
const BESIDE = 1e-2; // of the way to the middle of a piece
const RIVAL = 3e-4; // of the extreme sample: others as near may be beyond it between samples

/** Whole numbers folded and sorted by place. */
export function coefficients(bytes, width) {
  const count = bytes.length / width;
  const found = new Float64Array(count);
  for (let place = 0; place < width; place++) {
    const worth = 256 ** place;
    for (let k = 0; k < count; k++) found[k] += worth * bytes[place * count + k];
  }
  return found.map((z) => (z % 2 ? -(z + 1) / 2 : z / 2));
}

/** Sign of a speed at a time of a piece; where a moving joint stops or sets out, that of the motion beside. */
export function senseAt(one, j, p, time, qd) {
  const top = one.topSpeed[j];
  if (Math.abs(qd) > REST * top) return Math.sign(qd);
  const { a, b } = one.series[p];
  return senseOf(curveAt(one, 2 * one.n + j, p, time + BESIDE * ((a + b) / 2 - time)), top);
}

export const senseOf = (v, top) => (Math.abs(v) <= REST * top ? 0 : Math.sign(v));

/** One curve at a time of a piece, by Clenshaw's recurrence. */
export function curveAt({ series, whole, worth }, row, p, time) {
  const { a, b, d, from } = series[p];
  const x = (2 * time - a - b) / (b - a);
  let [one, two] = [0, 0];
  for (let k = d - 1; k > 0; k--) [one, two] = [2 * x * one - two + whole[from + row * d + k], one];
  return worth[row] * (whole[from + row * d] + x * one - two);
}

/** Its rate, of the derivative of the series. */
export function slopeAt({ series, whole, worth }, row, p, time) {
  const { a, b, d, from } = series[p];
  const x = (2 * time - a - b) / (b - a);
  let [one, two] = [0, 0];
  for (let k = d - 1; k > 0; k--) [one, two] = [2 * x * one - two + k * whole[from + row * d + k], one];
  return ((worth[row] * 2) / (b - a)) * one;
}

/** Largest value of a function along the path: the extreme samples, each followed to its peak between samples. */
export function extreme(one, f, exact) {
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
