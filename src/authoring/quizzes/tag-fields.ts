import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { EachItem } from '../../platform/http/request/text-fields';
import { Field, type Words } from '../../platform/openapi/fields';
import { codePoints, fold, tidy } from '../../platform/text/text.rules';

const MOST = 20;
const LONGEST_TAG = 50;

/** At most 20 tags, or none, as they are sent: text, not blank, of at most 50 characters (specification, part 8). */
export const TagsField = (words: Words) =>
  applyDecorators(
    Field({
      type: 'array',
      nullable: true,
      optional: true,
      maxItems: MOST,
      items: { type: 'string', minLength: 1, maxLength: LONGEST_TAG },
      ...words,
    }),
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value)
        ? value.map((tag: unknown) => (typeof tag === 'string' ? tidy(tag) : tag))
        : value,
    ),
    IsArray({ message: '$path must be an array of texts' }),
    ArrayMaxSize(MOST, { message: `$path must hold at most ${MOST} tags` }),
    EachItem('itemType', (tag) => typeof tag === 'string', 'must be text'),
    EachItem('blank', (tag) => tag !== '', 'must not be blank'),
    EachItem(
      'tooLong',
      (tag) => typeof tag !== 'string' || codePoints(tag) <= LONGEST_TAG,
      `is longer than ${LONGEST_TAG} characters`,
    ),
    IsOptional(),
  );

/** Every tag once, whatever its case; the first spelling is kept. */
export function distinctTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(fold(tag))) byKey.set(fold(tag), tag);
  return [...byKey.values()];
}
