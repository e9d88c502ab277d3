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

  // A file that the server would refuse after it has come.
  document.addEventListener('change', ({ target }) => {
    if (!target.matches?.('input[data-largest]')) return;
    const largest = Number(target.dataset.largest);
    const tooLarge = [...target.files].some(({ size }) => size > largest);
    target.setCustomValidity(
      tooLarge
        ? `The file is larger than ${largest / 1048576} MiB, the most that is taken at once. Split it.`
        : '',
    );
    target.reportValidity();
  });

  // A page that was the answer to a form: a reload must not send the form again.
  const address = document.querySelector('[data-address]')?.dataset.address;
  if (address) history.replaceState(null, '', address);

  // The first field that was refused.
  document.querySelector('[aria-invalid="true"]')?.focus();
})();
