// Requests to the window's server, messages and questions.

import { $, element as made } from './store.js';

export { $, made };

/** A name that may be broken after each underscore. */
export const breakable = (name) => name.split(/(?<=_)/).flatMap((part) => [part, made('wbr')]);

/** What the server refused, with the status of HTTP. */
export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** The answer to a request: JSON, or the response itself. */
export async function ask(path, options = {}) {
  if (options.json !== undefined) Object.assign(options, { body: JSON.stringify(options.json), headers: { 'Content-Type': 'application/json' } });
  let answer;
  try {
    answer = await fetch(`api/${path}`, options);
  } catch {
    throw new Refusal(0, 'The server does not respond. Restart sim studio; saved work is in the folder.');
  }
  if (!answer.ok) throw new Refusal(answer.status, await answer.text());
  return (answer.headers.get('content-type') ?? '').includes('json') ? answer.json() : answer;
}

/** Shows a message until the next one; `offers` are pairs of a label and what it does. */
export function say(text, { well = false, offers = [] } = {}) {
  $('#message').hidden = !text;
  $('#message').classList.toggle('well', well);
  $('#message span').replaceChildren(text ?? '', ...offers.map(([label, act]) => {
    const button = made('button', { type: 'button', class: 'text' }, label);
    button.addEventListener('click', attempt(act));
    return button;
  }));
}

/** The same function, whose refusals are shown. */
export const attempt = (act) => async (...given) => {
  try {
    say('');
    return await act(...given);
  } catch (error) {
    say(error.message);
    return null;
  }
};

/** Asks a question; the value of the button, or null where it is closed. `body` is what it shows. */
export function question(title, body, buttons) {
  const dialog = $('#dialog');
  $('#dialog h2').textContent = title;
  $('#dialog div').replaceChildren(...body);
  $('#dialog .buttons').replaceChildren(...buttons.map(([value, label]) => made('button', { value, ...(value === 'yes' ? { class: 'main' } : {}) }, label)));
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((done) => { dialog.addEventListener('close', () => done(dialog.returnValue || null), { once: true }); });
}
