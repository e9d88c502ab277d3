import { Matches } from 'class-validator';
import { Invalid } from '../../platform/errors/domain-errors';
import { TextField } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import { exampleFrom, type Failure } from '../../platform/openapi/failures';

export const unknownCategory = () => {
  const message = 'categoryId is not the id of a category (GET /api/v1/categories lists them)';
  const issue = { path: 'categoryId', message, code: 'unknown' };
  return new Invalid('The body', [issue], 'unknown-category');
};

export const UNKNOWN_CATEGORY: Failure = {
  ...exampleFrom(unknownCategory()),
  name: 'unknown-category',
  title: 'There is no category with this id',
  fix: 'Take the id from `GET /api/v1/categories`, or send a name as `category` instead.',
};

class TaxonomyFields {
  @TextField({ max: LIMITS.content.categoryName.value })
  name!: string;

  /** '' or absent: derived from the name. */
  @TextField({ max: LIMITS.content.slug.value, optional: true })
  @Matches(/^([a-z0-9]+(-[a-z0-9]+)*)?$/, {
    message:
      '$path must be lower case letters and digits with single hyphens between: world-history',
  })
  slug?: string | null;
}

export class TopicRequest extends TaxonomyFields {
  /** An emoji. */
  @TextField({ max: LIMITS.content.topicIcon.value, optional: true })
  icon?: string | null;
}

export class CategoryRequest extends TaxonomyFields {
  @TextField()
  topicId!: string;
}
