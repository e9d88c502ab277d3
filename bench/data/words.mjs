/** Names for what the generator makes. All are in lower case ASCII, so that folding leaves them as they are. */

export const TOPICS = [
  'science',
  'history',
  'geography',
  'music',
  'sports',
  'film',
  'literature',
  'art',
  'technology',
  'nature',
  'food',
  'mathematics',
];

/** Ten categories in each topic: "early science", "modern science", … */
export const KINDS = [
  'early',
  'modern',
  'applied',
  'popular',
  'famous',
  'curious',
  'european',
  'asian',
  'american',
  'african',
];

/** A title is an adjective, a noun and a place: 32 × 32 × 32 of them, so that many are shared. */
export const ADJECTIVES = words(`great little hidden famous ancient modern secret golden silver broken silent
  rapid gentle bitter frozen burning distant narrow hollow sacred crimson purple wooden marble iron northern
  southern eastern western inner outer final`);

export const NOUNS = words(`rivers mountains engines planets battles kings queens painters poets singers bridges
  towers islands deserts forests oceans volcanoes storms insects birds whales spices breads cheeses wines numbers
  triangles atoms molecules magnets rockets robots`);

export const PLACES = words(`vienna lisbon oslo prague dublin athens cairo nairobi lagos accra delhi kyoto osaka
  seoul hanoi manila lima quito bogota havana boston chicago denver dallas toronto sydney perth auckland geneva
  naples seville krakow`);

function words(text) {
  return text.trim().split(/\s+/);
}
