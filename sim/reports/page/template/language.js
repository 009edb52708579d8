// Expressions of channels: the language of `sim/curves/language.py`, proved equal to it.

import { derivative, integral, lowPass } from './signals.js';
import { isAlike, textOf, times, unitOf } from './units.js';

const TOKEN = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([dD](?!\w))?|("[^"\n]+"|\.?[A-Za-z_$][\w$.]*)|(\*\*|[-+*/(),:]))/y;
const DEPTH = 100;
const [SECOND, RADIAN] = ['s', 'rad'].map(unitOf);
const CONSTANTS = { PI: Math.PI, RTOD: 180 / Math.PI, DTOR: Math.PI / 180, MODE: 4 };

const step = (shape) => (x, x0, h0, x1, h1) => h0 + (h1 - h0) * shape(Math.min(Math.max((x - x0) / (x1 - x0), 0), 1));
const whole = (a) => Math.sign(a) * Math.floor(Math.abs(a) + 0.5);
const plain = Object.fromEntries(['sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh', 'exp', 'log', 'log10'].map((name) => [name.toUpperCase(), Math[name]]));
const angle = Object.fromEntries(['asin', 'acos', 'atan'].map((name) => [name.toUpperCase(), Math[name]]));
const heights = {
  ABS: Math.abs, AINT: Math.trunc, ANINT: whole, NINT: whole, DIM: (a, b) => Math.max(a - b, 0), MAX: Math.max, MIN: Math.min,
  MOD: (a, b) => a - Math.trunc(a / b) * b,
};
const steps = {
  STEP: step((z) => z * z * (3 - 2 * z)), STEP5: step((z) => z ** 3 * (10 - 15 * z + 6 * z * z)), HAVSIN: step((z) => (1 - Math.cos(Math.PI * z)) / 2),
};
const SIGNALS = ['DERIVATIVE', 'DIF', 'INTEGRAL', 'FILTER', 'VALUE'];
const COUNTS = { FILTER: [2, 3], ATAN2: [2, 2], DIM: [2, 2], MAX: [2, 2], MIN: [2, 2], MOD: [2, 2], SIGN: [2, 2], IF: [4, 4], STEP: [5, 5], STEP5: [5, 5], HAVSIN: [5, 5] };
export const FUNCTIONS = [...SIGNALS, 'SQRT', ...Object.keys(plain), ...Object.keys(angle), 'ATAN2', ...Object.keys(heights), 'SIGN', 'IF', ...Object.keys(steps)];

const fail = (words) => { throw new Error(words); };

function tokensOf(text) {
  const found = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) fail(`'${text.slice(at).trim()[0]}' has no meaning here`);
    const [, digits, degrees, name, sign] = match;
    if (digits !== undefined) found.push({ number: Number(digits) * (degrees ? CONSTANTS.DTOR : 1) });
    else found.push(name === undefined ? { sign } : { name });
  }
  return found;
}

/** Syntax tree: { number }, { name }, { call, parts } or { sign, parts }. */
export function parse(text) {
  const tokens = tokensOf(text);
  let at = 0;
  const is = (...signs) => signs.includes(tokens[at]?.sign);
  const row = (signs, part) => (depth) => {
    let left = part(depth);
    while (is(...signs)) left = { sign: tokens[at++].sign, parts: [left, part(depth)] };
    return left;
  };
  const unary = (depth) => {
    if (depth > DEPTH) fail(`more than ${DEPTH} nested parts`);
    if (is('+', '-')) return { sign: `unary ${tokens[at++].sign}`, parts: [unary(depth + 1)] };
    const base = atom(depth);
    if (!is('**')) return base;
    at += 1;
    return { sign: '**', parts: [base, unary(depth + 1)] };
  };
  const sum = row(['+', '-'], row(['*', '/'], unary));
  const close = () => { if (!is(')')) fail(at < tokens.length ? 'an operator or a comma is missing' : 'a parenthesis is not closed'); at += 1; };
  function atom(depth) {
    const token = tokens[at++] ?? fail('a number, a name or a parenthesis is missing at the end');
    if (token.sign === '(') {
      const inner = sum(depth + 1);
      close();
      return inner;
    }
    if (token.sign) fail(`a number, a name or a parenthesis is missing before '${token.sign}'`);
    if (token.name === undefined || !is('(')) return token;
    const call = token.name.toUpperCase();
    at += 1;
    const parts = [];
    if (!is(')')) {
      parts.push(sum(depth + 1));
      while (is(',', ':')) {
        if (is(':') !== (call === 'IF' && parts.length === 1)) fail(`'${tokens[at].sign}' may not stand here in ${call}`);
        at += 1;
        parts.push(sum(depth + 1));
      }
    }
    close();
    return { call, parts };
  }
  const tree = sum(0);
  if (at < tokens.length) fail(`an operator is missing before '${tokens[at].sign ?? tokens[at].name ?? tokens[at].number}'`);
  return tree;
}

const unquoted = (name) => (name[0] === '"' ? name.slice(1, -1) : name);

/** Names of channels in a tree, whether it has a filter, and whether it depends on how near samples are. */
export function namesIn(tree, known) {
  const found = { names: new Set(), filtered: tree.call === 'FILTER', sampled: SIGNALS.includes(tree.call) && tree.call !== 'VALUE' };
  if (tree.name !== undefined && known.has(unquoted(tree.name))) found.names.add(unquoted(tree.name));
  for (const part of tree.parts ?? []) {
    const inner = namesIn(part, known);
    inner.names.forEach((name) => found.names.add(name));
    found.filtered ||= inner.filtered;
    found.sampled ||= inner.sampled;
  }
  return found;
}

