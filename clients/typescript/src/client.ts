import { ApiError } from './errors.ts';
import { Imports } from './imports-api.ts';
import { Links } from './links-api.ts';
import { Media } from './media-api.ts';
import { itemsOf, type IterateOptions, type Page } from './pages.ts';
import {
  changing,
  dataOf,
  part,
  randomKey,
  Transport,
  type Call,
  type CallOptions,
  type ChangeOptions,
  type ClientOptions,
  type CreateOptions,
} from './transport.ts';
import type {
  ResponseBody,
  AnswerOutcome,
  DeleteAccountRequest,
  AnswerRequest,
  AttemptResult,
  AttemptState,
  BatchQuestionInput,
  BrowseQuestion,
  CopyQuestionsRequest,
  CopyQuizRequest,
  CreatedQuiz,
  CreateQuizRequest,
  EditedQuestion,
  EditedQuiz,
  DrawAttemptRequest,
  EventFilter,
  ExportFormat,
  TextExportFormat,
  ImportedQuestions,
  LeaderboardEntry,
  Liveness,
  Me,
  Metadata,
  PaginationMeta,
  Query,
  QuestionCounts,
  QuestionCountsFilter,
  QuestionFilter,
  QuizDetail,
  QuizFilter,
  QuizListItem,
  QuizQuestion,
  QuizQuestionOptions,
  QuizStatistics,
  Regraded,
  Readiness,
  StartAttemptRequest,
  StartedAttempt,
  StoredEvent,
  SubmittedAttempt,
  SubmittedAttemptFilter,
  Topic,
  UpdateQuestionRequest,
  UpdateQuizRequest,
} from './types.ts';
import { Deliveries, Webhooks } from './webhooks-api.ts';

/** A client for one service, with one API key. */
export class QuizClient {
  readonly quizzes: Quizzes;
  readonly questions: Questions;
  readonly attempts: Attempts;
  readonly links: Links;
  readonly imports: Imports;
  readonly media: Media;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly health: Health;
  private readonly transport: Transport;

  constructor(options: ClientOptions) {
    this.transport = new Transport(options);
    this.quizzes = new Quizzes(this.transport);
    this.questions = new Questions(this.transport);
    this.attempts = new Attempts(this.transport);
    this.links = new Links(this.transport);
    this.imports = new Imports(this.transport);
    this.media = new Media(this.transport);
    this.webhooks = new Webhooks(this.transport);
    this.deliveries = new Deliveries(this.transport);
    this.health = new Health(this.transport);
  }

  /** Difficulties, question types, the categories and tags in use, totals. Needs no key. */
  metadata({ include, ...options }: CallOptions & Query<'getMetadata'> = {}): Promise<Metadata> {
    const query = { include };
    return dataOf(this.transport, { ...options, method: 'GET', path: '/metadata', query });
  }

  /** Topics with their categories. Needs no key. */
  categories(options?: CallOptions): Promise<Topic[]> {
    return dataOf(this.transport, { ...options, method: 'GET', path: '/categories' });
  }

  /** The account, its plan and quota, the key with its scopes, and your rate limit. */
  me(options?: CallOptions): Promise<Me> {
    return dataOf(this.transport, { ...options, method: 'GET', path: '/me' });
  }

  /** Deletes the account of the key for good, with its published quizzes (`delete`) or without (`keep`). */
  async deleteMe(body: DeleteAccountRequest, options?: CallOptions): Promise<void> {
    await this.transport.send({ ...options, method: 'DELETE', path: '/me', body });
  }

  /** Deletes another account; administrators only. */
  async deleteAccount(
    id: string,
    body: DeleteAccountRequest,
    options?: CallOptions,
  ): Promise<void> {
    const path = `/accounts/${part(id)}`;
    await this.transport.send({ ...options, method: 'DELETE', path, body });
  }

  /**
   * Everything in the account as a ZIP archive, which `imports.create` accepts. A large account needs a `timeout` that
   * allows for the whole download.
   */
  exportAccount(options?: CallOptions): Promise<Blob> {
    return this.transport.send({ ...options, method: 'GET', path: '/export', asBlob: true });
  }

  /** The OpenAPI document of the service. Needs no key. */
  openApi(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.transport.send({ ...options, method: 'GET', path: '/openapi.json' });
  }

  /** The OpenAPI document as YAML. Needs no key. */
  openApiYaml(options?: CallOptions): Promise<string> {
    return this.transport.send({ ...options, method: 'GET', path: '/openapi.yaml', asText: true });
  }

