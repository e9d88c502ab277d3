import { IsOptional, Matches } from 'class-validator';
import { MaxCodePoints, NotBlank, TextField } from '../../platform/http/request/text-fields';

class Named {
  @TextField()
  @NotBlank()
  @MaxCodePoints(100)
  name!: string;

  /** '' or absent: made of the name. */
  @IsOptional()
  @TextField()
  @MaxCodePoints(80)
  @Matches(/^([a-z0-9]+(-[a-z0-9]+)*)?$/, {
    message:
      '$path must be lower case letters and digits with single hyphens between: world-history',
  })
  slug?: string | null;
}

export class TopicRequest extends Named {
  /** An emoji. */
  @IsOptional()
  @TextField()
  @MaxCodePoints(16)
  icon?: string | null;
}

export class CategoryRequest extends Named {
  @TextField()
  @NotBlank()
  topicId!: string;
}
