import { Transform } from 'class-transformer';
import { IsOptional, IsString } from 'class-validator';
import { ChoiceField, LimitField, OffsetField } from '../../catalog/query-fields';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { MaxCodePoints, NotBlank } from '../../platform/http/request/text-fields';
import { tidy } from '../../platform/text/text.rules';
import { FORMAT_NAMES, type FormatName } from '../formats/formats';
import { REMARK_KINDS, type RemarkKind } from './import';

const trimmed = ({ value }: { value: unknown }) => tidy(value as string) || undefined;

/** Query of POST /imports; the body is the file. */
export class CreateImportQuery {
  /** Absent: by `Content-Type`, else recognised from the content. */
  @ChoiceField(FORMAT_NAMES)
  format?: FormatName;

  /** As people call the file; the category of questions that have none. */
  @Transform(trimmed)
  @IsOptional()
  @IsString()
  @MaxCodePoints(200)
  filename?: string;

  @ChoiceField(['true', 'false'])
  dry_run: 'true' | 'false' = 'false';

  @IsOptional()
  @IsString()
  @NotBlank()
  quiz_id?: string;

  @ChoiceField(DIFFICULTIES)
  difficulty: Difficulty = 'MEDIUM';

  @ChoiceField(['true', 'false'])
  published: 'true' | 'false' = 'false';

  @Transform(trimmed)
  @IsOptional()
  @IsString()
  @MaxCodePoints(500)
  source?: string;

  @Transform(trimmed)
  @IsOptional()
  @IsString()
  @MaxCodePoints(500)
  licence?: string;
}

/** A page of imports, or of an import's quizzes. */
export class PageQuery {
  @LimitField()
  limit: number = 10;

  @OffsetField()
  offset: number = 0;
}

/** A page of an import's report. */
export class ReportQuery extends PageQuery {
  /** Absent: all, the faults first. */
  @ChoiceField(REMARK_KINDS)
  kind?: RemarkKind;
}
