// <quiz-player src="https://host/play/slug">: plays a quiz in a page of any site (docs/guides/embedding.md). The service
// renders every step; this script fetches it without cookies, and shows it in a shadow root.
(() => {
  'use strict';
  /** Milliseconds for a response. */
  const PATIENCE = 10000;
  // Only quizzes of this script's origin are shown: their HTML becomes part of the page.
  const { origin } = new URL(document.currentScript.src);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('EMBED_CSS');
  const MESSAGES = 'EMBED_MESSAGES';
  const make = (name, attributes, ...children) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...children);
    return element;
  };

  class QuizPlayer extends HTMLElement {
    static observedAttributes = ['src'];
    #root = this.attachShadow({ mode: 'open' });
    #status = make('p', { className: 'sr-only', role: 'status' });
    #page = make('section', { className: 'player' }, make('slot'));
    /** The attribute as it was when its quiz was opened last. */
    #src = null;
    #start = '';
    /** The URL of the step that is shown; empty before the first one. */
    #at = '';
    /** The last request: the response to an earlier one is ignored. */
    #last = null;

    /** Messages of the element itself, for when no page of the service is available. */
    get #says() {
      const language = (this.closest('[lang]')?.lang || navigator.language).slice(0, 2);
      return MESSAGES[language.toLowerCase()] ?? MESSAGES.en;
    }

    constructor() {
      super();
      this.#root.adoptedStyleSheets = [sheet];
      this.#root.append(this.#status, this.#page);
      this.#root.addEventListener('submit', (event) => this.#send(event));
      this.#root.addEventListener('click', (event) => this.#follow(event));
    }

    attributeChangedCallback() {
      if (this.isConnected) this.#open();
    }

    /** Elements that a parser or a script creates get their attributes before their place, which says the language. */
    connectedCallback() {
      this.#open();
    }

    #open() {
      const src = this.getAttribute('src');
      if (src === this.#src) return;
      this.#src = src;
      // What is shown, or still loading, is of another quiz.
      this.#last = null;
      this.#at = '';
      this.#page.ariaBusy = 'false';
      this.#page.ariaLabel = null;
      this.#page.replaceChildren(make('slot'));
      const url = URL.canParse(src) && new URL(src);
      const [, slug] = (url && /^\/play\/([\w~-]+)$/.exec(url.pathname)) || [];
      if (!slug || url.origin !== origin) return this.#fail(`src must be ${origin}/play/…`);
      this.#start = `${origin}/embed/${slug}`;
      const kept = this.#kept();
      this.#load({ url: kept?.startsWith(`${this.#start}/`) ? kept : this.#start });
    }

    /** The key of the URL where a reload continues. Local storage belongs to the page's site, unlike a cookie. */
    get #key() {
      return `quiz-player ${this.#start}`;
    }

    #kept() {
      try {
        return localStorage.getItem(this.#key);
      } catch {
        // Storage is blocked: a reload starts again.
        return null;
      }
    }

    #keep(url) {
      try {
        localStorage.setItem(this.#key, url);
      } catch {
        // Storage is blocked or full.
      }
    }

    /** @param request `isStep`: the player asked for the page, so it gets the focus */
    async #load(request) {
      this.#last = request;
      const { url, body, isStep } = request;
      this.#page.ariaBusy = 'true';
      try {
        const method = body ? 'POST' : 'GET';
        // In the language of the place where the element is; without one, the browser's.
        const { lang } = this.closest('[lang]') ?? {};
        const headers = lang ? { 'Accept-Language': lang } : {};
        const signal = AbortSignal.timeout(PATIENCE);
        const response = await fetch(url, { method, body, headers, credentials: 'omit', signal });
        const text = await response.text();
        if (request !== this.#last) return;
        // What was kept may have been deleted meanwhile.
        if (!response.ok && !body && url !== this.#start && !this.#at)
          return void this.#load({ url: this.#start });
        if (response.status === 404 && url === this.#start)
          return this.#fail(this.#says.unavailable);
        this.#at = response.url;
        // Why an attempt led back to the start is said once.
        if (response.ok) this.#keep(response.url.replace(/\?gone=.*/, ''));
        const page = new DOMParser().parseFromString(text, 'text/html');
        this.#show(page, isStep);
        if (response.ok && body) this.#tell(url);
      } catch {
        if (request === this.#last) this.#fail(this.#says.unreachable, request);
      } finally {
        if (request === this.#last) this.#page.ariaBusy = 'false';
      }
    }

    #show(page, isStep) {
      const title = page.title.replace(/ · [^·]*$/, '');
      for (const main of page.querySelectorAll('main'))
        main.replaceWith(make('div', { className: main.className }, ...main.childNodes));
      for (const link of page.querySelectorAll('a[href]')) {
        const url = new URL(link.getAttribute('href'), this.#at);
        link.href = url.href;
        if (this.#isOwn(url)) continue;
        link.target = '_blank';
        link.relList.add('noopener');
      }
      // Before they are in the page, which would resolve them against its own URL.
      for (const image of page.querySelectorAll('img[src]'))
        image.src = new URL(image.getAttribute('src'), this.#at).href;
      this.#page.ariaLabel = title;
      this.#page.replaceChildren(
        ...page.querySelectorAll('.player-top, .player-main, .plain-card, .player-foot'),
      );
      countDown(this.#page, (form) => this.#sendForm(form));
      if (!isStep) return;
      this.#status.textContent = title;
      const found = ['[role=alert]', '.last-verdict:not([hidden])', '[autofocus]', 'h1'].map((it) =>
        this.#page.querySelector(it),
      );
      const next = found.find(Boolean);
      if (next && next.tabIndex < 0) next.tabIndex = -1;
      next?.focus();
    }

    /**
     * The events of a step. What was sent may have been refused, or have come twice or too late, so they follow the page that
     * came back; `after` in its URL is the number of the answer that was recorded.
     */
    #tell(sent) {
      const find = (it) => this.#page.querySelector(it);
      const [, , , attempt, step] = new URL(sent).pathname.slice(1).split('/');
      const practice = find('[data-practice]') ? { practice: true } : {};
      const emit = (name, values) => {
        const detail = { ...values, ...practice };
        this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
      };
      const verdict = find('.last-verdict');
      const outcome = find('[data-score]')?.dataset;
      const progress = find('progress');
      if (sent.endsWith('/report')) return;
      if (!attempt || step === 'practise') {
        if (progress) emit('quiz-start', { total: progress.max });
      } else if (step && step === new URL(this.#at).searchParams.get('after')) {
        const correct = verdict ? verdict.dataset.is === 'correct' : null;
        emit('quiz-answer', { number: Number(step), correct });
      }
      if (outcome) {
        const [score, total, seconds] = [outcome.score, outcome.total, outcome.seconds].map(Number);
        emit('quiz-finish', { score, total, seconds });
      }
    }

    #isOwn = ({ href }) => href.startsWith(`${this.#start}/`) || href === this.#start;

    #send(event) {
      event.preventDefault();
      if (this.#page.ariaBusy === 'true') return;
      // For the countdown: the answer is on its way, and the page that comes next ends the attempt.
      event.target.dataset.sent = Infinity;
      this.#sendForm(event.target, event.submitter);
    }

    #sendForm(form, submitter) {
      const action = submitter?.getAttribute('formaction') ?? form.getAttribute('action') ?? '';
      const url = new URL(action, this.#at);
      const body = new URLSearchParams(new FormData(form, submitter));
      if (this.#isOwn(url)) this.#load({ url: url.href, body, isStep: true });
    }

    #follow(event) {
      const link = event.target.closest('a[href]');
      const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
      if (!link || !isPlain || !this.#isOwn(link)) return;
      event.preventDefault();
      this.#load({ url: link.href, isStep: true });
    }

    #fail(text, request) {
      // What did not arrive is no answer on its way: the countdown still ends the attempt.
      for (const form of this.#page.querySelectorAll('[data-sent]')) delete form.dataset.sent;
      const error = make('p', { className: 'error', role: 'alert' }, text);
      this.#page.querySelector(':scope > .player-fail')?.remove();
      const box = make('div', { className: 'player-main player-fail' }, error);
      if (request) {
        const attributes = { className: 'btn btn-big', type: 'button' };
        const again = make('button', attributes, this.#says.again);
        again.addEventListener('click', () => this.#load({ ...request, isStep: true }));
        box.append(again);
      }
      this.#page.append(box);
      // It may be below the screen of a phone.
      if (request?.isStep) box.querySelector('button').focus();
    }
  }
  if (!customElements.get('quiz-player')) customElements.define('quiz-player', QuizPlayer);
})();
