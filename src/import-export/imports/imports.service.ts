import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { QuizAuthoringService } from '../../authoring/quizzes/quiz-authoring.service';
import { Clock } from '../../platform/clock';
import { Config } from '../../platform/config/config';
import { Conflict, Malformed, NotFound } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId, newId } from '../../platform/text/ids';
import type { Bytes } from '../formats/row';
import {
  isUnderWay,
  type ImportOptions,
  type ImportGroup,
  type ImportQuiz,
  type ImportView,
  type ReportEntry,
  type ReportKind,
} from './import';
import { deleteOldest, endImport, findImport, findImports, findGroups } from './import.queries';
import { storeFile } from './import-file';
import { findImportQuizzes } from './import-report.queries';
import { findReportEntries } from './import-report.queries';
import { ImportRunnerService } from './import-runner.service';

/** Previews whose questions are kept to be started. */
const PREVIEWS_KEPT = 5;
/** Bytes of a file that are read at once in the process that took them: a fraction of a second. */
const READ_AT_ONCE = 262_144;

export interface Page {
  limit: number;
  offset: number;
}

/** A file that is on its way, and what is wanted of it. */
export interface Upload {
  accountId: string;
  /** As people call it; the category of questions that have none. */
  fileName: string;
  bytes: Bytes;
  options: ImportOptions;
}

/**
 * Imports of question files, for the API, the dashboard and quizctl. Imports of other accounts are not found.
 * The caller checks the plan before it takes a file.
 */
