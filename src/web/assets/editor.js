// The editor of questions: what its buttons ask of the server, done in the page, where the focus and the text stay.
(() => {
  'use strict';
  const form = document.querySelector('.question-fields')?.closest('form');
  if (!form) return;
  const list = form.querySelector('ol.questions');
  const template = form.querySelector('template');
  const MOST_ROWS = 60;
  let made = 0;
  let unsaved = form.querySelector('.field-error, .form-errors') !== null;

  const rowsOf = (question) => [...question.querySelectorAll('.listed .answer-row')];
  const textOf = (row) => row.querySelector('input[type="text"], textarea');

  const label = (element, word, number) => {
    const about = new RegExp(`(${word}) \\d+`, 'i');
    for (const it of [element, ...element.querySelectorAll('[aria-label]')])
      for (const name of ['aria-label', 'title'])
        it.getAttribute(name) &&
          it.setAttribute(name, it.getAttribute(name).replace(about, `$1 ${number}`));
  };

  // Numbers follow the order in the page: a tick stands for the row that it is in.
  const number = () => {
    for (const [at, question] of [...(list?.children ?? [form])].entries()) {
      if (list) label(question, 'question', at + 1);
      if (list) question.querySelector('h2').textContent = `Question ${at + 1}`;
      for (const [row, element] of rowsOf(question).entries()) {
        label(element, 'answer', row + 1);
        element.querySelector('[type="checkbox"]').value = row;
        for (const button of element.querySelectorAll('button'))
          button.value = button.value.replace(/\d+$/, row);
      }
    }
    makeDraggable();
  };

  const addRow = (question) => {
    const rows = rowsOf(question);
    if (rows.length >= MOST_ROWS) return rows.at(-1);
    const row = rows.at(-1).cloneNode(true);
    row.querySelector('.field-error')?.remove();
    for (const input of row.querySelectorAll('input')) {
      input.removeAttribute('aria-invalid');
      if (input.type === 'checkbox') input.checked = false;
    }
    textOf(row).value = '';
    rows.at(-1).after(row);
    number();
    return row;
  };

  const addQuestion = (after) => {
    const box = document.createElement('div');
    box.innerHTML = template.innerHTML.replaceAll('KEY', `s${Date.now().toString(36)}${made++}`);
    const question = box.firstElementChild;
    if (after) after.after(question);
    else list.append(question);
    number();
    return question;
  };

  const copy = (from) => {
    const to = addQuestion(from);
    while (rowsOf(to).length < rowsOf(from).length) addRow(to);
    const fields = (of) => [...of.querySelectorAll('input:not([type="hidden"]), textarea, select')];
    const targets = fields(to);
    for (const [at, field] of fields(from).entries()) {
      const target = targets[at];
      if (field.tagName === target.tagName) target.value = field.value;
      // An answer of several lines.
      else target.replaceWith(Object.assign(field.cloneNode(true), { name: target.name }));
      if ('checked' in field) target.checked = field.checked;
    }
    return to;
  };

  const remove = (question) => {
    const id = question.querySelector('input[name$=".id"]').value;
    if (id) form.insertAdjacentHTML('afterbegin', '<input type="hidden" name="removed">');
    if (id) form.querySelector('[name="removed"]').value = id;
    const next = question.nextElementSibling ?? question.previousElementSibling ?? addQuestion();
    question.remove();
    return next;
  };

  const move = (element, by) => {
    const other = by === 'up' ? element.previousElementSibling : element.nextElementSibling;
    if (other?.className !== element.className) return;
    if (by === 'up') other.before(element);
    else other.after(element);
  };

  const act = (button) => {
    const [verb] = button.value.split(' ');
    const question = button.closest('.question-fields');
    const row = button.closest('.answer-row');
    let focus = button;
    if (verb === 'add') focus = addQuestion().querySelector('textarea');
    else if (verb === 'copy') focus = copy(question).querySelector('textarea');
    else if (verb === 'remove') focus = remove(question).querySelector('textarea');
    else if (verb === 'up' || verb === 'down') move(question, verb);
    else if (verb === 'answer') focus = textOf(addRow(question));
    else if (verb === 'answer-up') move(row, 'up');
    else if (verb === 'answer-remove') {
      focus = textOf(
        row.nextElementSibling?.matches('.answer-row')
          ? row.nextElementSibling
          : rowsOf(question)[0],
      );
      if (rowsOf(question).length > 1) row.remove();
      else textOf(row).value = '';
      if (!focus.isConnected) focus = textOf(rowsOf(question)[0]);
    } else return false;
    unsaved = true;
    number();
    focus.focus();
    focus.closest('.answer-row, .question-fields')?.scrollIntoView({ block: 'nearest' });
    return true;
  };

  form.addEventListener('click', (event) => {
    const button = event.target.closest('button[name="then"]');
    if (button && act(button)) event.preventDefault();
  });

  // There is always room for the next answer and, in what is new, for the next question.
  form.addEventListener('input', ({ target }) => {
    unsaved = true;
    const question = target.closest('.question-fields');
    if (!question) return;
    const last = rowsOf(question).at(-1);
    if (target.value && textOf(last) === target) addRow(question);
    if (
      list &&
      question === list.lastElementChild &&
      !question.querySelector('[name$=".id"]').value
    )
      addQuestion();
  });

  // Enter in an answer leads to the next one: it would save the form.
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !event.target.matches('.listed [type="text"]')) return;
    event.preventDefault();
    const row = event.target.closest('.answer-row');
    const next = row.nextElementSibling?.matches('.answer-row')
      ? row.nextElementSibling
      : addRow(row.closest('.question-fields'));
    textOf(next).focus();
  });

  // The order by dragging a question by its heading.
  let dragged = null;
  function makeDraggable() {
    for (const heading of list?.querySelectorAll('.section-head h2') ?? [])
      heading.draggable = true;
  }
  list?.addEventListener('dragstart', (event) => {
    dragged = event.target.closest?.('.question-fields');
    event.dataTransfer.setDragImage(dragged, 0, 0);
    event.dataTransfer.effectAllowed = 'move';
  });
  list?.addEventListener('dragover', (event) => {
    const over = event.target.closest('.question-fields');
    if (!dragged) return;
    event.preventDefault();
    if (!over || over === dragged) return;
    const { top, height } = over.getBoundingClientRect();
    if (event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  list?.addEventListener('dragend', () => {
    dragged = null;
    unsaved = true;
    number();
  });
  number();

  form.addEventListener('submit', () => (unsaved = false));
  addEventListener('beforeunload', (event) => {
    if (unsaved) event.preventDefault();
  });
})();
