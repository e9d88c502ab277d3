import { createHash, type Hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsService } from '../../access/accounts/accounts.service';
import { requireActorScope } from '../../access/accounts/scope.rules';
import { QuizAuthoringService } from '../../authoring/quizzes/quiz-authoring.service';
import { DomainEvents } from '../../events/domain-events';
import { Clock } from '../../platform/clock';
import type { Slice } from '../../platform/database/sql';
import { Conflict, Malformed, NotFound } from '../../platform/errors/domain-errors';
import { type KeyedRequest, KeyInUse } from '../../platform/idempotency/idempotency.rules';
import {
  IdempotencyService,
  type RepeatableResponse,
} from '../../platform/idempotency/idempotency.service';
import { LIMITS } from '../../platform/limits/limits';
import { isId } from '../../platform/text/ids';
import { EMPTY_FILE } from '../formats/read-rows';
import type { Bytes } from '../formats/row';
import { Import } from './import.entity';
import {
  endImport,
  findCurrentImports,
  findImport,
  findImports,
  insertImport,
  makeRoom,
  queueAgainAt,
  queueNow,
} from './import.queries';
import { isUnderWay, REPORT_KINDS, type ReportKind } from './import.rules';
import { ImportChunk } from './import-chunk.entity';
import { fileTooLarge, storeFile } from './import-file';
import {
  findGroups,
  findImportQuizzes,
  findNotes,
  findReportEntries,
  findSample,
  hasUntitled,
} from './import-report.queries';
import {
  type Found,
  IMPORT_ENDED,
  type ImportOptions,
  type ImportQuiz,
  type ImportReport,
  type ImportView,
  type ListedImport,
  type NewImport,
} from './imports.dto';
import { ImportQuotaService } from './running/import-quota.service';