  /** The stored events of the account. New ones are only ever added after those that were already returned. */
  events(filter: EventFilter = {}, options?: CallOptions): Promise<StoredEvent[]> {
    return dataOf(this.transport, { ...options, method: 'GET', path: '/events', query: filter });
  }

  /** The events of all pages. Store the last id and pass it as `after` the next time. */
  async *iterateEvents(
    filter: EventFilter = {},
    options?: CallOptions,
  ): AsyncGenerator<StoredEvent, void, undefined> {
    let { after } = filter;
    for (;;) {
      const page = await this.events({ ...filter, ...(after !== undefined && { after }) }, options);
      yield* page;
      after = page.at(-1)?.id;
      if (after === undefined) return;
    }
  }

  /** Sends any request, with the same retries and errors, for endpoints that this version lacks. @returns the response body */
  send<Body>(call: Call): Promise<Body> {
    return this.transport.send(call);
  }
}

class Quizzes {
  constructor(private readonly transport: Transport) {}

  /** One page of quizzes. */
  list(
    filter: QuizFilter = {},
    options?: CallOptions,
  ): Promise<Page<QuizListItem, ResponseBody<'listQuizzes'>['meta']>> {
    return this.transport.send({
      ...options,
      method: 'GET',
      path: '/quizzes',
      query: filter,
    });
  }

  /** Iterates over the quizzes of all pages. */
  iterate(
    filter: QuizFilter = {},
    options: CallOptions & IterateOptions = {},
  ): AsyncGenerator<QuizListItem, void, undefined> {
    return itemsOf((page: QuizFilter) => this.list(page, options), filter, options);
  }

  /** A quiz with all its questions and answers. */
  get(
    id: string,
    { include, ...options }: CallOptions & Query<'getQuiz'> = {},
  ): Promise<QuizDetail> {
    const path = `/quizzes/${part(id)}`;
    return dataOf(this.transport, { ...options, method: 'GET', path, query: { include } });
  }

  /** Creates a quiz without questions. */
  create(quiz: CreateQuizRequest, options?: CreateOptions): Promise<CreatedQuiz> {
    return dataOf(this.transport, creating('/quizzes', quiz, options));
  }

  /** Changes the fields that are given. */
  update(id: string, changes: UpdateQuizRequest, options?: ChangeOptions): Promise<EditedQuiz> {
    return dataOf(this.transport, changing('PATCH', `/quizzes/${part(id)}`, changes, options));
  }

  /** Copies a public quiz, or one of your own, into a new draft of yours. */
  copy(id: string, body: CopyQuizRequest = {}, options?: CreateOptions): Promise<CreatedQuiz> {
    return dataOf(this.transport, creating(`/quizzes/${part(id)}/copy`, body, options));
  }

  /** Submits a rejected quiz for review again. */
  resubmit(id: string, options?: ChangeOptions & CreateOptions): Promise<EditedQuiz> {
    const { idempotencyKey = randomKey(), ...rest } = options ?? {};
    const path = `/quizzes/${part(id)}/resubmit`;
    return dataOf(this.transport, { ...rest, method: 'POST', path, idempotencyKey });
  }

  /** Deletes a quiz with its questions. */
  async delete(id: string, options?: ChangeOptions): Promise<void> {
    await this.transport.send(changing('DELETE', `/quizzes/${part(id)}`, undefined, options));
  }

  /** Changes the order of a quiz's questions. @param ids those of all its questions, in the new order */
  async orderQuestions(id: string, ids: string[], options?: ChangeOptions): Promise<void> {
    const path = `/quizzes/${part(id)}/questions/order`;
    await this.transport.send(changing('PUT', path, { ids }, options));
  }

  /** Appends 1 to 50 questions: all of them, or none. */
  importQuestions(
    id: string,
    questions: BatchQuestionInput[],
    options?: ChangeOptions & CreateOptions,
  ): Promise<ImportedQuestions> {
    const path = `/quizzes/${part(id)}/questions/batch`;
    return dataOf(this.transport, creating(path, { questions }, options));
  }

  /** Appends copies of 1 to 50 questions that you can see, or moves your own here: all of them, or none. */
  copyQuestions(
    id: string,
    body: CopyQuestionsRequest,
    options?: ChangeOptions & CreateOptions,
  ): Promise<ImportedQuestions> {
    const path = `/quizzes/${part(id)}/questions/copy`;
    return dataOf(this.transport, creating(path, body, options));
  }

