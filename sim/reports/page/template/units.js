// Units as products of powers, as `sim/curves/unit_algebra.py` has them: a radian counts as 1 where they are compared.

const N = { m: 1, kg: 1, s: -2 };
const BASE = { rad: {}, Hz: { s: -1 }, N, J: { ...N, m: 2 }, W: { m: 2, kg: 1, s: -3 } };
const NAMED = [
  'N·m·rad/s=W', 'N·m/s=W', 'N·m·rad=J', 'W·s=J', 'J/s=W', 'J/rad=N·m', 'W·s/rad=N·m', 'J/m=N', 'W·s/m=N', 'N·s²/m=kg', 'kg·m/s²=N',
  'N·m·s²/rad=kg·m²', 'kg·m²·rad/s²=N·m', 'kg·m²·rad²/s²=J', 'kg·m²/s²=J',
];
let named = null; // read at the first use: most readers of a page have none

/** Powers by symbol of a unit's text. */
export function unitOf(text) {
  const found = {};
  text.split('/').forEach((part, k) => part.split('·').forEach((factor) => {
    const [, symbol, sign, number] = factor.match(/^([^²³^]+)(?:([²³])|\^([\d.]+))?$/);
    const power = sign ? { '²': 2, '³': 3 }[sign] : Number(number ?? 1);
    if (symbol !== '1') found[symbol] = (found[symbol] ?? 0) + (k ? -power : power);
  }));
  return found;
}

const near = (a, b) => Math.abs(a - b) < 1e-9;
const isSame = (a, b) => [...Object.keys(a), ...Object.keys(b)].every((key) => near(a[key] ?? 0, b[key] ?? 0));

/** The product with a power of another unit, by its own name where it has one. */
export function times(unit, other, power = 1) {
  const found = { ...unit };
  for (const [symbol, own] of Object.entries(other)) {
    found[symbol] = (found[symbol] ?? 0) + power * own;
    if (near(found[symbol], 0)) delete found[symbol];
  }
  named ??= NAMED.map((row) => row.split('=').map(unitOf));
  return named.find(([product]) => isSame(product, found))?.[1] ?? found;
}

function dimension(unit) {
  const found = {};
  for (const [symbol, power] of Object.entries(unit)) {
    for (const [base, times_] of Object.entries(BASE[symbol] ?? { [symbol]: 1 })) found[base] = (found[base] ?? 0) + power * times_;
  }
  return found;
}

/** Whether two units measure the same. */
export const isAlike = (a, b) => isSame(dimension(a), dimension(b));

/** A unit as text. */
export function textOf(unit) {
  const written = ([symbol, power]) => symbol + ({ 1: '', 2: '²', 3: '³' }[power] ?? `^${Number(power.toPrecision(6))}`);
  const all = Object.entries(unit);
  const above = all.filter(([, power]) => power > 0).map(written);
  const below = all.filter(([, power]) => power < 0).map(([symbol, power]) => `/${written([symbol, -power])}`);
  return (above.join('·') || '1') + below.join('');
}
