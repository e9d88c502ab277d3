import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BatchImportService } from '../../../authoring/questions/batch-import.service';
import { Question } from '../../../catalog/questions/question.entity';
import { DomainEvents } from '../../../events/domain-events';
import { MediaService } from '../../../media/media.service';
import { Clock } from '../../../platform/clock';
import { DomainError } from '../../../platform/errors/domain-errors';
import { importResults } from '../../../play/archive/results-import';
import { ArchiveFile, quizFile } from '../../formats/archive/archive.reader';
import { FileError, quote } from '../../formats/row';
import { endImport, type RunningImport, whileRunning } from '../import.queries';
import { insertReportEntries, recordQuiz } from '../import-report.queries';
import type { FileToRead } from './import-check.service';
import { ImportWriteService } from './import-write.service';
import { groupKeyOf } from './staging';
import { findGroupQuiz, noteWhole } from './staging.queries';
import { withStoredPictures } from './stored-pictures';

/** Of an archive, what follows its questions: quizzes without questions, and the results of the others. */
@Injectable()
export class ImportResultsService {
  constructor(
    private readonly database: DataSource,
    private readonly writing: ImportWriteService,
    private readonly batches: BatchImportService,
    private readonly media: MediaService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Writes quiz by quiz, and ends the import. Repeated after a kill it writes nothing twice.
   * @param throwIfStopped called before each quiz
   * @throws NotRunning, and what `throwIfStopped` throws
   */
  async write(job: RunningImport, file: FileToRead, throwIfStopped: () => void): Promise<void> {
    let error: string | undefined;
    try {
      const archive = await ArchiveFile.open(file.bytes);
      try {
        for (const name of archive.quizzes) {
          throwIfStopped();
          await this.writeQuiz(job, file, archive, name);
        }
      } finally {
        await archive.close();
      }
    } catch (stopped) {
      if (!(stopped instanceof DomainError || stopped instanceof FileError)) throw stopped;
      error = `${stopped.message} What was imported before stays: undo this import, or import the archive again.`;
    }
    await this.transaction(job, (tx) =>
      endImport(this.events, tx, job.id, this.clock.now(), error ? 'stopped' : 'completed', {
        ...(error && { error }),
      }),
    );
  }

  /**
   * Stores the pictures of an archive, before the questions that show them. What is stored already stays.
   * @returns false if they do not fit into the plan: the import has ended
   */
  async storePictures(job: RunningImport, file: FileToRead): Promise<boolean> {
    const archive = await ArchiveFile.open(file.bytes);
    try {
      for await (const { image } of archive.pictures())
        await this.transaction(job, (tx) => this.media.storeIn(tx, job.accountId, image));
      return true;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const said = `${error.message} Nothing was imported.`;
      await this.transaction(job, (tx) =>
        endImport(this.events, tx, job.id, this.clock.now(), 'failed', { error: said }),
      );
      return false;
    } finally {
      await archive.close();
    }
  }

  private async writeQuiz(
    job: RunningImport,
    file: FileToRead,
    archive: ArchiveFile,
    name: string,
  ): Promise<void> {
    const key = groupKeyOf(file.name, quizFile(name));
    const group = await findGroupQuiz(this.database.manager, job.id, key);
    // Done before a kill; or left out, because the account has it.
    if (group && (group.isWhole || group.quizId === null)) return;
    const { quiz, isEmpty } = await archive.quiz(name);
    const about = { key, file: file.name, title: quiz.title ?? '' };
    if (!group) {
      if (!isEmpty) return;
      await this.transaction(job, async (tx) => {
        if (await this.batches.hasQuiz(tx, job.accountId, about.title, [])) return;
        const { id: quizId } = await this.writing.createIn(tx, job, quiz);
        await recordQuiz(tx, job.id, quizId, { number: 0, questions: 0, ids: [] });
        await noteWhole(tx, job.id, { ...about, quizId });
      });
      return;
    }
    const { quizId } = group as { quizId: string };
    const questions = await this.database.manager.find(Question, {
      select: { id: true, answers: true },
      where: { quizId },
      order: { position: 'ASC' },
    });
    await importResults(
      { id: quizId, ownerId: job.accountId, questions },
      archive.resultsOf(name, (line) =>
        withStoredPictures(this.database.manager, job.accountId, line),
      ),
      this.clock.now(),
      (work) => this.transaction(job, work),
      async (tx, leftOut) => {
        await this.writing.publishIn(tx, job, quizId, quiz);
        await noteWhole(tx, job.id, { ...about, quizId });
        if (leftOut === 0) return;
        const message = `${leftOut} attempts at ${quote(about.title)} are left out: another quiz here has them already.`;
        const place = { file: file.name, line: 1, path: quizFile(name) };
        await insertReportEntries(tx, job.id, [{ kind: 'note', ...place, message }]);
      },
    );
  }

  private transaction<T>(job: RunningImport, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return whileRunning(this.database, job, this.clock.now(), work);
  }
}
