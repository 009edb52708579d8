// Numbers at the axes: where they stand, and how they are written.

const STEPS = [1, 2, 5];
const step = (n) => STEPS[((n % 3) + 3) % 3] * 10 ** Math.floor(n / 3);

/** Even numbers inside a range, 1, 2 or 5 of a power of ten apart: about `most`, two at the least. */
export function splits(low, high, most) {
  if (!(high > low) || !Number.isFinite(high - low)) return Number.isFinite(low) ? [low] : [];
  const rough = (high - low) / Math.max(most, 1);
  let n = 3 * Math.floor(Math.log10(rough));
  while (step(n) < rough * (1 - 1e-9)) n += 1;
  let found = multiples(low, high, step(n));
  while (found.length < 2) found = multiples(low, high, step((n -= 1)));
  return found;
}

function multiples(low, high, by) {
  const slack = 1e-9;
  const found = [];
  const end = Math.floor(high / by + slack);
  for (let k = Math.ceil(low / by - slack); k <= end; k++) found.push(k === 0 ? 0 : Number((k * by).toPrecision(14)));
  return found;
}

const place = (v) => Math.floor(Math.log10(Math.abs(v)) + 1e-9);

/** The numbers as texts with as many digits as tell them apart. */
export function labels(values) {
  const size = values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
  const apart = values.length > 1 ? values[1] - values[0] : size;
  const last = apart ? place(apart) : 0;
  const far = size >= 1e5 || size < 1e-3;
  const written = (v) => (far ? v.toExponential(Math.max(0, place(v) - last)) : v.toFixed(Math.max(0, -last)));
  return values.map((v) => (v === 0 ? '0' : written(v).replace('e+', 'e').replaceAll('-', '−')));
}

/** How a time under the pointer is written, where `span` seconds are `width` pixels wide. */
export function written(t, span, width) {
  const digits = Math.ceil(-Math.log10(span / Math.max(width, 1))) + 1;
  return t.toFixed(Math.min(Math.max(digits, 0), 9)).replace('-', '−');
}
