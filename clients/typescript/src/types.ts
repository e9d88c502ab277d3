import type { components, operations } from './api.ts';

/** Names for what the document generates: the bodies of requests and responses, as they are sent. */
type Schemas = components['schemas'];
type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;
type Values<T> = T[keyof T];

/** The JSON of an operation's success. */
export type ResponseBody<Name extends keyof operations> = Json<
  Values<
    Pick<operations[Name]['responses'], keyof operations[Name]['responses'] & (200 | 201 | 202)>
  >
>;
/** The `data` in it. */
export type Data<Name extends keyof operations> =
  ResponseBody<Name> extends { data: infer Inner } ? Inner : never;
export type Query<Name extends keyof operations> = NonNullable<
  operations[Name]['parameters']['query']
>;
export type Body<Name extends keyof operations> = Json<operations[Name]['requestBody']>;

export type Difficulty = Schemas['Difficulty'];
export type QuestionType = Schemas['QuestionType'];
export type QuizListItem = Data<'listQuizzes'>[number];
export type QuizDetail = Schemas['QuizDetail'];
export type QuizQuestionDetail = Schemas['QuizQuestionDetail'];
export type QuizQuestion = Schemas['QuizQuestion'];
export type BrowseQuestion = Schemas['BrowseQuestion'];
export type PaginationMeta = Schemas['PaginationMeta'];
export type CreateQuizRequest = Body<'createQuiz'>;
export type CopyQuizRequest = Body<'copyQuiz'>;
export type CopyQuestionsRequest = Body<'copyQuestions'>;
export type UpdateQuizRequest = Body<'updateQuiz'>;
export type EditedQuiz = Data<'updateQuiz'>;
export type UpdateQuestionRequest = Body<'updateQuestion'>;
export type EditedQuestion = Data<'updateQuestion'>;
export type CreatedQuiz = Data<'createQuiz'>;
export type BatchQuestionInput = Body<'importQuestions'>['questions'][number];
export type ImportedQuestions = Data<'importQuestions'>;
export type Me = Data<'getMe'>;
export type DeleteAccountRequest = Body<'deleteMe'>;
export type Liveness = Data<'getLiveness'>;
export type Readiness = Data<'getReadiness'>;
export type Metadata = Data<'getMetadata'>;
export type Topic = Data<'listCategories'>[number];
export type QuizFilter = Query<'listQuizzes'>;
/** Of browsing: without what belongs to the questions of one quiz. */
export type QuestionFilter = Omit<Query<'findQuestions'>, 'quiz_id' | 'include_answers'>;
export type StartedAttempt = Data<'startAttempt'>;
export type QuestionCounts = Data<'countQuestions'>;
export type QuestionCountsFilter = Query<'countQuestions'>;
export type AttemptState = Data<'getAttempt'>;
export type DrawAttemptRequest = Body<'startAttemptAcrossQuizzes'>;
export type StartAttemptRequest = Body<'startAttempt'>;
export type AnswerRequest = Body<'answerQuestion'>;
export type AnswerOutcome = Data<'answerQuestion'>;
export type AttemptResult = Data<'submitAttempt'>;
export type LeaderboardEntry = Data<'getLeaderboard'>[number];
export type SubmittedAttempt = Data<'listQuizAttempts'>[number];
export type SubmittedAttemptFilter = Omit<Query<'listQuizAttempts'>, 'format'>;
export type QuizStatistics = Data<'getQuizStatistics'>;
export type Regraded = Data<'regradeQuiz'>;
export type UnlistedLink = Data<'listQuizLinks'>[number];
export type UpdateLinkRequest = Body<'updateQuizLink'>;
export type CreateLinkRequest = Body<'createQuizLink'>;
/** How a file of questions is imported; `format` is found by its content where it is not given. */
export type ImportOptions = Omit<Query<'createImport'>, 'dry_run' | 'published'> & {
  dry_run?: boolean;
  published?: boolean;
};
export type Import = Data<'createImport'>;
/** With its parts and a page of its report. */
export type ImportReport = Data<'getImport'>;
/** A quiz that an import made. */
export type ImportQuiz = Data<'listImportQuizzes'>[number];
/** How many quizzes were deleted, and how many questions, with or without their quiz. */
export type UndoneImport = Omit<Data<'undoImport'>, 'more'>;
/** A picture that was uploaded. */
export type Picture = Data<'uploadPicture'>;
export type ExportFormat = NonNullable<Query<'exportQuiz'>['format']>;
/** Those whose files are text. */
export type TextExportFormat = Exclude<ExportFormat, `qti-${string}` | 'xlsx'>;

/** The envelope of every event, told apart by `event`. */
export type WebhookEvent = Extract<
  Schemas[keyof Schemas],
  { event: string; created_at: string; data: object }
>;

export type Webhook = Data<'getWebhook'>;
/** With its signing secret, which is shown only once. */
export type CreatedWebhook = Data<'createWebhook'>;
export type RotatedWebhook = Data<'rotateWebhookSecret'>;
export type DeliveryListItem = Data<'listDeliveries'>[number];
export type DeliveryDetail = Data<'getDelivery'>;
export type StoredEvent = Data<'listEvents'>[number];
export type EventFilter = Query<'listEvents'>;
