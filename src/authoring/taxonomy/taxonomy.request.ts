import { Matches } from 'class-validator';
import { TextField } from '../../platform/http/request/text-fields';

class Named {
  @TextField({ max: 100 })
  name!: string;

  /** '' or absent: derived from the name. */
  @TextField({ max: 80, optional: true })
  @Matches(/^([a-z0-9]+(-[a-z0-9]+)*)?$/, {
    message:
      '$path must be lower case letters and digits with single hyphens between: world-history',
  })
  slug?: string | null;
}

export class TopicRequest extends Named {
  /** An emoji. */
  @TextField({ max: 16, optional: true })
  icon?: string | null;
}

export class CategoryRequest extends Named {
  @TextField({})
  topicId!: string;
}
