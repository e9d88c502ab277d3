import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitsPage } from '../../../test/support/limits-page';
import { testNames } from '../../../test/support/test-names';
import { SETTINGS } from '../config/settings';
import { type Limit, LIMITS } from './limits';

const root = join(__dirname, '../../..');
const all: Limit[] = Object.values(LIMITS).flatMap((entries) => Object.values<Limit>(entries));
const names = Object.entries(LIMITS).flatMap(([subject, entries]) =>
  Object.keys(entries).map((name) => [subject, name] as const),
);
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** These files only show limits to readers. */
const DOCUMENTS = /^platform\/(?:openapi|limits)\/|^app\/api-description\.ts$|\.document\.ts$/;
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /(?<!\.spec)\.tsx?$/.test(path) && !DOCUMENTS.test(path))
  .map((path) => read(join('src', path)).replace(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, ''));
const sql = read('migrations/functions.sql');

/** SQL does not read the table: what its functions contain for the value. */
const { auditDays, routineAuditEntries } = LIMITS.accounts;
const IN_SQL: Partial<Record<string, string>> = {
  auditDays: `interval '${auditDays.value} days'`,
  routineAuditEntries: `place > ${routineAuditEntries.value}\n`,
};

describe('the table of limits', () => {
  it('the table of limits matches docs/limits.md (else run `npm run limits`)', () => {
    const file = join(root, 'docs/limits.md');
    const page = limitsPage(LIMITS);
    if (process.env.WRITE_LIMITS) writeFileSync(file, page);
    expect(readFileSync(file, 'utf8')).toBe(page);
  });

  it.each(all.map(({ what, test }) => [what, test]))(
    'the limit has a test that exists: %s',
    (_, test) => {
      const [, path = '', title = ''] = /^(.+?) › (.+)$/.exec(test) ?? [];
      const named = testNames(read(path)).filter(
        (name) => name === title || name.endsWith(` › ${title}`),
      );
      expect(named).toHaveLength(1);
    },
  );

  it('a limit that a setting changes names a setting that exists', () => {
    const settings = all.flatMap(({ setting }) => setting ?? []);
    expect(settings).not.toEqual([]);
    expect(settings.filter((name) => !(name in SETTINGS))).toEqual([]);
  });

  /** `const { name } = from`, also with other names. */
  const picked = (from: string, name: string) =>
    String.raw`\{[^{}]*\b${name}\b[^{}]*\} = ${from}\b(?!\.)`;

  it.each(names)('the limit is read outside of its documentation: %s.%s', (subject, name) => {
    const inSql = IN_SQL[name];
    if (inSql) return expect(sql).toContain(inSql);
    const reads = [
      String.raw`LIMITS\.${subject}\.${name}\b`,
      picked(String.raw`LIMITS\.${subject}`, name),
      String.raw`${picked('LIMITS', subject)}[^]*\b${subject}\.${name}\b`,
    ];
    // Actions are counted by the name of their limit; errors may quote its value.
    const pattern = new RegExp(subject === 'actions' ? `'${name}'` : reads.join('|'));
    expect(sources.some((text) => pattern.test(text))).toBe(true);
  });
});
