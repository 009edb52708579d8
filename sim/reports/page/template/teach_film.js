// The taught motion in the page: played with a time bar, and recorded picture by picture.

import { zipSync } from 'fflate';
import { webm } from './webm.js';

const RATE = 25; // pictures a second
const MOST = 5000; // pictures; each takes some hundred kB of memory
const CODEC = 'vp09.00.51.08'; // VP9, 8 bits, up to 4096 x 2176
const BITS = 8e6; // a second
const QUEUE = 4; // pictures that wait for the encoder

const nextPicture = () => new Promise(requestAnimationFrame);

/** The bar below the view: `place` puts the joints where the motion has them, `motion` is null without one. */
export function playerOf(place, { bar, play, scrub, clock }) {
  const player = { motion: null, t: 0, playing: false };
  const tell = () => {
    document.body.dataset.playing = player.playing;
    play.setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    scrub.value = player.t;
    clock.textContent = `${player.t.toFixed(2)} / ${player.motion.duration.toFixed(2)}`;
    scrub.setAttribute('aria-valuetext', `${player.t.toFixed(2)} seconds`);
  };
  player.seek = (t) => {
    player.t = Math.min(Math.max(t, 0), player.motion.duration);
    place(player.motion.at(player.t));
    tell();
  };
  player.stop = () => {
    if (!player.playing) return;
    player.playing = false;
    tell();
  };
  player.load = (motion) => {
    player.stop();
    player.motion = motion;
    bar.hidden = motion === null;
    if (!motion) return;
    player.t = Math.min(player.t, motion.duration);
    Object.assign(scrub, { min: 0, max: motion.duration });
    tell();
  };
  player.run = async () => {
    const from = player.t >= player.motion.duration ? 0 : player.t;
    const began = performance.now();
    player.playing = true;
    while (player.playing) {
      player.seek(from + (performance.now() - began) / 1000);
      if (player.t >= player.motion.duration) player.stop();
      await nextPicture();
    }
  };
  play.addEventListener('click', () => { if (player.playing) player.stop(); else player.run(); });
  scrub.addEventListener('input', () => { player.stop(); player.seek(scrub.valueAsNumber); });
  return player;
}

/** Shows the motion picture by picture, RATE a second and the end, however long each takes; whether it came to the end. */
async function throughPictures(player, tell, take) {
  const last = Math.ceil(player.motion.duration * RATE - 1e-9);
  if (last >= MOST) throw new Error(`${last + 1} pictures are too many, ${MOST} are allowed: give the moves less time`);
  player.playing = true;
  for (let k = 0; k <= last && player.playing; k++) {
    player.seek(k / RATE);
    tell(`picture ${k + 1} of ${last + 1}`);
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
  if (!(await globalThis.VideoEncoder?.isConfigSupported(settings))?.supported) throw new Error('this browser encodes no video: save PNGs');
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
