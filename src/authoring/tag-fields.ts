import { ValidateBy } from 'class-validator';
import { codePoints } from '../platform/text.rules';

const LONGEST = 50;

/** What is wrong with one tag; null when nothing is. */
function tagFault(tag: unknown): string | null {
  if (typeof tag !== 'string') return 'is no text';
  if (tag === '') return 'is blank';
  return codePoints(tag) > LONGEST ? `is longer than ${LONGEST} characters` : null;
}

/** Every item is a tag: text, not blank, at most 50 characters. */
export const EachTag = () =>
  ValidateBy({
    name: 'tag',
    validator: {
      validate: (value: unknown) =>
        !Array.isArray(value) || value.every((tag) => tagFault(tag) === null),
      defaultMessage: (context) => {
        const tags = context?.value as unknown[];
        const index = tags.findIndex((tag) => tagFault(tag) !== null);
        return `$path: tag ${index + 1} ${tagFault(tags[index])}`;
      },
    },
  });
