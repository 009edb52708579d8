// A WebM file of one video track (VP9), as RFC 9559 has it: an EBML header, and a segment of information, track and clusters.

const bytes = (...parts) => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
};
const big = (value, count) => Uint8Array.from({ length: count }, (_, k) => Math.floor(value / 256 ** (count - 1 - k)) % 256);
const whole = (value) => big(value, 8);
const text = (words) => new TextEncoder().encode(words);
const real = (value) => { const view = new DataView(new ArrayBuffer(8)); view.setFloat64(0, value); return new Uint8Array(view.buffer); };

/** An element: its name in hexadecimal digits, its size in eight bytes, what it holds. */
function element(name, ...content) {
  const held = bytes(...content);
  const size = whole(held.length);
  size[0] = 1; // marks eight bytes
  return bytes(big(parseInt(name, 16), name.length / 2), size, held);
}

/** The file; `chunks` are encoded pictures in order, each with its `data`, time `ms`, and whether it stands by itself. */
export function webm(chunks, { width, height, rate }) {
  const picture = 1000 / rate;
  const head = element('1a45dfa3', element('4286', whole(1)), element('42f7', whole(1)), element('42f2', whole(4)), element('42f3', whole(8)), element('4282', text('webm')), element('4287', whole(4)), element('4285', whole(2)));
  const info = element('1549a966', element('2ad7b1', whole(1e6)), element('4489', real(chunks.length * picture)), element('4d80', text('sim')), element('5741', text('sim')));
  const video = element('e0', element('b0', whole(width)), element('ba', whole(height)));
  const tracks = element('1654ae6b', element('ae', element('d7', whole(1)), element('73c5', whole(1)), element('83', whole(1)), element('86', text('V_VP9')), element('23e383', whole(1e6 * picture)), video));
  const groups = [];
  for (const chunk of chunks) if (chunk.isKey) groups.push([chunk]); else groups.at(-1).push(chunk);
  const clusters = groups.map((group) => element('1f43b675', element('e7', whole(group[0].ms)), ...group.map(({ data, ms, isKey }) => element('a3', big(0x81, 1), big(ms - group[0].ms, 2), big(isKey ? 0x80 : 0, 1), data))));
  return bytes(head, element('18538067', info, tracks, ...clusters));
}
