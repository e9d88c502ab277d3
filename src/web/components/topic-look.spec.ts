import { topicLook } from './topic-look';

test('topics with long slugs of their own have every hue', () => {
  const slugs = Array.from({ length: 200 }, (_, n) => `introduction-to-computer-science-${n}`);
  const hues = new Set(slugs.map((slug) => topicLook(slug).hue));
  expect([...hues].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('a topic of the starter catalogue keeps its own hue and icon', () => {
  expect(topicLook('literature')).toEqual({ hue: 0, icon: 'openBook' });
  expect(topicLook('mathematics-and-logic')).toEqual({ hue: 11, icon: 'sigma' });
});
