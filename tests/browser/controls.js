// Controls and pictures of a page: how many, those without a name, those smaller than 24 by 24
// pixels (Web Content Accessibility Guidelines 2.2, success criterion 2.5.8), and ids used twice.
() => {
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility());
  const named = (e) => e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.alt;
  const box = (e) => (e.closest('label') ?? e).getBoundingClientRect();
  const short = (e) => e.outerHTML.slice(0, 80);
  const controls = seen('button, select, input, a[href], [role=img], img');
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  return {
    count: controls.length,
    nameless: controls.filter((e) => !named(e)).map(short),
    small: seen('button, select, input[type=checkbox]').filter((e) => Math.min(box(e).width, box(e).height) < 24).map(short),
    twice: ids.filter((id, k) => ids.indexOf(id) !== k),
  };
}
