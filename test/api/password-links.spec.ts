import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { INestApplicationContext } from '@nestjs/common';
import { AccountsService } from '../../src/access/accounts/accounts.service';
import { CATALOGUE_ACCOUNT, DEMO_ACCOUNT } from '../../src/access/accounts/built-in-accounts';
import { AccountAdministrationService } from '../../src/access/administration/account-administration.service';
import { EmailChangesService } from '../../src/access/administration/email-changes.service';
import { PasswordLinksService } from '../../src/access/administration/password-links.service';
import { OPERATOR } from '../../src/access/audit/actor';
import { recordNotices } from '../../src/access/notices/notice.queries';
import { NoticeMailService } from '../../src/access/notices/notice-mail.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { ImportRunnerService } from '../../src/import-export/imports/running/import-runner.service';
import { eventually } from '../support/clock';
import { makeQuiz } from '../support/content';
import { signIn, type Window } from '../support/dashboard';
import { questionBodies } from '../support/samples';
import { type Service, startService, type TestAccount } from '../support/service';
import { cookieOf, member, PASSWORD, Visitor, wordsOf } from '../support/visitor';
import { pauseImports, startWorkerBeside } from '../support/worker-beside';

/** A mail server that takes every message and keeps it, unless it is out of order. */
class MailServer {
  readonly messages: string[] = [];
  /** How many it has refused. */
  refused = 0;
  isDown = false;
  /** Whether it refuses every recipient. */
  knowsNobody = false;
  private constructor(private readonly server: Server) {}

