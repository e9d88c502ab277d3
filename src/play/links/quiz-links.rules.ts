import { randomInt } from 'node:crypto';
import { fold } from '../../platform/text/text.rules';
import { shownName, tidyName } from '../attempts/visitor.rules';

/** Begins the token of a link in a URL: a quiz's slug never contains it. */
export const MARK = '~';

/** The token of a link; undefined for a slug that cannot be one. */
export const tokenOf = (slug: string): string | undefined => TOKEN.exec(slug)?.[1];
const TOKEN = new RegExp(`^${MARK}([\\w-]{22})$`);

/** Whether the last part of a player's URL is a link's, and not a quiz's slug. */
export const isLink = (slug: string): boolean => slug.startsWith(MARK);

/** No vowels, so that a code is no word, and nothing that is mistaken for something else (0 and O, 1 and I and L). */
const ALPHABET = '23456789BCDFGHJKMNPQRSTVWXYZ';
const LENGTH = 6;

/**
 * 28^6 are 480 million codes. An address may try 300 in 15 minutes (LIMITS.attempts.codeByAddress), which is enough for
 * several classes behind one router. Where 1,000 links are open it finds one in seventeen days of trying, and what it
 * finds is a quiz to play, without its answers: not worth trying. A code ends with its link. It opens only the page
 * that the URL of the link opens; the URL keeps its 128 random bits.
 */
export function newCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** What was typed, as codes are stored; undefined for what cannot be one. */
export function codeIn(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '').toUpperCase();
  return CODE.test(code) ? code : undefined;
}
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Those of the names that none of the players has, whatever their case. */
export function withoutPlayers(names: readonly string[], players: readonly string[]): string[] {
  const present = new Set(players.map((player) => fold(tidyName(shownName(player)))));
  return names.filter((name) => !present.has(fold(name)));
}
