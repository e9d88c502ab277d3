import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Scheduled } from '../../platform/queue/scheduled';
import { fold } from '../../platform/text/text.rules';
import { findUnfolded, lockChanged, writeBlocks, writeFolded } from './question-index.queries';

/** Quizzes in one transaction: an edit of one of them waits for its end. */
const AT_ONCE = 10;

/** Transactions in one run. */
const ROUNDS = 200;

/**
 * Indexes the texts of questions for searches, in the worker: a transaction that adds questions only marks their quiz
 * (docs/adr/0003). Searches are exact without it, and slower.
 */
@Injectable()
export class QuestionIndexService {
  constructor(private readonly database: DataSource) {}

  /** @returns whether more may wait */
  @Scheduled({ name: 'indexing of questions', every: 5_000 })
  async indexChanged(): Promise<boolean> {
    for (let round = 0; round < ROUNDS; round++) if (!(await this.indexSome())) return false;
    return true;
  }

  private indexSome(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const quizIds = await lockChanged(tx, AT_ONCE);
      if (quizIds.length === 0) return false;
      const unfolded = await findUnfolded(tx, quizIds);
      const folded = unfolded.map(({ id, text }) => ({ id, key: fold(text) }));
      if (folded.length > 0) await writeFolded(tx, folded);
      await writeBlocks(tx, quizIds);
      return true;
    });
  }
}
