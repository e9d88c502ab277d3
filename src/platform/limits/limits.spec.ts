import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limitsPage } from '../../../test/support/limits-page';
import { type Limit, LIMITS } from './limits';

const root = join(__dirname, '../../..');
const all: Limit[] = Object.values(LIMITS).flatMap((entries) => Object.values<Limit>(entries));

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
      const [path = '', title = ''] = test.split(' › ');
      expect(existsSync(join(root, path))).toBe(true);
      expect(readFileSync(join(root, path), 'utf8')).toContain(title || 'a title');
    },
  );
});
