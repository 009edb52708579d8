// Whether the page was last touched by a pointer or by the keyboard.
//
// A click leaves the focus on the button it was made on, and the browser would give Space to that
// button. Who clicks wants Space to play; who came to the button by Tab wants it pressed.

const TYPED = 'textarea, [contenteditable], input:not([type=range], [type=checkbox], [type=radio], [type=button])';
let pointed = false;

addEventListener('pointerdown', () => { pointed = true; }, true);
addEventListener('keydown', ({ key }) => { if (key === 'Tab') pointed = false; }, true);

/** Takes the focus off what a pointer was pressed on, unless it is typed into; whether Space is free then. */
export function letGo(target) {
  if (!pointed || target.matches(TYPED) || target.closest('dialog')) return false;
  if (target !== document.body) target.blur();
  return true;
}
