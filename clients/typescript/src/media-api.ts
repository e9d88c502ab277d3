import { dataOf, type CallOptions, type Transport } from './transport.ts';
import type { Picture } from './types.ts';

/** Pictures of questions. */
export class Media {
  constructor(private readonly transport: Transport) {}

  /** Stores a picture; the same file again returns the same picture. `![alt](media:<id>)` in a question in Markdown shows it. */
  upload(file: Blob | Uint8Array<ArrayBuffer>, options?: CallOptions): Promise<Picture> {
    const call = { method: 'POST', path: '/media', repeatable: true } as const;
    return dataOf(this.transport, { ...options, ...call, file });
  }
}
