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

/** Without vowels, so that hardly a code is a word, and without 0, O, 1, I and L, which are mistaken for each other. */
const ALPHABET = '23456789BCDFGHJKMNPQRSTVWXYZ';
const LENGTH = 6;

/**
 * A short code that people type at /play instead of the URL of a link, of 480 million. It opens what the URL opens, and
 * ends with the link. Guessing one is not worth the time that LIMITS.actions.codeByAddress makes it take: it leads to a
 * quiz to play, without its answers. So it needs fewer random bits than the URL, which has 128.
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
export function notHandedIn(names: readonly string[], players: readonly string[]): string[] {
  const present = new Set(players.map((player) => fold(tidyName(shownName(player)))));
  return names.filter((name) => !present.has(fold(name)));
}
