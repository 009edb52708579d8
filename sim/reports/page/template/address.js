// The address of what is shown: #ch=tau.elbow_joint&t=2.96&a=1&b=2.5&view=error&unit=rad&plot=tau.a,tau.b~qd.a

import { meta } from './data.js';
import { writeMarks } from './marks.js';
import { state } from './store.js';

/** The words after # that lead here, with a channel in focus. */
export function addressOf(focus = state.focus) {
  const words = new URLSearchParams();
  if (focus) words.set('ch', focus);
  words.set('t', String(Math.round(state.t * 1e6) / 1e6));
  writeMarks(words);
  if (state.values !== 'value') words.set('view', state.values);
  if (state.degrees !== meta.degrees) words.set('unit', state.degrees ? 'deg' : 'rad');
  if (state.millimetres) words.set('length', 'mm');
  for (const plot of state.plots) words.append('plot', plot);
  return String(words).replaceAll('%2C', ',').replaceAll('%7E', '~');
}
