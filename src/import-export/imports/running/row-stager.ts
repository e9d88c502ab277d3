import type { FormatName } from '../../formats/formats';
import type { ImportRow, ParsedRow } from '../../formats/row';
import type { FolderPictures } from '../folder-pictures';
import type { RunningImport } from '../import.queries';
import { groupOf, type GroupQuiz, RowError, toGroupQuiz, toQuestion } from './file-rows';
import type { ImportPicturesService } from './import-pictures.service';
import type { RowPlace, Staging } from './staging';

/** Quizzes of a file whose validated fields are cached. */
const GROUPS_REMEMBERED = 1_000;

/** Adds the rows of a file to the staged questions, or to the report. */
export class RowStager {
  private readonly groups = new Map<string, GroupQuiz | RowError>();

  constructor(
    private readonly staging: Staging,
    private readonly pictures: ImportPicturesService,
    private readonly job: RunningImport,
    private readonly file: {
      name: string;
      format: FormatName | undefined;
      /** The pictures of its folder. */
      beside: FolderPictures | undefined;
    },
  ) {}

  /** @returns the error of the row, which is in the report */
  async take(row: ImportRow): Promise<string | null> {
    const place = { file: this.file.name, line: row.line, path: row.path ?? null };
    if ('note' in row) {
      this.staging.report('note', place, row.note);
      return null;
    }
    const error = 'error' in row ? row.error : await this.stage(place, row);
    if (error !== null) this.staging.report('error', place, error);
    return error;
  }

  /** @returns what is wrong with the row */
  private async stage(place: RowPlace, row: ParsedRow): Promise<string | null> {
    const { accountId, published } = this.job;
    const { format, beside } = this.file;
    try {
      const quiz = this.quizOf(row);
      const stored = await this.pictures.store(accountId, row.question, beside);
      const question = toQuestion(stored, format, this.job);
      // Those of an archive are stored when it is written.
      if (format !== 'archive') await this.pictures.require(accountId, question, published);
      this.staging.add(place, quiz, question);
    } catch (error) {
      if (error instanceof RowError) return error.message;
      throw error;
    }
    for (const note of row.notes ?? []) this.staging.report('note', place, note);
    return null;
  }

  /** @throws RowError, the same for each row of the quiz */
  private quizOf({ quiz }: ParsedRow): { key: string; about: GroupQuiz } {
    const key = groupOf(quiz, this.job);
    if (this.groups.size > GROUPS_REMEMBERED) this.groups.clear();
    const about = this.groups.get(key) ?? this.validated(quiz);
    this.groups.set(key, about);
    if (about instanceof RowError) throw about;
    return { key, about };
  }

  private validated(quiz: ParsedRow['quiz']): GroupQuiz | RowError {
    try {
      return toGroupQuiz(quiz, this.file.name, this.file.format, this.job);
    } catch (error) {
      if (error instanceof RowError) return error;
      throw error;
    }
  }
}
