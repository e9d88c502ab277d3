import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  ValidateNested,
} from 'class-validator';
import {
  DIFFICULTIES,
  QUESTION_TYPES,
  type Difficulty,
  type QuestionType,
} from '../catalog/vocabulary';
import { NotBlank, TextField } from '../platform/http/text-fields';
import { AnswersKeepTheRules } from './answer-fields';

export class BatchAnswerInput {
  @TextField()
  @NotBlank()
  text!: string;

  @IsBoolean({ message: '$path must be true or false' })
  isCorrect!: boolean;
}

/** BatchQuestionInput (specification, part 2). */
export class BatchQuestionInput {
  @TextField()
  @NotBlank()
  text!: string;

  @IsIn(QUESTION_TYPES, { message: `$path must be one of: ${QUESTION_TYPES.join(', ')}` })
  type!: QuestionType;

  @IsIn(DIFFICULTIES, { message: `$path must be one of: ${DIFFICULTIES.join(', ')}` })
  difficulty!: Difficulty;

  @IsOptional()
  @TextField()
  explanation?: string | null;

  @IsArray({ message: '$path must be an array of {"text", "isCorrect"}' })
  @AnswersKeepTheRules()
  @ValidateNested({ each: true })
  @Type(() => BatchAnswerInput)
  answers!: BatchAnswerInput[];
}

/** Body of a batch import: all or nothing (specification 4.7). */
export class BatchImportRequest {
  @IsArray({ message: '$path must be an array of questions' })
  @ArrayMinSize(1, { message: '$path must hold at least 1 question' })
  @ArrayMaxSize(50, {
    message: '$path must hold at most 50 questions: send the rest in another request',
  })
  @ValidateNested({ each: true })
  @Type(() => BatchQuestionInput)
  questions!: BatchQuestionInput[];
}
