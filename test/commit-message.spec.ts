import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../scripts/check-commit-message.mjs');

describe('the form of commit messages', () => {
  const check = (subjects: string) =>
    spawnSync(process.execPath, [SCRIPT], { input: subjects, encoding: 'utf8' });

  it('Conventional Commits, merges and fixups are accepted', () => {
    const subjects = [
      'feat(webhooks)!: deliver events as BullMQ jobs',
      'docs: explain the seed',
      `fix: ${'a'.repeat(67)}`,
      'Merge branch x',
      'fixup! fix: y',
    ];
    expect(check(subjects.join('\n'))).toMatchObject({ status: 0, stderr: '' });
  });

  it.each([
    ['has 73 characters', `fix: ${'a'.repeat(68)}`],
    ['is not "type(scope): change"', 'Fix the build'],
    ['is not "type(scope): change"', 'fix(http): Refuse it'],
    ['joins several changes', 'fix: one; another'],
    ['ends with a full stop', 'fix: refuse it.'],
  ])('a subject that %s is refused', (problem, subject) => {
    const { status, stderr } = check(subject);
    expect(status).toBe(1);
    expect(stderr).toContain(`The commit message ${problem}`);
  });

  it('a body directly below the subject is refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'quiz-commit-'));
    const file = join(folder, 'message');
    writeFileSync(file, 'fix: refuse it\nwithout an empty line\n');
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toContain('needs an empty line');
  });
});
