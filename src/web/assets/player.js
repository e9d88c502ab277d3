// Enhancements only: every question can be answered without this script. Digits choose, arrows move, Enter continues.
(() => {
  'use strict';

  const form = document.querySelector('[data-question]');
  if (!form) return;
  const choices = [...form.querySelectorAll('.option input')];

  const typing = (target) => target.matches?.('input:not([type=radio], [type=checkbox]), textarea');
  const step = (by) => {
    const at = choices.indexOf(document.activeElement);
    const next = choices[at < 0 ? (by > 0 ? 0 : choices.length - 1) : at + by];
    if (!next) return;
    next.focus();
    if (next.type === 'radio') next.click();
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === 'Enter') {
      // Buttons, links and fields handle Enter themselves; a check box and the page itself do not.
      if (event.target.matches?.('a, button, summary, input:not([type=checkbox])')) return;
      const next = form.querySelector('[data-next]');
      if (next) next.click();
      else form.requestSubmit();
      event.preventDefault();
      return;
    }
    if (typing(event.target)) return;
    if (/^[1-9]$/.test(event.key)) {
      const choice = choices[Number(event.key) - 1];
      if (!choice) return;
      choice.focus();
      choice.click();
    } else if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else return;
    event.preventDefault();
  });

  // A second click on the way to the next question sends nothing twice.
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
  });
  window.addEventListener('pageshow', () => delete form.dataset.sent);
})();
