import { ApiKeysService } from '../../src/access/api-keys/api-keys.service';
import type { AuditEntryView } from '../../src/access/audit/audit.dto';
import { AuditLog } from '../../src/access/audit/audit-log';
import { AuditRetention } from '../../src/access/audit/audit-retention.service';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import { ReviewService } from '../../src/authoring/review/review.service';
import { Clock } from '../../src/platform/clock';
import { LIMITS } from '../../src/platform/limits/limits';
import { newId } from '../../src/platform/text/ids';
import { makeQuiz } from '../support/content';
import { type Service, startService } from '../support/service';
import { PASSWORD, signedIn, Visitor } from '../support/visitor';

/** What the audit log records, who reads it, and how long its entries stay. */

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const entries = async () => service.app.get(AuditLog).list(50);
const reported = ({ actorEmail, action, objectName }: AuditEntryView) =>
  `${actorEmail} ${action} ${objectName}`;

it('the audit log names who issued, rotated and revoked which key', async () => {
  const { account } = await signedIn(service);
  const own = service.app.get(ApiKeysService);
  const { stored } = await own.issueOwn(account.accountId, 'Website', null);
  const next = await own.rotate(account.accountId, stored.id, 0);
  await own.revokeOwn(account.accountId, next.stored.id);
  await own.revokeOwn(account.accountId, next.stored.id);
  const operators = await own.issue(account.accountId, 'Operator');
  const name = (key: typeof stored) => `${key.name} (svc_test_…${key.lastFour})`;
  expect((await entries()).slice(0, 5).reverse().map(reported)).toEqual([
    `${account.email} key.issued ${name(stored)}`,
    `${account.email} key.rotated ${name(stored)}`,
    `${account.email} key.issued ${name(next.stored)}`,
    `${account.email} key.revoked ${name(next.stored)}`,
    `quizctl key.issued ${name(operators.stored)}`,
  ]);
});

it("an audit entry without the actor's address takes it from the account, in one statement", async () => {
  const { accountId, email } = await service.account();
  await service.database.transaction(async (tx) => {
    const statements = jest.spyOn(tx.queryRunner!, 'query');
    const object = { kind: 'account', id: accountId, name: 'anything' };
    await service.app.get(AuditLog).record(tx, { accountId }, 'account.tested', object);
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
  });
  expect((await entries()).slice(0, 1).map(reported)).toEqual([`${email} account.tested anything`]);
});

it('the audit log records sign-ups, sign-ins, failed sign-ins and password changes, and no password typed as an address', async () => {
  const visitor = new Visitor(service);
  const email = 'audited@example.com';
  await visitor.post('/dashboard/sign-up', { email, password: PASSWORD }).expect(303);
  await visitor.signIn(email, 'not the password');
  await visitor.signIn('my secret password', 'not the password');
  await visitor.signIn(email);
  const change = { current: PASSWORD, password: 'an entirely new one' };
  await visitor.post('/dashboard/account/password', change).expect(303);
  expect((await entries()).slice(0, 6).reverse().map(reported)).toEqual([
    `${email} account.signed-up ${email}`,
    `${email} sign-in ${email}`,
    `anonymous sign-in.refused ${email}`,
    `anonymous sign-in.refused unknown`,
    `${email} sign-in ${email}`,
    `${email} account.password-changed ${email}`,
  ]);
});

it('the audit log names who deleted a quiz, by its title and with which key or in which session', async () => {
  const { account, visitor } = await signedIn(service, 'pro');
  const key = (await service.app.get(ApiKeysService).list(account.accountId))[0]!;
  const [session] = await service.app.get(SessionsService).list(account.accountId);
  const quiz = async (title: string) => (await makeQuiz(account, { title })).id;
  const lastEntry = async (id: string) => {
    const [entry] = await service.app.get(AuditLog).about(id, 1);
    return entry && `${reported(entry)} ${entry.detail}`;
  };
  const withKey = `with the API key “${key.name}” (${key.prefix}…${key.lastFour})`;
  const inSession = `in the dashboard, session ${session?.id.slice(-8)}`;

  const [one, two, three] = [await quiz('One'), await quiz('Two'), await quiz('Three')];
  await account.delete(`/quizzes/${one}`).expect(204);
  await visitor.post(`/dashboard/quizzes/${two}/delete`).expect(303);
  await visitor.post('/dashboard/quizzes/bulk', { act: 'delete', quiz: three }).expect(303);
  expect(await lastEntry(one)).toBe(`${account.email} quiz.deleted One ${withKey}`);
  expect(await lastEntry(two)).toBe(`${account.email} quiz.deleted Two ${inSession}`);
  expect(await lastEntry(three)).toBe(`${account.email} quiz.deleted Three ${inSession}`);
  const page = await administratorsPage();
  expect(page).toContain('Quiz deleted');
  // It has no page any more, and neither has a quiz that its owner has unpublished.
  expect(page).not.toContain(`/dashboard/admin/review/${one}`);
  const four = await quiz('Four');
  const link = `/dashboard/admin/review/${four}`;
  await service.app.get(ReviewService).approve(four);
  expect(await administratorsPage()).toContain(link);
  await account.patch(`/quizzes/${four}`, { published: false }).expect(200);
  expect(await administratorsPage()).not.toContain(link);
});

