// Columns of an index are sorted by a click on their heads; without this the rows stand as they are.
for (const table of document.querySelectorAll('table[data-sorted]')) {
  const body = table.tBodies[0];
  const asWritten = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, k) => row.cells[k].dataset.by ?? row.cells[k].textContent.trim();
  const sortBy = (head, k) => {
    const down = head.getAttribute('aria-sort') === (head.dataset.first ?? 'ascending');
    const order = down === (head.dataset.first === 'descending') ? 'ascending' : 'descending';
    for (const other of heads) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', order);
    const numeric = head.dataset.kind === 'number';
    const compared = (a, b) => (numeric ? Number(key(a, k)) - Number(key(b, k)) || 0 : key(a, k).localeCompare(key(b, k)));
    const sign = order === 'ascending' ? 1 : -1;
    body.append(...asWritten.toSorted((a, b) => sign * compared(a, b)));
  };
  heads.forEach((head, k) => {
    if (!head.dataset.kind) return;
    const button = document.createElement('button');
    button.className = 'text';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sortBy(head, k));
    head.append(button);
  });
}
document.documentElement.dataset.script = 'on';