  static async start(): Promise<MailServer> {
    const server = createServer();
    const mail = new MailServer(server);
    server.on('connection', (socket) => mail.serve(socket));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return mail;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}?ignoreTLS=true`;
  }

  private serve(socket: Socket): void {
    let message: string | null = null;
    socket.setEncoding('utf8').write('220 test\r\n');
    socket.on('data', (data: string) => {
      if (message !== null) {
        message += data;
        if (!message.endsWith('\r\n.\r\n')) return;
        if (this.isDown) this.refused++;
        else this.messages.push(message.replaceAll('=\r\n', '').replaceAll('=3D', '='));
        message = null;
        socket.write(this.isDown ? '451 later\r\n' : '250 ok\r\n');
        return;
      }
      for (const line of data.split('\r\n').filter(Boolean)) {
        if (line === 'DATA') message = '';
        const recipient = this.knowsNobody && /^RCPT TO:<(.*)>/.exec(line)?.[1];
        if (recipient) socket.write(`550 5.1.1 <${recipient}> is unknown\r\n`);
        else socket.write(line === 'DATA' ? '354 go\r\n' : '250 ok\r\n');
      }
    });
    socket.on('error', () => undefined);
  }

  close(): Promise<void> {
    return new Promise((done) => this.server.close(() => done()));
  }
}

let service: Service;
let mail: MailServer;
let administrator: Window;
beforeAll(async () => {
  mail = await MailServer.start();
  service = await startService({ SMTP_URL: mail.url });
});
afterAll(async () => {
  await service.close();
  await mail.close();
});
// Each test has an administrator of its own: one of them lets a week pass.
beforeEach(async () => {
  await service.database.query('DELETE FROM attempt_limits');
  administrator = await signIn(service, await service.account('free', { isAdmin: true }));
});

const linkIn = (text: string) => /\/dashboard\/sign-in\/link\?token=[\w-]+/.exec(text)?.[0] ?? '';

describe('a new account by an administrator', () => {
  it('a new account gets a link by mail, which sets the password once and signs in', async () => {
    const fields = { email: 'new@school.example', plan: 'starter' };
    const created = await administrator.send('/admin/accounts', fields).expect(200);
    expect(wordsOf(created)).toContain('The link was sent by e-mail.');
    const link = linkIn(created.text);
    expect(mail.messages.at(-1)).toContain(link);
    const visitor = new Visitor(service);
    expect(wordsOf(await visitor.get(link).expect(200))).toContain('new@school.example');
    const token = new URLSearchParams(link.split('?')[1]).get('token');
    const send = (password: string) => visitor.post('/dashboard/sign-in/link', { token, password });
    expect(wordsOf(await send('short').expect(422))).toContain('at least');
    await send(PASSWORD).expect(303);
    expect(cookieOf(await visitor.signIn('new@school.example'))).toBeDefined();
    expect(wordsOf(await visitor.get(link).expect(403))).toContain('This link has been used');
    await send('another password 1').expect(403);
  });

  it('a taken or invalid address is refused beside its field', async () => {
    const send = (email: string) => administrator.send('/admin/accounts', { email, plan: 'free' });
    await send('twice@school.example').expect(200);
    expect(wordsOf(await send('TWICE@school.example').expect(409))).toContain('already exists');
    expect(wordsOf(await send('nobody').expect(422))).toContain('must be an e-mail address');
  });
});

/** As quizctl does. */
const setPassword = async (accountId: string) => {
  const account = await service.app.get(AccountsService).get(accountId);
  await service.app.get(AccountAdministrationService).setPassword(OPERATOR, account, PASSWORD);
};

describe('a one-time link', () => {
  it('a newer link replaces an older one, a link expires after a week, and a new password ends sessions', async () => {
    const account = await service.account('free');
    const own = await signIn(service, account);
    const issue = async () =>
      linkIn((await administrator.send(`/admin/accounts/${account.accountId}/link`, {})).text);
    const [first, second] = [await issue(), await issue()];
    const visitor = new Visitor(service);
    await visitor.get(first).expect(403);
    await visitor.get(second).expect(200);
    const token = second.split('token=')[1];
    await visitor.post('/dashboard/sign-in/link', { token, password: PASSWORD }).expect(303);
    await own.open('').expect(303);
    const third = await issue();
    service.clock.advance(7 * 86_400_000 + 1_000);
    await visitor.get(third).expect(403);
  });

  it('a link does not outlive another change of the password: somebody else may have asked for it', async () => {
    const account = await member(service);
    const own = await signIn(service, account);
    const at = `/admin/accounts/${account.accountId}/link`;
    const link = linkIn((await administrator.send(at, {})).text);
    const visitor = new Visitor(service);
    await visitor.get(link).expect(200);
    const password = 'another long password';
    await own.send('/account/password', { current: PASSWORD, password }).expect(303);
    await visitor.get(link).expect(403);
    const token = link.split('token=')[1];
    await visitor.post('/dashboard/sign-in/link', { token, password: PASSWORD }).expect(403);
    expect((await visitor.signIn(account.email, password)).status).toBe(303);
  });

  it('a link is sent to the address that the account has when it is issued', async () => {
    const { accountId } = await service.account('free');
    const read = await service.app.get(AccountsService).get(accountId);
    const address = `changed-${accountId}@school.example`;
    await service.app.get(EmailChangesService).set(OPERATOR, accountId, address);
    const { path } = await service.app.get(PasswordLinksService).issue(OPERATOR, read);
    const sent = mail.messages.find((message) => message.includes(path));
    expect(sent).toContain(`To: ${address}\r\n`);
  });

  it('a link of a disabled account does not work', async () => {
    const { accountId } = await service.account('free');
    const at = `/admin/accounts/${accountId}`;
    const link = linkIn((await administrator.send(`${at}/link`, {})).text);
    await administrator.send(`${at}/disabled`, { disabled: 'yes' }).expect(303);
    await new Visitor(service).get(link).expect(403);
  });

  it('a disabled account gets none, and no password, until it is enabled', async () => {
    const { accountId } = await service.account('free');
    const at = `/admin/accounts/${accountId}`;
    await administrator.send(`${at}/disabled`, { disabled: 'yes' }).expect(303);
    const sent = mail.messages.length;
    const refused = await administrator.send(`${at}/link`, {}).expect(409);
    expect(wordsOf(refused)).toContain(
      'This account is disabled. An administrator can enable it in the dashboard',
    );
    expect(mail.messages).toHaveLength(sent);
    expect((await administrator.open(at)).text).not.toContain(`${at}/link`);
    await expect(setPassword(accountId)).rejects.toThrow('This account is disabled.');
    await administrator.send(`${at}/disabled`, { disabled: 'no' }).expect(303);
    expect((await administrator.open(at)).text).toContain(`${at}/link`);
    await administrator.send(`${at}/link`, {}).expect(200);
  });

  it('an account that the service needs gets none, and no password', async () => {
    const { accountId } = await service.account('pro', { email: DEMO_ACCOUNT });
    const at = `/admin/accounts/${accountId}`;
    const refused = await administrator.send(`${at}/link`, {}).expect(409);
    expect(wordsOf(refused)).toContain('nobody signs in to it');
    expect((await administrator.open(at)).text).not.toContain(`${at}/link`);
    await expect(setPassword(accountId)).rejects.toThrow('nobody signs in to it');
    expect(mail.messages.join()).not.toContain(DEMO_ACCOUNT);
  });

  it('the page of an account that the service needs does not offer to delete it or to change its address', async () => {
    const { accountId } = await service.account('pro', { email: CATALOGUE_ACCOUNT });
    const at = `/admin/accounts/${accountId}`;
    const { text } = await administrator.open(at);
    expect(text).toContain(`${at}/disabled`);
    expect(text).not.toContain(`${at}/delete`);
    expect(text).not.toContain(`${at}/e-mail`);
  });
});

describe('a forgotten password', () => {
  it('the address of a deleted account causes neither a mail nor an error', async () => {
    const [deleted, other] = [await service.account('free'), await service.account('free')];
    await service.database.query('UPDATE accounts SET deleted_at = now() WHERE id = $1', [
      deleted.accountId,
    ]);
    const sent = mail.messages.length;
    const visitor = new Visitor(service);
    for (const { email } of [deleted, other])
      await visitor.post('/dashboard/sign-in/forgot', { email });
    await eventually(() => expect(mail.messages.length).toBeGreaterThan(sent));
    expect(mail.messages.slice(sent)).toEqual([expect.stringContaining(`To: ${other.email}`)]);
    expect(service.log.join('')).not.toContain('could not be issued');
  });

  it('a recipient that the mail server refuses is not in the log', async () => {
    const { email } = await service.account('free');
    mail.knowsNobody = true;
    try {
      await new Visitor(service).post('/dashboard/sign-in/forgot', { email });
      await eventually(() => expect(service.log.join('')).toContain('an e-mail was not sent'));
    } finally {
      mail.knowsNobody = false;
    }
    expect(service.log.join('')).toContain('"command":"RCPT TO","responseCode":550');
    expect(service.log.join('')).not.toContain(email);
  });

  it('the response is the same for a known and an unknown address, and only the known one gets mail', async () => {
    const { accountId } = await service.account('free');
    const email = `forgetful@school.example`;
    await service.database.query(`UPDATE accounts SET email = $2, email_key = $2 WHERE id = $1`, [
      accountId,
      email,
    ]);
    const before = mail.messages.length;
    const visitor = new Visitor(service);
    const ask = (address: string) =>
      visitor.post('/dashboard/sign-in/forgot', { email: address }).set('Host', 'evil.example');
    const [known, unknown] = [await ask(email), await ask('unknown@school.example')];
    expect([known.status, known.headers.location]).toEqual([303, unknown.headers.location]);
    await eventually(() => expect(mail.messages.length).toBeGreaterThan(before));
    expect(mail.messages.slice(before)).toEqual([expect.stringContaining(`To: ${email}`)]);
    // Not evil.example: the client chooses the Host.
    expect(mail.messages.at(-1)).toContain(
      `\r\nhttp://localhost:3000/dashboard/sign-in/link?token=`,
    );
    const opened = await visitor.get(linkIn(mail.messages.at(-1) ?? '')).expect(200);
    expect(opened.headers['referrer-policy']).toBe('same-origin');
    const [, token = ''] = linkIn(mail.messages.at(-1) ?? '').split('token=');
    expect(service.log.join('')).toContain('/dashboard/sign-in/link?token=[redacted]');
    expect(service.log.join('')).not.toContain(token);
  });

  it('the id of an account, which is no secret, gets it no mail', async () => {
    const [named, asking] = [await service.account('free'), await service.account('free')];
    const sent = mail.messages.length;
    const visitor = new Visitor(service);
    for (const email of [named.accountId, asking.email])
      await visitor.post('/dashboard/sign-in/forgot', { email }).expect(303);
    await eventually(() => expect(mail.messages.length).toBeGreaterThan(sent));
    expect(mail.messages.slice(sent)).toEqual([expect.stringContaining(`To: ${asking.email}`)]);
    const issued = await service.database.query<object[]>(
      `SELECT FROM audit_entries WHERE action = 'account.password-link-issued' AND object_id = $1`,
      [named.accountId],
    );
    expect(issued).toEqual([]);
  });

  it('links are requested at most three times for an account and ten times by an address in 15 minutes', async () => {
    const visitor = new Visitor(service);
    const ask = async (email: string) =>
      (await visitor.post('/dashboard/sign-in/forgot', { email })).status;
    const same = [];
    for (let tries = 0; tries < 4; tries++) same.push(await ask('a@school.example'));
    expect(same).toEqual([303, 303, 303, 429]);
    const others = [];
    for (let tries = 0; tries < 7; tries++) others.push(await ask(`b${tries}@school.example`));
    expect(others).toEqual([...Array<number>(6).fill(303), 429]);
    service.clock.advance(15 * 60_000);
    expect(await ask('a@school.example')).toBe(303);
  });
});

