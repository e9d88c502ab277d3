import { itemsOf, type IterateOptions, type Page } from './pages.ts';
import { dataOf, part, type CallOptions, type Transport } from './transport.ts';
import type {
  Data,
  ResponseBody,
  Import,
  ImportOptions,
  ImportQuiz,
  ImportReport,
  UndoneImport,
} from './types.ts';

/** Files of questions, which the service reads in the background. */
export class Imports {
  constructor(private readonly transport: Transport) {}

  /** Hands in a file. It is not sent again when the network fails: whether it arrived, `list` says. */
  create(
    file: string | Blob | Uint8Array<ArrayBuffer>,
    query: ImportOptions = {},
    options?: CallOptions,
  ): Promise<Import> {
    return dataOf(this.transport, { ...options, method: 'POST', path: '/imports', query, file });
  }

  /** Newest first. */
  list(
    query: { limit?: number; offset?: number } = {},
    options?: CallOptions,
  ): Promise<Page<Import, ResponseBody<'listImports'>['meta']>> {
    return this.transport.send({ ...options, method: 'GET', path: '/imports', query });
  }

  /** How far it is, and what is said of its rows. */
  get(
    id: string,
    query: { limit?: number; offset?: number } = {},
    options?: CallOptions,
  ): Promise<ImportReport> {
    const path = `/imports/${part(id)}`;
    return dataOf(this.transport, { ...options, method: 'GET', path, query });
  }

  /** Ends it; what it has written stays. */
  cancel(id: string, options?: CallOptions): Promise<Import> {
    const path = `/imports/${part(id)}/cancel`;
    return dataOf(this.transport, { ...options, method: 'POST', path, repeatable: true });
  }

  /** The quizzes that it made. */
  quizzes(
    id: string,
    query: { limit?: number; offset?: number | null } = {},
    options?: CallOptions,
  ): Promise<Page<ImportQuiz, ResponseBody<'listImportQuizzes'>['meta']>> {
    const path = `/imports/${part(id)}/quizzes`;
    return this.transport.send({ ...options, method: 'GET', path, query });
  }

  /** The quizzes of all pages. */
  iterateQuizzes(
    id: string,
    options: CallOptions & IterateOptions = {},
  ): AsyncGenerator<ImportQuiz, void, undefined> {
    const list = (page: { limit?: number; offset?: number | null }) =>
      this.quizzes(id, page, options);
    return itemsOf(list, {}, options);
  }

  /**
   * Deletes what it made: quizzes, or the questions that it appended to one. The service deletes up to 250 of them in a
   * request; this repeats the request until nothing is left.
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