@Injectable()
export class ImportsService {
  constructor(
    private readonly database: DataSource,
    private readonly accounts: AccountsService,
    private readonly quizzes: QuizAuthoringService,
    private readonly runner: ImportRunnerService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Bytes of the largest file that is taken. */
  get largestFile(): number {
    return this.config.importLargestFile;
  }

  /**
   * Takes a file; a worker imports it, or reads it for a report (`dryRun`).
   * @param fileName as people call it; the category of questions that have none
   * @throws NotFound, Forbidden for a quiz that is not the account's; TooLarge; Malformed when it is empty;
   *   Conflict when too many are under way
   */
  async open(
    accountId: string,
    fileName: string,
    bytes: Bytes,
    options: ImportOptions,
  ): Promise<ImportView> {
    return this.openBy((begin) => this.database.transaction(begin), {
      accountId,
      fileName,
      bytes,
      options,
    });
  }

  /**
   * The same in a transaction of the caller's, who may have to look at what came before he lets it begin.
   * @param settle called when all of the file is there; an import that it does not begin is dropped
   */
  async openBy<T>(
    settle: (begin: (tx: EntityManager) => Promise<ImportView>) => Promise<T>,
    { accountId, fileName, bytes, options }: Upload,
  ): Promise<T> {
    await this.requireQuiz(accountId, options);
    const id = await this.insert(accountId, fileName, options);
    let stays = false;
    try {
      const size = await storeFile(this.database.manager, id, bytes, this.largestFile);
      if (size === 0) throw new Malformed('The file is empty. Send the questions as the body.');
      return await settle(async (tx) => {
        const [, begun] = await tx.query<[unknown[], number]>(
          `UPDATE imports SET state = 'waiting', size = $2, next_check_at = $3 WHERE id = $1 AND state = 'receiving'`,
          [id, size, this.clock.now()],
        );
        // It was cancelled on its way.
        if (begun === 0) await tx.query(`DELETE FROM import_chunks WHERE import_id = $1`, [id]);
        stays = true;
        return this.getIn(tx, accountId, id);
      });
    } catch (error) {
      stays = false;
      throw error;
    } finally {
      if (!stays) await this.database.query(`DELETE FROM imports WHERE id = $1`, [id]);
    }
  }

  /** @throws NotFound, Forbidden for a quiz that is not the account's */
  async requireQuiz(accountId: string, { quizId }: ImportOptions): Promise<void> {
    if (quizId !== undefined) await this.quizzes.requireOwner(accountId, quizId);
  }

  /**
   * What an import of the file would do, without a change. A small file is read here and now, a large one by a
   * worker: look at it again while it is under way. `start` then imports it.
   */
  async preview(
    accountId: string,
    fileName: string,
    bytes: Bytes,
    options: Omit<ImportOptions, 'dryRun'>,
  ): Promise<ImportView> {
    const view = await this.open(accountId, fileName, bytes, { ...options, dryRun: true });
    if (view.size > READ_AT_ONCE) return view;
    await this.runner.run(view.id);
    return this.get(accountId, view.id);
  }

  /**
   * Imports what a preview has read.
   * @throws NotFound; Conflict when it is no preview, not read to its end, or its questions are kept no longer
   */
  async start(
    accountId: string,
    id: string,
    { published }: { published: boolean },
  ): Promise<ImportView> {
    const view = await this.get(accountId, id);
    const [, started] = await this.database.query<[unknown[], number]>(
      `UPDATE imports SET dry_run = false, state = 'waiting', quizzes = 0, finished_at = NULL, next_check_at = $2,
         options = options || jsonb_build_object('published', $3::boolean)
       WHERE id = $1 AND dry_run AND state = 'completed' AND stored`,
      [view.id, this.clock.now(), published],
    );
    if (started !== 1) throw new Conflict('This preview has expired. Upload the file again.');
    return this.get(accountId, id);
  }

  /** @throws NotFound */
  async get(accountId: string, id: string): Promise<ImportView> {
    return this.getIn(this.database.manager, accountId, id);
  }

  /** The account's imports and previews, newest first. */
  list(accountId: string, page: Page): Promise<{ imports: ImportView[]; total: number }> {
    return findImports(this.database.manager, accountId, page);
  }

  /** The report: what is said of rows, the errors first, each kind in the order of the file. @throws NotFound */
  async entries(
    accountId: string,
    id: string,
    page: Page & { kind?: ReportKind | undefined },
  ): Promise<{ entries: ReportEntry[]; total: number }> {
    const view = await this.get(accountId, id);
    return findReportEntries(this.database.manager, view.id, page);
  }

  /** What the file makes, in its order: its quizzes or categories. @throws NotFound */
  async groups(
    accountId: string,
    id: string,
    page: Page,
  ): Promise<{ groups: ImportGroup[]; total: number }> {
    const view = await this.get(accountId, id);
    return findGroups(this.database.manager, view.id, page);
  }

  /** The quizzes that the import has made or added to, in the order of the file. @throws NotFound */
  async quizzesOf(
    accountId: string,
    id: string,
    page: Page,
  ): Promise<{ quizzes: ImportQuiz[]; total: number }> {
    const view = await this.get(accountId, id);
    return findImportQuizzes(this.database.manager, view.id, page);
  }

  /**
   * Ends an import that is under way, after at most the rows that are just being written; they stay. A cancelled
   * one stays cancelled. @throws NotFound; Conflict when it has ended otherwise
   */
  async cancel(accountId: string, id: string): Promise<ImportView> {
    const { id: own } = await this.get(accountId, id);
    await this.database.transaction(async (tx) => {
      const [locked] = await tx.query<Pick<ImportView, 'state'>[]>(
        `SELECT state FROM imports WHERE id = $1 FOR UPDATE`,
        [own],
      );
      const state = locked?.state ?? 'cancelled';
      if (isUnderWay(state)) await endImport(tx, own, { state: 'cancelled' }, this.clock.now());
      else if (state !== 'cancelled')
        throw new Conflict(
          'This import has ended already. Delete its quizzes if they are not wanted.',
        );
    });
    return this.get(accountId, own);
  }

  private async getIn(tx: EntityManager, accountId: string, id: string): Promise<ImportView> {
    const view = isId(id) ? await findImport(tx, id, accountId) : null;
    if (!view) throw new NotFound('Import');
    return view;
  }

  private insert(accountId: string, fileName: string, options: ImportOptions): Promise<string> {
    const { dryRun, quizId, format, difficulty, published, source, licence } = options;
    const id = newId();
    return this.database.transaction(async (tx) => {
      // Two uploads at one time must not both take the last place.
      await this.accounts.lock(tx, accountId);
      const [under] = await tx.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM imports
         WHERE account_id = $1 AND state IN ('receiving', 'waiting', 'running')`,
        [accountId],
      );
      if (under.count >= LIMITS.imports.underWay.value)
        throw new Conflict(
          `${under.count} imports of your account are under way. Wait until one has ended, or cancel one.`,
        );
      await tx.query(DROP_OLD_PREVIEWS, [accountId, PREVIEWS_KEPT - 1]);
      await deleteOldest(tx, accountId);
      await tx.query(
        `INSERT INTO imports (id, account_id, state, dry_run, quiz_id, file_name, format, options, stored, created_at)
         VALUES ($1, $2, 'receiving', $3, $4, $5, $6, $7, true, $8)`,
        [
          id,
          accountId,
          dryRun,
          quizId ?? null,
          fileName,
          format ?? null,
          JSON.stringify({ difficulty, published, source, licence }),
          this.clock.now(),
        ],
      );
      return id;
    });
  }
}

/** Their reports stay; `stored` says that there is nothing left to start. */
const DROP_OLD_PREVIEWS = `
WITH old AS (
  SELECT id FROM imports WHERE account_id = $1 AND dry_run AND state = 'completed' AND stored
  ORDER BY id DESC OFFSET $2
), dropped AS (
  DELETE FROM import_questions q USING old WHERE q.import_id = old.id
)
UPDATE imports i SET stored = false FROM old WHERE i.id = old.id`;