describe('a request for a plan', () => {
  it('a request is shown to administrators and counted in the side bar until it is decided', async () => {
    const account = await service.account('free');
    const own = await signIn(service, account);
    await own.send('/account/plan', { plan: 'starter' }).expect(303);
    const list = wordsOf(await administrator.open('/admin/accounts').expect(200));
    expect(list).toMatch(/Accounts 1 waiting/);
    expect(list).toContain('wants Starter');
    const accountPage = wordsOf(await own.open('/account'));
    expect(accountPage).toContain('You have asked for the Starter plan.');
    expect(accountPage).not.toContain('Ask for Starter');
    const at = `/admin/accounts/${account.accountId}`;
    expect(wordsOf(await administrator.open(at))).toContain('asked for the Starter plan');
    await administrator.send(`${at}/plan`, { plan: 'starter' }).expect(303);
    expect(wordsOf(await administrator.open('/admin/accounts'))).not.toContain('waiting');
    const again = await own.send('/account/plan', { plan: 'starter' }).expect(409);
    // Above the first section, and not in the form of the password.
    expect(wordsOf(again).split('Ask for Pro')[0]).toContain(
      'Your account is on the Starter plan.',
    );
    await own.send('/account/plan', { plan: 'pro' }).expect(303);
    await administrator.send(`${at}/plan-request`, {}).expect(303);
    expect(wordsOf(await administrator.open(at))).not.toContain('asked for');
    const notices = wordsOf(await own.open('/notices'));
    expect(notices).toContain('Your account is on the Starter plan now');
    expect(notices).toContain('The Pro plan was declined');
    await own.send('/account/plan', { plan: 'free' }).expect(422);
  });

  it('an account can ask for a plan ten times in 15 minutes, then gets 429', async () => {
    const account = await service.account('free');
    const own = await signIn(service, account);
    const ask = (plan: string) => own.send('/account/plan', { plan });
    for (let times = 0; times < 5; times++) {
      await ask('starter').expect(303);
      await ask('pro').expect(303);
    }
    expect(wordsOf(await ask('starter').expect(429))).toContain('Too many attempts');
    expect(wordsOf(await own.open('/account'))).toContain('You have asked for the Pro plan.');
  });
});

