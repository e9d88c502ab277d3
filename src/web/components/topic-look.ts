import type { TopicWithCategories } from '../../catalog/discovery/discovery.dto';
import type { IconName } from './button';

/** The topics of the starter catalogue, each where its hue is in dashboard.css (`[data-hue]`), and their icons. */
const KNOWN: [slug: string, icon: IconName][] = [
  ['literature', 'openBook'],
  ['food-and-drink', 'utensils'],
  ['history', 'landmark'],
  ['sports-and-games', 'trophy'],
  ['nature', 'leaf'],
  ['film-and-television', 'clapperboard'],
  ['geography', 'globe'],
  ['science', 'flask'],
  ['technology', 'cpu'],
  ['music', 'music'],
  ['art-and-design', 'palette'],
  ['mathematics-and-logic', 'sigma'],
];

/** How a topic, and the quizzes in it, look. */
export interface TopicLook {
  /** Its `data-hue`, with which the tokens --topic, --topic-soft and --topic-fill have its colour. */
  hue: number;
  icon: IconName;
}

/** By the slug of a topic, or of a quiz that is in none. */
export function topicLook(slug: string): TopicLook {
  const known = KNOWN.findIndex(([it]) => it === slug);
  if (known !== -1) return { hue: known, icon: KNOWN[known]![1] };
  // Modulo at each step: the sum of a long slug would be rounded, and have few hues.
  const hue = [...slug].reduce(
    (hue, letter) => (hue * 31 + letter.codePointAt(0)!) % KNOWN.length,
    0,
  );
  return { hue, icon: 'shapes' };
}

/** The look of a quiz: that of the topic of its category, if it has one. */
export function quizLook(
  { slug, category }: { slug: string; category: string | null },
  topics: readonly TopicWithCategories[],
): TopicLook {
  const topic = topics.find(({ categories }) => categories.some(({ name }) => name === category));
  return topicLook((topic ?? { slug }).slug);
}
