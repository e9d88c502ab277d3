import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { BatchImportService } from '../../../authoring/questions/batch-import.service';
import { Question } from '../../../catalog/questions/question.entity';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { Quiz } from '../../../catalog/quizzes/quiz.entity';
import { DomainEvents } from '../../../events/domain-events';
import { MediaService } from '../../../media/media.service';
import { Clock } from '../../../platform/clock';
import { DomainError, NotFound } from '../../../platform/errors/domain-errors';
import { importResults } from '../../../play/archive/results-import';
import { ArchiveFile, quizFile } from '../../formats/archive/archive.reader';
import { FileError, type QuizOfRow, quote } from '../../formats/row';
import { Import } from '../import.entity';
import {
  endImport,
  findStop,
  hasWritten,
  type RunningImport,
  whileRunning,
} from '../import.queries';
import { WHAT_IS_LEFT, WHAT_STAYS_DRAFT } from '../import.rules';
import { insertReportEntries, recordQuiz } from '../import-report.queries';
import type { FileToRead } from './import-check.service';
import { ImportWriteService, requireMayImport } from './import-write.service';
import { groupKeyOf } from './staging';
import { findGroupQuiz, insertEmptyGroup, noteWhole } from './staging.queries';
import { withStoredPictures } from './stored-pictures';

