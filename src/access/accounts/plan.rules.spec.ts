import { mayWrite, PLANS, quizLimit } from './plan.rules';

const quotas = { free: 0, starter: 25, pro: 250 };

test('Starter and Pro may write, Free may not', () => {
  const who = PLANS.filter((plan) => mayWrite({ plan, isAdmin: false }));
  expect(who).toEqual(['starter', 'pro']);
});

test('the quiz limit of an account is that of its plan', () => {
  expect(PLANS.map((plan) => quizLimit({ plan, isAdmin: false }, quotas))).toEqual([0, 25, 250]);
});

test.each(PLANS)('an administrator on the %s plan writes without limit', (plan) => {
  expect(mayWrite({ plan, isAdmin: true })).toBe(true);
  expect(quizLimit({ plan, isAdmin: true }, quotas)).toBeNull();
});