  /** Exports a quiz in a text format. @returns the file's text */
  export(id: string, format: TextExportFormat = 'json', options?: CallOptions): Promise<string> {
    return this.transport.send({ ...exporting(id, format, options), asText: true });
  }

  /** Exports a quiz in any format, including binary ones. */
  exportFile(id: string, format: ExportFormat, options?: CallOptions): Promise<Blob> {
    return this.transport.send({ ...exporting(id, format, options), asBlob: true });
  }

  /** The ten best results of a quiz. */
  leaderboard(id: string, options?: CallOptions): Promise<LeaderboardEntry[]> {
    const path = `/quizzes/${part(id)}/leaderboard`;
    return dataOf(this.transport, { ...options, method: 'GET', path });
  }

  /** One page of the submitted attempts at your quiz, newest first. */
  attempts(
    id: string,
    filter: SubmittedAttemptFilter = {},
    options?: CallOptions,
  ): Promise<Page<SubmittedAttempt, ResponseBody<'listQuizAttempts'>['meta']>> {
    const path = `/quizzes/${part(id)}/attempts`;
    return this.transport.send({ ...options, method: 'GET', path, query: filter });
  }

  /** Iterates over the submitted attempts of all pages. A page whose answers are too large is requested again by halves. */
  iterateAttempts(
    id: string,
    filter: SubmittedAttemptFilter = {},
    options: CallOptions & IterateOptions = {},
  ): AsyncGenerator<SubmittedAttempt, void, undefined> {
    let most = Infinity;
    const list = async (page: { limit: number }): ReturnType<Quizzes['attempts']> => {
      const limit = Math.min(page.limit, most);
      try {
        return await this.attempts(id, { ...page, limit }, options);
      } catch (error) {
        const isTooLarge = error instanceof ApiError && error.code === 'page-too-large';
        if (!isTooLarge || limit <= 1) throw error;
        most = Math.floor(limit / 2);
        return list(page);
      }
    };
    return itemsOf(list, filter, options);
  }

  /** All submitted attempts at your quiz, as CSV. */
  attemptsCsv(
    id: string,
    { since }: { since?: string } = {},
    options?: CallOptions,
  ): Promise<string> {
    const path = `/quizzes/${part(id)}/attempts`;
    const query = { format: 'csv', since };
    return this.transport.send({ ...options, method: 'GET', path, query, asText: true });
  }

  /** How difficult each question of your quiz is, and how well it separates strong players from weak ones. */
  statistics(id: string, options?: CallOptions): Promise<QuizStatistics> {
    const path = `/quizzes/${part(id)}/statistics`;
    return dataOf(this.transport, { ...options, method: 'GET', path });
  }

  /**
   * Scores the attempts at your quiz again, by the current key of its questions. More than 10,000 attempts are scored in the
   * background; `changed` is then null.
   * @param questionIds absent: all questions
   */
  regrade(id: string, questionIds?: string[], options?: CallOptions): Promise<Regraded> {
    const path = `/quizzes/${part(id)}/regrade`;
    return dataOf(this.transport, { ...options, method: 'POST', path, body: { questionIds } });
  }

  /** The statistics as CSV. */
  statisticsCsv(id: string, options?: CallOptions): Promise<string> {
    const path = `/quizzes/${part(id)}/statistics`;
    const query = { format: 'csv' };
    return this.transport.send({ ...options, method: 'GET', path, query, asText: true });
  }
}

class Questions {
  constructor(private readonly transport: Transport) {}

  /** One page of questions across all quizzes. */
  list(
    filter: QuestionFilter = {},
    options?: CallOptions,
  ): Promise<Page<BrowseQuestion, PaginationMeta>> {
    return this.transport.send({ ...options, method: 'GET', path: '/questions', query: filter });
  }

  /** Iterates over the questions of all pages. With `random`, a seed ensures that each question comes once. */
  iterate(
    filter: QuestionFilter = {},
    options: CallOptions & IterateOptions = {},
  ): AsyncGenerator<BrowseQuestion, void, undefined> {
    const seeded = filter.random ? { ...filter, seed: filter.seed ?? randomKey() } : filter;
    let { after } = filter;
    const list = async (page: QuestionFilter) => {
      const found = await this.list({ ...page, after }, options);
      // Questions that are added before this position do not move those behind it.
      after = new URLSearchParams(found.meta.links.next?.split('?')[1]).get('after') ?? undefined;
      return found;
    };
    return itemsOf(list, seeded, options);
  }

