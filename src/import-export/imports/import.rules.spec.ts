import { quotaProblem } from './import.rules';

const starter = { name: 'Starter', canUpgrade: true };

test('an import above the quota of a plan says what its user can do', () => {
  expect(quotaProblem({ needed: 2, owned: 4, room: 1 }, starter)).toBe(
    'The file makes 2 quizzes, and your Starter plan has room for 1 of them. ' +
      'Delete 1 of your quizzes, put more questions into each new quiz, append the file to one quiz, or upgrade your plan.',
  );
  expect(quotaProblem({ needed: 1, owned: 9, room: 0 }, { name: 'Pro', canUpgrade: false })).toBe(
    'The file makes 1 quiz, and your Pro plan has room for none. ' +
      'Delete 1 of your quizzes or append the file to one quiz.',
  );
});

test('an import that needs the room of all quizzes of the account advises to delete them', () => {
  expect(quotaProblem({ needed: 25, owned: 10, room: 15 }, starter)).toMatch(
    /\. Delete 10 of your quizzes, put more/,
  );
  expect(quotaProblem({ needed: 26, owned: 10, room: 15 }, starter)).not.toMatch(/delete/i);
});

test('an import that needs more room than all quizzes of the account take does not advise to delete them', () => {
  expect(quotaProblem({ needed: 1_200, owned: 10, room: 15 }, starter)).toBe(
    'The file makes 1,200 quizzes, and your Starter plan has room for 15 of them. ' +
      'Put more questions into each new quiz, append the file to one quiz, or upgrade your plan.',
  );
});
