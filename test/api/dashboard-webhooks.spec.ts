import { randomUUID } from 'node:crypto';
import { decodeHTML } from 'entities';
import { eventually } from '../support/clock';
import { signIn, textOf, type Window } from '../support/dashboard';
import { type Receiver, startReceiver } from '../support/receiver';
import { quizBody } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { startWorkerBeside } from '../support/worker-beside';

const HOSTILE = '"><script>alert(1)</script>';
const DAY = 24 * 3_600_000;

let service: Service;
let receiver: Receiver;
let paths = 0;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ WEBHOOK_ALLOW_INSECURE: 'true', WEBHOOK_RETRY_DELAYS: '1m' });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const newPath = () => `/${++paths}`;
const shown = (html: string, label: string) =>
  decodeHTML(new RegExp(`aria-label="${label}"><code>([^<]*)</code>`).exec(html)?.[1] ?? 'nothing');
const idIn = (text: string) =>
  /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(text)?.[0] ?? 'no id';

interface Member {
  account: TestAccount;
  window: Window;
}
async function member(options: Parameters<Service['account']>[1] = {}): Promise<Member> {
  const account = await service.account('pro', options);
  return { account, window: await signIn(service, account) };
}

/** An endpoint, added by the form. */
async function added({ window }: Member, path = newPath(), events = ['quiz.created']) {
  const { text } = await window.send('/webhooks', { url: receiver.url(path), events }).expect(200);
  const id = idIn(/data-address="([^"]*)"/.exec(text)?.[1] ?? '');
  return { id, path, text, secret: shown(text, 'Signing secret') };
}

describe('webhook pages without a worker', () => {
  it('without a worker every webhook page shows that events wait, and a test event returns at once', async () => {
    const owner = await member();
    const { id } = await added(owner);
    const sent = await owner.window.send(`/webhooks/${id}/test`).expect(303);
    const delivery = sent.headers.location?.replace('/dashboard', '') ?? '';
    for (const path of ['/webhooks', `/webhooks/${id}`, '/webhooks/deliveries', delivery]) {
      const { text } = await owner.window.open(path).expect(200);
      expect(textOf(text)).toContain('No worker is running. Events are kept');
    }
    const waiting = textOf((await owner.window.open(delivery)).text);
    expect(waiting).toContain('pending due now');
    expect(waiting).toContain('It is sent as soon as a worker runs. Refresh');
  });
});

describe('adding an endpoint', () => {
  it('a new endpoint shows its secret once', async () => {
    const owner = await member();
    const { id, secret } = await added(owner);
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    for (const path of ['/webhooks', `/webhooks/${id}`, `/webhooks/${id}/edit`])
      expect((await owner.window.open(path).expect(200)).text).not.toContain('whsec_');
  });

  it('an invalid endpoint form keeps what was typed, with each error beside its field', async () => {
    const { window } = await member();
    const { text } = await window
      .send('/webhooks', { url: `ftp://${HOSTILE}`, events: ['quiz.created', HOSTILE] })
      .expect(422);
    expect(text).not.toContain('<script>alert');
    expect(/id="field-url-error">([^<]*)</.exec(text)?.[1]).toContain('The URL');
    expect(decodeHTML(/id="field-events-error">([^<]*)</.exec(text)?.[1] ?? '')).toContain(
      `Events must not hold "${HOSTILE}"`,
    );
    expect(
      decodeHTML(
        /name="url"[^>]*?value="([^"]*)"|value="([^"]*)"[^>]*?name="url"/
          .exec(text)
          ?.slice(1)
          .join('') ?? '',
      ),
    ).toBe(`ftp://${HOSTILE}`);
    expect(text).toMatch(/<input(?=[^>]*value="quiz\.created")(?=[^>]*checked)[^>]*>/);
    expect(text).not.toMatch(/<input(?=[^>]*value="quiz\.published")(?=[^>]*checked)[^>]*>/);
  });

  it('an empty endpoint form names the required fields', async () => {
    const { window } = await member();
    const { text } = await window.send('/webhooks').expect(422);
    expect(text).toContain('id="field-url-error"');
    expect(textOf(text)).toContain('Events must hold at least 1 event type');
  });

  it('an endpoint beyond the limit is refused with a message', async () => {
    const owner = await member();
    for (let number = 0; number < 20; number++) await added(owner);
    const { text } = await owner.window
      .send('/webhooks', { url: receiver.url(), events: 'quiz.created' })
      .expect(403);
    expect(textOf(text)).toContain('you have reached that limit');
    expect(text).toContain(`value="${receiver.url()}"`);
  });

  it('the form of a new endpoint offers the opt-in events, and no event is checked', async () => {
    const { window } = await member();
    const { text } = await window.open('/webhooks/new').expect(200);
    const boxes = text.match(/<input[^>]*name="events"[^>]*>/g) ?? [];
    const names = boxes.map((box) => /value="([^"]*)"/.exec(box)?.[1]);
    expect(names).toEqual(
      expect.arrayContaining(['quiz.updated', 'quiz.deleted', 'quiz.rejected']),
    );
    expect(boxes.filter((box) => box.includes('checked'))).toEqual([]);
    expect(textOf(text)).toContain('Sent for every deleted quiz of your account.');
  });

  it('only an administrator adds an endpoint for all accounts', async () => {
    const fields = { url: receiver.url(newPath()), events: 'quiz.created', allAccounts: 'yes' };
    const { window } = await member();
    expect((await window.open('/webhooks/new').expect(200)).text).not.toContain('allAccounts');
    await window.send('/webhooks', fields).expect(403);
    expect(textOf((await window.open('/webhooks')).text)).toContain('No endpoints yet');
    const administrator = await member({ isAdmin: true });
    await administrator.window.send('/webhooks', fields).expect(200);
    expect(textOf((await administrator.window.open('/webhooks')).text)).toContain(
      'of all accounts',
    );
  });
});

