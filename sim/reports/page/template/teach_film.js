// The taught motion in the page, played with a time bar.

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
