import { Parser } from 'htmlparser2';

/** A form as a browser would send it when one of its buttons is pressed. */
interface PageForm {
  /** The page that has it. */
  page: string;
  method: 'get' | 'post';
  action: string;
  isMultipart: boolean;
  fields: [name: string, value: string][];
  /** The name of its button and the first word of its value: "then,up". Forms with the same are alike. */
  button: string;
}

/** What a page leads to, and the ids that a fragment can name. */
interface ParsedPage {
  /** What relative links begin with: `<base href>`, else the page itself. */
  base: string;
  links: string[];
  forms: PageForm[];
  ids: Set<string>;
}

/** What a person would type into an empty field, so that forms lead to the pages behind them. */
const TYPED: Record<string, string> = {
  email: 'somebody@example.com',
  password: 'correct horse battery',
  url: 'https://example.com/hook',
  number: '1',
};

type Attributes = Record<string, string>;

/** Forms are sent as they stand: fields with their values, or something typed; each button once. */
function parsePage(html: string, page: string): ParsedPage {
  let base = page;
  const links: string[] = [];
  const ids = new Set<string>();
  const forms = new Map<Attributes, { fields: [string, string][]; buttons: Attributes[] }>();
  const byId = new Map<string, Attributes>();
  const elsewhere: { form: string; field?: [string, string]; button?: Attributes }[] = [];
  let form: Attributes | undefined;
  let select: { attributes: Attributes; value?: string } | undefined;
  let area: { attributes: Attributes; text: string } | undefined;
  const radios = new Map<string, [name: string, value: string]>();
  const add = (of: Attributes, more: { field?: [string, string]; button?: Attributes }) => {
    if (of.form) return void elsewhere.push({ form: of.form, ...more });
    const own = form && forms.get(form);
    if (more.field) own?.fields.push(more.field);
    if (more.button) own?.buttons.push(more.button);
  };
  const input = (of: Attributes) => {
    const { type = 'text', name = '', value } = of;
    if (type === 'submit') return add(of, { button: of });
    if ('disabled' in of || name === '' || type === 'button') return;
    if (type === 'checkbox')
      return 'checked' in of ? add(of, { field: [name, value ?? 'on'] }) : undefined;
    if (type === 'radio') {
      const known = radios.get(name);
      // The first one where none is chosen.
      const field = known ?? [name, value ?? 'on'];
      if ('checked' in of) field[1] = value ?? 'on';
      if (known) return;
      radios.set(name, field);
      return add(of, { field });
    }
    add(of, { field: [name, value || (type === 'hidden' ? '' : (TYPED[type] ?? 'Ada'))] });
  };
  const parser = new Parser({
    onopentag(tag, of) {
      if (of.id) ids.add(of.id);
      if (tag === 'base' && of.href) base = of.href;
      if (tag === 'a' || tag === 'link') links.push(of.href ?? '');
      if (['img', 'script', 'iframe', 'source'].includes(tag)) links.push(of.src ?? '');
      if (tag === 'form') {
        form = of;
        radios.clear();
        forms.set(of, { fields: [], buttons: [] });
        if (of.id) byId.set(of.id, of);
      }
      if (tag === 'input') input(of);
      if (tag === 'button' && isSubmit(of)) add(of, { button: of });
      if (tag === 'select') select = { attributes: of };
      if (tag === 'option' && select && (select.value === undefined || 'selected' in of))
        select.value = of.value ?? '';
      if (tag === 'textarea') area = { attributes: of, text: '' };
    },
    ontext(text) {
      if (area) area.text += text;
    },
    onclosetag(tag) {
      if (tag === 'form') form = undefined;
      if (tag === 'select' && select) {
        add(select.attributes, { field: [select.attributes.name ?? '', select.value ?? ''] });
        select = undefined;
      }
      if (tag === 'textarea' && area) {
        add(area.attributes, { field: [area.attributes.name ?? '', area.text || 'Ada'] });
        area = undefined;
      }
    },
  });
  parser.end(html);
  for (const { form: id, field, button } of elsewhere) {
    const own = forms.get(byId.get(id) ?? {});
    if (field) own?.fields.push(field);
    if (button) own?.buttons.push(button);
  }
  return {
    base,
    links: links.filter((it) => it !== ''),
    ids,
    forms: [...forms].flatMap(([of, { fields, buttons }]) =>
      (buttons.length > 0 ? buttons : [{} as Attributes]).map((button): PageForm => {
        const pressed: [string, string][] = button.name ? [[button.name, button.value ?? '']] : [];
        return {
          page,
          method: (button.formmethod ?? of.method) === 'post' ? 'post' : 'get',
          action: button.formaction ?? of.action ?? page,
          isMultipart: of.enctype === 'multipart/form-data',
          fields: [...fields, ...pressed],
          button: /^[^ ]*/.exec(pressed.join())?.[0].replace(ID, '') ?? '',
        };
      }),
    ),
  };
}

const isSubmit = (of: Attributes) =>
  (of.type ?? 'submit') === 'submit' && of.formmethod !== 'dialog' && !('disabled' in of);

const ID = /[\da-f]{8}-[\da-f-]{27}/gi;
/** Pages that differ only in ids and in the values of their query are looked at this often. */
const ALIKE = 2;
/** Sent after all others: they end what other forms need. */
const ENDS = /delete|undo|revoke|sign-out|disable|\/end|cancel|sessions|bulk|password/;

