// Expressions of channels: the language of `sim/curves/language.py`, proved equal to it.

import { derivative, integral, lowPass } from './signals.js';
import { isAlike, textOf, times, unitOf } from './units.js';

const TOKEN = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([dD](?!\w))?|("[^"\n]+"|\.?[A-Za-z_$][\w$.]*)|(\*\*|[-+*/(),:]))/y;
const DEPTH = 100;
const SECOND = unitOf('s');
const { constants: CONSTANTS, functions: OPERATIONS } = LANGUAGE; // of `sim/reports/page/language.py`
const SIGNALS = ['DERIVATIVE', 'DIF', 'INTEGRAL', 'FILTER', 'VALUE'];
export const FUNCTIONS = [...SIGNALS, ...Object.keys(OPERATIONS)];

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

  function called(name, parts, bound) {
    if (name === 'INT') fail('INT is not used here: INTEGRAL(x) integrates over time, AINT(x) cuts off decimals');
    if (!FUNCTIONS.includes(name)) fail(`${name} is no function of curves: ${FUNCTIONS.join(', ')}`);
    const row = OPERATIONS[name] ?? { counts: name === 'FILTER' ? [2, 3] : [1, 1] };
    const [least, most] = row.counts;
    if (parts.length < least || parts.length > most) fail(`${name} requires ${least === most ? least : `${least} to ${most}`} arguments; here it has ${parts.length}`);
    const terms = parts.map((part) => term(part, bound));
    if (SIGNALS.includes(name)) return signal(name, terms);
    if (row.text) return term(parse(row.text), Object.fromEntries(row.parameters.map((parameter, k) => [parameter, terms[k]])));
    const chosen = (places) => places.filter((k) => k < terms.length).map((k) => terms[k]);
    chosen(row.numbers).forEach((one) => pure(one, `the argument of ${name}`));
    same(chosen(row.alike), `x of ${name}`);
    const unit = same(chosen(row.heights), name);
    return { v: each(row.formula, ...terms), unit: isBare(terms) ? null : row.unit ? unitOf(row.unit) : row.power === 1 ? unit ?? {} : times({}, unit ?? {}, row.power) };
  }

  function term(node, bound = {}) {
    if (node.call) return called(node.call, node.parts, bound);
    if (node.sign) return operation(node.sign, ...node.parts.map((part) => term(part, bound)));
    if (node.number !== undefined) return { v: node.number, unit: null };
    if (Object.hasOwn(bound, node.name)) return bound[node.name]; // a parameter of a function, in the text of its row
    const name = unquoted(node.name);
    if (curves.has(name)) return { v: curves.get(name).v, unit: unitOf(curves.get(name).unit) };
    const upper = name.toUpperCase();
    if (upper === 'TIME') return { v: Float64Array.from(x), unit: SECOND };
    return upper in CONSTANTS ? { v: CONSTANTS[upper], unit: null } : fail(`there is no channel ${name}`);
  }

  const { v, unit } = term(tree);
  return { v: list(v), unit: textOf(unit ?? {}) };
}
