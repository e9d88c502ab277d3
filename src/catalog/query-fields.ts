import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, Max, Min } from 'class-validator';

/** Decorators for the fields of query strings. Each leaves a wrong value to a rule that explains it. */

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
    Transform(({ value }) => [...new Set(list(value).map(read))]),
    IsIn(choices, {
      each: true,
      message: `$property must be one or more of, separated by commas: ${choices.join(', ')}`,
    }),
  );

export const list = (value: unknown): string[] =>
  typeof value === 'string' ? value.split(',').map((item) => item.trim()) : [];

/** Items of a list of names: blanks and repetitions dropped. */
export const names = (value: unknown, read: (item: string) => string): string[] => [
  ...new Set(list(value).map(read).filter(Boolean)),
];
