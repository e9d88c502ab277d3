// Search, the language of the samples and "Try it". Everything else works without a script.
(() => {
  'use strict';

  /** A value of the browser's storage; without storage it lasts as long as the page. */
  const stored = (storage, name) => ({
    read: () => {
      try {
        return window[storage].getItem(name) ?? '';
      } catch {
        return '';
      }
    },
    write: (value) => {
      try {
        window[storage].setItem(name, value);
      } catch {
        // As above, to store a value.
      }
    },
  });

  // Search
  const search = document.querySelector('[data-search]');
  const box = search.querySelector('input');
  const results = search.querySelector('[role=listbox]');
  const status = search.querySelector('[role=status]');
  const MOST_RESULTS = 12;
  let index;
  let selected = -1;
  search.hidden = false;

  /** Loads the library and the index, when the search is used for the first time. */
  const load = async () => {
    const { search: url, script, library } = search.dataset;
    const [{ openSearch }, { default: MiniSearch }, response] = await Promise.all([
      import(script),
      import(library),
      fetch(url),
    ]);
    if (!response.ok) throw new Error(`The search index responded ${response.status}`);
    return openSearch(MiniSearch, await response.json());
  };

  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const select = (at) => {
    const options = [...results.children];
    selected = options.length === 0 ? -1 : (at + options.length) % options.length;
    options.forEach((option, place) => option.setAttribute('aria-selected', place === selected));
    options[selected]?.scrollIntoView({ block: 'nearest' });
    if (selected < 0) box.removeAttribute('aria-activedescendant');
    else box.setAttribute('aria-activedescendant', options[selected].id);
  };

  const show = (found) => {
    results.replaceChildren(
      ...found.slice(0, MOST_RESULTS).map(({ id: href, title: name, context }, place) => {
        const properties = { id: `search-result-${place}`, role: 'option', href, tabIndex: -1 };
        const title = element('strong', { textContent: name });
        return element(
          'a',
          properties,
          title,
          element('small', { className: 'muted', textContent: context }),
        );
      }),
    );
    results.hidden = found.length === 0;
    box.setAttribute('aria-expanded', String(found.length > 0));
    select(found.length > 0 ? 0 : -1);
  };

  const close = () => {
    show([]);
    status.className = 'sr-only';
    status.textContent = '';
  };

  /** How many, for screen readers; that there are none is shown. */
  const say = ({ length }) => {
    status.className = length === 0 ? '' : 'sr-only';
    status.textContent =
      length === 0 ? 'No results' : length === 1 ? '1 result' : `${length} results`;
  };

  const update = async () => {
    const query = box.value.trim().toLowerCase();
    if (query === '') return close();
    try {
      index ??= load();
      const find = await index;
      const found = find(query);
      if (query !== box.value.trim().toLowerCase()) return;
      show(found);
      say(found);
    } catch {
      index = undefined;
      close();
      status.className = '';
      status.textContent = 'Search is not available. Try again.';
    }
  };

  box.addEventListener('input', update);
  box.addEventListener('focus', update);
  search.addEventListener('focusout', ({ relatedTarget }) => {
    if (!search.contains(relatedTarget)) close();
  });
  // The box keeps the focus until the link is followed.
  results.addEventListener('mousedown', (event) => event.preventDefault());
  results.addEventListener('click', () => box.blur());
  box.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') select(selected + 1);
    else if (event.key === 'ArrowUp') select(selected - 1);
    else if (event.key === 'Enter') results.children[selected]?.click();
    else if (event.key === 'Escape') {
      if (box.value === '') box.blur();
      box.value = '';
      close();
    } else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const withControl = event.ctrlKey || event.metaKey;
    if (event.altKey || event.key?.toLowerCase() !== (withControl ? 'k' : '/')) return;
    const isTyping = 'input:not([type=radio], [type=checkbox]), textarea, select';
    if (!withControl && event.target.matches?.(isTyping)) return;
    event.preventDefault();
    box.focus();
    box.select();
  });

  // The language of the samples: one choice for every page.
  const language = stored('localStorage', 'docs-language');
  const choices = [...document.querySelectorAll('.languages input')];
  const choose = (value) => {
    for (const choice of choices) choice.checked ||= choice.value === value;
  };
  choose(language.read());
  for (const choice of choices)
    choice.addEventListener('change', () => {
      const before = choice.getBoundingClientRect().top;
      choose(choice.value);
      language.write(choice.value);
      // Samples above may now be longer or shorter: keep what is being read in place.
      window.scrollBy({ top: choice.getBoundingClientRect().top - before, behavior: 'instant' });
    });

  // On a small screen the list of pages covers the page; a link within the page closes it.
  const pages = document.getElementById('docs-pages');
  window.addEventListener('hashchange', () => pages.hidePopover?.());

  // Try it: sends the request of a form from this page.
  const key = stored('sessionStorage', 'docs-api-key');
  const keyFields = document.querySelectorAll('[data-key]');
  const setKey = (value) => {
    for (const field of keyFields) {
      field.value = value;
      const button = field.form.querySelector('button');
      button.textContent = value === '' ? 'Add a key to send' : 'Send';
    }
  };
  setKey(key.read());

  // The reader's own test key in the samples: where they set the variable, and in curl where they use it.
  if (/^svc_test_\w+$/.test(key.read())) {
    const filled = (text) => text.replace(/svc_test_…|\$KEY\b/g, key.read());
    for (const code of document.querySelectorAll('.code')) {
      const copy = code.querySelector('[data-copy]');
      copy.dataset.copy = filled(copy.dataset.copy);
      const texts = document.createTreeWalker(code.querySelector('pre'), NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) texts.currentNode.data = filled(texts.currentNode.data);
    }
  }
  for (const field of keyFields)
    field.addEventListener('input', () => {
      setKey(field.value.trim());
      key.write(field.value);
    });
  // The page of a new key leads back here.
  for (const link of document.querySelectorAll('[data-key-help] a'))
    link.addEventListener('click', () => {
      const { id } = link.closest('.entry');
      stored('sessionStorage', 'docs-asked-for-key').write(`${location.pathname}#${id}`);
    });
  for (const details of document.querySelectorAll('[data-try]')) details.hidden = false;

  const urlOf = (form) => {
    let path = form.dataset.path;
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll('[data-in]')) {
      const value = input.value.trim();
      if (input.dataset.in === 'path')
        path = path.replace(`{${input.name}}`, encodeURIComponent(value));
      else if (input.dataset.in === 'query' && value !== '') query.append(input.name, value);
    }
    return query.size > 0 ? `${path}?${query}` : path;
  };

  const pretty = (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  };

  const send = async (form) => {
    const { method, type } = form.dataset;
    const headers = {};
    const key = form.querySelector('[data-key]')?.value;
    if (key) headers.Authorization = `Bearer ${key}`;
    if (type) headers['Content-Type'] = type;
    for (const { name, value } of form.querySelectorAll('[data-in=header]'))
      if (value.trim() !== '') headers[name] = value.trim();
    const url = urlOf(form);
    const started = performance.now();
    const response = await fetch(url, {
      method,
      headers,
      body: form.elements.body?.value,
      credentials: 'omit',
    });
    const text = await response.text();
    const left = response.headers.get('RateLimit-Remaining');
    return {
      line: [
        `${response.status} ${response.statusText}`.trim(),
        `${method} ${url}`,
        `${Math.round(performance.now() - started)} ms`,
        ...(response.headers.has('Idempotency-Replayed') ? ['stored response'] : []),
        ...(left === null ? [] : [`${left} requests left this minute`]),
      ].join(' · '),
      ok: response.ok,
      body: pretty(text),
    };
  };

  const UNREACHABLE = { line: 'No response. Is the service running?', ok: false, body: '' };

  document.addEventListener('submit', async (event) => {
    const form = event.target.closest('[data-try] form');
    if (!form) return;
    event.preventDefault();
    const keyField = form.querySelector('[data-key]');
    if (keyField?.value === '') return keyField.focus();
    const button = form.querySelector('button');
    const shown = form.parentElement.querySelector('[data-response]');
    button.disabled = true;
    shown.hidden = true;
    const { line, ok, body } = await send(form).catch(() => UNREACHABLE);
    shown.querySelector('[data-line]').textContent = line;
    shown.querySelector('[data-body]').textContent = body;
    shown.dataset.ok = ok;
    shown.hidden = false;
    button.disabled = false;
  });
})();
