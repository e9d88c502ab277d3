import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { LIMITS } from '../../limits/limits';
import { Choice, Field, Whole } from '../../openapi/fields';
import { isId } from '../../text/ids';
import { canonicalLanguage, LANGUAGE_FORM } from '../../text/language.rules';
import { fold, splitAtCommas } from '../../text/text.rules';
import { MaxCodePoints } from './text-fields';

/**
 * Decorators for the fields of query strings: validation rules, and their entry in the OpenAPI document. Each leaves
 * an invalid value to a rule that explains it. Optional fields are never empty here: empty counts as absent
 * (`readQuery`).
 */

const digits = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : NaN;

/** Page size: 1 to 50 (specification, part 8), unless an endpoint of ours allows more. */
export const LimitField = (maximum = 50, name = 'limit') => {
  const message = `${name} must be an integer from 1 to ${maximum}`;
  return applyDecorators(
    Whole({ minimum: 1, maximum, example: 10 }),
    Transform(({ value }) => digits(value)),
    Min(1, { message }),
    Max(maximum, { message }),
  );
};

/** Results to skip: absent, empty and `null` mean 0. */
export const OffsetField = () => {
  const message = 'offset must be an integer, 0 or more, of at most 15 digits';
  const maximum = 999_999_999_999_999;
  return applyDecorators(
    Whole({ nullable: true, minimum: 0, maximum, example: 0 }),
    Transform(({ value }) => (value === '' || value === 'null' ? 0 : digits(value))),
    Min(0, { message }),
    Max(maximum, { message }),
  );
};

/** One of several values, or absent. */
export const ChoiceField = (choices: readonly string[]) =>
  applyDecorators(
    Choice(choices, { optional: true }),
    IsOptional(),
    IsIn(choices, { message: `$property must be one of: ${choices.join(', ')}` }),
  );

/** How a parameter takes several values. */
interface ListRules {
  /** The largest number of different values. */
  most?: number;
  /** The value of a parameter that is given once is one item, too, commas and all. */
  orWhole?: boolean;
}

/** Several of a fixed set of values; each counts once, however often it is given. */
export const ChoicesField = (
  choices: readonly string[],
  { read = (item: string) => item, ...rules }: ListRules & { read?: (item: string) => string } = {},
) =>
  applyDecorators(
    ListField((items) => items.map(read), { enum: choices }, undefined, rules),
    IsIn(choices, {
      each: true,
      message: `$property must be one or more of ${choices.join(', ')}, separated by commas`,
    }),
  );

/**
 * Several names, ignoring case; blank ones are dropped.
 * @param rules `orWhole`: a value with commas that is given once is also one name
 */
export const NamesField = (rules: ListRules = {}) =>
  ListField(
    (items) => items.map(fold).filter(Boolean),
    {},
    `, separated by commas, or the parameter repeated; ignoring case, at most ${MOST}. A comma within one is written \`\\,\`, a backslash before a comma \`\\\\\`.`,
    rules,
  );

/** Several ids. What cannot be an id is refused, and unknown ids change nothing. */
export const IdsField = (most: number) =>
  applyDecorators(
    ListField((items) => items.map((id) => id.toLowerCase()), {}, several(most), { most }),
    ValidateBy({
      name: 'ids',
      validator: {
        validate: (value: unknown) => Array.isArray(value) && value.every(isId),
        defaultMessage: () =>
          '$property must list ids as the API returns them, separated by commas',
      },
    }),
  );

/** Several languages as canonical tags. What is no tag is refused: no quiz can have it. */
export const LanguagesField = () =>
  applyDecorators(
    ListField((items) => items.map((tag) => canonicalLanguage(tag) ?? tag), {}, several(MOST)),
    ValidateBy({
      name: 'language',
      validator: {
        validate: (value: unknown) =>
          Array.isArray(value) &&
          value.every((tag) => typeof tag === 'string' && canonicalLanguage(tag) !== null),
        defaultMessage: () => `each value of $property must be ${LANGUAGE_FORM}`,
      },
    }),
  );

/** A text, or absent. */
export const QueryText = ({
  max,
  read,
}: { max?: number; read?: (text: string) => string | undefined } = {}) =>
  applyDecorators(
    Field({ type: 'string', optional: true, ...(max && { maxLength: max }) }),
    ...(read ? [Transform(({ value }) => read(value as string))] : []),
    IsOptional(),
    IsString(),
    ...(max ? [MaxCodePoints(max)] : []),
  );

/** Only the value `true` means true. */
export const FlagField = () =>
  applyDecorators(
    Field({ type: 'boolean' }),
    Transform(({ value }) => value === 'true'),
    IsIn([true, false]),
  );

/** `true` or `false`: anything else is refused, because the parameter changes what is stored. */
export const StrictFlagField = () =>
  applyDecorators(
    Field({ type: 'boolean' }),
    Transform(({ value }: { value: unknown }) => FLAGS.get(value) ?? value),
    IsOptional(),
    IsIn([true, false], { message: '$property must be one of: true, false' }),
  );

const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
]);

const MOST = LIMITS.requests.listItems.value;

const several = (most: number): string =>
  `, separated by commas, or the parameter repeated; at most ${most}.`;

/** Each item counts once. @param continued see `FieldSchema` */
const ListField = (
  read: (items: string[]) => string[],
  item: { enum?: readonly string[] },
  continued: string | undefined,
  { most = MOST, orWhole = false }: ListRules = {},
) =>
  applyDecorators(
    Field({
      type: 'array',
      items: { type: 'string', ...item },
      maxItems: most,
      optional: true,
      ...(continued && { continued }),
    }),
    Transform(({ value }) => {
      const items = listItems(value);
      const whole = orWhole && typeof value === 'string' && items.length < most ? [value] : [];
      return [...new Set(read([...items, ...whole]))];
    }),
    IsArray(),
    ArrayMaxSize(most, {
      message: `$property must list at most ${most} values: ask for the rest in another request`,
    }),
  );

/** The items of a parameter that was given once or several times. */
export const listItems = (value: unknown): string[] =>
  [value].flat().flatMap((text) => (typeof text === 'string' && text ? splitAtCommas(text) : []));
