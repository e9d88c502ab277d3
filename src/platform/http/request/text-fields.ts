import { applyDecorators, type Type as NestType } from '@nestjs/common';
import { type ClassConstructor, Transform, Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { Choice, Field, type FieldSchema, Whole } from '../../openapi/fields';
import { timeOf } from '../../text/instant.rules';
import { canonicalLanguage, LONGEST_LANGUAGE } from '../../text/language.rules';
import { codePoints, tidy } from '../../text/text.rules';

/** At most `max` Unicode code points. */
export const MaxCodePoints = (max: number, options?: ValidationOptions) =>
  ValidateBy(
    {
      name: 'tooLong',
      constraints: [max],
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || codePoints(value) <= max,
        defaultMessage: () => `$path is longer than ${max} characters`,
      },
    },
    options,
  );

/** Text with at least one visible character. */
export const NotBlank = (options?: ValidationOptions) =>
  ValidateBy(
    {
      name: 'blank',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || tidy(value) !== '',
        defaultMessage: () => '$path must not be blank',
      },
    },
    options,
  );

interface TextRules {
  /** Code points, after trimming. */
  max?: number;
  /** It may be missing or null. */
  optional?: boolean;
  /** It has at least one visible character; the default for required fields. */
  filled?: boolean;
}

/** A text of a body, trimmed and normalised before its length is checked. */
export const TextField = ({ max, optional = false, filled = !optional }: TextRules = {}) =>
  applyDecorators(
    Field({
      type: 'string',
      nullable: optional,
      optional,
      ...(max && { maxLength: max }),
      ...(filled && { minLength: 1, pattern: '\\S' }),
    }),
    ...(max ? [MaxCodePoints(max)] : []),
    ...(filled ? [NotBlank()] : []),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? tidy(value) : value)),
    IsString({ message: '$path must be a string' }),
    ...(optional ? [IsOptional()] : []),
  );

/** The language of texts, read as its canonical tag; null or empty if it is unknown. */
export const LanguageField = () =>
  applyDecorators(
    Field({ type: 'string', nullable: true, optional: true, maxLength: LONGEST_LANGUAGE }),
    Transform(({ value }: { value: unknown }) => {
      if (typeof value !== 'string') return value;
      const tag = tidy(value);
      return tag === '' ? null : (canonicalLanguage(tag) ?? tag);
    }),
    ValidateBy({
      name: 'language',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string' && canonicalLanguage(value) !== null,
        defaultMessage: () => '$path must be a language tag (BCP 47), such as de or pt-BR, or null',
      },
    }),
    IsOptional(),
  );

/** One of a fixed set of values. */
export const OneOfField = (values: readonly string[], { optional = false } = {}) =>
  applyDecorators(
    Choice(values, { optional }),
    IsIn(values, { message: `$path must be one of: ${values.join(', ')}` }),
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
  );

/** true or false. If it is optional, the class defines its default. */
export const BooleanField = ({ optional = false } = {}) =>
  applyDecorators(
    Field({ type: 'boolean', optional }),
    IsBoolean({ message: '$path must be true or false' }),
    ...(optional ? [ValidateIf((_, value) => value !== undefined)] : []),
  );

/** A rule for every item of an array: one error for each item that breaks it, under the item's own path. */
export const EachItem = (name: string, keeps: (item: unknown) => boolean, message: string) =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => !Array.isArray(value) || value.every(keeps),
      defaultMessage: (context) =>
        (context?.value as unknown[])
          .flatMap((item, index) => (keeps(item) ? [] : `$path[${index}] ${message}`))
          .join('\n'),
    },
  });

/** A whole number, of `unit`. @param optional it may be missing or null */
export const WholeField = ({
  optional = false,
  unit,
  ...of
}: {
  minimum: number;
  maximum: number;
  optional?: boolean;
  unit?: string;
}) =>
  applyDecorators(
    Whole({ ...(optional && { nullable: true }), optional, ...of }),
    ValidateBy({
      name: 'range',
      validator: {
        validate: (value: unknown) =>
          Number.isInteger(value) && Number(value) >= of.minimum && Number(value) <= of.maximum,
        defaultMessage: () =>
          `$path must be a whole number ${unit ? `of ${unit} ` : ''}from ${of.minimum} to ${of.maximum}${optional ? ', or null' : ''}`,
      },
    }),
    ...(optional ? [IsOptional()] : []),
  );

/** A number, also with decimals. @param optional it may be missing or null */
export const NumberField = ({
  optional = false,
  ...of
}: {
  minimum: number;
  maximum: number;
  optional?: boolean;
}) =>
  applyDecorators(
    Field({ type: 'number', ...(optional && { nullable: true }), optional, ...of }),
    ValidateBy({
      name: 'range',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'number' && value >= of.minimum && value <= of.maximum,
        defaultMessage: () =>
          `$path must be a number from ${of.minimum} to ${of.maximum}${optional ? ', or null' : ''}`,
      },
    }),
    ...(optional ? [IsOptional()] : []),
  );

/** An array of objects of one shape. `what` completes "… must be an array of". */
export const ObjectsField = <T extends object>(
  shape: ClassConstructor<T>,
  what: string,
  rules: FieldSchema = {},
) =>
  applyDecorators(
    Field({ type: [shape], ...rules }),
    IsArray({ message: `$path must be an array of ${what}` }),
    // class-validator validates nested arrays instead of refusing them.
    EachItem('itemType', (item) => !Array.isArray(item), 'must be an object'),
    Nested(() => shape),
  );

const NESTED = 'nested-shape';

/** The field holds an object of this class, or an array of them. */
export const Nested = <T extends object>(shape: () => ClassConstructor<T>) =>
  applyDecorators(
    ValidateNested({ each: true }),
    Type(shape),
    (target: object, key: string | symbol) => Reflect.defineMetadata(NESTED, shape, target, key),
  );

/** The class of the objects in a field. */
export function nestedShape(shape: NestType, field: string): NestType | undefined {
  const prototype = shape.prototype as object;
  const found = Reflect.getMetadata(NESTED, prototype, field) as (() => NestType) | undefined;
  return found?.();
}

/**
 * A time in ISO 8601 with its offset from UTC, read as a Date.
 * @param optional it may be missing @param nullable it may be null
 */
export const TimeField = ({ optional = false, nullable = false } = {}) =>
  applyDecorators(
    Field({ type: 'string', format: 'date-time', optional, ...(nullable && { nullable }) }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (timeOf(value) ?? value) : value,
    ),
    ValidateBy({
      name: 'time',
      validator: {
        validate: (value) => value instanceof Date,
        defaultMessage: () =>
          `$path must be a time such as 2026-03-01T12:30:00Z${nullable ? ', or null' : ''}`,
      },
    }),
    ValidateIf((_, value) => !((optional && value === undefined) || (nullable && value === null))),
  );
