// Enhancements only: every page works without this script.
(() => {
  'use strict';

  // Copy buttons.
  const show = (root) =>
    root.querySelectorAll('[data-copy][hidden]').forEach((button) => (button.hidden = false));
  if (navigator.clipboard) {
    show(document);
    document.addEventListener('htmx:after:swap', () => show(document));
  }
  document.addEventListener('click', async (event) => {
    const button = event.target.closest?.('[data-copy]');
    if (!button) return;
    const label = button.querySelector('span') ?? button;
    const { copy, copied, failed } = button.dataset;
    // After a second click the label is already changed. An update of the page (htmx) leaves it and what is kept in it.
    const before = (label.dataset.before ??= label.textContent);
    try {
      await navigator.clipboard.writeText(copy);
      label.textContent = copied;
    } catch {
      label.textContent = failed;
    }
    setTimeout(() => (label.textContent = before), 2000);
  });

  // A filter that was answered by an error, such as 503, shows the list as it was and says so: the address stays with it.
  document.addEventListener('htmx:before:history:update', (event) => {
    if (event.detail.response?.status >= 400) event.preventDefault();
  });
  const filterFailed = document.createElement('p');
  filterFailed.className = 'form-errors';
  filterFailed.role = 'alert';
  for (const name of ['htmx:response:error', 'htmx:error'])
    document.addEventListener(name, ({ target }) => {
      const text = target.dataset?.filterFailed;
      if (!text) return;
      filterFailed.textContent = text;
      document.querySelector(target.getAttribute('hx-target')).before(filterFailed);
    });
  document.addEventListener('htmx:before:request', ({ target }) => {
    if (target.dataset.filterFailed) filterFailed.remove();
  });

  // Where an update of the page (htmx) has removed what had the focus, as the end of an import its button Cancel, reading
  // goes on at what is new.
  let focused = null;
  document.addEventListener('htmx:before:swap', () => (focused = document.activeElement));
  document.addEventListener('htmx:after:swap', () => {
    if (focused && !focused.isConnected)
      document.getElementById('main')?.focus({ preventScroll: true });
  });

  // Times that people choose are entered and shown in their own time zone. The server's are UTC.
  // Asked for where it is shown only: the browser loads its time zones first, a fifth of a second on a phone.
  const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const input of document.querySelectorAll('input[type=datetime-local]')) {
    const [label] = input.labels;
    label.textContent = label.textContent.replace('UTC', zone());
    const sent = new Date(`${input.value}Z`);
    if (input.value)
      input.value = new Date(sent - sent.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
    input.form.addEventListener('formdata', ({ formData }) => {
      if (input.value) formData.set(input.name, new Date(input.value).toISOString().slice(0, 16));
    });
  }
  for (const time of document.querySelectorAll('[data-local-time]')) {
    const style = { dateStyle: 'long', timeStyle: 'short' };
    time.textContent = `${new Date(time.dateTime).toLocaleString(document.documentElement.lang, style)} (${zone()})`;
  }

  // The button of a page that is made for paper.
  const print = document.querySelector('[data-print]');
  if (print) {
    print.hidden = false;
    print.addEventListener('click', () => window.print());
  }

  // What is shown on a projector.
  const full = document.querySelector('[data-full-screen]');
  if (full && document.documentElement.requestFullscreen) {
    full.hidden = false;
    full.addEventListener('click', () => document.documentElement.requestFullscreen());
  }

  // A file that the server would refuse after the upload.
  document.addEventListener('change', ({ target }) => {
    if (!target.matches?.('input[data-largest]')) return;
    const largest = Number(target.dataset.largest);
    const tooLarge = [...target.files].some(({ size }) => size > largest);
    target.setCustomValidity(tooLarge ? target.dataset.tooLarge : '');
    target.reportValidity();
  });

  // One box ticks all others of a name.
  for (const all of document.querySelectorAll('[data-check-all]')) {
    all.hidden = false;
    all.addEventListener('change', ({ target }) => {
      for (const box of document.getElementsByName(all.dataset.checkAll))
        box.checked = target.checked;
    });
  }

  // Alt and a letter click, or go into, what names them: without Alt they would be typed by accident. On a Mac Alt types
  // characters, so within a text it does only that.
  const isTyped = ({ target }) =>
    /Mac|iP/.test(navigator.platform) && target.matches?.('input, textarea');
  for (const help of document.querySelectorAll('[data-shortcuts]')) help.hidden = false;
  document.addEventListener('keydown', (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || isTyped(event)) return;
    const keys = `Alt+${event.code.replace('Key', '')}`;
    const found = document.querySelector(`[aria-keyshortcuts="${CSS.escape(keys)}"]`);
    if (!found) return;
    event.preventDefault();
    // A key that is still held would approve the next quiz, which nobody has seen.
    if (event.repeat) return;
    if (found.matches('textarea')) found.focus();
    else found.click();
  });

  // A new key goes on to the samples and forms of the documentation, in this tab only.
  const docsKey = document.querySelector('[data-docs-key]');
  if (docsKey) {
    docsKey.hidden = false;
    // Back to the form that asked for a key (docs.js).
    try {
      const asked = sessionStorage.getItem('docs-asked-for-key');
      if (asked?.startsWith('/docs/')) docsKey.querySelector('a').href = asked;
    } catch {
      // As below.
    }
    docsKey.addEventListener('click', () => {
      try {
        sessionStorage.setItem('docs-api-key', docsKey.dataset.docsKey);
      } catch {
        // Without storage the key is typed there.
      }
    });
  }

  // A second click while the first is on its way, also on another button of the form, would send the same again: two
  // quizzes, two keys. Only for as long as a slow response takes, since a click on Stop leaves the page as it is.
  let sent = new WeakMap();
  addEventListener('submit', (event) => {
    const { target, submitter, timeStamp } = event;
    if (event.defaultPrevented || target.method !== 'post') return;
    const fields = [...new FormData(target)];
    const what = JSON.stringify(fields.map(([name, value]) => [name, value.name ?? value]));
    // An export is a download, which leaves the page as it is: only the second click of a double click is not meant.
    const isExport = submitter?.value === 'export';
    const key = isExport ? submitter : target;
    const last = sent.get(key);
    if (last?.what === what && timeStamp < last.until) event.preventDefault();
    // A button with the method "dialog" sends nothing.
    else if (submitter?.formMethod !== 'dialog')
      sent.set(key, { what, until: timeStamp + (isExport ? 500 : 10000) });
  });
  // Back from the browser's memory.
  addEventListener('pageshow', ({ persisted }) => persisted && (sent = new WeakMap()));
  // Whatever the editor has sent is answered by this page, unless it was refused.
  if (!document.querySelector('.form-errors, .field-error'))
    try {
      sessionStorage.removeItem('unanswered-save');
    } catch {
      // Without storage the editor remembers nothing either.
    }

  // Offline the browser would show a page of its own, and what was typed in the dashboard would be lost; the player says it
  // itself. A service on the same machine is reached all the same.
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
  addEventListener(
    'submit',
    (event) => {
      const { target } = event;
      const main = document.querySelector('main[data-offline]');
      if (!main || navigator.onLine || isHere || target.method !== 'post') return;
      event.preventDefault();
      event.stopImmediatePropagation();
      main.querySelector('[data-said-offline]')?.remove();
      const error = document.createElement('p');
      error.className = 'form-errors';
      Object.assign(error, { role: 'alert', tabIndex: -1, textContent: main.dataset.offline });
      error.dataset.saidOffline = '';
      // On the card of a sign-in it is where the form's other errors are.
      (target.closest('dialog, .plain-card form') ?? main).prepend(error);
      error.focus();
    },
    { capture: true },
  );

  // A page that was the response to a form: reloading must not send the form again.
  const address = document.querySelector('[data-address]')?.dataset.address;
  if (address) history.replaceState(null, '', address);

  // A confirmation holds the focus until it is closed, and gives it back.
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[popovertarget]');
    const dialog = button && document.getElementById(button.getAttribute('popovertarget'));
    if (dialog?.tagName !== 'DIALOG') return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else dialog.showModal();
  });

  // What to read first: an error, where typing goes on, or the result of the last action.
  ['[aria-invalid="true"]', '.form-errors', 'main [autofocus]:not(dialog *)', '.notice']
    .map((it) => document.querySelector(it))
    .find(Boolean)
    ?.focus();
})();
