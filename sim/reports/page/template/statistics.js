// Statistics of a curve that is straight between its samples.

/** Index of the last value that is at most `t`, in ascending values; -1 for none. */
function before(x, t) {
  let low = -1;
  let high = x.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

/** The curve's samples from time `a` to time `b`, with its values at both ends. */
export function cut(x, v, a, b) {
  const [from, to] = [Math.max(Math.min(a, b), x[0]), Math.min(Math.max(a, b), x[x.length - 1])];
  if (!(to >= from)) return { x: [], v: [] };
  const at = (t) => {
    const k = before(x, t);
    if (k < 0) return v[0];
    if (k >= x.length - 1 || x[k] === t) return v[k];
    return v[k] + ((t - x[k]) / (x[k + 1] - x[k])) * (v[k + 1] - v[k]);
  };
  const times = [from];
  const values = [at(from)];
  for (let k = before(x, from) + 1; k < x.length && x[k] < to; k++) {
    times.push(x[k]);
    values.push(v[k]);
  }
  if (to > from) {
    times.push(to);
    values.push(at(to));
  }
  return { x: times, v: values };
}

/**
 * Least and largest value with their first times, mean and root mean square over time, from `a` to `b`.
 *
 * The mean is the integral of the straight pieces over the time they take; the other is the root of
 * the integral of their squares over it. Where a value is no number, the pieces beside it do not count.
 * Null where there is nothing.
 */
export function statistics(x, v, a, b) {
  const found = cut(x, v, a, b);
  let [min, max] = [null, null];
  let [time, sum, squares] = [0, 0, 0];
  found.v.forEach((value, k) => {
    if (!Number.isFinite(value)) return;
    if (!min || value < min.value) min = { value, t: found.x[k] };
    if (!max || value > max.value) max = { value, t: found.x[k] };
    const last = found.v[k - 1];
    if (k === 0 || !Number.isFinite(last)) return;
    const h = found.x[k] - found.x[k - 1];
    time += h;
    sum += (h * (last + value)) / 2;
    squares += (h * (last * last + last * value + value * value)) / 3;
  });
  if (!min) return null;
  const [from, to] = [found.x[0], found.x[found.x.length - 1]];
  const alone = time === 0; // an instant
  return { from, to, min, max, mean: alone ? min.value : sum / time, rms: alone ? Math.abs(min.value) : Math.sqrt(squares / time) };
}

/** All times of several ascending lists, ascending, each once. */
export function union(lists) {
  if (lists.length === 1) return lists[0];
  const all = Float64Array.from(lists.flatMap((list) => Array.from(list))).sort();
  return Array.from(all.filter((t, k) => k === 0 || t !== all[k - 1]));
}

/** Values of a curve at other ascending times; straight between its samples. */
export function resampled(x, v, at) {
  let k = 0;
  return Array.from(at, (t) => {
    while (k < x.length - 2 && x[k + 1] <= t) k += 1;
    if (t <= x[k] || x.length === 1) return v[k];
    if (t >= x[k + 1]) return v[k + 1];
    return v[k] + ((t - x[k]) / (x[k + 1] - x[k])) * (v[k + 1] - v[k]);
  });
}
