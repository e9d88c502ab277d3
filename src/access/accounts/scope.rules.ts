import { Forbidden, Invalid } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { NIL_ID } from '../../platform/text/ids';
import { parseUrl } from '../../platform/text/url.rules';

/** What a key may do, and how forms explain it. A key has all of them unless it is given fewer. */
export const SCOPES = {
  read: 'Read quizzes, questions, answers and results, and export files.',
  write: 'Create quizzes, change and delete those that are not live, and import files.',
  publish: 'Publish and unpublish quizzes, and with write change and delete live ones.',
  webhooks: 'Manage webhook endpoints, and read deliveries and events.',
  play: 'List and play public quizzes. A key with only this scope can be used in a web page.',
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

/** Of a key for an assistant, unless its owner chooses `publish` as well. */
export const ASSISTANT_SCOPES = ['read', 'write'] as const;

const isScope = (text: string): text is Scope => Object.hasOwn(SCOPES, text);

/** @throws Forbidden, naming the scopes, unless the key has at least one of them */
export function requireScope(
  { scopes }: { scopes: readonly Scope[] },
  ...needed: readonly Scope[]
): void {
  if (!needed.some((scope) => scopes.includes(scope)))
    throw new Forbidden(scopeMissing(needed), 'scope-missing');
}

/**
 * The same for services, whose actor is a key or a person who is signed in: that one has no scopes, and every right.
 * @throws `refusal`, if it is given
 */
export function requireActorScope(
  { scopes }: { scopes?: readonly Scope[] | undefined },
  needed: Scope,
  refusal?: Forbidden,
): void {
  if (!scopes || scopes.includes(needed)) return;
  throw refusal ?? new Forbidden(scopeMissing([needed]), 'scope-missing');
}

/** Whether the key may stand in a web page, so that anybody may have it. */
export const isForPages = ({ scopes }: { scopes: readonly Scope[] }): boolean =>
  scopes.every((scope) => scope === 'play');

/** Sees what everybody may see, and owns nothing. */
export const NOBODY = NIL_ID;

/** The account whose drafts the key may see: nobody's without `read`, since the key may stand in a web page. */
export const viewerOf = ({ accountId, scopes }: { accountId: string; scopes: readonly Scope[] }) =>
  scopes.includes('read') ? accountId : NOBODY;

/** What the holder of a key that lacks a scope is told. */
export const scopeMissing = (needed: readonly Scope[]): string =>
  `This request needs an API key with the scope ${listed(needed, 'or')}. Use another key, or create one.`;

/** Scopes as a form or a command names them, in the order of the table. @throws Invalid */
export function readScopes(given: readonly string[]): Scope[] {
  const names = given.map((name) => name.trim());
  const unknown = names.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw invalid(
      'scopes',
      `“${unknown.slice(0, SHOWN)}” is not a scope. Choose from ${listed(ALL_SCOPES, 'and')}`,
    );
  if (names.length === 0) throw invalid('scopes', 'Choose at least one scope');
  return ALL_SCOPES.filter((scope) => names.includes(scope));
}

/** A name of the DNS has 253 characters at most. */
const LONGEST = 300;
/** Of what was typed, in an error. */
const SHOWN = 60;

/** Web origins as browsers send them, for a key. @throws Invalid */
export function readOrigins(texts: readonly string[]): string[] {
  const origins = differentOrigins(texts, 'The key');
  const pattern = origins.find((origin) => origin.includes('*'));
  if (pattern !== undefined)
    throw invalid(
      'origins',
      `“${pattern.slice(0, SHOWN)}” has a *, which matches no page: give each origin of its own, such as ${pattern.replace('*', 'www')}`,
    );
  return origins;
}

/** Websites that may show quizzes in a frame: `https://*.example.com` is every subdomain. @throws Invalid */
export const readFrameOrigins = (texts: readonly string[]): string[] =>
  differentOrigins(texts, 'The list of websites');

function differentOrigins(texts: readonly string[], what: string): string[] {
  const origins = new Set(texts.map((text) => readOrigin(text, what)));
  const { value: most } = LIMITS.accounts.originsPerKey;
  if (origins.size > most) throw invalid('origins', `Give at most ${most} origins`, what);
  return [...origins];
}

/** The URL standard also allows `;`, `,` and quotes in a host: there they would begin a directive or a policy. */
const HOST = /^(\*\.)?[a-z\d.-]+$|^\[[\da-f:.]+\]$/i;

/** Whether the text is a web origin as `readFrameOrigins` returns them. */
export function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  return !!url && /^https?:$/.test(url.protocol) && url.origin === text && HOST.test(url.hostname);
}

function readOrigin(text: string, what: string): string {
  const url = parseUrl(text);
  // Anything more than an origin would suggest that paths are compared.
  if (!url || url.href !== `${url.origin}/` || !isOrigin(url.origin) || text.length > LONGEST)
    throw invalid(
      'origins',
      `“${text.slice(0, SHOWN)}” is not a web origin. Give the scheme and host, such as https://www.example.com`,
      what,
    );
  return url.origin;
}

const listed = (names: readonly string[], word: 'and' | 'or'): string => {
  const quoted = names.map((name) => `\`${name}\``);
  return [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter(Boolean).join(` ${word} `);
};

const invalid = (path: string, message: string, what = 'The key') =>
  new Invalid(what, [{ path, message, code: path }]);