async function administratorsPage(): Promise<string> {
  const { visitor } = await signedIn(service, 'free', { isAdmin: true });
  return (await visitor.get('/dashboard/admin/audit').expect(200)).text;
}

it('the audit log is searched and filtered by subject, in the dashboard and in its export', async () => {
  const { account, visitor } = await signedIn(service, 'free', { isAdmin: true });
  const keys = service.app.get(ApiKeysService);
  await keys.issueOwn(account.accountId, 'Needle 100%', null);
  await keys.issueOwn(account.accountId, 'Needle 1000', null);
  const page = (query: string) => visitor.get(`/dashboard/admin/audit${query}`).expect(200);
  const found = (await page('?q=needle+100%25')).text;
  expect(found).toContain('Needle 100%');
  expect(found).not.toContain('Needle 1000');
  expect((await page('?q=needle&subject=sign-in')).text).toContain('No entry matches');
  const { text } = await page('/export?q=NEEDLE+100%25&subject=key');
  expect(text.trim().split('\n')).toHaveLength(1);
  expect((JSON.parse(text) as AuditEntryView).objectName).toMatch(/^Needle 100%/);
});

it('malformed filters of the audit log are ignored', async () => {
  const { account, visitor } = await signedIn(service, 'free', { isAdmin: true });
  await service.app.get(ApiKeysService).issueOwn(account.accountId, 'Still found', null);
  const malformed = '?q=%00&subject=nothing&before=x';
  const { text } = await visitor.get(`/dashboard/admin/audit${malformed}`).expect(200);
  expect(text).toContain('Still found');
});

it('audit entries cannot be changed or deleted until retention deletes them after a year', async () => {
  const insert = (days: number) =>
    service.database.query(
      `INSERT INTO audit_entries (id, at, actor_id, actor_email, action, object_kind, object_id, object_name, detail)
       VALUES ($1, now() - make_interval(days => $2), $1, '', 'aged', '', '', '', '')`,
      [`00000000-0000-7000-8000-${newId().slice(-12)}`, days],
    );
  const days = LIMITS.accounts.auditDays.value;
  await insert(days + 1);
  await insert(days - 1);
  for (const statement of [
    `UPDATE audit_entries SET detail = 'nothing'`,
    `DELETE FROM audit_entries WHERE at > now() - interval '1 year'`,
    `TRUNCATE audit_entries`,
  ])
    await expect(service.database.query(statement)).rejects.toThrow('Audit entries cannot be');
  // While the database's clock may be a year ahead, nothing is deleted by age.
  const untrusted = new Clock();
  jest.spyOn(untrusted, 'trusted', 'get').mockReturnValue(false);
  expect(await new AuditRetention(service.database, untrusted).prune()).toBe(0);
  expect(await service.app.get(AuditRetention, { strict: false }).prune()).toBe(1);
  const aged = `SELECT FROM audit_entries WHERE action = 'aged'`;
  expect(await service.database.query<object[]>(aged)).toHaveLength(1);
});

it('retention keeps the newest 10,000 routine audit entries of an account', async () => {
  const most = LIMITS.accounts.routineAuditEntries.value;
  const { database } = service;
  // Ids grow with time: 1 is the oldest.
  const insert = (actor: string, action: string, count: number) =>
    database.query(
      `INSERT INTO audit_entries (id, at, actor_id, actor_email, action, object_kind, object_id, object_name, detail)
       SELECT ('00000000-0000-7000-8' || $1 || '-' || lpad(n::text, 12, '0'))::uuid, now(),
         ('00000000-0000-7000-8' || $1 || '-000000000000')::uuid, 'many', $2, '', '', '', '' FROM generate_series(1, $3::int) n`,
      [actor, action, count],
    );
  await insert('001', 'key.issued', most + 2);
  await insert('002', 'quiz.rejected', most + 2);
  const of = async (action: string) => {
    const [row] = await database.query<{ n: number; oldest: string }[]>(
      `SELECT count(*)::int AS n, min(right(id::text, 12)::int) AS oldest FROM audit_entries
       WHERE actor_email = 'many' AND action = $1`,
      [action],
    );
    return row;
  };
  const recent = `DELETE FROM audit_entries WHERE actor_email = 'many' AND action = 'key.issued' AND id::text LIKE '%3'`;
  await expect(database.query(recent)).rejects.toThrow('Audit entries cannot be');
  expect(await service.app.get(AuditRetention, { strict: false }).prune()).toBe(2);
  expect(await of('key.issued')).toEqual({ n: most, oldest: 3 });
  expect(await of('quiz.rejected')).toEqual({ n: most + 2, oldest: 1 });
});

it('only administrators download the audit log, oldest entries first', async () => {
  const { account, visitor } = await signedIn(service, 'pro', { isAdmin: true });
  for (const name of ['First', 'Second'])
    await service.app.get(ApiKeysService).issueOwn(account.accountId, name, null);
  const response = await visitor.get('/dashboard/admin/audit/export').buffer(true).expect(200);
  expect(response.headers['content-disposition']).toBe('attachment; filename="audit.ndjson"');
  const exported = response.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntryView);
  const ids = exported.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort());
  expect(exported.slice(-2).map(({ objectName }) => objectName.split(' ')[0])).toEqual([
    'First',
    'Second',
  ]);
  const { visitor: other } = await signedIn(service);
  await other.get('/dashboard/admin/audit/export').expect(404);
});
