// The list of topics: a row is dragged to its place among its siblings, and the server stores it.
(() => {
  'use strict';
  let dragged = null;
  let home = null;
  const rowOf = (element) => element.closest?.('[data-sortable] > li') ?? null;
  for (const list of document.querySelectorAll('[data-sortable]'))
    if (list.children.length > 1)
      for (const row of list.children) {
        const handle = document.createElement('span');
        handle.className = 'grip';
        handle.draggable = true;
        handle.title = list.dataset.sortable;
        // The menu has the same for keyboards and screen readers.
        handle.setAttribute('aria-hidden', 'true');
        row.prepend(handle);
      }

  document.addEventListener('dragstart', (event) => {
    dragged = event.target.matches?.('.grip') ? rowOf(event.target) : null;
    if (!dragged) return;
    home = dragged.nextElementSibling;
    event.dataTransfer.setDragImage(dragged, 0, 0);
    event.dataTransfer.effectAllowed = 'move';
  });
  document.addEventListener('dragover', (event) => {
    if (!dragged) return;
    event.preventDefault();
    let over = rowOf(event.target);
    // Over a category while a topic is dragged: its topic counts.
    while (over && over.parentElement !== dragged.parentElement) over = rowOf(over.parentElement);
    if (!over || over === dragged) return;
    const { top, height } = over.getBoundingClientRect();
    if (event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  document.addEventListener('drop', (event) => {
    if (!dragged) return;
    event.preventDefault();
    const form = document.createElement('form');
    form.method = 'post';
    form.action = dragged.dataset.move;
    const to = document.createElement('input');
    to.type = 'hidden';
    to.name = 'to';
    to.value = [...dragged.parentElement.children].indexOf(dragged);
    form.append(to);
    document.body.append(form);
    form.submit();
    dragged = null;
  });
  // Without a drop, after Escape or outside of the page, the row goes back.
  document.addEventListener('dragend', () => {
    dragged?.parentElement.insertBefore(dragged, home);
    dragged = null;
  });
})();
