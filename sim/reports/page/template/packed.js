// Blocks of bytes that a page holds.

/** Bytes of a packed block of the page; nothing is fetched, so it works from a file. */
export async function unpacked(id) {
  const words = document.getElementById(id).textContent;
  const binary = atob(words);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = binary.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
