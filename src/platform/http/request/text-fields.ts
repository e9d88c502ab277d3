import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, ValidateBy, type ValidationOptions } from 'class-validator';
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

/** A text of a body, trimmed and composed before anything measures it. */
export const TextField = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? tidy(value) : value)),
    IsString({ message: '$path must be text' }),
  );
