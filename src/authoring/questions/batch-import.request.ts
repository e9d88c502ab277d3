import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsBoolean, IsIn, IsOptional } from 'class-validator';
import {
  DIFFICULTIES,
  QUESTION_TYPES,
  type Difficulty,
  type QuestionType,
} from '../../catalog/vocabulary';
import { ObjectsField } from '../../platform/http/request/list-fields';
import { MaxCodePoints, NotBlank, TextField } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import { AnswersKeepTheRules } from './answer-fields';

const { questionText, answerText, explanationText } = LIMITS.content;

export class BatchAnswerInput {
  @TextField()
  @NotBlank()
  @MaxCodePoints(answerText.value)
  text!: string;

  @IsBoolean({ message: '$path must be true or false' })
  isCorrect!: boolean;
}

class QuestionParts {
  @TextField()
  @NotBlank()
  @MaxCodePoints(questionText.value)
  text!: string;

  @IsIn(QUESTION_TYPES, { message: `$path must be one of: ${QUESTION_TYPES.join(', ')}` })
  type!: QuestionType;

  @IsIn(DIFFICULTIES, { message: `$path must be one of: ${DIFFICULTIES.join(', ')}` })
  difficulty!: Difficulty;

  @IsOptional()
  @TextField()
  @MaxCodePoints(explanationText.value)
  explanation?: string | null;
}

/** A question of a file, or of the dashboard's form. */
export class QuestionInput extends QuestionParts {
  @ObjectsField(() => BatchAnswerInput, 'answers, each {"text": …, "isCorrect": …}')
  @AnswersKeepTheRules(1)
  answers!: BatchAnswerInput[];
}

/** BatchQuestionInput (specification, part 2): an OPEN_ENDED question has at least two accepted answers. */
export class BatchQuestionInput extends QuestionParts {
  @ObjectsField(() => BatchAnswerInput, 'answers, each {"text": …, "isCorrect": …}')
  @AnswersKeepTheRules(2)
  answers!: BatchAnswerInput[];
}

/** Body of a batch import: all or nothing (specification 4.7). */
export class BatchImportRequest {
  // Of too many only the first too many is looked at: checking thousands would keep everybody waiting.
  @Transform(({ value }) => (Array.isArray(value) ? value.slice(0, 51) : value) as unknown)
  @ObjectsField(() => BatchQuestionInput, 'questions')
  @ArrayMinSize(1, { message: '$path must hold at least 1 question' })
  @ArrayMaxSize(50, {
    message: '$path must hold at most 50 questions: send the rest in another request',
  })
  questions!: BatchQuestionInput[];
}
