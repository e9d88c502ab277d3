import { createHash } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';
import { codePoints, fold, isStorable, tidy } from '../../platform/text/text.rules';

/** Characters of a local part that no mail server quotes (RFC 5322, dot-atom). */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** Letters, marks and digits of any script, so no invisible or directional characters. */
const DOMAIN = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u;
const ASCII_DOMAIN =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * An e-mail address as it is stored, or null if it is not valid: an ASCII local part, and a domain in its ASCII form
 * (IDNA). Look-alike addresses then differ visibly: `аdmin@…` is refused, `ada@gооgle.example` is shown as
 * `ada@xn--ggle-55da.example`.
 */
export function emailAddress(text: string): string | null {
  const tidied = tidy(text);
  const at = tidied.lastIndexOf('@');
  const [local, domain] = [tidied.slice(0, at), tidied.slice(at + 1)];
  if (at < 1 || tidied.length > 320 || local.length > 64) return null;
  if (!LOCAL.test(local) || !DOMAIN.test(domain)) return null;
  const ascii = /^[\x20-\x7e]+$/.test(domain) ? domain : domainToASCII(domain);
  return ascii.length <= 253 && ASCII_DOMAIN.test(ascii.toLowerCase()) ? `${local}@${ascii}` : null;
}

/** With the letters that several scripts share, such as the long vowel of Japanese `コーヒー`. */
const SCRIPTS = [
  /\p{Script_Extensions=Latin}/u,
  /\p{Script_Extensions=Greek}/u,
  /\p{Script_Extensions=Cyrillic}/u,
  /\p{Script_Extensions=Armenian}/u,
  /\p{Script_Extensions=Hebrew}/u,
  /\p{Script_Extensions=Arabic}/u,
  /\p{Script_Extensions=Cherokee}/u,
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]/u,
];
const LATIN = 0;
const EAST_ASIAN = SCRIPTS.length - 1;

/**
 * Whether a label of the address's domain mixes scripts, as `еx.test` with a Cyrillic letter does: mail programs show it
 * like another domain. East Asian labels may have Latin letters, as registries allow.
 */
export function mixesScripts(address: string): boolean {
  const domain = domainToUnicode(address.slice(address.lastIndexOf('@') + 1));
  return domain.split('.').some((label) => {
    const letters = label.match(/\p{L}/gu) ?? [];
    const scripts = new Set(letters.map((it) => SCRIPTS.findIndex((script) => script.test(it))));
    return (
      scripts.size > 1 && !(scripts.size === 2 && scripts.has(LATIN) && scripts.has(EAST_ASIAN))
    );
  });
}

/** What "the same address" means; invalid addresses are compared as text. */
export const emailKey = (text: string): string => fold(emailAddress(text) ?? text);

export const PASSWORD_MIN = 10;
/** Hashing time grows with the text: a megabyte must not be hashed. */
export const PASSWORD_MAX = 200;
const DIFFERENT_CHARACTERS = 4;

let common: Set<unknown> | undefined;

/** 49,000 passwords from leaked lists, in lower case; loaded when the first password is chosen. */
function commonPasswords(): Set<unknown> {
  if (common) return common;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const list = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common');
  return (common = new Set<unknown>(list.dictionary['passwords-common']));
}

/** A common password, alone or followed by up to five digits or symbols, as in "Liverpool2026!". */
function isCommon(password: string): boolean {
  const text = password.toLowerCase();
  for (let end = text.length; end >= text.length - 5; end--) {
    if (commonPasswords().has(text.slice(0, end))) return true;
    if (/[\p{L} ]/u.test(text.charAt(end - 1))) return false;
  }
  return false;
}

/** Why a password is refused, as a sentence; null if it is acceptable. */
export function passwordError(password: string, email: string): string | null {
  const length = codePoints(password);
  if (!isStorable(password)) return 'The password contains an invalid character';
  if (length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX} characters`;
  if (isCommon(password))
    return 'This password is on the lists that attackers try first. Choose another one';
  if (new Set(password).size < DIFFERENT_CHARACTERS)
    return `Use at least ${DIFFERENT_CHARACTERS} different characters`;
  const name = email.slice(0, email.lastIndexOf('@'));
  if ([email, name].map(fold).includes(fold(password)))
    return 'The password must differ from the e-mail address, and from its part before the @';
  return null;
}

/** A token of a session or a one-time link as it is stored: the token itself never is. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
