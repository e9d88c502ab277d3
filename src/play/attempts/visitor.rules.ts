import { createHash } from 'node:crypto';
import { fold, isStorable, tidy } from '../../platform/text/text.rules';

/** The prefix that players of apps must not use: they would look like visitors. */
export const RESERVED = 'web:';

/** Characters of a hash in a visitor's id. */
const HASH = 20;

/** Characters of a visitor's id before the colon and the name: the same for all names that a browser has chosen. */
export const LENGTH_OF_BROWSER = RESERVED.length + HASH;

/** After the colon in the order of code points: in its place it makes a text that follows every id of a browser. */
export const AFTER_COLON = ';';

const PLAYER = new RegExp(`^${RESERVED}[a-z2-7]{${HASH}}:`);

/**
 * The id of a player without a key: `web:`, twenty characters that only the browser with this token has, and the
 * chosen name. A hash of 100 bits, different at each quiz: what one quiz's leaderboard shows cannot be used to
 * recognise or impersonate the player elsewhere.
 */
export function playerOf(token: string, quizId: string, name: string): string {
  return idOf(createHash('sha256').update(`${quizId} ${token}`).digest(), name);
}

const DELETED_PLAYER = 'Deleted player';

/** What the name of a player of a deleted account is replaced by, as a pattern of LIKE. */
export const DELETED_PLAYERS = `${RESERVED}${'_'.repeat(HASH)}:${DELETED_PLAYER}`;

/** In place of a player of a deleted account: the same for all attempts of the player. @param secret that only we know */
export const deletedPlayer = (secret: Buffer): string => idOf(secret, DELETED_PLAYER);

const idOf = (hash: Buffer, name: string): string =>
  `${RESERVED}${base32(hash).slice(0, HASH)}:${name}`;

/** In place of a browser's token, for an account that previews its own quizzes: no cookie can contain it. */
export const previewToken = (accountId: string): string => `preview ${accountId}`;

/** Whether the player is the browser with this token, under any name. */
export function isVisitor(player: string, token: string, quizId: string): boolean {
  return player.startsWith(playerOf(token, quizId, ''));
}

/** The bounds, in code point order, of all ids of the player's browser. */
export function namesOf(player: string): readonly [string, string] {
  if (!PLAYER.test(player)) return [player, player];
  const browser = player.slice(0, LENGTH_OF_BROWSER);
  return [`${browser}:`, `${browser}${AFTER_COLON}`];
}

/** The name on a leaderboard: a visitor's chosen name, and for an app's player the id. */
export function shownName(player: string): string {
  return player.replace(PLAYER, '');
}

/**
 * What hides or turns text: with it two names that look alike would be two players. Emoji keep their joiners, and a
 * selector where it changes what is shown: after a text symbol, and in a keycap. Digits are emoji too (`\p{Emoji}`).
 */
const INVISIBLE =
  /(?!(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d\p{Extended_Pictographic}|(?<=(?!\p{Emoji_Presentation})\p{Extended_Pictographic})\ufe0f|(?<=[\d#*])\ufe0f\u20e3)[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a player's name has characters that nobody sees. */
export const hasInvisible = (name: string): boolean => INVISIBLE.test(name);

/** On one line, with single spaces. A text that cannot be stored stays as it is, to be refused. */
export const onOneLine = (text: string): string =>
  isStorable(text) ? tidy(text.replace(/[\p{Cc}\p{Z}]+/gu, ' ')) : text;

/** Combining marks alone have nothing to stand on: they are no name. */
const withoutLoneMarks = (line: string): string => (/^[\p{M}\s]*$/u.test(line) ? '' : line);

/** The id of an app's player as it is stored. */
export const tidyPlayer = (text: string): string => withoutLoneMarks(onOneLine(text));

/** A name as it is stored: on one line, without characters that turn or hide the text beside it. */
export function tidyName(text: string): string {
  const line = tidy(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[^\P{Cf}\u200d]/gu, ''));
  return withoutLoneMarks(line).replace(/\s+/g, ' ');
}

/** Names as they are stored, each once. Empty ones are dropped. */
export function tidyNames(names: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const name of names.map(tidyName)) {
    const key = fold(name);
    if (key !== '' && !byKey.has(key)) byKey.set(key, name);
  }
  return [...byKey.values()];
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => DIGITS[parseInt(five, 2)]).join('');
}
