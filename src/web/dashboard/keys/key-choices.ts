import { Invalid } from '../../../platform/errors/domain-errors';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A fixed set of choices of a form: the words that people see, and the values that they stand for. */
class Choices<T> {
  readonly options: { value: string; label: string }[];

  constructor(
    private readonly field: string,
    private readonly choices: readonly { value: string; label: string; means: T }[],
  ) {
    this.options = choices.map(({ value, label }) => ({ value, label }));
  }

  /** @throws Invalid for anything else */
  valueOf(value: string): T {
    const choice = this.choices.find((it) => it.value === value);
    if (choice) return choice.means;
    throw new Invalid('The form', [
      { path: this.field, message: 'Choose one of these', code: 'choice' },
    ]);
  }
}

/** How long a key works, in milliseconds. */
export const LIFETIMES = new Choices<number | null>('lifetime', [
  { value: 'never', label: 'Never', means: null },
  { value: '30d', label: 'In 30 days', means: 30 * DAY },
  { value: '90d', label: 'In 90 days', means: 90 * DAY },
  { value: '365d', label: 'In a year', means: 365 * DAY },
]);

/** How long the old key of a rotation works on, in milliseconds. */
export const OVERLAPS = new Choices<number>('overlap', [
  { value: '24h', label: 'For 24 hours', means: DAY },
  { value: '7d', label: 'For 7 days', means: 7 * DAY },
  { value: '1h', label: 'For 1 hour', means: HOUR },
  { value: 'now', label: 'Revoke it immediately', means: 0 },
]);
