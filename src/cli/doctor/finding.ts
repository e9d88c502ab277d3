/** What the doctor says of one thing. */
export interface Finding {
  /** The thing, one word: `database`. */
  check: string;
  /** `warning`: it works, but not as it should. `error`: something does not work. */
  state: 'good' | 'warning' | 'error';
  /** A plain sentence. Where the state is not good it ends with what to do. */
  message: string;
}

export const good = (check: string, message: string): Finding => ({
  check,
  state: 'good',
  message,
});
export const warning = (check: string, message: string): Finding => ({
  check,
  state: 'warning',
  message,
});
export const failure = (check: string, message: string): Finding => ({
  check,
  state: 'error',
  message,
});
