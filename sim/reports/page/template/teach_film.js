// A motion played with a time bar: that which is taught, or the preview of the studio.

const nextPicture = () => new Promise(requestAnimationFrame);

/** The bar below the view; `told` is called with whether it plays, each time that it begins or ends. */
export function playerOf({ bar, play, scrub, clock }, told = () => {}) {
  const player = { motion: null, t: 0, playing: false };
  let place = null; // puts the joints where the motion has them
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
    told(false);
  };
  /** Takes a motion, null for none, and who puts the joints where it has them. */
  player.load = (motion, placing) => {
    player.stop();
    player.motion = motion;
    place = placing;
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
    told(true);
    while (player.playing) {
      player.seek(from + (performance.now() - began) / 1000);
      if (player.t >= player.motion.duration) player.stop();
      await nextPicture();
    }
  };
  player.toggle = () => { if (player.playing) player.stop(); else if (player.motion) player.run(); };
  play.addEventListener('click', player.toggle);
  scrub.addEventListener('input', () => { player.stop(); player.seek(scrub.valueAsNumber); });
  return player;
}
