import { createHash } from 'node:crypto';
import { tidy } from '../../platform/text/text.rules';

/** How long a visitor's name may be, in code points. */
export const LONGEST_NAME = 40;

const PLAYER = /^web:[a-z2-7]{20}:/;

/** What players of apps may not begin with: they would look like visitors. */
export const RESERVED = 'web:';

/**
 * Who plays without a key: `web:`, twenty characters that only the browser with this token has, and the name
 * that it goes by. A hash of 100 bits, and another one at each quiz: what one quiz's leaderboard shows is of no
 * use to find, or to be, the same player elsewhere.
 */
export function playerOf(token: string, quizId: string, name: string): string {
  const hash = createHash('sha256').update(`${quizId} ${token}`).digest();
  return `web:${base32(hash).slice(0, 20)}:${name}`;
}

/** Whether the player is the browser with this token, under whatever name. */
export function isVisitor(player: string, token: string, quizId: string): boolean {
  const own = playerOf(token, quizId, '');
  return player.startsWith(own) && PLAYER.test(own);
}

/** The first and the last, in the order of code points, of the players that are the same as this one. */
export function namesOf(player: string): readonly [string, string] {
  const [browser] = PLAYER.exec(player) ?? [];
  return browser === undefined ? [player, player] : [browser, `${browser}\u{10ffff}`];
}

/** What a leaderboard calls a player: a visitor's own name, and of an app's player the id. */
export function shownName(player: string): string {
  return player.replace(PLAYER, '');
}

/** A name as it is kept: on one line, without what would turn or hide the text beside it. */
export function tidyName(text: string): string {
  const line = tidy(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/[^\P{Cf}\u200d]/gu, ''));
  return line.replace(/\s+/g, ' ');
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((five) => DIGITS[parseInt(five, 2)]).join('');
}
