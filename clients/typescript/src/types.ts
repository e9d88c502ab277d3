import type { components, operations } from './api.ts';

/** Short names for the generated types of request and response bodies. */
type Schemas = components['schemas'];
type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;
type Values<T> = T[keyof T];

/** The JSON body of an operation's successful response. */
export type ResponseBody<Name extends keyof operations> = Json<
  Values<
    Pick<operations[Name]['responses'], keyof operations[Name]['responses'] & (200 | 201 | 202)>
  >
>;
/** The `data` of that body. */
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
/** Filters for browsing questions, without the parameters for the questions of one quiz. */
export type QuestionFilter = Omit<Query<'findQuestions'>, 'quiz_id' | 'include_answers'>;
/** What the questions of one quiz come with. */
export type QuizQuestionOptions = Pick<Query<'findQuestions'>, 'include'> & {
  includeAnswers?: boolean;
};
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
/** How a file of questions is imported. Without `format`, it is recognised from the content. */
export type ImportOptions = Omit<Query<'createImport'>, 'dry_run' | 'published'> & {
  dry_run?: boolean;
  published?: boolean;
};
export type Import = Data<'createImport'>;
/** An import with its groups and a page of its report. */
export type ImportReport = Data<'getImport'>;
/** A quiz that an import created. */
export type ImportQuiz = Data<'listImportQuizzes'>[number];
/** How many quizzes, and how many questions in all, were deleted. */
export type UndoneImport = Omit<Data<'undoImport'>, 'more'>;
/** An uploaded picture. */
export type Picture = Data<'uploadPicture'>;
export type ExportFormat = NonNullable<Query<'exportQuiz'>['format']>;
/** The export formats that are text. */
export type TextExportFormat = Exclude<ExportFormat, `qti-${string}` | 'xlsx'>;

/** The envelope of every event: a union that `event` discriminates. */
export type WebhookEvent = Extract<
  Schemas[keyof Schemas],
  { event: string; created_at: string; data: object }
>;

export type Webhook = Data<'getWebhook'>;
/** A webhook with its signing secret, which is shown only once. */
export type CreatedWebhook = Data<'createWebhook'>;
export type RotatedWebhook = Data<'rotateWebhookSecret'>;
export type DeliveryListItem = Data<'listDeliveries'>[number];
export type DeliveryDetail = Data<'getDelivery'>;
export type StoredEvent = Data<'listEvents'>[number];
export type EventFilter = Query<'listEvents'>;
