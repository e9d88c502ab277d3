import { itemsOf, type IterateOptions, type Page } from './pages.ts';
import {
  dataOf,
  part,
  randomKey,
  type CallOptions,
  type CreateOptions,
  type Transport,
} from './transport.ts';
import type {
  Data,
  ResponseBody,
  Import,
  ImportOptions,
  ImportQuiz,
  ImportReport,
  Query,
  UndoneImport,
} from './types.ts';

/** Imports of files with questions, which the service reads in the background. */
export class Imports {
  constructor(private readonly transport: Transport) {}

  /** Uploads a file. A retried upload makes one import. A large file needs a `timeout` that allows for the whole upload. */
  create(
    file: string | Blob | Uint8Array<ArrayBuffer>,
    query: ImportOptions = {},
    options: CreateOptions = {},
  ): Promise<Import> {
    const { idempotencyKey = randomKey(), ...rest } = options;
    const call = {
      ...rest,
      method: 'POST',
      path: '/imports',
      query,
      file,
      idempotencyKey,
    } as const;
    return dataOf(this.transport, call);
  }

  /** A page of imports, newest first. */
  list(
    query: { limit?: number; offset?: number } = {},
    options?: CallOptions,
  ): Promise<Page<Import, ResponseBody<'listImports'>['meta']>> {
    return this.transport.send({ ...options, method: 'GET', path: '/imports', query });
  }

  /** The progress of an import, and a page of its report; with `kind` only entries of this kind. */
  get(id: string, query: Query<'getImport'> = {}, options?: CallOptions): Promise<ImportReport> {
    const path = `/imports/${part(id)}`;
    return dataOf(this.transport, { ...options, method: 'GET', path, query });
  }

  /** Cancels an import. The questions that it has already imported stay. */
  cancel(id: string, options?: CallOptions): Promise<Import> {
    const path = `/imports/${part(id)}/cancel`;
    return dataOf(this.transport, { ...options, method: 'POST', path, repeatable: true });
  }

  /** A page of the quizzes that an import created. */
  quizzes(
    id: string,
    query: { limit?: number; offset?: number | null } = {},
    options?: CallOptions,
  ): Promise<Page<ImportQuiz, ResponseBody<'listImportQuizzes'>['meta']>> {
    const path = `/imports/${part(id)}/quizzes`;
    return this.transport.send({ ...options, method: 'GET', path, query });
  }

  /** All quizzes that an import created. */
  iterateQuizzes(
    id: string,
    options: CallOptions & IterateOptions = {},
  ): AsyncGenerator<ImportQuiz, void, undefined> {
    const list = (page: { limit?: number; offset?: number | null }) =>
      this.quizzes(id, page, options);
    return itemsOf(list, {}, options);
  }

  /**
   * Deletes what an import created: its quizzes, or the questions that it appended to a quiz. The service deletes up to
   * 250 of them in a request; this method repeats the request until nothing is left.
   */
  async undo(id: string, options?: CallOptions): Promise<UndoneImport> {
    const path = `/imports/${part(id)}/quizzes`;
    const undone = { quizzes: 0, questions: 0 };
    for (;;) {
      const { quizzes, questions, more } = await dataOf<Data<'undoImport'>>(this.transport, {
        ...options,
        method: 'DELETE',
        path,
        repeatable: true,
      });
      undone.quizzes += quizzes;
      undone.questions += questions;
      if (!more) return undone;
    }
  }
}
