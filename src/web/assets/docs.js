// Try it: sends the request of a form from this page. Everything else works without a script.
(() => {
  'use strict';

  const KEPT = 'docs-api-key';
  const keys = document.querySelectorAll('[data-key]');
  const keep = (value) => {
    for (const input of keys) input.value = value;
    try {
      sessionStorage.setItem(KEPT, value);
    } catch {
      // Then only on this page.
    }
  };
  try {
    keep(sessionStorage.getItem(KEPT) ?? '');
  } catch {
    // As above.
  }
  for (const input of keys) input.addEventListener('input', () => keep(input.value.trim()));
  for (const box of document.querySelectorAll('[data-try]')) box.hidden = false;

  const addressOf = (form) => {
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
    const key = form.querySelector('[data-key]')?.value.trim();
    if (key) headers.Authorization = `Bearer ${key}`;
    if (type) headers['Content-Type'] = type;
    for (const { name, value } of form.querySelectorAll('[data-in=header]'))
      if (value.trim() !== '') headers[name] = value.trim();
    const address = addressOf(form);
    const started = performance.now();
    const answer = await fetch(address, {
      method,
      headers,
      body: form.elements.body?.value,
      credentials: 'omit',
    });
    const text = await answer.text();
    const left = answer.headers.get('RateLimit-Remaining');
    return {
      line: [
        `${answer.status} ${answer.statusText}`.trim(),
        `${method} ${address}`,
        `${Math.round(performance.now() - started)} ms`,
        ...(answer.headers.has('Idempotency-Replayed') ? ['the first answer again'] : []),
        ...(left === null ? [] : [`${left} requests left this minute`]),
      ].join(' · '),
      good: answer.ok,
      body: pretty(text),
    };
  };

  document.addEventListener('submit', async (event) => {
    const form = event.target.closest('[data-try] form');
    if (!form) return;
    event.preventDefault();
    const button = form.querySelector('button');
    const box = form.parentElement.querySelector('[data-answer]');
    button.disabled = true;
    try {
      const { line, good, body } = await send(form);
      box.querySelector('[data-line]').textContent = line;
      box.querySelector('[data-body]').textContent = body;
      box.dataset.good = good;
    } catch {
      box.querySelector('[data-line]').textContent =
        'The service did not answer. Is it still running?';
      box.querySelector('[data-body]').textContent = '';
      box.dataset.good = false;
    } finally {
      box.hidden = false;
      button.disabled = false;
    }
  });
})();