describe('notices', () => {
  let worker: INestApplicationContext;
  let author: TestAccount;
  let own: Window;
  beforeAll(async () => {
    worker = await startWorkerBeside(service);
    await pauseImports(worker);
  });
  afterAll(() => worker.close());
  beforeEach(async () => {
    author = await service.account('pro');
    own = await signIn(service, author);
  });
  const submit = () => makeQuiz(author, { published: true }, questionBodies(1));
  const decide = (id: string, fields: Record<string, string>) =>
    administrator.send(`/admin/review/${id}/verdict`, { seen: 'pending', ...fields }).expect(303);
  const unread = async () =>
    Number(/Notices (\d+) unread/.exec(wordsOf(await own.open('').expect(200)))?.[1] ?? 0);
  /** What the worker does every five seconds. */
  const sendMails = () => worker.get(NoticeMailService, { strict: false }).send();
  const mailsTo = ({ email }: TestAccount) =>
    mail.messages.filter((message) => message.includes(`To: ${email}\r\n`));

  it('an author reads in the dashboard and by e-mail that a quiz is rejected, why, and that another is approved', async () => {
    const [bad, good] = [await submit(), await submit()];
    await decide(bad.id, { verdict: 'reject', reason: 'Please add a source.' });
    await decide(good.id, { verdict: 'approve' });
    // What is approved already is no news.
    await service.app.get(ReviewService).approve(good.id);
    expect(await unread()).toBe(2);
    const list = await own.open('/notices').expect(200);
    expect(wordsOf(list)).toMatch(
      /is approved new .*is rejected new Reason: Please add a source\./,
    );
    const [, at = ''] = /action="\/dashboard(\/notices\/[\w-]+)"/.exec(list.text) ?? [];
    const stranger = await signIn(service, await service.account('pro'));
    await stranger.send(at).expect(404);
    const opened = await own.send(at).expect(303);
    expect(opened.headers.location).toBe(`/dashboard/quizzes/${good.id}`);
    await own.open(`/quizzes/${good.id}`).expect(200);
    expect(await unread()).toBe(1);
    await own.send('/notices').expect(303);
    expect(await unread()).toBe(0);
    await sendMails();
    await eventually(() => expect(mailsTo(author)).toHaveLength(2));
    const rejection = mailsTo(author).find((text) => text.includes('Please add a source.'));
    expect(rejection).toContain(`http://localhost:3000/dashboard/quizzes/${bad.id}\r\n`);
  });

  it('a notice and its e-mail are in the language that the account last asked for', async () => {
    const read = async (language: string, expected: string) => {
      // The dashboard has two languages, e-mails have all.
      await own.open(`/quizzes?lang=${language}`).expect(200);
      const { id } = await submit();
      await decide(id, { verdict: 'reject', reason: '“Paris” is rejected in question 3.' });
      const sent = mailsTo(author).length;
      await sendMails();
      await eventually(() => expect(mailsTo(author)).toHaveLength(sent + 1));
      expect(mailsTo(author).at(-1)).toContain(expected);
    };
    await read('de', 'Diese E-Mails stellst du hier ab: http');
    const list = await own.open('/notices').set('Accept-Language', 'de').expect(200);
    expect(wordsOf(list)).toMatch(
      /Mitteilungen .*“? ist abgelehnt neu Grund: “Paris” is rejected in question 3\./,
    );
    await read('fr', 'Pour ne plus recevoir ces e-mails, ouvre http');
    await read('en', 'To stop these e-mails, open http');
  });

  it('the owner of an import is told when it has ended, and of a preview nothing', async () => {
    const send = (query: string) =>
      author
        .post(`/imports?filename=rivers.csv${query}`, 'question,answer,wrong1\nRhine?,Yes,No\n')
        .set('Content-Type', 'text/csv')
        .expect(202);
    const runner = service.app.get(ImportRunnerService);
    const imported = async (query: string) => {
      const { body } = await send(query);
      await runner.run(body.data.id as string);
      const { data } = (await author.get(`/imports/${body.data.id}`)).body;
      expect(data.state).toBe('completed');
    };
    await imported('&dry_run=true');
    expect(await unread()).toBe(0);
    await imported('');
    expect(await unread()).toBe(1);
    await sendMails();
    await eventually(() => expect(mailsTo(author)).toHaveLength(1));
    const list = await own.open('/notices').expect(200);
    expect(wordsOf(list)).toContain(
      'Import of “rivers.csv” completed new Questions imported: 1. Rows with errors: 0.',
    );
  }, 60_000);

  it('a mail that the mail server refuses is tried again, and arrives once', async () => {
    const { id } = await submit();
    mail.isDown = true;
    const { refused } = mail;
    await decide(id, { verdict: 'approve' });
    await sendMails();
    await eventually(() => expect(mail.refused).toBe(refused + 1));
    mail.isDown = false;
    service.clock.advance(61_000);
    await sendMails();
    await eventually(() => expect(mailsTo(author)).toHaveLength(1));
    const waiting = `SELECT id FROM notices WHERE account_id = $1 AND mail_at IS NOT NULL`;
    await eventually(async () =>
      expect(await service.database.query(waiting, [author.accountId])).toEqual([]),
    );
  });

  it('an account that switches e-mails off gets none', async () => {
    expect(wordsOf(await own.open('/account'))).toContain('Notices are also sent to');
    await own.send('/account/e-mail', { notices: 'off' }).expect(303);
    expect(wordsOf(await own.open('/account'))).toContain('Notices are not sent to');
    await decide((await submit()).id, { verdict: 'approve' });
    await sendMails();
    const waiting = `SELECT id FROM notices WHERE account_id = $1 AND mail_at IS NOT NULL`;
    await eventually(async () =>
      expect(await service.database.query(waiting, [author.accountId])).toEqual([]),
    );
    expect([await unread(), mailsTo(author)]).toEqual([1, []]);
  });

  it('an account keeps 100 notices: a further one deletes the oldest', async () => {
    const { accountId } = author;
    const notices = Array.from({ length: 101 }, (_, at) => ({
      accountId,
      title: `Notice ${at}.`,
      detail: '',
      path: '/dashboard',
    }));
    const now = new Date(service.clock.now().getTime() - 7 * 86_400_000);
    await recordNotices(service.database.manager, now, notices);
    const text = wordsOf(await own.open('/notices').expect(200));
    expect(text.match(/Notice \d+\./g)).toHaveLength(100);
    expect(text).not.toContain('Notice 0.');
  });
});

