import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsOptional, IsString } from 'class-validator';
import { BooleanField, EachItem, TextField } from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import { QuestionsField, type BatchQuestionInput } from '../questions/batch-import.request';
import { CreateQuizRequest } from './create-quiz.request';

/** A quiz with its questions, in one request. `published` and `featured` are ignored: it is a draft. */
export class WriteQuizRequest extends CreateQuizRequest {
  @QuestionsField() questions!: BatchQuestionInput[];

  @BooleanField({ optional: true }) dryRun: boolean = false;

  @TextField({ max: 100, optional: true }) writtenBy?: string | null;
}

/** Question changes as they were sent: each is valid or not together with the question that is stored. */
export interface QuestionChange {
  id: string;
  [field: string]: unknown;
}

const AT_ONCE = LIMITS.content.changesPerEdit.value;

const ListField = (most: number, of: string, isItem: (item: unknown) => boolean, message: string) =>
  applyDecorators(
    IsArray({ message: `$path must be an array of ${of}` }),
    ArrayMaxSize(most, { message: `$path must hold at most ${most} ${of}: send the rest later` }),
    EachItem('itemType', isItem, message),
    IsOptional(),
  );
const isText = (item: unknown) => typeof item === 'string';
const hasId = (item: unknown) => isText((item as { id?: unknown } | null)?.id);

/** Several changes of a quiz and its questions that are made together or not at all, in this order. */
export class EditQuizRequest {
  @IsString({ message: '$path must be the id of a quiz' }) id!: string;

  /** The version that the changes are based on; absent: any. */
  @IsOptional()
  @IsString({ message: '$path must be the revision that the quiz was read with' })
  revision?: string | null;

  /** Its texts, validated as UpdateQuizRequest. */
  @IsOptional() quiz?: unknown;

  @ListField(AT_ONCE, 'changes', hasId, 'must be an object with the `id` of a question')
  change?: QuestionChange[] | null;

  @ListField(AT_ONCE, 'ids', isText, 'must be the id of a question') remove?: string[] | null;

  @IsOptional() @QuestionsField() add?: BatchQuestionInput[] | null;

  /** The ids of all its questions. */
  @ListField(LIMITS.content.questionsPerQuiz.value, 'ids', isText, 'must be the id of a question')
  order?: string[] | null;

  @TextField({ max: 100, optional: true }) writtenBy?: string | null;
}