/** Values of a tree at times `x`, and their unit; `curves` are { v, unit } by name, at these times. */
export function evaluate(tree, x, curves) {
  const n = x.length;
  const list = (v) => (typeof v === 'number' ? new Float64Array(n).fill(v) : v);
  const each = (formula, ...terms) => {
    const args = terms.map(({ v }) => v);
    const found = (...values) => { const value = formula(...values); return Number.isFinite(value) ? value : NaN; }; // undefined is no number
    if (args.every((v) => typeof v === 'number')) return found(...args);
    return Float64Array.from({ length: n }, (_, k) => found(...args.map((v) => (typeof v === 'number' ? v : v[k]))));
  };
  const same = (terms, what) => {
    const units = terms.map(({ unit }) => unit).filter(Boolean);
    const other = units.find((unit) => !isAlike(unit, units[0]));
    if (other) fail(`${what} takes quantities of one unit, not ${textOf(units[0])} and ${textOf(other)}; VALUE(x) is x without its unit`);
    return units[0] ?? null;
  };
  const pure = ({ unit }, what) => { if (unit && !isAlike(unit, {})) fail(`${what} is a number, not in ${textOf(unit)}`); };
  const one = ({ v }) => (typeof v === 'number' && Number.isFinite(v) ? v : fail('the cut-off, the order and the exponent are plain numbers'));
  const isBare = (terms) => terms.every(({ unit }) => unit === null);

  function operation(sign, a, b) {
    if (sign === 'unary -') return { ...a, v: each((p) => -p, a) };
    if (sign === 'unary +') return a;
    if (sign === '+' || sign === '-') return { v: each(sign === '+' ? (p, q) => p + q : (p, q) => p - q, a, b), unit: same([a, b], `'${sign}'`) };
    if (sign === '**') {
      pure(b, 'an exponent');
      const v = each((p, q) => p ** q, a, b);
      if (!a.unit || !Object.keys(a.unit).length) return { v, unit: b.unit ? {} : a.unit };
      return { v, unit: times({}, a.unit, one(b)) };
    }
    const v = each(sign === '*' ? (p, q) => p * q : (p, q) => p / q, a, b);
    return { v, unit: isBare([a, b]) ? null : times(a.unit ?? {}, b.unit ?? {}, sign === '*' ? 1 : -1) };
  }

  function signal(name, [a, ...more]) {
    const unit = a.unit ?? {};
    if (name === 'VALUE') return { v: a.v, unit: a.unit && {} };
    if (name === 'INTEGRAL') return { v: integral(x, list(a.v)), unit: times(unit, SECOND) };
    if (name === 'FILTER') return { v: lowPass(x, list(a.v), ...more.map(one)), unit: a.unit };
    return { v: derivative(x, list(a.v)), unit: times(unit, SECOND, -1) };
  }

  function called(name, parts) {
    if (name === 'INT') fail('INT is not used here: INTEGRAL(x) integrates over time, AINT(x) cuts off decimals');
    if (!FUNCTIONS.includes(name)) fail(`${name} is no function of curves: ${FUNCTIONS.join(', ')}`);
    const [least, most] = COUNTS[name] ?? [1, 1];
    if (parts.length < least || parts.length > most) fail(`${name} requires ${least === most ? least : `${least} to ${most}`} arguments; here it has ${parts.length}`);
    const terms = parts.map(term);
    if (SIGNALS.includes(name)) return signal(name, terms);
    const bare = isBare(terms);
    const own = (unit) => unit ?? (bare ? null : {});
    if (name === 'SQRT') return { v: each(Math.sqrt, ...terms), unit: bare ? null : times({}, terms[0].unit, 0.5) };
    if (name === 'ATAN2') {
      same(terms, name);
      return { v: each(Math.atan2, ...terms), unit: bare ? null : RADIAN };
    }
    if (name in plain || name in angle) {
      pure(terms[0], `the argument of ${name}`);
      return { v: each(plain[name] ?? angle[name], ...terms), unit: bare ? null : name in angle ? RADIAN : {} };
    }
    if (name === 'SIGN') return { v: each((a, b) => (b < 0 ? -Math.abs(a) : Math.abs(a)), ...terms), unit: own(terms[0].unit) };
    if (name === 'IF') return { v: each((a, p, q, r) => (a < 0 ? p : a > 0 ? r : a === 0 ? q : NaN), ...terms), unit: own(same(terms.slice(1), name)) };
    if (name in steps) {
      same([terms[0], terms[1], terms[3]], `x of ${name}`);
      return { v: each(steps[name], ...terms), unit: own(same([terms[2], terms[4]], name)) };
    }
    return { v: each(heights[name], ...terms), unit: own(same(terms, name)) };
  }

  function term(node) {
    if (node.call) return called(node.call, node.parts);
    if (node.sign) return operation(node.sign, ...node.parts.map(term));
    if (node.number !== undefined) return { v: node.number, unit: null };
    const name = unquoted(node.name);
    if (curves.has(name)) return { v: curves.get(name).v, unit: unitOf(curves.get(name).unit) };
    const upper = name.toUpperCase();
    if (upper === 'TIME') return { v: Float64Array.from(x), unit: SECOND };
    return upper in CONSTANTS ? { v: CONSTANTS[upper], unit: null } : fail(`there is no channel ${name}`);
  }

  const { v, unit } = term(tree);
  return { v: list(v), unit: textOf(unit ?? {}) };
}
