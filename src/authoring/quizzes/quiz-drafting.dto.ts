import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsOptional, IsString } from 'class-validator';
import { BooleanField, EachItem, TextField } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import { type BatchQuestionInput, QuestionsField } from '../questions/questions.dto';
import { CreateQuizRequest } from './quizzes.dto';

/** A quiz with its questions, in one request. `published` and `featured` are ignored: it is a draft. */
export class WriteQuizRequest extends CreateQuizRequest {
  /** The questions, in the order they shall have. */
  @QuestionsField()
  questions!: BatchQuestionInput[];

  @BooleanField({ optional: true }) dryRun: boolean = false;

  @TextField({ max: LIMITS.content.writtenBy.value, optional: true }) writtenBy?: string | null;
}

/** Question changes as they were sent: each is valid or not together with the question that is stored. */
export interface QuestionChange {
  id: string;
  [field: string]: unknown;
}

const AT_ONCE = LIMITS.content.changesPerEdit.value;

const ArrayField = (
  most: number,
  of: string,
  isItem: (item: unknown) => boolean,
  message: string,
) =>
  applyDecorators(
    IsArray({ message: `$path must be an array of ${of}` }),
    ArrayMaxSize(most, { message: `$path must hold at most ${most} ${of}: send the rest later` }),
    EachItem('itemType', isItem, message),
    IsOptional(),
  );

const isString = (item: unknown) => typeof item === 'string';

const hasId = (item: unknown) => isString((item as { id?: unknown } | null)?.id);

/** Several changes of a quiz and its questions that are made together or not at all, in this order. */
export class EditQuizRequest {
  @IsString({ message: '$path must be the id of a quiz' }) id!: string;

  /** The version that the changes are based on; absent: any. */
  @IsOptional()
  @IsString({ message: '$path must be the revision that the quiz was read with' })
  revision?: string | null;

  /** Its texts, validated as UpdateQuizRequest. */
  @IsOptional() quiz?: unknown;

  @ArrayField(AT_ONCE, 'changes', hasId, 'must be an object with the `id` of a question')
  change?: QuestionChange[] | null;

  @ArrayField(AT_ONCE, 'ids', isString, 'must be the id of a question') remove?: string[] | null;

  @IsOptional() @QuestionsField() add?: BatchQuestionInput[] | null;

  /** The ids of all its questions. */
  @ArrayField(
    LIMITS.content.questionsPerQuiz.value,
    'ids',
    isString,
    'must be the id of a question',
  )
  order?: string[] | null;

  @TextField({ max: LIMITS.content.writtenBy.value, optional: true }) writtenBy?: string | null;
}
