import { Injectable } from '@nestjs/common';
import { DataSource, In, Not } from 'typeorm';
import { Clock } from '../../platform/clock';
import { Conflict, LimitReached } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { headOf } from '../formats/row';
import { isZip } from '../formats/sniff-zip';
import { Import } from './import.entity';
import { queueAgainAt, queueNow, startPreview } from './import.queries';
import { isUnderWay, UNDER_WAY } from './import.rules';
import { ImportChunk } from './import-chunk.entity';
import { storedFile } from './import-file';
import type { ImportOptions, ImportView, NewImport } from './imports.dto';
import { ImportsService } from './imports.service';
import { ImportQuotaService } from './running/import-quota.service';
import { ImportRunnerService } from './running/import-runner.service';

/**
 * Files up to this size are read at once, in the process that received them: no content of such a file keeps it busy
 * for long. Unpacked, a ZIP archive of this size may have 32 MiB and more, so a worker reads it.
 */
const READ_AT_ONCE = LIMITS.imports.readAtOnce.value;

/** Why a preview can be neither changed nor imported now. */
export function previewGone({ dryRun, state }: ImportView): Conflict {
  if (!dryRun) return new Conflict('You have already started this import.');
  return new Conflict(
    isUnderWay(state)
      ? 'This preview is still being read. Wait until it is complete.'
      : 'This preview has expired. Upload the file again.',
  );
}

/** What can be changed about a preview. */
export type PreviewOptions = Omit<ImportOptions, 'dryRun' | 'quizId'>;

/** What a preview was read with. */
export const optionsOfPreview = (view: ImportView): PreviewOptions => ({
  format: view.format ?? undefined,
  columns: view.read ?? undefined,
  cards: view.cards ?? undefined,
  difficulty: view.difficulty,
  published: view.published,
  quizSize: view.quizSize,
  source: view.source ?? undefined,
  licence: view.licence ?? undefined,
  title: view.title ?? undefined,
  category: view.category ?? undefined,
});

/** Previews of imports: read, read again with other options, and imported. */
@Injectable()
export class ImportPreviewsService {
  constructor(
    private readonly database: DataSource,
    private readonly imports: ImportsService,
    private readonly runner: ImportRunnerService,
    private readonly quota: ImportQuotaService,
    private readonly clock: Clock,
  ) {}

  /**
   * What an import of the file would do, without changes. A small file is read at once, a large one by a worker: poll
   * it while it is in progress. `start` then imports it.
   */
  async open(upload: NewImport): Promise<ImportView> {
    const { id, size } = await this.imports.open(upload, false);
    return this.read(upload.accountId, id, size);
  }

  /**
   * Reads the file of a preview again with other options, also one that could not be read.
   * @param text read in place of the file
   * @param startsOnceRead imports it then, as `start` does; if it does not fit, it stays a preview that says so
   * @throws NotFound; Conflict if the file has been deleted, or its import was started
   */
  async change(
    accountId: string,
    id: string,
    options: PreviewOptions,
    { text, startsOnceRead = false }: { text?: Buffer; startsOnceRead?: boolean } = {},
  ): Promise<ImportView> {
    const view = await this.imports.get(accountId, id);
    const { size, id: own } = view;
    const { format, ...others } = options;
    await this.database.transaction(async (tx) => {
      const { affected } = await tx.update(
        Import,
        { id: own, dryRun: true, state: In(['completed', 'failed']), stored: true },
        {
          ...(text && { size: text.length }),
          state: 'waiting',
          options: { ...others, ...(startsOnceRead && { startsOnceRead }) },
          format: format ?? null,
          error: null,
          tries: 0,
          deaths: 0,
          quizzes: 0,
          checkedAt: null,
          finishedAt: null,
          nextCheckAt: queueAgainAt(this.clock.now()),
        },
      );
      if (affected !== 1) throw previewGone(view);
      if (!text) return;
      await tx.delete(ImportChunk, { importId: own });
      await tx.insert(ImportChunk, { importId: own, number: 0, bytes: text });
    });
    return this.read(accountId, own, text?.length ?? size);
  }

  /** Deletes a preview. @throws NotFound; Conflict for an import, whose report stays */
  async remove(accountId: string, id: string): Promise<void> {
    const { id: own } = await this.imports.get(accountId, id);
    const { affected } = await this.database
      .getRepository(Import)
      .delete({ id: own, dryRun: true, state: Not(In(UNDER_WAY)) });
    if (affected !== 1) throw new Conflict('Only a preview that has been read can be removed.');
  }

  /**
   * Imports the questions of a preview, with the rights of the account and not of the key that sent the file.
   * @throws NotFound; LimitReached if it does not fit; Conflict if it is not a preview, was not read completely, or its
   *   questions have expired
   */
  async start(accountId: string, id: string, published: boolean): Promise<void> {
    const view = await this.imports.get(accountId, id);
    const problem = view.startable && (await this.quota.findProblem(accountId, view));
    if (problem) throw new LimitReached(problem);
    if (!(await startPreview(this.database.manager, view.id, published, this.clock.now())))
      throw previewGone(view);
  }

  private async read(accountId: string, id: string, size: number): Promise<ImportView> {
    if (size <= READ_AT_ONCE && !(await this.isPacked(id))) await this.runner.run(id);
    else await queueNow(this.database.manager, id, this.clock.now());
    return this.imports.get(accountId, id);
  }

  private async isPacked(id: string): Promise<boolean> {
    return isZip(await headOf(storedFile(this.database.manager, id), 4));
  }
}
