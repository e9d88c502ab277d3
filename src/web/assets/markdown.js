// Markdown in the editor of questions: buttons that write it, a preview of what it becomes, and pictures.
(() => {
  'use strict';
  const form = document.querySelector('.question-fields')?.closest('form');
  const tools = form?.querySelector('template[data-tools]');
  if (!tools) return;

  const TEXTS = 'textarea[name$=".text"], .answer, textarea[name$=".explanation"]';
  const questionOf = (element) => element?.closest?.('.question-fields') ?? null;
  const formatOf = (question) => question.querySelector('select[name$=".format"]');
  const isMarkdown = (question) => formatOf(question).value === 'markdown';
  const isVisible = (element) => element.checkVisibility?.() ?? true;
  /** Also those that are out of sight: of a closed "More", or of another kind of question. */
  const allTextsOf = (question) => [...question.querySelectorAll(TEXTS)];
  const textsOf = (question) => allTextsOf(question).filter(isVisible);
  const words = JSON.parse(form.querySelector('[data-said]').dataset.words);
  /** A sentence in the language of the page. */
  const word = (name, value) => words[name].replace('{}', () => value);
  /** For screen readers. */
  const say = (text) => (form.querySelector('[data-said]').textContent = text);
  const changed = (field) => field.dispatchEvent(new Event('input', { bubbles: true }));

  // Also those of questions to come.
  for (const root of [form, ...[...form.querySelectorAll('template')].map((it) => it.content)])
    for (const toolbar of root.querySelectorAll('.tools'))
      toolbar.append(tools.content.cloneNode(true));

  /** Where the tools of a question write: the text that had the focus last. */
  const lastOf = new WeakMap();
  const entered = new WeakSet();
  const targetOf = (question) => {
    const last = lastOf.get(question);
    return last?.isConnected && isVisible(last) ? last : question.querySelector(TEXTS);
  };

  // The format ---------------------------------------------------------------------------------------

  const sync = (question) => {
    const toggle = question.querySelector('[data-tool="format"]');
    toggle.setAttribute('aria-pressed', isMarkdown(question));
    if (!isMarkdown(question))
      for (const field of allTextsOf(question)) {
        restorePlain(field);
        previewed.delete(field);
        hide(field);
        boxOf(field).querySelector('.beside')?.remove();
      }
    later();
  };
  const note = (question, text) => {
    question.querySelector('.tools-note').textContent = text;
    say(text);
  };
  const setFormat = (question, value, text) => {
    if (formatOf(question).value === value) return;
    formatOf(question).value = value;
    changed(formatOf(question));
    note(question, text);
  };
  const needsMarkdown = (question) => setFormat(question, 'markdown', word('markdown'));

  /** What plain text shows in its own way, as plain-text.ts reads it. */
  const CODE = /\n?```[^]+?```\n?|(?<!`)`[^`\n]+`(?!`)/g;
  const BLANK = '\u00a0';
  const decoder = document.createElement('textarea');
  const isDecoded = (text) => {
    decoder.innerHTML = text;
    return decoder.value !== text;
  };
  const codeAsMarkdown = (code, isFirst, isLast) => {
    const inner = code.trim().slice(3, -3);
    const start = /^[\w+#-]*\n/.test(inner) ? '' : '\n';
    const end = inner.endsWith('\n') ? '' : '\n';
    return `${isFirst ? '' : '\n'}\`\`\`${start}${inner}${end}\`\`\`${isLast ? '' : '\n'}`;
  };
  const urlAsMarkdown = (found, after) => {
    const [, url, end] = /^(.*?)([.,;:!?'’”»*_)\]]*)$/.exec(found);
    const written = isDecoded(url) ? url.replaceAll('&', '&amp;') : url;
    const rest = end.replace(/[*_]/g, '\\$&');
    const isDelimited = /^[.,;:!?)]*(?:\s|$)/.test(rest + after);
    return (isDelimited ? written : `<${written}>`) + rest;
  };
  /** What is code in plain text, an address, a line that ends or begins, spaces, and signs of Markdown. */
  const PARTS = new RegExp(
    [
      `(?<code>${CODE.source})`,
      /(?<url>https?:\/\/[^\s<>"`]+)/,
      /(?<end>(?<=[^\n])[ \t]*\n(?=[ \t]*\S))/,
      /(?<spaces>^[ \t]+(?=\S)|(?<=\S) {2,}(?=\S))/,
      /(?<block>^(?:#{1,6}(?=\s|$)|>|-(?=[-\s|:]|$)|[+*](?=\s|$)|=(?=[= \t]*$)|[|:](?=[-:| \t]*$)))/,
      /(?<number>^\d{1,9}(?=[.)](?:\s|$)))/,
      /(?<entity>&#?[a-z\d]+;?)/,
      /(?<pair>[*~$])/,
      /(?<bracket>\[)/,
      /(?<sign>\\(?=[!-/:-@[-`{-~]|https?:|$)|`|<(?=[a-z/!?])|(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_]))/,
    ]
      .map((it) => it.source ?? it)
      .join('|'),
    'gimu',
  );
  /**
   * Plain text as Markdown that is shown as it was: "5*3*2" has no italics, and a line stays a line.
   * @param text a part of the text of the field
   */
  const asMarkdown = (field, text = field.value) => {
    const hasLines = field.tagName === 'TEXTAREA';
    const isTwice = (sign) => field.value.split(sign).length > 2;
    const hasLinks = /\][(:[]/.test(field.value);
    return text.replace(PARTS, (found, ...others) => {
      const at = others.findLast((it) => typeof it === 'number');
      const { code, url, end, spaces, block, number, entity, pair, bracket } = others.at(-1);
      const after = text.slice(at + found.length);
      if (code)
        return hasLines && code.includes('```') ? codeAsMarkdown(code, at === 0, !after) : code;
      if (url) return urlAsMarkdown(url, after);
      if (end) return '  \n';
      if (spaces) {
        const wide = spaces.replaceAll('\t', '    ');
        return at > 0 && text[at - 1] !== '\n'
          ? BLANK.repeat(wide.length - 1) + ' '
          : BLANK.repeat(wide.length);
      }
      if (number) return hasLines ? `${number}\\` : number;
      if (block && !hasLines && !/[*~$]/.test(block)) return block;
      if (entity && !isDecoded(entity)) return entity;
      if (pair && !isTwice(pair)) return pair;
      if (bracket && !hasLinks) return bracket;
      return found.startsWith('_') ? found.replaceAll('_', '\\_') : `\\${found}`;
    });
  };
  /** By field: its plain text, and the Markdown that was made of it for a picture. */
  const converted = new WeakMap();
  /** As typed where somebody is typing, so that it can be undone. */
  const setText = (field, text) => {
    if (text === field.value) return;
    if (document.activeElement === field) replace(field, 0, field.value.length, text);
    else field.value = text;
  };
  const convert = (field, markdown = asMarkdown(field)) => {
    converted.set(field, { plain: field.value, markdown });
    setText(field, markdown);
  };
  const isAsConverted = (field) => {
    const made = converted.get(field);
    return made ? field.value === made.markdown : !MARKUP.test(field.value);
  };
  const restorePlain = (field) => {
    const made = converted.get(field);
    converted.delete(field);
    if (made?.markdown === field.value) setText(field, made.plain);
  };
  /** Without its picture, a question that was converted for it is plain again. */
  const restoreWhole = (question) => {
    const texts = allTextsOf(question);
    if (texts.some((field) => converted.has(field)) && texts.every(isAsConverted))
      setFormat(question, 'plain', word('plainAgain'));
  };
  form.addEventListener('change', ({ target }) => {
    if (target.matches('select[name$=".format"]')) note(questionOf(target), '');
  });

  // Writing ------------------------------------------------------------------------------------------

  /** As if it were typed, so that it can be undone. */
  const replace = (field, from, to, text) => {
    field.focus();
    field.setSelectionRange(from, to);
    // A field that is out of sight gets no focus.
    const isFocused = document.activeElement === field;
    if (isFocused && document.execCommand(text ? 'insertText' : 'delete', false, text)) return;
    field.setRangeText(text, from, to, 'end');
    changed(field);
  };

  /** The same wherever the focus is: it stays there. */
  const write = (field, from, to, text) => {
    const { activeElement } = document;
    if (activeElement === field) return replace(field, from, to, text);
    field.focus({ preventScroll: true });
    replace(field, from, to, text);
    if (activeElement === document.body) field.blur();
    else activeElement.focus({ preventScroll: true });
  };

  const MARKS = { bold: '**', italic: '*', code: '`', formula: '$' };
  const wrap = (field, mark) => {
    const { value } = field;
    let { selectionStart: from, selectionEnd: to } = field;
    // Spaces stay outside: `** a**` is not bold.
    while (from < to && /\s/.test(value[from])) from += 1;
    while (from < to && /\s/.test(value[to - 1])) to -= 1;
    const [before, text, after] = [value.slice(0, from), value.slice(from, to), value.slice(to)];
    const stars = /\**$/.exec(before)[0].length;
    const isMarked =
      before.endsWith(mark) && after.startsWith(mark) && (mark !== '*' || stars % 2 === 1);
    const by = isMarked ? -mark.length : mark.length;
    if (isMarked) replace(field, from + by, to - by, text);
    else replace(field, from, to, mark + text + mark);
    field.setSelectionRange(from + by, to + by);
  };

  /** By field: the one that has taken its place. */
  const successors = new WeakMap();
  const current = (field) => successors.get(field) ?? field;
  /** An answer of several lines is a textarea. */
  const withLines = (field) => {
    if (field.tagName === 'TEXTAREA') return field;
    const area = document.createElement('textarea');
    for (const { name, value } of field.attributes)
      if (!['type', 'value', 'style'].includes(name)) area.setAttribute(name, value);
    area.rows = 1;
    area.value = field.value;
    const { selectionStart, selectionEnd } = field;
    field.replaceWith(area);
    successors.set(field, area);
    if (converted.has(field)) converted.set(area, converted.get(field));
    area.setSelectionRange(selectionStart, selectionEnd);
    return area;
  };

  const writeBlock = (short) => {
    const field = withLines(short);
    const { value, selectionStart: from, selectionEnd: to } = field;
    const [before, code, after] = [value.slice(0, from), value.slice(from, to), value.slice(to)];
    const start = `${before && !before.endsWith('\n') ? '\n' : ''}\`\`\`\n`;
    replace(
      field,
      from,
      to,
      `${start}${code}\n\`\`\`${after && !after.startsWith('\n') ? '\n' : ''}`,
    );
    field.setSelectionRange(from + start.length, from + start.length + code.length);
  };

  const use = (tool, question) => {
    const field = targetOf(question);
    if (tool === 'format') {
      const hasPictures = allTextsOf(question).some(({ value }) => value.includes('](media:'));
      if (!isMarkdown(question)) needsMarkdown(question);
      else setFormat(question, 'plain', hasPictures ? word('plainMarks') : word('plain'));
    } else if (tool === 'picture') choose(field);
    else {
      needsMarkdown(question);
      if (!entered.has(field)) field.setSelectionRange(field.value.length, field.value.length);
      if (tool === 'block') writeBlock(field);
      else wrap(field, MARKS[tool]);
    }
  };

  // The text keeps the focus, and a phone its keyboard.
  form.addEventListener('mousedown', (event) => {
    if (event.target.closest('[data-tool]')) event.preventDefault();
  });
  form.addEventListener('click', ({ target }) => {
    const button = target.closest('[data-tool]');
    if (button) use(button.dataset.tool, questionOf(button));
  });
  form.addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
    const question = questionOf(target);
    if (!question) return;
    const toolbar = target.closest('.tools');
    const tool = { b: 'bold', i: 'italic', e: 'code' }[key.toLowerCase()];
    if (altKey && key === 'F10') question.querySelector('.tools button').focus();
    else if (toolbar && key === 'Escape') targetOf(question).focus();
    else if ((ctrlKey || metaKey) && !altKey && !shiftKey && tool) {
      // In plain text browsers have their own use for these keys.
      if (!target.matches(TEXTS) || !isMarkdown(question)) return;
      use(tool, question);
    } else return;
    event.preventDefault();
  });
  form.addEventListener('focusin', ({ target }) => {
    const question = questionOf(target);
    if (!question || !target.matches(TEXTS)) return;
    lastOf.set(question, target);
    entered.add(target);
    // Whoever has written one question in Markdown writes the next one so, too.
    const before = question.previousElementSibling;
    const isNew = !question.dataset.begun && textsOf(question).every(({ value }) => !value.trim());
    question.dataset.begun = '';
    if (isNew && before?.matches('.question-fields') && isMarkdown(before)) {
      formatOf(question).value = 'markdown';
      sync(question);
    }
  });

  // What is shown below a text -----------------------------------------------------------------------

  let made = 0;
  const boxOf = (field) => field.closest('.answer-row') ?? field.closest('.field');
  /** Made when it is needed. A row of answers takes it along. */
  const besideOf = (field) => {
    const box = boxOf(field);
    const known = box.querySelector('.beside');
    if (known) return known;
    const beside = document.createElement('div');
    beside.className = 'beside';
    beside.innerHTML = `<p id="beside-${(made += 1)}"></p>
      <button type="button" class="btn" data-variant="outline" data-size="sm" hidden>${word('describe')}</button>
      <div class="shown" role="group" hidden></div>`;
    beside.querySelector(':scope > button').addEventListener('click', () => {
      const [, id] = UNDESCRIBED.exec(field.value) ?? [];
      if (id) ask(field, id).focus();
    });
    if (box.matches('.field')) field.after(beside);
    else box.append(beside);
    return beside;
  };
  const nameOf = (field) => (field.ariaLabel ?? field.labels[0].textContent).toLowerCase();

  /** By field: the text beside which an upload was refused. What is said of it stays until something else is typed. */
  const refused = new WeakMap();
  /** The fields that are invalid because of what is said here, not because the server refused them. */
  const invalid = new WeakSet();
  /** An error, which makes the field invalid, or advice. */
  const advise = (field, text, isError = false) => {
    const said = besideOf(field).querySelector(':scope > p');
    if (said.textContent !== text && document.activeElement === field) say(text);
    said.textContent = text;
    said.className = isError ? 'field-error' : 'muted small';
    const ids = new Set(field.getAttribute('aria-describedby')?.split(' ').filter(Boolean));
    if (text) ids.add(said.id);
    else ids.delete(said.id);
    if (ids.size > 0) field.setAttribute('aria-describedby', [...ids].join(' '));
    else field.removeAttribute('aria-describedby');
    if (isError) {
      if (!field.hasAttribute('aria-invalid')) invalid.add(field);
      field.setAttribute('aria-invalid', 'true');
    } else if (invalid.delete(field)) field.removeAttribute('aria-invalid');
  };

  /** What can be saved as it is. */
  const ADVICE = ['alternative_text', 'picture_not_shown', 'too_much'];
  const show = (field, { html, issue }) => {
    const beside = besideOf(field);
    const preview = beside.querySelector('.shown');
    // What was shown last stays until the text can be shown again.
    if (html) preview.innerHTML = `<div class="markdown">${html}</div>`;
    preview.hidden = preview.innerHTML === '';
    preview.toggleAttribute('data-stale', !html);
    preview.ariaLabel = word('previewOf', nameOf(field));
    const isUndescribed = issue?.code === 'alternative_text';
    if (refused.get(field) === field.value) return;
    const isAsked = isUndescribed && beside.querySelector('.picture-prompt') !== null;
    // The server has said it, when it refused the form.
    const isSaid = boxOf(field).querySelector(':scope > .field-error') !== null;
    const text = isAsked || isSaid ? '' : (issue?.message ?? '');
    advise(field, text, text !== '' && !ADVICE.includes(issue.code));
    beside.querySelector(':scope > button').hidden =
      !isUndescribed || isAsked || !UNDESCRIBED.test(field.value);
  };
  const hide = (field) => {
    const beside = boxOf(field).querySelector('.beside');
    if (!beside) return;
    const [button, preview] = [
      beside.querySelector(':scope > button'),
      beside.querySelector('.shown'),
    ];
    button.hidden = preview.hidden = true;
    preview.replaceChildren();
    if (refused.get(field) !== field.value) advise(field, '');
  };

  // The preview --------------------------------------------------------------------------------------

  /** What may look different from what is typed. */
  const MARKUP = /[*_~`$[\]<>|#\\&\n]|https?:/;
  /** How a request for previews names the texts, in the order of its response. */
  const KINDS = [
    ['text', 'textarea[name$=".text"]'],
    ['answer', '.answer'],
    ['explanation', 'textarea[name$=".explanation"]'],
  ];
  let mostAtOnce = 20;
  /** By field: the text that its preview shows. */
  const previewed = new WeakMap();
  let timer;
  let isAsking = false;
  function later(delay = 400) {
    clearTimeout(timer);
    timer = setTimeout(refresh, delay);
  }
  /** The question beside which it is said why there is no preview. */
  let troubled = null;
  const sayTrouble = ([field], text) => {
    if (troubled) note(troubled, '');
    troubled = text ? questionOf(field) : null;
    if (troubled) note(troubled, text);
  };
  async function refresh() {
    if (isAsking) return;
    const fields = [...form.querySelectorAll('.question-fields')]
      .filter(isMarkdown)
      .flatMap(textsOf)
      .filter((field) => previewed.get(field) !== field.value);
    for (const field of fields.filter(({ value }) => !MARKUP.test(value))) {
      previewed.set(field, field.value);
      hide(field);
    }
    const kindOf = (field) => KINDS.findIndex(([, selector]) => field.matches(selector));
    const asked = fields
      .filter(({ value }) => MARKUP.test(value))
      .slice(0, mostAtOnce)
      .sort((a, b) => kindOf(a) - kindOf(b));
    if (asked.length === 0) return;
    const body = new URLSearchParams(
      // The server takes no form field with NUL, which some clipboards have.
      asked.map((field) => [KINDS[kindOf(field)][0], field.value.replaceAll('\0', '')]),
    );
    const sent = asked.map(({ value }) => value);
    isAsking = true;
    let next = null;
    try {
      const headers = { Accept: 'application/json' };
      const response = await fetch('/dashboard/markdown', { method: 'POST', headers, body });
      if (response.status === 429) next = 1000 * Number(response.headers.get('Retry-After') || 10);
      else if (response.status === 401) sayTrouble(asked, word('signedOut'));
      else if (response.status === 413 && asked.length > 1) {
        mostAtOnce = Math.ceil(asked.length / 2);
        next = 400;
      } else if (response.status === 413) {
        previewed.set(asked[0], sent[0]);
        advise(asked[0], word('tooLong'), true);
        next = 400;
      } else if (!response.ok) sayTrouble(asked, word('previewFailed'));
      if (!response.ok) return;
      sayTrouble(asked, '');
      const { data } = await response.json();
      for (const [at, field] of asked.entries()) {
        if (field.value !== sent[at]) continue;
        previewed.set(field, sent[at]);
        show(field, data[at]);
      }
      // What was typed meanwhile, and what was too much for one request.
      next = 400;
    } catch {
      // The next key tries again.
      sayTrouble(asked, word('noPreview'));
    } finally {
      isAsking = false;
      if (next) later(next);
    }
  }
  form.addEventListener('input', ({ target }) => {
    if (target.matches('select[name$=".format"]')) sync(questionOf(target));
    else if (questionOf(target)) later();
  });
  form.addEventListener('toggle', () => later(0), true);
  // The editor has added, copied or moved something.
  form.addEventListener('numbered', () => {
    for (const question of form.querySelectorAll('.question-fields')) sync(question);
  });

  // Pictures -----------------------------------------------------------------------------------------

  const LARGEST = Number(tools.dataset.largest);
  const TAKEN = /^image\/(?:png|jpeg|webp|gif|avif)$/;
  /** The pictures on their way: promises of whether each can be used. */
  const uploads = new Set();

  const chooser = Object.assign(document.createElement('input'), {
    type: 'file',
    accept: 'image/*',
    hidden: true,
    ariaLabel: word('picture'),
  });
  document.body.append(chooser);
  let chosenFor = null;
  const choose = (field) => {
    chosenFor = field;
    chooser.value = '';
    chooser.click();
  };
  chooser.addEventListener('change', () => take(chosenFor, chooser.files));

  /** A photo of a phone is larger than what is taken: it gets fewer pixels. */
  const fitting = async (file) => {
    const isKnown = TAKEN.test(file.type);
    if ((isKnown && file.size <= LARGEST) || file.type === 'image/gif') return file;
    const bitmap = await createImageBitmap(file).catch(() => null);
    if (!bitmap) return file;
    for (const side of [1600, 1200, 800]) {
      const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
      const canvas = document.createElement('canvas');
      canvas.width = Math.max(1, Math.round(bitmap.width * scale));
      canvas.height = Math.max(1, Math.round(bitmap.height * scale));
      canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
      // JPEG has no transparency.
      const type = /png|webp|avif/.test(file.type) ? 'image/webp' : 'image/jpeg';
      const smaller = await new Promise((resolve) => canvas.toBlob(resolve, type, 0.85));
      if (smaller && smaller.size <= LARGEST) return smaller;
    }
    return file;
  };

  /** Of a slow phone, in milliseconds. */
  const LONGEST_UPLOAD = 180_000;
  /** @returns the stored picture, or a sentence that says why there is none */
  const send = (file, signal, progress) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve({});
      if (file.size > LARGEST) return resolve({ error: tools.dataset.tooLarge });
      const failed = {
        error: word('notSent'),
      };
      const request = new XMLHttpRequest();
      request.open('POST', '/dashboard/media');
      request.setRequestHeader('Accept', 'application/json');
      request.responseType = 'json';
      request.timeout = LONGEST_UPLOAD;
      request.upload.onprogress = ({ loaded, total }) =>
        progress(Math.round((100 * loaded) / total));
      request.onload = () =>
        resolve(
          request.status === 401
            ? { error: word('signedOutPicture') }
            : (request.response ?? failed),
        );
      request.onerror = request.ontimeout = () => resolve(failed);
      request.onabort = () => resolve({});
      signal.addEventListener('abort', () => request.abort());
      request.send(file);
    });

  const receive = async (asked, file, isOneOfMany) => {
    const stop = new AbortController();
    const prompt = ask(asked, null, stop);
    prompt.focus();
    const fit = await fitting(file).catch(() => file);
    const { data, error } = await send(fit, stop.signal, (percent) =>
      prompt.progress(word('sendingPercent', percent)),
    );
    const field = current(asked);
    // Meanwhile the picture may have been removed, or the answer.
    if (stop.signal.aborted || !field.isConnected) return true;
    if (!data) {
      prompt.close();
      refused.set(field, field.value);
      advise(field, error, true);
      say(error);
      return false;
    }
    prompt.ready(data.id, insert(field, data.id, prompt.alt()));
    if (isOneOfMany) {
      refused.set(field, field.value);
      advise(field, word('onlyFirst'));
    }
    return true;
  };
  const take = async (field, [file, ...more]) => {
    if (!field || !file) return;
    const upload = receive(current(field), file, more.length > 0);
    uploads.add(upload);
    try {
      await upload;
    } finally {
      uploads.delete(upload);
    }
  };

  const UNDESCRIBED = /!\[\s*\]\(media:([\w-]+)\)/;
  const markOf = (id) => new RegExp(`!\\[(?:\\\\.|[^\\]\\\\])*\\]\\(media:${id}\\)`);
  const marked = (id, alt) =>
    `![${alt
      .replace(/\s+/g, ' ')
      .trim()
      .replace(/[\\[\]`&<]/g, '\\$&')}](media:${id})`;

  /** In code a picture is not shown. */
  const outsideCode = (text, at) => {
    for (const { index, 0: code } of text.matchAll(CODE))
      if (index < at && at < index + code.length) return index + code.length;
    return at;
  };
  /**
   * Where the text is being written: below it, in a paragraph of its own; in an answer within the line. Nothing else in the
   * question shall look different: plain texts are converted.
   * @returns what was written before and after the picture
   */
  const insert = (field, id, alt) => {
    const question = questionOf(field);
    const { value } = field;
    const isEmpty = value.trim() === '';
    // A text that was only opened has its cursor at the start.
    const cursor = (entered.has(field) && field.selectionEnd) || value.length;
    const at = outsideCode(value, cursor);
    let [before, after] = [value.slice(0, at), value.slice(at)];
    if (!isMarkdown(question)) {
      [before, after] = [asMarkdown(field, before), asMarkdown(field, after)];
      for (const it of allTextsOf(question)) convert(it, it === field ? before + after : undefined);
      needsMarkdown(question);
    }
    const gap = field.tagName === 'INPUT' ? ' ' : '\n\n';
    const start =
      gap === ' ' ? (!before || /\s$/.test(before) ? '' : ' ') : before.endsWith(gap) ? '' : gap;
    const end = !after || after.startsWith(gap) ? '' : gap;
    const text = start + marked(id, alt) + end;
    write(field, before.length, before.length, text);
    // The question is written above its picture.
    if (isEmpty && gap !== ' ') field.setSelectionRange(0, 0);
    return [start, end];
  };
  /** @param gaps what was written before and after the picture */
  const takeOut = (field, id, gaps) => {
    const { value } = field;
    const found = markOf(id).exec(value);
    if (!found) return;
    const [before, after] = [
      value.slice(0, found.index),
      value.slice(found.index + found[0].length),
    ];
    const [start, end] = [gaps, ['\n\n', ''], ['', '\n\n'], ['', '']].find(
      ([start, end]) => before.endsWith(start) && after.startsWith(end),
    );
    replace(field, before.length - start.length, value.length - after.length + end.length, '');
    restoreWhole(questionOf(field));
  };

  /** Write what was typed about pictures into the texts. */
  const descriptions = new Set();
  form.addEventListener('submit', () => descriptions.forEach((describe) => describe()), true);

  /**
   * Asks for what a picture shows, while it is on its way or when it is there.
   * @param stop ends its upload
   */
  function ask(asked, id, stop = null) {
    const beside = besideOf(asked);
    beside.querySelector('.picture-prompt')?.remove();
    beside.querySelector(':scope > button').hidden = true;
    refused.delete(asked);
    advise(asked, '');
    let gaps = ['', ''];
    const box = document.createElement('div');
    box.className = 'picture-prompt';
    box.setAttribute('role', 'group');
    box.ariaLabel = word('picture');
    const name = `picture-${(made += 1)}`;
    box.innerHTML = `<div class="field">
        <label for="${name}">${word('described')}</label>
        <input class="input" id="${name}" type="text" autocomplete="off" maxlength="300" aria-describedby="${name}-help">
        <p class="field-help" id="${name}-help"></p>
      </div>
      <div class="buttons">
        <button type="button" class="btn" data-variant="outline" data-size="sm">${word('done')}</button>
        <button type="button" class="btn" data-variant="ghost" data-size="sm">${word('removePicture')}</button>
      </div>`;
    const [input, help] = ['input', '.field-help'].map((it) => box.querySelector(it));
    const [done, remove] = box.querySelectorAll('button');
    // At once and not letter by letter, which would end what an input method composes.
    const describe = () => {
      const field = current(asked);
      const found = id && markOf(id).exec(field.value);
      const text = found && marked(id, input.value);
      if (!found || text === found[0]) return;
      write(field, found.index, found.index + found[0].length, text);
    };
    descriptions.add(describe);
    const close = () => {
      describe();
      descriptions.delete(describe);
      const hadFocus = box.contains(document.activeElement);
      const field = current(asked);
      box.remove();
      if (hadFocus) field.focus();
      // Its description may be missing.
      previewed.delete(field);
      later(0);
    };
    const ready = (...stored) => {
      [id, gaps] = stored;
      help.textContent = word('describedHelp');
    };
    help.textContent = word(id ? 'describedHelp' : 'sending');
    // When the focus has arrived where it goes.
    input.addEventListener('blur', () => setTimeout(describe));
    done.addEventListener('click', close);
    remove.addEventListener('click', () => {
      stop?.abort();
      if (id) takeOut(current(asked), id, gaps);
      close();
    });
    // The keys of the editor are about the text.
    box.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape' || (event.key === 'Enter' && event.target === input)) {
        event.preventDefault();
        close();
      }
    });
    beside.prepend(box);
    box.scrollIntoView({ block: 'nearest' });
    return {
      close,
      ready,
      focus: () => input.focus(),
      alt: () => input.value,
      progress: (text) => (help.textContent = text),
    };
  }

  // A text that is sent before its picture has arrived would be without it.
  let waiting = null;
  form.addEventListener('submit', async (event) => {
    if (uploads.size === 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { submitter } = event;
    // Pressed again, or another button: the form is sent once.
    if (waiting) return void (waiting.submitter = submitter);
    waiting = { submitter };
    const status = document.createElement('span');
    status.className = 'muted small';
    status.textContent = word('waiting');
    [...form.querySelectorAll('.buttons')].at(-1)?.prepend(status);
    say(status.textContent);
    let isComplete = true;
    while (uploads.size > 0)
      for (const { value } of await Promise.allSettled(uploads)) isComplete &&= value === true;
    const { submitter: last } = waiting;
    waiting = null;
    status.remove();
    if (isComplete) form.requestSubmit(last?.isConnected ? last : null);
  });

  form.addEventListener('paste', (event) => {
    const { files, types } = event.clipboardData ?? {};
    // Word puts a picture of the text beside the text.
    if (!files?.length || types.includes('text/plain') || !event.target.matches(TEXTS)) return;
    event.preventDefault();
    void take(event.target, files);
  });

  const fieldAt = (element) => {
    const box = element.closest?.('.answer-row, .field');
    return box?.querySelector(TEXTS) ?? questionOf(element)?.querySelector(TEXTS) ?? null;
  };
  let over = null;
  const mark = (field) => {
    over?.removeAttribute('data-drop');
    over = field;
    over?.setAttribute('data-drop', '');
  };
  // Everywhere in the page: a browser would leave it, and show the file.
  for (const type of ['dragover', 'dragleave', 'drop'])
    addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      const field = fieldAt(event.target);
      mark(type === 'dragover' ? field : null);
      if (type === 'dragover') event.dataTransfer.dropEffect = field ? 'copy' : 'none';
      if (type !== 'drop' || !field) return;
      const fold = field.closest('details.fold');
      if (fold) fold.open = true;
      void take(field, event.dataTransfer.files);
    });
})();
