import { mayWrite, PLANS } from './plan.rules';

test('Starter and Pro may write, Free may not', () => {
  const who = PLANS.filter((plan) => mayWrite({ plan, isAdmin: false }));
  expect(who).toEqual(['starter', 'pro']);
});

test.each(PLANS)('an administrator on the %s plan may write', (plan) => {
  expect(mayWrite({ plan, isAdmin: true })).toBe(true);
});
