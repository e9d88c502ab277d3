import { dictionary } from '@zxcvbn-ts/language-common';
import { codePoints, fold, isStorable } from '../../platform/text/text.rules';

export const PASSWORD_MIN = 10;
/** Hashing takes as long as the text: a megabyte of it must not be hashed. */
export const PASSWORD_MAX = 200;

/** 49,000 passwords from leaked lists, in lower case. */
const COMMON = new Set<unknown>(dictionary['passwords-common']);

/** Common as it stands, or with up to five digits or signs behind it, as in "Liverpool2026!". */
function isCommon(password: string): boolean {
  const text = password.toLowerCase();
  for (let end = text.length; end >= text.length - 5; end--) {
    if (COMMON.has(text.slice(0, end))) return true;
    if (/[\p{L} ]/u.test(text.charAt(end - 1))) return false;
  }
  return false;
}

/** Why a password is refused, as a sentence; null where it is good. */
export function passwordError(password: string, email: string): string | null {
  const length = codePoints(password);
  if (!isStorable(password)) return 'The password contains a character that is not text';
  if (length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX} characters`;
  if (new Set(password).size < 4 || isCommon(password))
    return 'This password is on the lists that attackers try first. Choose another one';
  if (fold(password) === fold(email)) return 'The password must differ from the e-mail address';
  return null;
}