describe('another e-mail address', () => {
  const change = (window: Window, email: string, current = PASSWORD) =>
    window.send('/account/e-mail-address', { email, current });
  const confirmation = () =>
    mail.messages
      .map((text) => /\/dashboard\/sign-in\/e-mail\?token=[\w-]+/.exec(text)?.[0])
      .findLast((link) => link !== undefined) ?? '';
  const addressOf = async ({ accountId }: TestAccount) => {
    const [row] = await service.database.query<[{ email: string }]>(
      'SELECT email FROM accounts WHERE id = $1',
      [accountId],
    );
    return row.email;
  };
  let account: TestAccount;
  let mine: Window;
  beforeEach(async () => {
    account = await member(service);
    mine = await signIn(service, account);
  });

  it('is used once its link is opened and confirmed, which works once, and the old address is told', async () => {
    const email = `new-${account.accountId}@example.com`;
    await change(mine, email).expect(303);
    const link = confirmation();
    expect(await addressOf(account)).toBe(account.email);
    const visitor = new Visitor(service);
    // Mail programs open links to look at them: nothing changes by that.
    expect(wordsOf(await visitor.get(link).expect(200))).toContain(email);
    expect(await addressOf(account)).toBe(account.email);
    const token = new URL(link, service.url).searchParams.get('token');
    const statuses = await Promise.all(
      [1, 2].map(async () => (await visitor.post('/dashboard/sign-in/e-mail', { token })).status),
    );
    expect(statuses.sort()).toEqual([200, 403]);
    expect(await addressOf(account)).toBe(email);
    await visitor.get(link).expect(403);
    await eventually(() => {
      const mails = mail.messages
        .filter((text) => text.includes(`To: ${account.email}`))
        .join('\n');
      expect(mails).toContain('about to change');
      expect(mails).toContain('was changed');
    });
    expect((await new Visitor(service).signIn(email)).status).toBe(303);
    expect((await new Visitor(service).signIn(account.email)).status).toBe(422);
  });

  it('needs the password and a free, valid address, and its link expires after a day', async () => {
    const page = await change(mine, 'other@example.com', 'guess').expect(422);
    expect(wordsOf(page)).toContain('This is not your current password');
    await change(mine, 'nonsense').expect(422);
    const taken = await service.account();
    await change(mine, taken.email).expect(409);
    await change(mine, `late-${account.accountId}@example.com`).expect(303);
    const link = confirmation();
    service.clock.advance(24 * 3_600_000);
    const token = new URL(link, service.url).searchParams.get('token');
    await new Visitor(service).post('/dashboard/sign-in/e-mail', { token }).expect(403);
    expect(await addressOf(account)).toBe(account.email);
  });

  it('that the mail server does not accept is refused beside its field, and an earlier link still works', async () => {
    const email = `typo-${account.accountId}@exampel.com`;
    const earlier = `earlier-${account.accountId}@example.com`;
    await change(mine, earlier).expect(303);
    mail.knowsNobody = true;
    try {
      const page = await change(mine, email).expect(422);
      expect(wordsOf(page)).toContain(
        'The mail server did not accept a message to this address. Check it, or try again later.',
      );
      expect(page.text).toMatch(new RegExp(`<input[^>]*value="${email}"[^>]*aria-invalid="true"`));
    } finally {
      mail.knowsNobody = false;
    }
    const requested = await service.database.query<object[]>(
      `SELECT FROM audit_entries WHERE action = 'account.email-change-requested' AND object_id = $1`,
      [account.accountId],
    );
    expect(requested).toHaveLength(1);
    const token = new URL(confirmation(), service.url).searchParams.get('token');
    await new Visitor(service).post('/dashboard/sign-in/e-mail', { token }).expect(200);
    expect(await addressOf(account)).toBe(earlier);
  });

  it('may be the present one in another case, and not the present one itself', async () => {
    const capitals = account.email.toUpperCase();
    await change(mine, account.email).expect(409);
    await change(mine, capitals).expect(303);
    const token = new URL(confirmation(), service.url).searchParams.get('token');
    await new Visitor(service).post('/dashboard/sign-in/e-mail', { token }).expect(200);
    expect(await addressOf(account)).toBe(capitals);
    expect((await new Visitor(service).signIn(account.email)).status).toBe(303);
  });

  it('is not used any more once the password has changed: somebody else may have asked for it', async () => {
    await change(mine, `thief-${account.accountId}@example.com`).expect(303);
    const token = new URL(confirmation(), service.url).searchParams.get('token');
    const password = 'another long password';
    await mine.send('/account/password', { current: PASSWORD, password }).expect(303);
    await new Visitor(service).post('/dashboard/sign-in/e-mail', { token }).expect(403);
    expect(await addressOf(account)).toBe(account.email);
  });

  it('is set at once by an administrator, also where no e-mail is sent, and the same address changes nothing', async () => {
    const email = `set-${account.accountId}@example.com`;
    await administrator.send(`/admin/accounts/${account.accountId}/e-mail`, { email }).expect(303);
    expect(await addressOf(account)).toBe(email);
    const stored = () =>
      service.database.query<object[]>(
        `SELECT new_email, link_hash, (SELECT count(*)::int FROM audit_entries WHERE object_id = $1) AS entries
         FROM accounts WHERE id::text = $1`,
        [account.accountId],
      );
    const asked = `asked-${account.accountId}@example.com`;
    await change(mine, asked).expect(303);
    const before = await stored();
    expect(before).toMatchObject([{ new_email: asked }]);
    await administrator.send(`/admin/accounts/${account.accountId}/e-mail`, { email }).expect(303);
    expect(await stored()).toEqual(before);
    const silent = await startService();
    try {
      const asking = await member(silent);
      const window = await signIn(silent, asking);
      const words = wordsOf(await window.open('/account/e-mail-address').expect(200));
      expect(words).toContain('Ask an administrator to change it');
      const admin = await signIn(silent, await silent.account('free', { isAdmin: true }));
      await admin.send(`/admin/accounts/${asking.accountId}/e-mail`, { email }).expect(303);
      expect((await new Visitor(silent).signIn(email)).status).toBe(303);
    } finally {
      await silent.close();
    }
  });
});

it('an account is deleted on its page with the password, and its browser is signed out', async () => {
  const account = await member(service);
  const mine = await signIn(service, account);
  const wrong = await mine.send('/account/delete', { quizzes: 'keep', current: 'guess' });
  expect([wrong.status, wordsOf(wrong)]).toEqual([
    422,
    expect.stringContaining('This is not your current password'),
  ]);
  const done = await mine.send('/account/delete', { quizzes: 'keep', current: PASSWORD });
  expect([done.status, wordsOf(done)]).toEqual([
    200,
    expect.stringContaining('Your account is deleted'),
  ]);
  await mine.open('/account').expect(303);
  await account.get('/me').expect(401);
});