/** Of an archive, what follows its questions: quizzes without questions, and the results of all quizzes. */
@Injectable()
export class ImportResultsService {
  constructor(
    private readonly database: DataSource,
    private readonly writing: ImportWriteService,
    private readonly batches: BatchImportService,
    private readonly media: MediaService,
    private readonly accounts: AccountsService,
    private readonly owned: OwnedQuizzesService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Writes quiz by quiz, and ends the import. A quiz that fails leaves the others as they are, and so does a stop before
   * all questions were written: each with all its questions gets its results. Repeated after a kill it writes nothing twice.
   * @param throwIfStopped called before each quiz
   * @throws NotRunning, and what `throwIfStopped` throws
   */
  async write(job: RunningImport, file: FileToRead, throwIfStopped: () => void): Promise<void> {
    const stopped = await findStop(this.database.manager, job.id);
    let reason = stopped;
    let hasDrafts = false;
    try {
      const archive = await ArchiveFile.open(file.bytes);
      try {
        for (const name of archive.quizzes) {
          throwIfStopped();
          const written = await this.writeQuiz(job, file, archive, name, stopped !== null);
          reason ??= written.failure ?? null;
          hasDrafts ||= !written.isComplete;
        }
      } finally {
        await archive.close();
      }
    } catch (error) {
      reason ??= messageOf(error);
      hasDrafts = true;
    }
    const error =
      reason === null ? undefined : `${reason} ${hasDrafts ? WHAT_STAYS_DRAFT : WHAT_IS_LEFT}`;
    await this.whileRunning(job, (tx) =>
      endImport(this.events, tx, job.id, this.clock.now(), error ? 'stopped' : 'completed', {
        ...(error && { error }),
      }),
    );
  }

  /**
   * Stores the pictures of an archive, before the questions that show them. What is stored already stays.
   * @param throwIfStopped called before each picture
   * @returns false if they do not fit into the plan, or the account may not import any more: the import has ended
   * @throws NotRunning, and what `throwIfStopped` throws
   */
  async storePictures(
    job: RunningImport,
    file: FileToRead,
    throwIfStopped: () => void,
  ): Promise<boolean> {
    const archive = await ArchiveFile.open(file.bytes);
    try {
      for await (const { image } of archive.pictures()) {
        throwIfStopped();
        await this.transaction(job, (tx) => this.media.storeIn(tx, job.accountId, image));
      }
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // An import that continues has questions already.
      const [state, said] = hasWritten(job)
        ? (['stopped', `${error.message} ${WHAT_STAYS_DRAFT}`] as const)
        : (['failed', `${error.message} Nothing was imported.`] as const);
      await this.whileRunning(job, (tx) =>
        endImport(this.events, tx, job.id, this.clock.now(), state, { error: said }),
      );
      return false;
    } finally {
      await archive.close();
    }
  }

  /** @param hasStopped whether questions of the archive are missing: no more quizzes are made */
  private async writeQuiz(
    job: RunningImport,
    file: FileToRead,
    archive: ArchiveFile,
    name: string,
    hasStopped: boolean,
  ): Promise<WrittenQuiz> {
    const key = groupKeyOf(file.name, quizFile(name));
    const group = await findGroupQuiz(this.database.manager, job.id, key);
    if (!group) return hasStopped ? COMPLETE : this.writeEmptyQuiz(job, file, archive, name);
    const { quizId, isWhole, hasQuestions } = group;
    // Done before a kill; or left out, because the account has it; or not reached.
    if (isWhole || quizId === null) return COMPLETE;
    // Results name questions by their numbers, so they need all of them. Of a deleted quiz there are none.
    if (!hasQuestions)
      return { isComplete: !(await this.database.manager.existsBy(Quiz, { id: quizId })) };
    try {
      await this.writeResults(job, file, archive, name, quizId);
      return COMPLETE;
    } catch (error) {
      return { isComplete: false, failure: messageOf(error) };
    }
  }

  private async writeEmptyQuiz(
    job: RunningImport,
    file: FileToRead,
    archive: ArchiveFile,
    name: string,
  ): Promise<WrittenQuiz> {
    const { quiz, isEmpty } = await archive.quiz(name);
    if (!isEmpty) return COMPLETE;
    const about = aboutOf(file, name, quiz);
    try {
      const quizId = await this.transaction(job, async (tx) => {
        if (await this.batches.hasQuiz(tx, job.accountId, about.title, [])) return null;
        const { id } = await this.writing.createIn(tx, job, quiz);
        await recordQuiz(tx, job.id, id, { number: 0, questions: 0, ids: [] });
        await insertEmptyGroup(tx, job.id, { ...about, quizId: id });
        return id;
      });
      // It was played before its questions were deleted.
      if (quizId !== null) await this.writeResults(job, file, archive, name, quizId);
      return COMPLETE;
    } catch (error) {
      return { isComplete: true, failure: messageOf(error) };
    }
  }

  private async writeResults(
    job: RunningImport,
    file: FileToRead,
    archive: ArchiveFile,
    name: string,
    quizId: string,
  ): Promise<void> {
    const { quiz } = await archive.quiz(name);
    const about = aboutOf(file, name, quiz);
    const title = quote(about.title);
    const questions = await this.database.manager.find(Question, {
      select: { id: true, answers: true },
      where: { quizId },
      order: { position: 'ASC' },
    });
    const end = async (tx: EntityManager, message: string | null) => {
      await noteWhole(tx, job.id, about.key);
      await tx.update(Import, { id: job.id }, { tries: 0 });
      if (message === null) return;
      const place = { file: file.name, line: 1, path: quizFile(name) };
      await insertReportEntries(tx, job.id, [{ kind: 'note', ...place, message }]);
    };
    try {
      await importResults(
        { id: quizId, ownerId: job.accountId, uploadedAt: job.createdAt, questions },
        archive.resultsOf(name, (line) =>
          withStoredPictures(this.database.manager, job.accountId, line),
        ),
        this.clock.now(),
        (work) =>
          this.transaction(job, async (tx) => {
            // Also so that nothing is stored of a quiz that was deleted meanwhile.
            await this.owned.lock(tx, job.accountId, quizId);
            return work(tx);
          }),
        async (tx, leftOut) => {
          // One without questions was made as it was: it could not be published now.
          if (questions.length > 0) await this.writing.publishIn(tx, job, quizId, quiz);
          await end(tx, attemptsLeftOut(title, leftOut));
        },
      );
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      if (await this.database.manager.existsBy(Quiz, { id: quizId })) throw error;
      const message = `${title} was deleted while the import ran: its results are left out.`;
      await this.whileRunning(job, (tx) => end(tx, message));
    }
  }

  /** Writes a part of the archive, while the account may still import. @throws Forbidden, PlanRequired */
  private transaction<T>(job: RunningImport, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.whileRunning(job, async (tx) => {
      requireMayImport(await this.accounts.lock(tx, job.accountId));
      return work(tx);
    });
  }

  private whileRunning<T>(job: RunningImport, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return whileRunning(this.database, job, this.clock.now(), work);
  }
}

/** What became of a quiz: without its questions or results it stays a draft. */
interface WrittenQuiz {
  isComplete: boolean;
  /** Why something of it is not written. */
  failure?: string;
}

const COMPLETE: WrittenQuiz = { isComplete: true };

const aboutOf = (file: FileToRead, name: string, { title = '' }: QuizOfRow) => ({
  key: groupKeyOf(file.name, quizFile(name)),
  file: file.name,
  title,
});

function attemptsLeftOut(title: string, leftOut: number): string | null {
  if (leftOut === 0) return null;
  return leftOut === 1
    ? `1 attempt at ${title} is left out: another quiz here has it already.`
    : `${leftOut} attempts at ${title} are left out: another quiz here has them already.`;
}

/** @throws the error if it is none of the file or the account */
function messageOf(error: unknown): string {
  if (error instanceof DomainError || error instanceof FileError) return error.message;
  throw error;
}
