import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, Max, Min } from 'class-validator';
import { LIMITS } from '../platform/limits/limits';
import { fold, splitAtCommas } from '../platform/text/text.rules';

/**
 * Decorators for the fields of query strings. Each leaves an invalid value to a rule that explains it. An empty
 * value of an optional field never gets here: it counts as absent (`readQuery`).
 */

const digits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : NaN;

/** Page size: 1 to 50 (specification, part 8). */
export const LimitField = () => {
  const message = 'limit must be a whole number from 1 to 50';
  return applyDecorators(
    Transform(({ value }) => digits(value)),
    Min(1, { message }),
    Max(50, { message }),
  );
};

/** Results to skip: absent, empty and `null` mean 0. */
export const OffsetField = () => {
  const message = 'offset must be a whole number, 0 or more, of at most 15 digits';
  return applyDecorators(
    Transform(({ value }) => (value === '' || value === 'null' ? 0 : digits(value))),
    Min(0, { message }),
    Max(999_999_999_999_999, { message }),
  );
};

/** One of several values, or absent. */
export const ChoiceField = (choices: readonly string[]) =>
  applyDecorators(
    IsOptional(),
    IsIn(choices, { message: `$property must be one of: ${choices.join(', ')}` }),
  );

/** Several of some values, separated by commas; each counts once, however often it is given. */
export const ChoicesField = (choices: readonly string[], read = (item: string) => item) =>
  applyDecorators(
    ListField((items) => items.map(read)),
    IsIn(choices, {
      each: true,
      message: `$property must be one or more of, separated by commas: ${choices.join(', ')}`,
    }),
  );

/** Several names, separated by commas, in any case; blank ones are dropped. */
export const NamesField = () => ListField((items) => items.map(fold).filter(Boolean));

/** `a=x,y`, or the same as a repeated parameter: `a=x&a=y`. Each item counts once. */
const ListField = (read: (items: string[]) => string[]) =>
  applyDecorators(
    Transform(({ value }) => [...new Set(read(list(value)))]),
    IsArray(),
    ArrayMaxSize(LIMITS.requests.listItems.value, {
      message: `$property must list at most ${LIMITS.requests.listItems.value} values: ask for the rest in another request`,
    }),
  );

/** The items of a parameter that was given once or several times. */
export const list = (value: unknown): string[] =>
  [value].flat().flatMap((text) => (typeof text === 'string' && text ? splitAtCommas(text) : []));
