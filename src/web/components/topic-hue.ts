/** The topics of the starter catalogue, each where its hue is in dashboard.css (`[data-hue]`). */
const HUES = [
  'literature',
  'food-and-drink',
  'history',
  'sports-and-games',
  'nature',
  '',
  'geography',
  'science',
  'technology',
  'music',
  'art-and-design',
  'mathematics-and-logic',
];

/** A topic's `data-hue`, with which the tokens --topic, --topic-soft and --topic-fill have its colour. */
export function topicHue(slug: string): number {
  const known = HUES.indexOf(slug);
  if (known !== -1) return known;
  return [...slug].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % HUES.length, 0);
}
