// The teach page: a robot in three dimensions with the panel that moves it. The studio takes its parts from the same bundle.

import { unpacked } from './packed.js';
import { armOf } from './arm.js';
import { leastSingular, solutions } from './teach_arm.js';
import { playerOf } from './teach_film.js';
import { loopsOf } from './teach_loops.js';
import { panelOf } from './teach_panel.js';
import { $ } from './store.js';

export { armOf, loopsOf, panelOf, playerOf };

async function start(facts) {
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(await unpacked('robot'));
  document.head.append(script);
  const { parts } = globalThis.RobotView;
  const { scene } = await new parts.GLTFLoader().parseAsync((await unpacked('scene')).buffer, '');
  const arm = armOf(scene, facts, parts, loopsOf);
  const view = parts.viewOf(scene, $('#view'));
  $('#no3d').hidden = view !== null;
  const player = playerOf({ bar: $('#bar'), play: $('#play'), scrub: $('#scrub'), clock: $('#time') });
  const panel = panelOf($('#teach'), { arm, parts, view, player });
  globalThis.teaching = { arm, view, player, get q() { return arm.q; }, go: panel.go, least: () => leastSingular(arm), solutions: (wanted) => solutions(arm, wanted), script: panel.script };
  document.body.dataset.ready = 'yes';
}

const facts = $('#facts'); // of a page that is one file
if (facts) start(JSON.parse(facts.textContent)).catch((error) => { document.body.dataset.error = String(error); $('#failed').hidden = false; $('#failed').textContent = `The page could not start: ${error}`; });
