// Comfort only: every page works without it.
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
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      label.textContent = 'Copied';
    } catch {
      label.textContent = 'Select it';
    }
    setTimeout(() => (label.textContent = 'Copy'), 2000);
  });

  // One confirmation at a time; Escape and a click elsewhere close it.
  const close = (except) =>
    document
      .querySelectorAll('details.confirm[open]')
      .forEach((it) => it !== except && (it.open = false));
  document.addEventListener('click', (event) => close(event.target.closest?.('details.confirm')));
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    const open = document.querySelector('details.confirm[open]');
    if (open) {
      open.open = false;
      open.querySelector('summary').focus();
    }
  });

  // A page that was the answer to a form: a reload must not send the form again.
  const address = document.querySelector('[data-address]')?.dataset.address;
  if (address) history.replaceState(null, '', address);

  // The first field that was refused.
  document.querySelector('[aria-invalid="true"]')?.focus();
})();
