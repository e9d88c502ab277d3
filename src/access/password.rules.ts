import { codePoints, fold, isStorable } from '../platform/text.rules';

export const PASSWORD_MIN = 10;
/** Hashing takes as long as the text: a megabyte of it must not be hashed. */
export const PASSWORD_MAX = 200;

/** What guessers try first among those that are long enough. */
const COMMON = new Set(
  'password12 password123 password1234 passwordpassword 1234567890 12345678910 qwertyuiop qwerty12345 iloveyou123 letmein1234 administrator changeme123 welcome123 abcdefghij'.split(
    ' ',
  ),
);

/** Why a password is refused, as a sentence; null where it is good. */
export function passwordFault(password: string, email: string): string | null {
  const length = codePoints(password);
  if (!isStorable(password)) return 'The password contains a character that is not text';
  if (length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX} characters`;
  if (new Set(password).size < 4 || COMMON.has(password.toLowerCase()))
    return 'This password is among the first that are guessed. Choose another one';
  if (fold(password) === fold(email)) return 'The password must differ from the e-mail address';
  return null;
}
