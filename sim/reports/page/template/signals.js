// Derivative, integral, filter and spectrum of samples: the rules of `sim/curves/signals.py` and `spectrum.py`.

/** Slope of the parabola through each sample and its neighbours. */
export function derivative(x, v) {
  const n = x.length;
  if (n < 3) throw new Error('a derivative needs at least 3 samples');
  const slope = (k, at) => {
    const [a, b, c] = [x[k - 1], x[k], x[k + 1]];
    return (v[k - 1] * (2 * at - b - c)) / ((a - b) * (a - c)) + (v[k] * (2 * at - a - c)) / ((b - a) * (b - c)) + (v[k + 1] * (2 * at - a - b)) / ((c - a) * (c - b));
  };
  return Float64Array.from(x, (t, k) => slope(Math.min(Math.max(k, 1), n - 2), t));
}

/** All samples of what has no value beyond a gap must be finite. */
function requireFinite(x, v, what) {
  const k = v.findIndex((value) => !Number.isFinite(value));
  if (k >= 0) throw new Error(`for ${what} all samples must be finite; at ${Number(x[k].toPrecision(9))} s is ${v[k]}`);
}

/** Integral from the first sample on; straight lines between samples. */
export function integral(x, v) {
  requireFinite(x, v, 'an integral');
  let sum = 0;
  return Float64Array.from(x, (t, k) => (k ? sum += ((t - x[k - 1]) * (v[k] + v[k - 1])) / 2 : 0));
}

/** Samples a second of even times. */
function rateOf(x, what) {
  const step = (x[x.length - 1] - x[0]) / (x.length - 1);
  if (x.length < 9 || x.some((t, k) => Math.abs(t - x[0] - k * step) > 1e-6 * step)) throw new Error(`${what} needs even samples, 9 or more`);
  return 1 / step;
}

/** Sections b0 b1 b2 a1 a2 of a Butterworth low-pass, by the bilinear transform with its cut-off kept. */
function sections(order, cutoff, rate) {
  const w = Math.tan((Math.PI * cutoff) / rate);
  const found = order % 2 ? [[w / (1 + w), w / (1 + w), 0, (w - 1) / (1 + w), 0]] : [];
  for (let k = 0; k < (order - (order % 2)) / 2; k++) {
    const d = 2 * Math.sin(((2 * k + 1) * Math.PI) / (2 * order)) * w;
    const all = 1 + d + w * w;
    const b = (w * w) / all;
    found.push([b, 2 * b, b, (2 * (w * w - 1)) / all, (1 - d + w * w) / all]);
  }
  return found;
}

/** One pass, from the rest that the first value would be. */
function pass(v, all) {
  const states = all.map(([b0, b1, b2, a1, a2]) => [(b1 - a1 + b2 - a2) * v[0], (b2 - a2) * v[0]]);
  return v.map((value) => all.reduce((x, [b0, b1, b2, a1, a2], k) => {
    const [z1, z2] = states[k];
    const y = b0 * x + z1;
    states[k] = [b1 * x - a1 * y + z2, b2 * x - a2 * y];
    return y;
  }, value));
}

/** Butterworth low-pass of zero phase: forwards, then backwards in time. */
export function lowPass(x, v, cutoff, order = 4) {
  const rate = rateOf(x, 'a filter');
  requireFinite(x, v, 'a filter');
  if (!(Number.isInteger(order) && order >= 1 && order <= 10)) throw new Error(`a filter's order is a whole number from 1 to 10; got ${order}`);
  if (!(cutoff > 0 && cutoff < rate / 2)) throw new Error(`a cut-off of ${cutoff} Hz is not between 0 and ${Number((rate / 2).toPrecision(6))} Hz, half the sampling rate`);
  const [n, beyond] = [v.length, Math.ceil(Number((rate / cutoff).toPrecision(14)))];
  if (n <= beyond) throw new Error(`a filter of ${cutoff} Hz needs more than ${beyond} samples, one period of it; there are ${n}`);
  const turned = new Float64Array(n + 2 * beyond);
  turned.set(v, beyond);
  for (let k = 1; k <= beyond; k++) {
    turned[beyond - k] = 2 * v[0] - v[k];
    turned[beyond + n - 1 + k] = 2 * v[n - 1] - v[n - 1 - k];
  }
  const all = sections(order, cutoff, rate);
  return pass(pass(turned, all).reverse(), all).reverse().slice(beyond, beyond + n);
}

/** Fourier transform in place, of a power of two. */
function transform(re, im) {
  const n = re.length;
  for (let k = 1, j = 0; k < n; k++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (k < j) [re[k], re[j], im[k], im[j]] = [re[j], re[k], im[j], im[k]];
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const [c, s] = [Math.cos((-2 * Math.PI * k) / size), Math.sin((-2 * Math.PI * k) / size)];
      for (let a = k; a < n; a += size) {
        const b = a + half;
        const [x, y] = [re[b] * c - im[b] * s, re[b] * s + im[b] * c];
        [re[b], im[b]] = [re[a] - x, im[a] - y];
        re[a] += x;
        im[a] += y;
      }
    }
  }
}

/** Squares of the first half of the transform of any number of values (Bluestein 1970). */
function power(v) {
  const n = v.length;
  const size = 2 ** Math.ceil(Math.log2(2 * n));
  const [re, im, cr, ci] = Array.from({ length: 4 }, () => new Float64Array(size));
  const turn = (k) => (Math.PI * ((k * k) % (2 * n))) / n;
  for (let k = 0; k < n; k++) {
    const [c, s] = [Math.cos(turn(k)), Math.sin(turn(k))];
    [re[k], im[k]] = [v[k] * c, -v[k] * s];
    cr[k] = cr[(size - k) % size] = c;
    ci[k] = ci[(size - k) % size] = s;
  }
  transform(re, im);
  transform(cr, ci);
  for (let k = 0; k < size; k++) [re[k], im[k]] = [re[k] * cr[k] - im[k] * ci[k], -(re[k] * ci[k] + im[k] * cr[k])];
  transform(re, im); // of the conjugate: backwards
  return Float64Array.from({ length: Math.floor(n / 2) + 1 }, (_, k) => (re[k] ** 2 + im[k] ** 2) / size ** 2);
}

export const WINDOWS = {
  hann: [0.5, 0.5],
  hamming: [0.54, 0.46],
  blackman: [0.42, 0.5, 0.08],
  flattop: [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368],
  boxcar: [1],
};

/** One-sided amplitudes, or the density of the mean square, by frequency; the last sample begins the next period. */
export function spectrum(x, v, name = 'hann', density = false) {
  const rate = rateOf(x, 'a spectrum');
  requireFinite(x, v, 'a spectrum');
  const n = v.length - 1;
  const mean = v.slice(0, n).reduce((sum, value) => sum + value, 0) / n;
  const w = Float64Array.from({ length: n }, (_, k) => WINDOWS[name].reduce((sum, a, j) => sum + (j % 2 ? -a : a) * Math.cos((2 * Math.PI * j * k) / n), 0));
  const sum = w.reduce((all, value) => all + value, 0);
  const squares = w.reduce((all, value) => all + value * value, 0);
  const lines = power(w.map((value, k) => value * (v[k] - mean)));
  const values = lines.map((line, k) => {
    const sides = k === 0 || 2 * k === n ? 1 : 2;
    return density ? (sides * line) / (rate * squares) : (sides * Math.sqrt(line)) / sum;
  });
  if (!density) values[0] = Math.abs(mean);
  return { f: values.map((_, k) => (k * rate) / n), values };
}
