// Enhancements only: every question can be answered without this script. Digits choose, arrows move, Enter continues;
// the verdict on an answer is shown in place before the next page, which shows it too.
(() => {
  'use strict';

  const share = document.querySelector('[data-share]');
  if (share) share.hidden = !(navigator.share || navigator.clipboard);
  if (share && !share.hidden) {
    const { share: url, text, copied: done, failed } = share.dataset;
    share.disabled = false;
    share.addEventListener('click', async () => {
      try {
        if (navigator.share) return await navigator.share({ text, url });
      } catch (error) {
        // Closed by the player; whatever else fails falls back to copying.
        if (error.name === 'AbortError') return;
      }
      const label = share.querySelector('span');
      const copied = navigator.clipboard?.writeText(`${text}\n${url}`);
      label.textContent = await (copied ?? Promise.reject()).then(
        () => done,
        () => failed,
      );
    });
  }

  countDown(document, (form) => form.submit());

  const form = document.querySelector('[data-question]');
  if (!form) return;
  const choices = [...form.querySelectorAll('.option input, button.option')];
  const isBox = (choice) => choice.type === 'checkbox';

  const typing = (target) => target.matches?.('input:not([type=checkbox]), select, textarea');
  /** Returns whether there was a choice to go to; without one, the arrow scrolls the page. */
  const step = (by) => {
    const at = choices.indexOf(document.activeElement);
    const next = choices[at < 0 ? (by > 0 ? 0 : choices.length - 1) : at + by];
    next?.focus();
    return next !== undefined;
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    // A key that is still held would answer the next question, which nobody has read.
    if (event.repeat && /^(Enter|[1-9])$/.test(event.key) && !typing(event.target))
      return event.preventDefault();
    if (event.key === 'Enter') {
      // Buttons, links and fields handle Enter themselves; a check box and the page itself do not.
      if (typing(event.target) || event.target.matches?.('a, button, summary')) return;
      form.querySelector('[data-next], [data-send]')?.click();
      event.preventDefault();
      return;
    }
    if (typing(event.target)) return;
    // The verdict on the last answer has the focus, so that it is read out: what is typed goes into the field.
    const field = form.querySelector('input.typing');
    if (field && event.key.length === 1 && (event.key !== ' ' || event.target === document.body)) {
      field.focus();
      return;
    }
    if (/^[1-9]$/.test(event.key)) {
      const choice = choices[Number(event.key) - 1];
      if (!choice) return;
      choice.focus();
      choice.click();
    } else {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!by || !step(by)) return;
    }
    event.preventDefault();
  });

  /** Milliseconds for a response. */
  const PATIENCE = 10000;

  /** Marks the options, and says the verdict, which screen readers read out. */
  const tell = ({ text, is, correct }) => {
    for (const choice of choices) {
      const isChosen = isBox(choice) ? choice.checked : choice.matches('[data-chosen]');
      const isSolution = correct.split(' ').includes(choice.value);
      choice.closest('.option').dataset.is = isSolution ? 'correct' : isChosen ? 'wrong' : 'other';
    }
    const verdict = form.querySelector('[data-verdict]');
    verdict.dataset.is = is;
    verdict.textContent = text;
    // Nothing is left to skip: the next question comes by itself.
    for (const link of form.querySelectorAll('[data-skip]')) link.hidden = true;
  };

  /**
   * Offline the browser would show a page of its own, and what was typed would be lost.
   * @param said why nothing happens
   */
  const stay = (said) => {
    delete form.dataset.sent;
    for (const choice of choices) delete choice.dataset.chosen;
    const verdict = form.querySelector('[data-verdict]');
    delete verdict.dataset.is;
    verdict.textContent = said;
    // Not behind the buttons at the end of the screen.
    verdict.scrollIntoView({ block: 'center' });
  };

  form.addEventListener('submit', async (event) => {
    if (form.dataset.offline && !navigator.onLine) {
      event.preventDefault();
      return stay(form.dataset.offline);
    }
    // A second click on the way to the next question sends nothing twice. Only for as long as a slow response takes: a
    // browser that is told to stop says nothing to the page.
    if (event.timeStamp < Number(form.dataset.sent)) return event.preventDefault();
    form.dataset.sent = event.timeStamp + PATIENCE;
    const { submitter } = event;
    if (submitter?.value) submitter.dataset.chosen = '';
    if (!('reveal' in form.dataset)) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, submitter));
    try {
      const signal = AbortSignal.timeout(PATIENCE);
      const response = await fetch(location.href, { method: 'POST', body, signal });
      // The page of a refused answer may still have the verdict on the question before it.
      if (!response.ok) throw new Error('refused');
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const { dataset } = page.querySelector('.last-verdict');
      tell(dataset);
      // Nothing is lost when it goes on: the next page shows the verdict again, with the explanation.
      setTimeout(() => location.assign(response.url), dataset.is === 'correct' ? 700 : 1500);
    } catch (error) {
      if (!navigator.onLine) return stay(form.dataset.offline);
      // In a tunnel a phone is not offline, and waits for ever.
      if (error.name === 'TimeoutError') return stay(form.dataset.unreachable);
      // Refused, or the connection failed: the browser sends it as without a script. The first answer counts.
      if (submitter?.name) form.append(hiddenField(submitter));
      form.submit();
    }
  });
  const hiddenField = ({ name, value }) => {
    const field = document.createElement('input');
    return Object.assign(field, { type: 'hidden', name, value });
  };
  // From the browser's memory, after going back: the question has been answered meanwhile.
  window.addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
})();
