/** What covers `application/json`, the nearest first: a nearer one decides. */
const RANGES = ['application/json', 'application/*', '*/*'];

/**
 * Whether a client that sends this header `Accept` can be answered with JSON. Parameters other than the weight do not
 * matter; a blank header is none.
 */
export function takesJson(accept: string): boolean {
  const weights = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((it) => it.trim().toLowerCase());
    const weight = parameters.find((it) => /^q\s*=/.test(it))?.split('=')[1];
    // A weight that is no number is no refusal.
    const refused = weight !== undefined && /^\s*0(?:\.0*)?\s*$/.test(weight);
    weights.set(range, Math.max(weights.get(range) ?? 0, refused ? 0 : 1));
  }
  const nearest = RANGES.find((range) => weights.has(range));
  return nearest === undefined ? accept.trim() === '' : weights.get(nearest) !== 0;
}
