import { createHash, type Hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KeyInUse } from '../../platform/idempotency/idempotency-errors';
import {
  IdempotencyService,
  type Answer,
  type KeyedRequest,
} from '../../platform/idempotency/idempotency.service';
import type { Bytes } from '../formats/row';
import type { ImportView } from './import';
import { fileTooLarge } from './import-file';
import { ImportsService, type Upload } from './imports.service';

/**
 * Uploads that may be sent again with their Idempotency-Key (docs/adr/0012). What the key stands for is known
 * when the last byte has come: the import begins, or is dropped for the one before it, in the transaction of
 * its answer.
 */
@Injectable()
export class RepeatableImportsService {
  constructor(
    private readonly imports: ImportsService,
    private readonly answers: IdempotencyService,
  ) {}

  /**
   * @param request null for an upload without a key
   * @throws KeyReused, KeyInUse, and as ImportsService.open
   */
  async open(
    request: KeyedRequest | null,
    upload: Upload,
    answerOf: (view: ImportView) => Answer,
  ): Promise<Answer> {
    const { accountId, fileName, options } = upload;
    if (!request)
      return answerOf(await this.imports.open(accountId, fileName, upload.bytes, options));
    const hash = createHash('sha256').update(`${JSON.stringify(['import', fileName, options])}\n`);
    const bytes = hashed(upload.bytes, hash);
    if (await this.answers.isUsed(request)) {
      await readToEnd(bytes, this.imports.largestFile);
      return this.repeat({ ...request, fingerprint: hash.digest() }, upload);
    }
    return this.imports.openBy(
      (begin) =>
        this.answers.once({ ...request, fingerprint: hash.digest() }, async (tx) =>
          answerOf(await begin(tx)),
        ),
      { ...upload, bytes },
    );
  }

  /** Its answer is there, unless it was for another file. */
  private async repeat(request: KeyedRequest, { accountId, options }: Upload): Promise<Answer> {
    const before = await this.answers.findAnswer(request);
    if (before) return before;
    await this.imports.requireQuiz(accountId, options);
    return this.answers.once(request, () => {
      // The day of the key has ended while the file came.
      throw new KeyInUse();
    });
  }
}

async function* hashed(bytes: Bytes, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Keeps nothing: the file was kept when it came first. */
async function readToEnd(bytes: Bytes, most: number): Promise<void> {
  let size = 0;
  for await (const chunk of bytes) if ((size += chunk.length) > most) throw fileTooLarge(most);
}