/** Groups and quizzes that a report lists, if the caller does not say how many. */
const GROUPS_AND_QUIZZES = 50;

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
    private readonly idempotency: IdempotencyService,
    private readonly quota: ImportQuotaService,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /** Bytes of the largest accepted file. */
  readonly largestFile = LIMITS.imports.file.value;

  /**
   * Accepts a file; a worker imports it, or reads it for a report (`dryRun`).
   * @throws NotFound; Forbidden for a quiz that is not the account's or that the key may not change, and for published
   *   quizzes by a key without the scope `publish`; TooLarge; Malformed if it is empty; Conflict if
   *   too many are in progress
   * @param queues false if the caller runs it, or queues it, right after this
   */
  async open(upload: NewImport, queues = true): Promise<ImportView> {
    requirePublishScope(upload.options);
    return this.receive(upload, (begin) => this.database.transaction(begin), queues);
  }

  /**
   * The same for an upload that may be repeated with its Idempotency-Key (docs/adr/0012). Whether it repeats a
   * request is known after the last byte: the import begins, or is dropped in favour of the earlier one, in the
   * transaction of its response.
   * @param request null for an upload without a key
   * @throws KeyReused, KeyInUse, and as `open`
   */
  async openOnce(
    request: KeyedRequest | null,
    upload: NewImport,
    responseOf: (view: ImportView) => RepeatableResponse,
  ): Promise<RepeatableResponse> {
    if (!request) return responseOf(await this.open(upload));
    const { accountId, fileName, options } = upload;
    requirePublishScope(options);
    // Another key of the account may repeat the request.
    const asked = { ...options, scopes: undefined };
    const hash = createHash('sha256').update(`${JSON.stringify(['import', fileName, asked])}\n`);
    const bytes = hashed(upload.bytes, hash);
    if (!(await this.idempotency.isUsed(request)))
      return this.receive({ ...upload, bytes }, (begin) =>
        this.idempotency.once({ ...request, fingerprint: hash.digest() }, async (tx) =>
          responseOf(await begin(tx)),
        ),
      );
    // Nothing is stored: the file was stored when it first arrived.
    let size = 0;
    for await (const chunk of bytes)
      if ((size += chunk.length) > this.largestFile) throw fileTooLarge(this.largestFile);
    const repeated = { ...request, fingerprint: hash.digest() };
    const before = await this.idempotency.findResponse(repeated);
    if (before) return before;
    // The key was used for another file.
    await this.requireQuiz(accountId, options);
    return this.idempotency.once(repeated, () => {
      // The key expired during the upload.
      throw new KeyInUse();
    });
  }

  /** @throws NotFound */
  get(accountId: string, id: string): Promise<ImportView> {
    return this.getIn(this.database.manager, accountId, id);
  }

  /** The account's imports and previews, newest first. */
  list(accountId: string, page: Slice): Promise<Found<ImportView>> {
    return findImports(this.database.manager, accountId, page);
  }

  /** For people: imports, and previews that can still be started, each of these with its first question. */
  listCurrent(accountId: string, page: Slice): Promise<Found<ListedImport>> {
    return findCurrentImports(this.database.manager, accountId, page);
  }

  /**
   * The import with its report: entries about rows, errors first, each kind in the order of the file.
   * @param page of the entries
   * @param named at most this many groups and quizzes
   * @throws NotFound
   */
  async report(
    accountId: string,
    id: string,
    { kind, ...page }: Slice & { kind?: ReportKind | readonly ReportKind[] | undefined },
    named = GROUPS_AND_QUIZZES,
  ): Promise<ImportReport> {
    const view = await this.get(accountId, id);
    const { manager } = this.database;
    const kinds = kind === undefined ? REPORT_KINDS : typeof kind === 'string' ? [kind] : kind;
    const entries = await findReportEntries(manager, view.id, { ...page, kinds });
    const notes = await findNotes(manager, view.id);
    const groups = await findGroups(manager, view.id, named);
    const isUntitled = await hasUntitled(manager, view.id);
    const quizzes = await findImportQuizzes(manager, view.id, { limit: named, offset: 0 });
    const problem = view.startable ? await this.quota.findProblem(accountId, view) : null;
    const sample = view.startable ? await findSample(manager, view.id) : [];
    return { view, problem, sample, entries, notes, groups, isUntitled, quizzes };
  }

  /** The quizzes that the import has created or added to, in the order of the file. @throws NotFound */
  async quizzesOf(accountId: string, id: string, page: Slice): Promise<Found<ImportQuiz>> {
    const view = await this.get(accountId, id);
    return findImportQuizzes(this.database.manager, view.id, page);
  }

  /**
   * Ends an import in progress, at the latest after the rows that are being written; they stay. Cancelling it again
   * has no effect. @throws NotFound; Conflict if it has ended otherwise
   */
  async cancel(accountId: string, id: string): Promise<ImportView> {
    const { id: own } = await this.get(accountId, id);
    await this.database.transaction(async (tx) => {
      const locked = await tx.findOne(Import, {
        select: { state: true },
        where: { id: own },
        lock: { mode: 'pessimistic_write' },
      });
      const state = locked?.state ?? 'cancelled';
      if (isUnderWay(state)) await endImport(this.events, tx, own, this.clock.now(), 'cancelled');
      else if (state !== 'cancelled') throw new Conflict(IMPORT_ENDED.error, IMPORT_ENDED.name);
    });
    return this.get(accountId, own);
  }

  private async getIn(tx: EntityManager, accountId: string, id: string): Promise<ImportView> {
    const view = isId(id) ? await findImport(tx, id, accountId) : null;
    if (!view) throw new NotFound('Import');
    return view;
  }

  private async requireQuiz(accountId: string, { quizId, scopes }: ImportOptions): Promise<void> {
    if (quizId !== undefined) await this.quizzes.requireOwner({ accountId, scopes }, quizId);
  }

  /** @param settle called once the whole file has arrived; an import that it does not begin is dropped */
  private async receive<T>(
    { accountId, fileName, bytes, options }: NewImport,
    settle: (begin: (tx: EntityManager) => Promise<ImportView>) => Promise<T>,
    queues = true,
  ): Promise<T> {
    await this.requireQuiz(accountId, options);
    const { id } = await this.database.transaction(async (tx) => {
      // Two concurrent uploads must not both take the last place.
      await this.accounts.lock(tx, accountId);
      await makeRoom(tx, accountId);
      return insertImport(tx, accountId, fileName, options, this.clock.now());
    });
    let hasBegun = false;
    try {
      const size = await storeFile(this.database.manager, id, bytes, this.largestFile);
      if (size === 0) throw new Malformed(EMPTY_FILE, 'file-not-received');
      const settled = await settle(async (tx) => {
        const { affected } = await tx.update(
          Import,
          { id, state: 'receiving' },
          { state: 'waiting', size, nextCheckAt: queueAgainAt(this.clock.now()) },
        );
        if (queues) await queueNow(tx, id, this.clock.now());
        // It was cancelled during the upload.
        if (affected === 0) await tx.delete(ImportChunk, { importId: id });
        hasBegun = true;
        return this.getIn(tx, accountId, id);
      });
      if (!hasBegun) await this.drop(id);
      return settled;
    } catch (error) {
      // If this fails too, retention drops it; the first error is the one to report.
      await this.drop(id).catch(() => undefined);
      throw error;
    }
  }

  /** Drops an upload that does not become an import. One that somebody has cancelled stays, without its file. */
  private async drop(id: string): Promise<void> {
    const { manager } = this.database;
    // Not once it waits for a worker: the connection may have broken after the commit, before its confirmation.
    const { affected } = await manager.delete(Import, { id, state: 'receiving' });
    if (affected === 0 && (await manager.existsBy(Import, { id, state: 'cancelled' })))
      await manager.delete(ImportChunk, { importId: id });
  }
}

function requirePublishScope({ published, scopes }: ImportOptions): void {
  if (published) requireActorScope({ scopes }, 'publish');
}

async function* hashed(bytes: Bytes, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}
