import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(__dirname, '../scripts/check-commit-message.mjs');

describe('the form of commit messages', () => {
  const check = (subjects: string) =>
    spawnSync(process.execPath, [SCRIPT], { input: subjects, encoding: 'utf8' });

  it('Conventional Commits, merges, reverts and fixups are accepted', () => {
    const subjects = [
      'feat(webhooks)!: deliver events as BullMQ jobs',
      'docs: explain the seed',
      `fix: ${'a'.repeat(67)}`,
      'Merge branch x',
      'Revert "feat: a"',
      'fixup! fix: y',
      'amend! fix(x): y',
      'Reapply "feat: a"',
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

  const checkFile = (message: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'quiz-commit-'));
    const file = join(folder, 'message');
    writeFileSync(file, message);
    const { status, stderr } = spawnSync(process.execPath, [SCRIPT, file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    return { status, stderr };
  };

  it.each([
    ['comments and empty lines before the subject', '\n# Please enter\n\nfix: refuse it\n\nwhy\n'],
    ['a comment directly below the subject', 'fix: refuse it\n# Please enter\n'],
    [
      'the diff of `git commit -v`',
      'fix: refuse it\n# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n',
    ],
    ['line ends of Windows', 'fix: refuse it\r\n\r\nwhy\r\n'],
  ])('a commit message with %s is accepted, as Git strips them', (_, message) =>
    expect(checkFile(message)).toEqual({ status: 0, stderr: '' }),
  );

  it.each([
    ['a body', 'fix: refuse it\nwithout an empty line\n'],
    ['a comment and a body', '\nfix: refuse it\n# Please enter\nwithout an empty line\n'],
  ])('%s directly below the subject is refused', (_, message) => {
    const { status, stderr } = checkFile(message);
    expect(status).toBe(1);
    expect(stderr).toContain('needs an empty line');
  });

  it('the subject below a comment is checked', () => {
    expect(checkFile('# Please enter\nFix the build\n')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not "type(scope): change"'),
    });
  });
});
