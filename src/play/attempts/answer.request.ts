import { ArrayMinSize, IsArray, IsOptional, IsString } from 'class-validator';
import { MaxCodePoints, NotBlank, TextField } from '../../platform/http/request/text-fields';

/** Body of POST /attempts/{id}/answers (docs/playing.md): one of `answerIds` and `text`. */
export class AnswerRequest {
  @TextField()
  @NotBlank()
  questionId!: string;

  @IsOptional()
  @IsArray({ message: '$path must be an array of answer ids' })
  @IsString({ each: true, message: '$path must be an array of answer ids' })
  @ArrayMinSize(1, { message: '$path must hold at least 1 answer id' })
  answerIds?: string[] | null;

  @IsOptional()
  @TextField()
  @NotBlank()
  @MaxCodePoints(1000)
  text?: string | null;
}