/** Pages name it where nobody has set PUBLIC_URL. */
const PUBLIC_URL = 'http://localhost:3000';

/** A browser without eyes that follows every link of every page, and sends every form. */
export class LinkFollower {
  /** `from → what: status` of everything that leads nowhere. */
  readonly dead: string[] = [];
  /** Paths that were requested, with their queries. */
  readonly seen = new Set<string>();
  private readonly added = new Set<string>();
  private readonly alike = new Map<string, number>();
  private readonly pages = new Map<string, ParsedPage>();
  private readonly queue: { path: string; from: string }[] = [];
  private readonly forms: PageForm[] = [];
  private readonly sent = new Map<string, number>();
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly url: string,
    /** The pages that are followed; others are only opened. */
    private readonly within = '/',
    cookies: Record<string, string> = {},
    /** The language of its pages, and what is called with each of them. */
    private readonly reader = { language: 'en', read: (_html: string, _trail: string) => {} },
  ) {
    this.cookies = new Map(Object.entries(cookies));
  }

  /** From these pages, until there is nothing new. */
  async follow(...paths: string[]): Promise<void> {
    for (const path of paths) this.add(path, 'the start', '/');
    await this.open();
    for (;;) {
      const form = this.forms.find(({ action }) => !ENDS.test(action)) ?? this.forms[0];
      if (!form) return;
      this.forms.splice(this.forms.indexOf(form), 1);
      await this.send(form);
      await this.open();
    }
  }

  private async open(): Promise<void> {
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      const { path, from } = next;
      const [page = '', fragment] = path.split('#');
      const parsed = await this.load(page, from);
      if (fragment && parsed && !parsed.ids.has(decodeURIComponent(fragment)))
        this.dead.push(`${from} → ${path}: no such part`);
    }
  }

  private async load(path: string, from: string): Promise<ParsedPage | undefined> {
    if (this.seen.has(path)) return this.pages.get(path);
    this.seen.add(path);
    const response = await this.request('GET', path);
    return this.read(response, path, `${from} → ${path}`);
  }

  private async read(response: Response, path: string, trail: string) {
    const { status, headers } = response;
    const location = headers.get('location');
    const text = await response.text();
    if (status === 404 || status === 405 || status >= 500) this.dead.push(`${trail}: ${status}`);
    if (location) this.add(location, trail, path);
    if (!headers.get('content-type')?.startsWith('text/html')) return undefined;
    const parsed = parsePage(text, path);
    this.reader.read(text, trail);
    this.pages.set(path, parsed);
    if (!path.startsWith(this.within)) return parsed;
    for (const link of parsed.links) {
      const part = link.startsWith('#') ? decodeURIComponent(link.slice(1)) : '';
      if (part && !parsed.ids.has(part)) this.dead.push(`${trail} → ${link}: no such part`);
      if (!link.startsWith('#')) this.add(link, path, parsed.base);
    }
    for (const form of parsed.forms) {
      const shape = `${form.method} ${this.shape(form.action)} ${form.button}`;
      const times = this.sent.get(shape) ?? 0;
      this.sent.set(shape, times + 1);
      if (times < ALIKE) this.forms.push(form);
    }
    return parsed;
  }

  private async send(form: PageForm): Promise<void> {
    const { page, method, action, isMultipart, fields } = form;
    const target = new URL(action, this.url + page);
    if (target.origin !== this.url) return;
    if (method === 'get') {
      const query = new URLSearchParams(fields).toString();
      this.add(`${target.pathname}?${query}`, page, page);
      return;
    }
    const body = isMultipart ? new FormData() : new URLSearchParams();
    for (const [name, value] of fields) body.append(name, value);
    const path = target.pathname + target.search;
    const response = await this.request('POST', path, body);
    if (response.status === 404 && !(await this.stillHas(form)))
      return void (await response.text());
    await this.read(response, path, `${page} → POST ${path}`);
  }

  /** An earlier form may have deleted what this one is about. */
  private async stillHas({ page, action }: PageForm): Promise<boolean> {
    const response = await this.request('GET', page);
    const { forms } = parsePage(await response.text(), page);
    return forms.some((it) => it.action === action);
  }

  /** @param base the page that has the link */
  private add(link: string, from: string, base: string): void {
    if (/^(mailto|data|javascript):/.test(link)) return;
    const target = new URL(link.replace(PUBLIC_URL, this.url), this.url + base);
    if (target.origin !== this.url) return;
    const path = target.pathname + target.search + target.hash;
    if (this.added.has(path)) return;
    this.added.add(path);
    const shape = this.shape(path);
    const times = this.alike.get(shape) ?? 0;
    if (times >= ALIKE) return;
    this.alike.set(shape, times + 1);
    this.queue.push({ path, from });
  }

  private shape(path: string): string {
    const { pathname, searchParams, hash } = new URL(path, this.url);
    return `${pathname.replace(ID, ':id')}?${[...searchParams.keys()].sort().join('&')}${hash.replace(ID, '')}`;
  }

  private async request(
    method: string,
    path: string,
    body?: FormData | URLSearchParams,
  ): Promise<Response> {
    const response = await fetch(this.url + path, {
      method,
      body,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        'accept-language': this.reader.language,
        cookie: [...this.cookies].map((it) => it.join('=')).join('; '),
        'sec-fetch-site': 'same-origin',
      },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      // The links to other languages are followed too: the pages behind them say nothing about the next ones.
      if (name !== 'quiz_language') this.cookies.set(name, value);
    }
    return response;
  }
}