describe('webhook endpoint pages', () => {
  it('an edited endpoint shows a confirmation', async () => {
    const owner = await member();
    const { id } = await added(owner);
    const url = receiver.url('/elsewhere?a=1&b="');
    await owner.window
      .send(`/webhooks/${id}/edit`, { url, events: ['quiz.published', 'quiz.completed'] })
      .expect(303);
    const { text } = await owner.window.open(`/webhooks/${id}`).expect(200);
    expect(textOf(text)).toContain('The settings are saved.');
    expect(textOf(text)).toContain('quiz.published quiz.completed');
    expect(textOf(text)).toContain(new URL(url).href);
    const refused = await owner.window
      .send(`/webhooks/${id}/edit`, { url: 'nonsense' })
      .expect(422);
    expect(refused.text).toContain('value="nonsense"');
  });

  it('an endpoint is disabled, enabled and deleted', async () => {
    const owner = await member();
    const { id } = await added(owner);
    const state = async () => textOf((await owner.window.open(`/webhooks/${id}`)).text);
    await owner.window.send(`/webhooks/${id}/disable`).expect(303);
    expect(await state()).toContain('This endpoint is disabled');
    await owner.window.send(`/webhooks/${id}/enable`).expect(303);
    expect(await state()).not.toContain('This endpoint is disabled');
    await owner.window.send(`/webhooks/${id}/delete`).expect(303, '');
    await owner.window.open(`/webhooks/${id}`).expect(404);
  });

  it('a secret is rotated by stage, promote and retire, in no other order', async () => {
    const owner = await member();
    const { id, secret: first } = await added(owner);
    const step = (name: string) => owner.window.send(`/webhooks/${id}/secret/${name}`);
    const out = await step('promote').expect(409);
    expect(textOf(out.text)).toContain('stage one first');
    await step('retire').expect(409);
    const second = shown((await step('stage').expect(200)).text, 'Signing secret');
    expect(second).toMatch(/^whsec_/);
    expect(second).not.toBe(first);
    await step('retire').expect(409);
    await step('promote').expect(303);
    await step('stage').expect(409);
    await step('retire').expect(303);
    const { text } = await owner.window.open(`/webhooks/${id}`);
    expect(textOf(text)).toContain('The old secret is retired.');
    expect(text).not.toContain('whsec_');
  });

  it('the overview lists endpoints that fail or that the service disabled, until they work again', async () => {
    const owner = await member();
    const [failing, gone, paused] = [await added(owner), await added(owner), await added(owner)];
    const overview = async () => (await owner.window.open('').expect(200)).text;
    expect(await overview()).not.toContain('need you');
    await owner.window.send(`/webhooks/${paused.id}/disable`).expect(303);
    await service.database.query(
      `UPDATE webhook_endpoints SET failing_since = now() - interval '2 hours' WHERE id = $1`,
      [failing.id],
    );
    await service.database.query(
      `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'It responded 410 Gone.' WHERE id = $1`,
      [gone.id],
    );
    const text = await overview();
    expect(textOf(text)).toContain('failing began 2 hours ago');
    expect(textOf(text)).toContain('disabled It responded 410 Gone.');
    expect(text).not.toContain(paused.id);
    await owner.window.send(`/webhooks/${gone.id}/enable`).expect(303);
    expect(textOf(await overview())).not.toContain('410 Gone');
    await owner.window.send(`/webhooks/${failing.id}/delete`).expect(303);
    expect(await overview()).not.toContain('need you');
  });
});

