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
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      label.textContent = 'Copied';
    } catch {
      label.textContent = 'Select it';
    }
    setTimeout(() => (label.textContent = 'Copy'), 2000);
  });

  // A file that the server would refuse after the upload.
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

  // A page that was the response to a form: reloading must not send the form again.
  const address = document.querySelector('[data-address]')?.dataset.address;
  if (address) history.replaceState(null, '', address);

  // The first field with an error.
  document.querySelector('[aria-invalid="true"]')?.focus();
})();
