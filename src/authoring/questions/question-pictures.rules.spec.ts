import { shortened } from './question-pictures.rules';

const ID = '01939a7e-0000-7000-8000-000000000001';

test.each([
  [`Which country is ![Map (1990)](media:${ID}) this?`, 'Which country is this?'],
  [`![A](media:${ID}) and ![B [x\\]](media:${ID})`, 'and'],
  [`![a](media:${ID})${'b'.repeat(41)}`, `${'b'.repeat(40)}…`],
  ['No picture (here)', 'No picture (here)'],
])('the question %j is named %j in a message', (text, name) => {
  expect(shortened(text)).toBe(name);
});
