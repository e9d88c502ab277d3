// The question editor: does in the page what the buttons would otherwise ask of the server, so that focus and text stay.
(() => {
  'use strict';
  const form = document.querySelector('.question-fields')?.closest('form');
  if (!form) return;
  const list = form.querySelector('ol.questions');
  const template = form.querySelector('ol.questions + template');
  const counted = form.querySelector('[data-count]');
  let made = 0;
  let unsaved = form.querySelector('.field-error, .form-errors') !== null;

  const questions = () => [...(list?.children ?? form.querySelectorAll('.question-fields'))];
  const questionOf = (element) => element.closest?.('.question-fields') ?? null;
  const rowsOf = (question) => [...question.querySelectorAll('.listed .answer-row')];
  const textOf = (row) => row.querySelector('.answer');
  const isEmpty = (row) => textOf(row).value.trim() === '';
  const questionText = (question) => question.querySelector('textarea[name$=".text"]');
  const bodyOf = (question) => question.querySelector('details.fold');
  const said = form.querySelector('[data-said]');
  const words = JSON.parse(said.dataset.words);
  const MOST_ROWS = Number(said.dataset.mostAnswers);
  const isFull = () => questions().length >= Number(said.dataset.mostQuestions);
  /** A sentence in the language of the page. */
  const word = (name, value) => words[name].replace('{}', () => value);
  /** For screen readers: what a key or a paste did. */
  const say = (text) => (said.textContent = text);

  const correctOf = (question) => {
    const kind = question.querySelector('.kinds :checked')?.value;
    const rows = [
      ...question.querySelectorAll(`.${kind === 'TRUE_FALSE' ? 'truth' : 'listed'} .answer-row`),
    ];
    return rows
      .filter((row) => kind === 'OPEN_ENDED' || row.querySelector('.tick').checked)
      .map((row) => textOf(row).value.trim())
      .filter(Boolean);
  };
  const isFinished = (question) =>
    questionText(question).value.trim() !== '' && correctOf(question).length > 0;

  const label = (element, noun, position) => {
    const about = new RegExp(`(${noun}) \\d+`, 'i');
    for (const it of [element, ...element.querySelectorAll('[aria-label]')])
      for (const name of ['aria-label', 'title']) {
        const text = it.getAttribute(name);
        if (text) it.setAttribute(name, text.replace(about, `$1 ${position}`));
      }
  };

  // Tab leads from one text to the next, and to the tick of what is written. The buttons of an answer are reached with
  // the arrow keys, and those of a question are one stop.
  const setStops = (question) => {
    const rows = rowsOf(question);
    const next = rows.findIndex(isEmpty);
    for (const [at, row] of rows.entries()) {
      textOf(row).tabIndex = isEmpty(row) && at !== next ? -1 : 0;
      row.querySelector('.tick').tabIndex = isEmpty(row) ? -1 : 0;
      for (const button of row.querySelectorAll('button')) button.tabIndex = -1;
    }
    for (const toolbar of question.querySelectorAll('[role="toolbar"]')) {
      const buttons = [...toolbar.querySelectorAll('button')];
      // The tools of a plain text are no stop: Alt and F10 leads there.
      const isStop = !toolbar.querySelector('[aria-pressed="false"]');
      const stop = buttons.find((it) => it === document.activeElement) ?? buttons[0];
      for (const button of buttons) button.tabIndex = isStop && button === stop ? 0 : -1;
    }
  };

  // Numbers follow the order in the page: a tick stands for the row that it is in.
  const number = () => {
    for (const [at, question] of questions().entries()) {
      if (list) label(question, word('question'), at + 1);
      if (list) question.querySelector('h2 .figure').textContent = at + 1;
      for (const [row, element] of rowsOf(question).entries()) {
        label(element, word('answer'), row + 1);
        const tick = element.querySelector('.tick');
        tick.value = row;
        if (row < 9) tick.setAttribute('aria-keyshortcuts', `Alt+${row + 1}`);
        else tick.removeAttribute('aria-keyshortcuts');
        for (const button of element.querySelectorAll('button'))
          button.value = button.value.replace(/\d+$/, row);
      }
    }
    // The formats are shown first: they decide whether the tools are a stop.
    form.dispatchEvent(new Event('numbered'));
    questions().forEach(refresh);
    count();
  };

  /** In one line, a picture is what it shows. */
  const describe = (text) =>
    text.replace(/!\[((?:\\.|[^[\]\\])*)\]\(media:[\w-]*\)/g, (_, alt) =>
      alt.replace(/\\([\\[\]`&<])/g, '$1'),
    );

  /** What follows from what is written in a question. */
  const refresh = (question) => {
    setStops(question);
    const summary = question.querySelector('.fold > summary');
    if (!summary) return;
    summary.draggable = true;
    summary.setAttribute('aria-keyshortcuts', 'Alt+ArrowUp Alt+ArrowDown');
    summary.querySelector('.grip').title = word('drag');
    const [text, key] = summary.querySelectorAll('.folded');
    text.textContent = describe(questionText(question).value);
    key.textContent = describe(correctOf(question).join(', '));
  };

  /** How many questions are written, and whether they are saved. */
  const count = () => {
    if (!counted) return;
    const written = questions().filter((it) => questionText(it).value.trim()).length;
    const texts = [word(written === 1 ? 'writtenOne' : 'written', written)];
    if (unsaved) texts.push(word('unsaved'));
    counted.textContent = texts.join(', ');
  };

  const open = (question) => {
    const body = bodyOf(question);
    if (body) body.open = true;
    return questionText(question);
  };

  // A finished question is folded when the focus goes to another one, which stays where it is on the screen.
  let current = null;
  const enter = (question) => {
    const from = current;
    current = question;
    if (!from?.isConnected || from === question || !bodyOf(from)?.open || !isFinished(from)) return;
    const { top } = question.getBoundingClientRect();
    bodyOf(from).open = false;
    scrollBy({ top: question.getBoundingClientRect().top - top, behavior: 'instant' });
  };
  // Not between the press and the release of a pointer: what it points at would move away.
  let isPressed = false;
  addEventListener('pointerdown', () => (isPressed = true), true);
  for (const type of ['pointerup', 'pointercancel', 'dragend'])
    addEventListener(type, () => {
      isPressed = false;
      setTimeout(() => {
        const question = questionOf(document.activeElement);
        if (question) enter(question);
      });
    });
  form.addEventListener('focusin', ({ target }) => {
    const question = questionOf(target);
    if (!question) return;
    if (!isPressed) enter(question);
    setStops(question);
    if (target.closest('.answer-row') && target.matches('button')) target.tabIndex = 0;
  });
  // Whoever opens a question wants to write in it.
  list?.addEventListener('click', (event) => {
    const summary = event.target.closest('.fold > summary');
    if (summary)
      setTimeout(() => summary.parentElement.open && questionText(questionOf(summary)).focus());
  });

  // Whoever calls these numbers the questions afterwards: once, since it visits all of them.
  const addRow = (question, after = rowsOf(question).at(-1)) => {
    if (rowsOf(question).length >= MOST_ROWS) return after;
    const row = after.cloneNode(true);
    for (const it of row.querySelectorAll('.field-error, .beside')) it.remove();
    for (const input of row.querySelectorAll('input, textarea'))
      for (const name of ['aria-invalid', 'aria-describedby']) input.removeAttribute(name);
    row.querySelector('.tick').checked = false;
    textOf(row).value = '';
    after.after(row);
    return row;
  };

  /** There is always room for another answer. Returns whether it made some. */
  const makeRoom = (question) => {
    const last = rowsOf(question).at(-1);
    return !isEmpty(last) && addRow(question) !== last;
  };

  const addQuestion = (after) => {
    const box = document.createElement('div');
    box.innerHTML = template.innerHTML.replaceAll('KEY', `s${Date.now().toString(36)}${made++}`);
    const question = box.firstElementChild;
    if (after) after.after(question);
    else list.append(question);
    return question;
  };

  /** The fields that are filled in, by the part of their names after the key of the question, such as "answer". */
  const fieldsOf = (question) => {
    const fields = new Map();
    for (const field of question.querySelectorAll(
      ':is(input, textarea, select)[name]:not([type="hidden"])',
    )) {
      const part = field.name.slice(field.name.lastIndexOf('.') + 1);
      fields.set(part, [...(fields.get(part) ?? []), field]);
    }
    return fields;
  };

  const copy = (from) => {
    const to = addQuestion(from);
    // One row for each row, whatever a new question has.
    while (rowsOf(to).length < rowsOf(from).length) addRow(to);
    for (const row of rowsOf(to).slice(rowsOf(from).length)) row.remove();
    const targets = fieldsOf(to);
    for (const [part, fields] of fieldsOf(from))
      for (const [at, field] of fields.entries()) {
        const target = targets.get(part)[at];
        if (field.matches('[type="radio"], [type="checkbox"]')) target.checked = field.checked;
        else if (field.tagName === target.tagName) target.value = field.value;
        // An answer of several lines.
        else target.replaceWith(Object.assign(field.cloneNode(true), { name: target.name }));
      }
    const wrong = from.querySelector('.wrong-answers')?.cloneNode(true);
    if (wrong) {
      const { name } = targets.get('text')[0];
      for (const field of wrong.querySelectorAll('input'))
        field.name = name.replace(/text$/, 'wrong');
      to.querySelector('.listed').append(wrong);
    }
    return to;
  };

  const remove = (question) => {
    const id = question.querySelector('input[name$=".id"]').value;
    if (id) {
      const removed = { type: 'hidden', name: 'removed', value: id };
      form.prepend(Object.assign(document.createElement('input'), removed));
    }
    const next = question.nextElementSibling ?? question.previousElementSibling ?? addQuestion();
    question.remove();
    return next;
  };

  const removeRow = (row) => {
    const question = questionOf(row);
    const rows = rowsOf(question);
    const at = rows.indexOf(row);
    if (rows.length > 1) row.remove();
    else textOf(row).value = '';
    makeRoom(question);
    return textOf(rowsOf(question)[Math.min(at, rowsOf(question).length - 1)]);
  };

  /** Returns whether there was somewhere to move it. */
  const move = (element, by) => {
    const other = by === 'up' ? element.previousElementSibling : element.nextElementSibling;
    if (other?.className !== element.className) return false;
    if (by === 'up') other.before(element);
    else other.after(element);
    const at = [...element.parentElement.querySelectorAll(`:scope > .${element.classList[0]}`)];
    say(word(by === 'up' ? 'movedUp' : 'movedDown', at.indexOf(element) + 1));
    return true;
  };

  const act = (button) => {
    const [verb] = button.value.split(' ');
    // The server says how to add more, on a page with all that is typed.
    if ((verb === 'add' || verb === 'copy') && isFull()) return false;
    const question = questionOf(button);
    const row = button.closest('.answer-row');
    let focus = button;
    let isChanged = true;
    if (verb === 'add') focus = open(addQuestion());
    else if (verb === 'copy') focus = open(copy(question));
    else if (verb === 'remove') focus = open(remove(question));
    else if (verb === 'up' || verb === 'down') isChanged = move(question, verb);
    else if (verb === 'answer') focus = textOf(addRow(question));
    else if (verb === 'answer-up') isChanged = move(row, 'up');
    else if (verb === 'answer-remove') focus = removeRow(row);
    else return false;
    if (isChanged) unsaved = true;
    number();
    focus.focus();
    focus.closest('.answer-row, .question-fields')?.scrollIntoView({ block: 'nearest' });
    return true;
  };

  form.addEventListener('click', (event) => {
    const button = event.target.closest('button[name="then"]');
    if (button && act(button)) event.preventDefault();
  });

  // Typing in the last new question adds an empty one.
  form.addEventListener('input', ({ target }) => {
    unsaved = true;
    const question = questionOf(target);
    if (!question) return count();
    const hasNewRow = makeRoom(question);
    const isLast = question === list?.lastElementChild;
    const hasNewQuestion = isLast && !question.querySelector('[name$=".id"]').value && !isFull();
    if (hasNewQuestion) addQuestion();
    if (hasNewRow || hasNewQuestion) return number();
    refresh(question);
    count();
  });

  // A list that is pasted into an answer becomes an answer for each line, without its bullets or numbers.
  form.addEventListener('paste', (event) => {
    // Not into the description of its picture, nor onto its tick.
    const row = event.target.matches('.answer') && event.target.closest('.listed .answer-row');
    const lines = (event.clipboardData?.getData('text/plain') ?? '')
      .split(/[\r\n\t]+/)
      .map((line) => line.trim())
      .filter(Boolean);
    if (!row || event.target.tagName === 'TEXTAREA' || lines.length < 2) return;
    event.preventDefault();
    const [first, ...others] = withoutMarkers(lines);
    const { selectionStart, selectionEnd } = event.target;
    event.target.setRangeText(first, selectionStart, selectionEnd, 'end');
    let last = row;
    let pasted = 1;
    for (const line of others) {
      const next = last.nextElementSibling;
      const isRoom = next?.matches('.answer-row') && isEmpty(next);
      if (!isRoom && rowsOf(questionOf(row)).length >= MOST_ROWS) break;
      last = isRoom ? next : addRow(questionOf(row), last);
      textOf(last).value = line;
      pasted += 1;
    }
    number();
    textOf(last).focus();
    textOf(last).dispatchEvent(new Event('input', { bubbles: true }));
    say(word('pasted', pasted));
  });
  /** Only where every line has one, in order: "3. Mai" is no number of a list. */
  function withoutMarkers(lines) {
    const parts = lines.map((line) => /^(?:[-–•*]|\(?(\d+|[a-z])[.)])\s+(.*)$/i.exec(line));
    const isInOrder = parts.every((part, at) => {
      if (!part) return false;
      const [, mark = ''] = part;
      return ['', String(at + 1), 'abcdefghijklmnopqrstuvwxyz'[at]].includes(mark.toLowerCase());
    });
    return isInOrder ? parts.map(([, , text]) => text) : lines;
  }

  /** To the question after this one, which is made if there is none. */
  const goToNext = (question) => {
    if (!list) return form.requestSubmit(form.querySelector('[value="another"]'));
    const next = question ? question.nextElementSibling : list.firstElementChild;
    if (next) open(next).focus();
    else if (!isFull() && (!question || isFinished(question))) {
      const added = addQuestion();
      number();
      open(added).focus();
    }
  };

  /** Alt and a digit: the answer with this number is correct, or no longer. */
  const mark = (question, digit) => {
    const kind = question.querySelector('.kinds :checked')?.value;
    const box = kind === 'TRUE_FALSE' ? '.truth' : '.listed';
    const tick = question.querySelectorAll(`${box} .tick`)[digit - 1];
    if (!tick || kind === 'OPEN_ENDED') return;
    tick.click();
    say(word(tick.checked ? 'marked' : 'unmarked', digit));
  };

  const isVisible = (element) => element.checkVisibility?.() ?? true;
  const focusAt = (elements, from, by) => {
    const to = elements[elements.indexOf(from) + by];
    if (!to) return false;
    to.focus();
    return true;
  };

  /** The arrow keys within an answer, and among the answers and the buttons of a question. */
  const goByArrow = (target, key) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const toolbar = target.closest('[role="toolbar"]');
    if (by && toolbar) return focusAt([...toolbar.querySelectorAll('button')], target, by);
    const row = target.closest('.listed .answer-row');
    if (!row || target.tagName === 'TEXTAREA') return false;
    if (by) {
      const isWithin =
        target === textOf(row) && (by < 0 || target.selectionStart < target.value.length);
      const stops = [...row.querySelectorAll('.answer, .tick, button')];
      return !isWithin && focusAt(stops.filter(isVisible), target, by);
    }
    if (target !== textOf(row)) return false;
    return focusAt(rowsOf(questionOf(row)).map(textOf), target, key === 'ArrowUp' ? -1 : 1);
  };

  /** On a Mac Alt and a digit type "[" or "|" in many languages, which no other keys do. */
  const isTypedOnMac = (key) =>
    /Mac|iP/.test(navigator.platform) && /^[!-~]$/.test(key) && !/\d/.test(key);

  const onKey = ({ key, code, target, altKey, ctrlKey, metaKey, shiftKey }) => {
    const question = questionOf(target);
    const row = target.closest('.listed .answer-row');
    if (key === 'Enter' && (ctrlKey || metaKey)) {
      goToNext(question);
      return true;
    }
    if (!question || ctrlKey || metaKey || shiftKey) return false;
    if (altKey) {
      const [, digit] = /^(?:Digit|Numpad)([1-9])$/.exec(code) ?? [];
      if (digit && isTypedOnMac(key)) return false;
      if (digit) mark(question, Number(digit));
      else if (/^Arrow(Up|Down)$/.test(key) && target.tagName !== 'SELECT') {
        if ((row || list) && move(row ?? question, key.slice(5).toLowerCase())) {
          unsaved = true;
          number();
        }
        target.focus();
      } else return false;
      return true;
    }
    if (key.startsWith('Arrow')) return goByArrow(target, key);
    if (!row || target.tagName !== 'INPUT' || !target.matches('.answer')) return false;
    // Enter leads to the next answer: it would save the form.
    if (key === 'Enter') {
      const next = row.nextElementSibling?.matches('.answer-row') && row.nextElementSibling;
      const below = next || addRow(question);
      if (!next) number();
      textOf(below).focus();
      return true;
    }
    if (key === 'Backspace' && target.value === '' && rowsOf(question).length > 1) {
      const above = row.previousElementSibling;
      const focus = removeRow(row);
      (above?.matches('.answer-row') ? textOf(above) : focus).focus();
      number();
      return true;
    }
    return false;
  };
  form.addEventListener('keydown', (event) => {
    // AltGr types characters: on a German keyboard with digits, too.
    if (event.isComposing || event.getModifierState('AltGraph')) return;
    if (onKey(event)) event.preventDefault();
  });

  // The order by dragging a question by its first line.
  let dragged = null;
  let home = null;
  list?.addEventListener('dragstart', (event) => {
    dragged = event.target.matches?.('summary') ? questionOf(event.target) : null;
    if (!dragged) return;
    home = dragged.nextElementSibling;
    event.dataTransfer.setDragImage(dragged, 0, 0);
    event.dataTransfer.effectAllowed = 'move';
  });
  list?.addEventListener('dragover', (event) => {
    const over = questionOf(event.target);
    if (!dragged) return;
    event.preventDefault();
    if (!over || over === dragged) return;
    const { top, height } = over.getBoundingClientRect();
    if (event.clientY < top + height / 2) over.before(dragged);
    else over.after(dragged);
  });
  list?.addEventListener('drop', (event) => {
    // Selected text and links are dragged, too.
    if (!dragged) return;
    event.preventDefault();
    dragged = null;
    unsaved = true;
    number();
  });
  // Without a drop, after Escape or outside of the list, the question goes back.
  list?.addEventListener('dragend', () => {
    if (dragged) list.insertBefore(dragged, home);
    dragged = null;
  });
  questions().forEach(makeRoom);
  number();

  let isSent = false;
  form.addEventListener('submit', () => {
    unsaved = false;
    isSent = true;
    try {
      sessionStorage.setItem('unanswered-save', 'yes');
    } catch {
      // Without storage the browser shows the page again as it was.
      isSent = false;
    }
  });
  // Back from the browser's memory. A save that was answered (dashboard.js) has made this text old: sent again, it would
  // add its new questions twice, and a new quiz a second time. Of any other, what was typed is only here.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted || !isSent) return;
    if (sessionStorage.getItem('unanswered-save')) unsaved = true;
    else location.reload();
  });
  addEventListener('beforeunload', (event) => {
    if (unsaved) event.preventDefault();
  });
})();
