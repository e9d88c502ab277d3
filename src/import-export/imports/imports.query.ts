import { IsOptional, IsString } from 'class-validator';
import {
  ChoiceField,
  LimitField,
  OffsetField,
  QueryText,
} from '../../platform/http/request/query-fields';
import { EXAMPLE_QUIZ } from '../../catalog/resources';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { NotBlank } from '../../platform/http/request/text-fields';
import { Field } from '../../platform/openapi/fields';
import { tidy } from '../../platform/text/text.rules';
import { FORMAT_NAMES, type FormatName } from '../formats/formats';
import { REPORT_KINDS, type ImportOptions, type ReportKind } from './import';

const read = (text: string) => tidy(text) || undefined;

/** Query of POST /imports; the body is the file. */
export class CreateImportQuery {
  @ChoiceField(FORMAT_NAMES, {
    description:
      'The format; default: from `Content-Type`, else from the content, else from the extension of `filename`.',
  })
  format?: FormatName;

  @QueryText({
    max: 200,
    read,
    description:
      'The name of the file: the title of quizzes for which the file names neither title nor category.',
    example: 'rivers.csv',
  })
  filename?: string;

  @ChoiceField(['true', 'false'], {
    description: '`true`: returns the same report and changes nothing.',
  })
  dry_run: 'true' | 'false' = 'false';

  @Field({
    type: 'string',
    optional: true,
    description:
      'A quiz of your own that all questions are appended to. Without it, new quizzes: those of the file, or for each category quizzes of 50 questions.',
    minLength: 1,
    pattern: '\\S',
    example: EXAMPLE_QUIZ,
  })
  @IsOptional()
  @IsString()
  @NotBlank()
  quiz_id?: string;

  @ChoiceField(DIFFICULTIES, { description: 'Used for questions without one in the file.' })
  difficulty: Difficulty = 'MEDIUM';

  @ChoiceField(['true', 'false'], { description: 'Whether new quizzes are published.' })
  published: 'true' | 'false' = 'false';

  @QueryText({
    max: 500,
    read,
    description: 'The source of questions without one in the file.',
    example: 'Our own',
  })
  source?: string;

  @QueryText({ max: 500, read, description: 'Their licence.', example: 'CC BY-SA 4.0' })
  licence?: string;
}

/** The options of an import, from the API or a form. @param format if the query names none */
export const optionsOf = (query: CreateImportQuery, format?: FormatName): ImportOptions => ({
  dryRun: query.dry_run === 'true',
  published: query.published === 'true',
  difficulty: query.difficulty,
  format: query.format ?? format,
  quizId: query.quiz_id,
  source: query.source,
  licence: query.licence,
});

/** A page of imports, or of an import's quizzes. */
export class PageQuery {
  @LimitField('Maximum number of results.')
  limit: number = 10;

  @OffsetField('Number of results to skip.')
  offset: number = 0;
}

/** A page of an import's report. */
export class ReportQuery extends PageQuery {
  @ChoiceField(REPORT_KINDS, {
    description: 'Only entries of this kind; default: all, errors first.',
  })
  kind?: ReportKind;
}
