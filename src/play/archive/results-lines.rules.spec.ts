import { newId } from '../../platform/text/ids';
import { playerOf, tidyName } from '../attempts/visitor.rules';
import { ResultLineReader } from './results-lines.rules';

const NOW = new Date('2026-11-27T12:00:00Z');
const reader = () => {
  const lines = new ResultLineReader(NOW);
  lines.read({
    version: {
      question: 1,
      text: 'Q?',
      type: 'TRUE_FALSE',
      difficulty: 'EASY',
      explanation: null,
      answers: [
        { answer: 1, text: 'True', isCorrect: true },
        { answer: 2, text: 'False', isCorrect: false },
      ],
    },
  });
  return lines;
};
const attempt = (given: object) => ({
  attempt: {
    id: newId(),
    player: 'ann',
    shuffle: false,
    reveal: false,
    questionsPerAttempt: null,
    startedAt: '2026-11-27T11:00:00.000Z',
    endsAt: null,
    submittedAt: '2026-11-27T11:01:00.000Z',
    timeSpent: 60,
    counted: true,
    versions: [1],
    given: [{ version: 1, answers: [1], text: null, correct: true }],
    ...given,
  },
});
const WEB = `web:${'a2'.repeat(10)}:`;

it.each(['ann', 'Ann Lee', `${WEB}Ada`, `${WEB}web:x`, '👩‍🚀', 'webster'])(
  'a result in an archive is of the player %j',
  (player) => {
    expect(reader().read(attempt({ player }))).toMatchObject({ attempt: { player } });
  },
);

it.each([
  'ශ්‍රී',
  'ප්‍රියංකා',
  '☺︎',
  '❤︎ Ann',
  'Ann\u200d',
  'Ann\u3164',
  'Ame\u0301lie',
  ' A\u202E  da\n',
])('a result in an archive is of the visitor whose name was typed as %j', (typed) => {
  const player = playerOf('token', newId(), tidyName(typed));
  expect(reader().read(attempt({ player }))).toMatchObject({ attempt: { player } });
});

it.each([
  ...['web:ann', 'WEB:ann', 'web:short:ann', `WEB:${'a2'.repeat(10)}:Ada`],
  ...['a\u200Bnn', `${WEB}A\u202Eda`, 'a\nb', ' ann', 'a\u0007', 'Ame\u0301lie', '\u2800'],
])('a player that no export can have written is refused: %j', (player) => {
  expect(() => reader().read(attempt({ player }))).toThrow('player is invalid');
});

it('a result in an archive may be a day ahead of the clock, and no further', () => {
  const within = { startedAt: '2026-11-28T11:00:00.000Z', submittedAt: '2026-11-28T11:59:00.000Z' };
  expect(reader().read(attempt(within))).toMatchObject({ attempt: within });
  for (const late of ['2026-11-28T12:00:01Z', '2099-01-01T00:00:00Z'])
    expect(() => reader().read(attempt({ submittedAt: late }))).toThrow(
      'submittedAt is in the future',
    );
  const report = {
    question: 1,
    reporter: 'x',
    reason: 'other',
    text: '',
    createdAt: '2027-01-01T00:00:00Z',
    closedAt: null,
  };
  expect(() => reader().read({ report })).toThrow('createdAt is in the future');
});

it('an attempt in an archive that was submitted before it was started is refused', () => {
  expect(() => reader().read(attempt({ submittedAt: '2026-11-27T10:00:00Z' }))).toThrow(
    'submittedAt is invalid',
  );
});

it.each(['2026-02-31T11:00:00Z', '2026-11-27 11:00', '1'])(
  'an attempt in an archive that was started at %j is refused',
  (startedAt) => {
    expect(() => reader().read(attempt({ startedAt }))).toThrow('startedAt is invalid');
  },
);

it('a sum of scores in an archive may have more seconds than a single attempt', () => {
  const score = { total: 5, score: 5, attempts: 3_600_000, seconds: 2_147_483_648 };
  expect(reader().read({ score })).toEqual({ score });
});
