// A motion recorded picture by picture, as a video or as pictures.

import { zipSync } from 'fflate';
import { webm } from './webm.js';

const RATE = 25; // pictures a second
const MOST = 5000; // pictures; each takes some hundred kB of memory
const CODEC = 'vp09.00.51.08'; // VP9, 8 bits, up to 4096 x 2176
const BITS = 8e6; // a second
const QUEUE = 4; // pictures that wait for the encoder

const nextPicture = () => new Promise(requestAnimationFrame);

/** Shows the motion picture by picture, RATE a second and the end, however long each takes; whether it came to the end. */
async function throughPictures(player, tell, take) {
  const last = Math.ceil(player.motion.duration * RATE - 1e-9);
  if (last >= MOST) throw new Error(`${last + 1} pictures exceed the limit of ${MOST}: shorten the moves`);
  player.playing = true;
  for (let k = 0; k <= last && player.playing; k++) {
    player.seek(k / RATE);
    tell(`frame ${k + 1} of ${last + 1}`);
    await take(k);
  }
  const whole = player.playing;
  player.stop();
  return whole;
}

/** The motion as a WebM; null if it was stopped. */
export async function videoOf(player, view, tell) {
  const [width, height] = [view.canvas.width, view.canvas.height].map((pixels) => pixels - (pixels % 2));
  const settings = { codec: CODEC, width, height, bitrate: BITS, framerate: RATE };
  if (!(await globalThis.VideoEncoder?.isConfigSupported(settings))?.supported) throw new Error('this browser cannot encode video: save PNGs');
  const chunks = [];
  let failure = null;
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      chunks.push({ data, ms: chunk.timestamp / 1000, isKey: chunk.type === 'key' });
    },
    error: (error) => { failure = error; player.stop(); },
  });
  encoder.configure(settings);
  const whole = await throughPictures(player, tell, async (k) => {
    view.draw();
    const frame = new VideoFrame(view.canvas, { timestamp: (1e6 * k) / RATE, visibleRect: { x: 0, y: 0, width, height } });
    encoder.encode(frame, { keyFrame: k % RATE === 0 });
    frame.close();
    do await nextPicture(); while (encoder.encodeQueueSize > QUEUE && player.playing);
  });
  if (whole) await encoder.flush();
  if (encoder.state !== 'closed') encoder.close();
  if (failure) throw failure;
  return whole ? new Blob([webm(chunks, { width, height, rate: RATE })], { type: 'video/webm' }) : null;
}

/** The motion as numbered PNGs in a ZIP; null if it was stopped. */
export async function picturesOf(player, view, tell, name) {
  const files = {};
  const whole = await throughPictures(player, tell, async (k) => {
    const picture = await view.still();
    files[`${name}_${String(k + 1).padStart(4, '0')}.png`] = [new Uint8Array(await picture.arrayBuffer()), { level: 0 }]; // a PNG is packed
  });
  return whole ? new Blob([zipSync(files)], { type: 'application/zip' }) : null;
}
