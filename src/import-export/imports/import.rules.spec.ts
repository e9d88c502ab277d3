import { quotaProblem } from './import.rules';

const starter = { name: 'Starter', canUpgrade: true };
const pro = { name: 'Pro', canUpgrade: false };

test('an import above the quota of a plan says what its user can do', () => {
  expect(quotaProblem({ needed: 2, fewest: 1, owned: 4, room: 1 }, true, starter)).toBe(
    'The file makes 2 quizzes, and your Starter plan has room for 1 of them. ' +
      'Delete 1 of your quizzes, put more questions into each new quiz, append the file to one quiz, or upgrade your plan.',
  );
  expect(quotaProblem({ needed: 1, fewest: 1, owned: 9, room: 0 }, true, pro)).toBe(
    'The file makes 1 quiz, and your Pro plan has room for none. ' +
      'Delete 1 of your quizzes or append the file to one quiz.',
  );
});

test('an import that needs the room of all quizzes of the account advises to delete them', () => {
  expect(quotaProblem({ needed: 25, fewest: 1, owned: 10, room: 15 }, true, starter)).toMatch(
    /\. Delete 10 of your quizzes, put more/,
  );
  expect(quotaProblem({ needed: 26, fewest: 1, owned: 10, room: 15 }, true, starter)).not.toMatch(
    /delete/i,
  );
});

test('an import that needs more room than all quizzes of the account take does not advise to delete them', () => {
  expect(quotaProblem({ needed: 1_200, fewest: 15, owned: 10, room: 15 }, true, starter)).toBe(
    'The file makes 1,200 quizzes, and your Starter plan has room for 15 of them. ' +
      'Put more questions into each new quiz, append the file to one quiz, or upgrade your plan.',
  );
});

test('an import whose titles need more room than there is does not advise to make its quizzes larger', () => {
  expect(quotaProblem({ needed: 20, fewest: 16, owned: 4, room: 15 }, true, starter)).toBe(
    'The file makes 20 quizzes, and your Starter plan has room for 15 of them. ' +
      'Append the file to one quiz or upgrade your plan.',
  );
});

test('an import that cannot be appended to a quiz, as that of an archive, is not advised to be', () => {
  const counts = { needed: 300, fewest: 300, owned: 100, room: 150 };
  expect(quotaProblem({ ...counts, owned: 150 }, false, pro)).toBe(
    'The file makes 300 quizzes, and your Pro plan has room for 150 of them. Delete 150 of your quizzes.',
  );
  expect(quotaProblem(counts, false, starter)).toMatch(/ 150 of them\. Upgrade your plan\.$/);
  expect(quotaProblem(counts, false, pro)).toMatch(
    / 150 of them\. Ask an administrator for more room\.$/,
  );
});