  /** Counts the questions that match: in total, and by category, difficulty and type. */
  counts(filter: QuestionCountsFilter = {}, options?: CallOptions): Promise<QuestionCounts> {
    const path = '/questions/counts';
    return dataOf(this.transport, { ...options, method: 'GET', path, query: filter });
  }

  /** A question with its answers. */
  get(id: string, options?: CallOptions): Promise<BrowseQuestion> {
    return dataOf(this.transport, { ...options, method: 'GET', path: `/questions/${part(id)}` });
  }

  /**
   * Changes the fields that are given; the question must be valid as a whole afterwards. `earlierAttempts` is the number of
   * submitted attempts that an earlier key scored: see `quizzes.regrade`.
   */
  update(
    id: string,
    changes: UpdateQuestionRequest,
    options?: ChangeOptions,
  ): Promise<EditedQuestion> {
    return dataOf(this.transport, changing('PATCH', `/questions/${part(id)}`, changes, options));
  }

  /** Deletes a question. The questions after it move up. */
  async delete(id: string, options?: ChangeOptions): Promise<void> {
    await this.transport.send(changing('DELETE', `/questions/${part(id)}`, undefined, options));
  }

  /** All questions of one quiz, in order; none if the quiz does not exist or this key may not see it. */
  ofQuiz(
    quizId: string,
    { includeAnswers = false, include, ...options }: CallOptions & QuizQuestionOptions = {},
  ): Promise<QuizQuestion[]> {
    const query = { quiz_id: quizId, include_answers: includeAnswers, include };
    return dataOf(this.transport, { ...options, method: 'GET', path: '/questions', query });
  }
}

class Attempts {
  constructor(private readonly transport: Transport) {}

  /** Starts an attempt at a quiz. @returns its questions, without their answers */
  start(
    quizId: string,
    request: StartAttemptRequest,
    options?: CreateOptions,
  ): Promise<StartedAttempt> {
    return dataOf(this.transport, creating(`/quizzes/${part(quizId)}/attempts`, request, options));
  }

  /** Starts an attempt at random questions of all quizzes that match a filter. */
  startAcross(request: DrawAttemptRequest, options?: CreateOptions): Promise<StartedAttempt> {
    return dataOf(this.transport, creating('/attempts', request, options));
  }

  /** An attempt as it was started; with its score once it is submitted. */
  get(id: string, options?: CallOptions): Promise<AttemptState> {
    return dataOf(this.transport, { ...options, method: 'GET', path: `/attempts/${part(id)}` });
  }

  /** Answers a question. Repeating it is harmless, so it is retried when the network fails. */
  answer(id: string, answer: AnswerRequest, options?: CallOptions): Promise<AnswerOutcome> {
    const path = `/attempts/${part(id)}/answers`;
    const call = { ...options, method: 'POST', path, body: answer, repeatable: true } as const;
    return dataOf(this.transport, call);
  }

  /** Ends an attempt. @returns the score, the correct answers and the explanations; the same when it is repeated */
  submit(id: string, options?: CallOptions): Promise<AttemptResult> {
    const path = `/attempts/${part(id)}/submit`;
    return dataOf(this.transport, { ...options, method: 'POST', path, repeatable: true });
  }
}

/** Health checks, for load balancers and monitoring. They need no key and are not retried. */
class Health {
  constructor(private readonly transport: Transport) {}

  /** Resolves if the process runs. */
  live(options?: CallOptions): Promise<Liveness> {
    const call = { retries: 0, ...options, method: 'GET', path: '/health/live' } as const;
    return dataOf(this.transport, call);
  }

  /** Resolves if the service can serve requests. @throws ServerError (503) with the reason */
  ready(options?: CallOptions): Promise<Readiness> {
    const call = { retries: 0, ...options, method: 'GET', path: '/health/ready' } as const;
    return dataOf(this.transport, call);
  }
}

function creating(path: string, body: object, options: CreateOptions = {}): Call {
  const { idempotencyKey = randomKey(), ...rest } = options;
  return { ...rest, method: 'POST', path, body, idempotencyKey };
}

function exporting(id: string, format: ExportFormat, options?: CallOptions): Call {
  return { ...options, method: 'GET', path: `/quizzes/${part(id)}/export`, query: { format } };
}