describe('webhook deliveries in the dashboard', () => {
  let worker: { close(): Promise<void> };
  beforeAll(async () => {
    worker = await startWorkerBeside(service);
  });
  afterAll(() => worker.close());

  /** A delivery of a test event, and its page. */
  async function tested(owner: Member, endpoint: { id: string }) {
    const { headers } = await owner.window.send(`/webhooks/${endpoint.id}/test`).expect(303);
    const id = idIn(headers.location ?? '');
    const page = await eventually(async () => {
      const { text } = await owner.window.open(`/webhooks/deliveries/${id}`).expect(200);
      expect(text).not.toContain('under-way');
      return text;
    });
    return { id, page };
  }

  /** A delivery of a real event that has failed for good. */
  async function failed(owner: Member, endpoint: { id: string; path: string }) {
    receiver.answers(endpoint.path, { status: 500, body: HOSTILE });
    await owner.account.post('/quizzes', quizBody()).expect(201);
    const status = (wanted: string) =>
      eventually(async () => {
        const { text } = await owner.window.open(`/webhooks/deliveries?endpoint=${endpoint.id}`);
        expect(textOf(text)).toContain(wanted);
        return idIn(/deliveries\/([^"?]*)"[^>]*>quiz.created/.exec(text)?.[1] ?? '');
      });
    await status('next attempt');
    service.clock.advance(120_000);
    return status('quiz.created failed');
  }

  it('a test event arrives with a signature that the shown code accepts', async () => {
    const owner = await member();
    const endpoint = await added(owner);
    const { page } = await tested(owner, endpoint);
    expect(textOf(page)).toContain('delivered');
    expect(textOf(page)).toMatch(/Attempt 1 test 204 \d+ ms/);
    const [request] = receiver.at(endpoint.path);
    const code = shown(endpoint.text, 'Verification in Node.js');
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the code that people are told to copy
    const isAuthentic = new Function('require', `${code}; return isAuthentic;`)(require);
    const header = request?.headers['x-service-signature'];
    expect(isAuthentic(Buffer.from(request!.body), header, endpoint.secret)).toBe(true);
    expect(isAuthentic(Buffer.from(`${request!.body} `), header, endpoint.secret)).toBe(false);
    expect(isAuthentic(Buffer.from(request!.body), undefined, endpoint.secret)).toBe(false);
  });

  it("a receiver's response is shown as text", async () => {
    const owner = await member();
    const endpoint = await added(owner);
    receiver.answers(endpoint.path, { status: 500, body: `<b>no</b>${HOSTILE}` });
    const { page } = await tested(owner, endpoint);
    expect(page).not.toContain('<b>no');
    expect(page).not.toContain('<script>alert');
    expect(textOf(page)).toContain(`<b>no</b>${HOSTILE}`);
    expect(textOf(page)).toContain('failed');
  });

  it('the seventh test event in a minute is refused on the page', async () => {
    const owner = await member();
    const { id } = await added(owner);
    for (let sent = 0; sent < 6; sent++)
      await owner.window.send(`/webhooks/${id}/test`).expect(303);
    const { text } = await owner.window.send(`/webhooks/${id}/test`).expect(429);
    expect(textOf(text)).toMatch(/Too many .* Try again in 1 minute\./);
  });

  it('a failed delivery is retried manually, but not while its endpoint is disabled', async () => {
    const owner = await member();
    const endpoint = await added(owner);
    const id = await failed(owner, endpoint);
    const page = () => owner.window.open(`/webhooks/deliveries/${id}`);
    expect((await page()).text).toContain('Retry now');

    await owner.window.send(`/webhooks/${endpoint.id}/disable`).expect(303);
    expect((await page()).text).not.toContain('Retry now');
    const refused = await owner.window.send(`/webhooks/deliveries/${id}/retry`).expect(409);
    expect(textOf(refused.text)).toContain('is disabled: enable it, then retry');
    await owner.window.send(`/webhooks/${endpoint.id}/enable`).expect(303);

    receiver.answers(endpoint.path, { status: 204 });
    await owner.window.send(`/webhooks/deliveries/${id}/retry`).expect(303);
    await eventually(async () => {
      expect(textOf((await page()).text)).toMatch(
        /Attempt 3 manual 204 .* Attempt 1 automatic 500/,
      );
    });
  });

  it('the overview lists an endpoint with failed deliveries until a retry arrives', async () => {
    const owner = await member();
    const endpoint = await added(owner);
    const notice = async () => textOf((await owner.window.open('').expect(200)).text);
    await failed(owner, endpoint);
    expect(await notice()).toMatch(/need you.*failing/);
    const retry = { since: '2000-01-01T00:00' };
    receiver.answers(endpoint.path, {});
    await owner.window.send('/webhooks/deliveries/retry', retry).expect(303);
    await eventually(async () => expect(await notice()).not.toContain('need you'));
  });

  it('the owner of an endpoint is told once that it fails, and again when it is disabled', async () => {
    const owner = await member();
    const endpoint = await added(owner);
    const notices = async () =>
      textOf((await owner.window.open('/notices').expect(200)).text).match(
        /Webhooks to [\w.:]+ (fail|are disabled)/g,
      );
    await failed(owner, endpoint);
    await failed(owner, endpoint);
    expect(await notices()).toEqual([expect.stringMatching(/fail$/)]);
    receiver.answers(endpoint.path, { status: 410 });
    await owner.account.post('/quizzes', quizBody()).expect(201);
    await eventually(async () =>
      expect(await notices()).toEqual([
        expect.stringMatching(/disabled$/),
        expect.stringMatching(/fail$/),
      ]),
    );
  });

  it("a bulk retry resends the account's own failed deliveries since a time", async () => {
    const [owner, other] = [await member(), await member()];
    const [mine, theirs] = [await added(owner), await added(other)];
    await failed(owner, mine);
    await failed(other, theirs);
    for (const { path } of [mine, theirs]) receiver.answers(path, { status: 204 });
    const before = receiver.at(theirs.path).length;
    const retry = async (fields: Record<string, string>) => {
      await owner.window.send('/webhooks/deliveries/retry', fields).expect(303);
      return textOf((await owner.window.open('/webhooks/deliveries')).text);
    };
    const at = (ago: number) =>
      new Date(service.clock.now().getTime() - ago).toISOString().slice(0, 16);
    expect(await retry({ since: at(-DAY) })).toContain(
      'No delivery to an enabled endpoint has failed since then',
    );
    const foreign = { since: at(DAY), endpoint: theirs.id };
    await owner.window.send('/webhooks/deliveries/retry', foreign).expect(404);
    expect(await retry({ since: at(DAY) })).toContain('1 delivery is attempted once more.');
    await eventually(() => expect(receiver.at(mine.path)).toHaveLength(3));
    expect(receiver.at(theirs.path)).toHaveLength(before);
  });

  it('an invalid time is refused beside its field', async () => {
    const { window } = await member();
    const { text } = await window
      .send('/webhooks/deliveries/retry', { since: HOSTILE })
      .expect(422);
    expect(text).not.toContain('<script>alert');
    expect(text).toMatch(/id="field-since-error">Give a time such as/);
  });

  it('an empty list of deliveries shows the next step, without filters or bulk retry', async () => {
    const owner = await member();
    const list = async (query = '') =>
      textOf((await owner.window.open(`/webhooks/deliveries${query}`).expect(200)).text);
    expect(await list()).toContain('No deliveries yet');
    expect(await list()).toContain('Add an endpoint');
    expect(await list()).not.toMatch(/Retry failed|Any status/);
    await added(owner);
    expect(await list()).toContain('To your endpoints');
    expect(await list('?status=failed')).toMatch(/Any status .*No such deliveries Show all/);
  });

  it('the list of deliveries is filtered and paged, newest first', async () => {
    const owner = await member();
    const [first, second] = [await added(owner), await added(owner)];
    await tested(owner, first);
    await owner.window.send(`/webhooks/${second.id}/disable`).expect(303);
    const bodies = Array.from({ length: 30 }, (_, number) => quizBody({ title: `Quiz ${number}` }));
    for (const body of bodies) await owner.account.post('/quizzes', body).expect(201);
    const rows = async (query: string) => {
      const { text } = await owner.window.open(`/webhooks/deliveries?${query}`).expect(200);
      const older = decodeHTML(/href="([^"]*)">Older</.exec(text)?.[1] ?? '');
      const ids = [...text.matchAll(/webhooks\/deliveries\/([0-9a-f-]{36})"/g)].map(
        ([, id]) => id!,
      );
      return { ids, older: older.split('?')[1] };
    };
    const walk = async (
      walked: string[] = [],
      query: string | undefined = '',
    ): Promise<string[]> => {
      const { ids, older } = await rows(query);
      return older === undefined ? [...walked, ...ids] : walk([...walked, ...ids], older);
    };
    const walked = await eventually(async () => {
      const found = await walk();
      expect(found).toHaveLength(61);
      return found;
    });
    expect(walked).toEqual([...new Set(walked)].sort().reverse());
    const pending = `endpoint=${second.id}&event=quiz.created&status=pending`;
    expect(await walk([], pending)).toHaveLength(30);
    expect((await rows('event=webhook.test')).ids).toHaveLength(1);
    expect((await rows('status=failed')).ids).toHaveLength(0);
    // What is no filter of the page narrows nothing.
    expect((await rows(`status=${encodeURIComponent(HOSTILE)}&before=x`)).ids).toHaveLength(25);
  });

  it("another account's endpoints and deliveries are not found and stay unchanged", async () => {
    const [owner, neighbour] = [await member(), await member({ isAdmin: true })];
    const endpoint = await added(owner);
    const { id } = await tested(owner, endpoint);
    const unknown = randomUUID();
    for (const [own, other] of [
      [endpoint.id, id],
      [unknown, unknown],
      ['nonsense', 'nonsense'],
    ]) {
      const { window } = neighbour;
      for (const path of [
        `/webhooks/${own}`,
        `/webhooks/${own}/edit`,
        `/webhooks/deliveries/${other}`,
      ])
        await window.open(path).expect(404);
      for (const act of [
        'edit',
        'disable',
        'enable',
        'delete',
        'test',
        'secret/stage',
        'secret/promote',
        'secret/retire',
      ])
        await window
          .send(`/webhooks/${own}/${act}`, { url: receiver.url('/stolen'), events: 'quiz.created' })
          .expect(404);
      await window.send(`/webhooks/deliveries/${other}/retry`).expect(404);
    }
    for (const path of [
      '/webhooks',
      '/webhooks/deliveries',
      `/webhooks/deliveries?endpoint=${endpoint.id}`,
    ])
      expect((await neighbour.window.open(path).expect(200)).text).not.toContain(
        receiver.url(endpoint.path),
      );
    const { text } = await owner.window.open(`/webhooks/${endpoint.id}`).expect(200);
    expect(text).toContain(receiver.url(endpoint.path));
    expect(receiver.at(endpoint.path)).toHaveLength(1);
  });

  it('the deliveries of a deleted endpoint can still be viewed', async () => {
    const owner = await member();
    const endpoint = await added(owner);
    const { id } = await tested(owner, endpoint);
    await owner.window.send(`/webhooks/${endpoint.id}/delete`).expect(303);
    const { text } = await owner.window.open(`/webhooks/deliveries/${id}`).expect(200);
    expect(textOf(text)).toContain('(deleted)');
    expect(text).not.toContain('Retry now');
  });
});

it('webhook pages need a session, and refuse forms of other sites', async () => {
  const { window } = await member();
  const stranger = await signIn(service, await member().then(({ account }) => account));
  for (const path of [
    '/webhooks',
    '/webhooks/new',
    '/webhooks/deliveries',
    `/webhooks/${randomUUID()}`,
  ]) {
    const { headers } = await stranger.open(path).set('Cookie', '').expect(303);
    expect(headers.location).toContain('/dashboard/sign-in');
  }
  await window
    .send('/webhooks', { url: receiver.url(), events: 'quiz.created' })
    .set('Sec-Fetch-Site', 'cross-site')
    .expect(403);
  expect(textOf((await window.open('/webhooks')).text)).toContain('No endpoints yet');
});
