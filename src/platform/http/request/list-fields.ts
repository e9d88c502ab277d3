import { applyDecorators } from '@nestjs/common';
import { Type, type ClassConstructor } from 'class-transformer';
import { IsArray, ValidateBy, ValidateNested } from 'class-validator';
import { Field, type FieldSchema } from '../../openapi/fields';

/** A rule on every item of an array: one error for each item that breaks it, under the item's own path. */
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

/** An array of objects of one shape. `what` completes "… must be an array of". */
export const ObjectsField = <T extends object>(
  shape: () => ClassConstructor<T>,
  what: string,
  words: FieldSchema = {},
) =>
  applyDecorators(
    Field({ type: [shape()], ...words }),
    IsArray({ message: `$path must be an array of ${what}` }),
    // class-validator looks into arrays within the array instead of refusing them.
    EachItem('itemType', (item) => !Array.isArray(item), 'must be an object'),
    ValidateNested({ each: true }),
    Type(shape),
  );
