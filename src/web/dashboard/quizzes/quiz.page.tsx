import { mayWrite } from '../../../access/accounts/plan.rules';
import type {
  OwnedQuestion,
  OwnedQuizDetail,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { textLine } from '../../../catalog/rendering/question-html';
import { EXPORT_NAMES, exportOf } from '../../../import-export/formats/formats';
import { LIMITS } from '../../../platform/limits/limits';
import { languageName } from '../../../platform/text/language.rules';
import { inLanguage } from '../../components/author-text';
import { Confirm, Icon, LinkButton, Menu, MoveButtons, PostButton } from '../../components/button';
import { count, Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Facts, Note, Panel, Section } from '../../components/section';
import { EmptyState, type PageOf, Pager } from '../../components/table';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { duration } from '../../player/player.rules';
import { BACK_TO_QUIZZES, DIFFICULTY_LABELS, QuestionTexts, StateBadge } from './quiz-parts';
import { QuizResults, type ResultsOfQuiz } from './quiz-results';

export const QUESTIONS_PER_PAGE = LIMITS.content.questionsPerPage.value;

/** The page of a quiz that shows the question at a position. */
export function questionsHref(quizId: string, position: number): string {
  const page = Math.ceil(position / QUESTIONS_PER_PAGE);
  return `/dashboard/quizzes/${quizId}${page > 1 ? `?page=${page}` : ''}`;
}

/** A question on its quiz's pages. */
export const questionHref = (quizId: string, { id, position }: { id: string; position: number }) =>
  `${questionsHref(quizId, position)}#question-${id}`;

/** Where copies of other questions are added to the quiz. */
export const addFromHref = (quizId: string) => `/dashboard/questions?into=${quizId}`;

interface Shown {
  quiz: OwnedQuizDetail;
  /** Of its questions. */
  page: PageOf;
  at: string;
  /** The id of the question whose menu is open; '' for none. */
  open: string;
}

type PlayedQuiz = { form: Form; results: ResultsOfQuiz };

const HELP: Record<OwnedQuizDetail['state'], string> = {
  draft: 'Only you see it. Publish it when its questions are ready.',
  pending: 'It is published. It goes public when an administrator approves it.',
  live: 'Anyone can play it.',
  rejected: 'An administrator has reviewed it and requests a change.',
};
const SHARED_DRAFT = 'It is not public: only people with a link can play it.';

function helpOf({ state }: OwnedQuizDetail, isShared: boolean, mayPublish: boolean): string {
  if (state === 'draft' && isShared) return SHARED_DRAFT;
  return state === 'draft' && !mayPublish ? 'Only you see it.' : HELP[state];
}

/** One quiz of the viewer's: its state, its texts, its questions. */
export function QuizPage({ quiz, page, open, form, results }: Omit<Shown, 'at'> & PlayedQuiz) {
  const at = `/dashboard/quizzes/${quiz.id}`;
  const { viewer } = usePage();
  const mayPublish = viewer !== null && mayWrite(viewer);
  return (
    <Page
      title={quiz.title}
      help={helpOf(quiz, results.openLinks.length > 0, mayPublish)}
      back={BACK_TO_QUIZZES}
      action={<NextStep quiz={quiz} at={at} />}
      form={form}
    >
      <UnpublishableQuestions quiz={quiz} form={form} />
      {quiz.state === 'rejected' && (
        <Note variant="bad" title="This quiz was rejected">
          <p class="said">{quiz.rejectionReason}</p>
          <PostButton action={`${at}/resubmit`} text="Send to review again" />
        </Note>
      )}
      <QuizResults quiz={quiz} of={results} />
      <About quiz={quiz} at={at} players={results.players ?? 0} canShare={results.canShare} />
      <Questions {...{ quiz, at, page, open }} />
      <Section
        title="Export"
        help="The quiz with its questions and answers as a file, which can be imported again."
      >
        <div class="buttons after">
          {EXPORT_NAMES.map((format) => (
            <LinkButton href={`${at}/export?format=${format}`} text={exportOf(format).title} />
          ))}
        </div>
      </Section>
      <Section
        title="Delete"
        help={
          quiz.published
            ? 'To take it offline without deleting it, unpublish it.'
            : 'This frees its place in your plan.'
        }
      >
        <div class="buttons after">
          <Confirm
            label="Delete quiz"
            action={`${at}/delete`}
            question={`Delete “${quiz.title}”?`}
            effect={`${quiz.questionCount > 0 ? `Its ${count(quiz.questionCount, 'question is', 'questions are')} deleted with it. ` : ''}This frees its place in your plan. This cannot be undone.`}
          />
        </div>
      </Section>
    </Page>
  );
}

/** What keeps the quiz from being published, with links to the questions. */
function UnpublishableQuestions({ quiz, form }: { quiz: OwnedQuizDetail; form: Form }) {
  const found = form.errors.flatMap(({ path }) => {
    const [, index] = /^questions\[(\d+)\]/.exec(path) ?? [];
    return index === undefined ? [] : [{ path, position: Number(index) + 1 }];
  });
  if (found.length === 0) return null;
  return (
    <div class="form-errors" role="alert" tabIndex={-1}>
      <Icon name="warning" />
      <ul>
        {found.map(({ path, position }) => (
          <li>
            {form.errorsOf(path).join(' ')}{' '}
            <Link to={editHref(quiz, position)}>Edit question {position}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Where a question is edited, or its page in a long quiz. */
function editHref(quiz: OwnedQuizDetail, position: number): string {
  const question = quiz.questions.find((it) => it.position === position);
  if (!question) return questionsHref(quiz.id, position);
  return `/dashboard/quizzes/${quiz.id}/questions/${question.id}/edit`;
}

/** Publish, and once that is done, Share. */
function NextStep({ quiz, at }: Pick<Shown, 'quiz' | 'at'>) {
  const { viewer } = usePage();
  const isReady = quiz.questionCount > 0;
  const canPublish = isReady && quiz.state === 'draft' && viewer !== null && mayWrite(viewer);
  return (
    <div class="buttons">
      {quiz.state === 'live' && (
        <LinkButton look="outline" href={`/play/${quiz.slug}`} text="Play" />
      )}
      <PostButton look="outline" action={`${at}/copy`} text="Duplicate" />
      <LinkButton look={isReady ? 'outline' : 'primary'} href={`${at}/edit`} text="Edit" />
      {isReady && (
        <LinkButton
          look={canPublish ? 'outline' : 'primary'}
          href={`${at}/share`}
          label="Share and print"
          text="Share"
        />
      )}
      {canPublish && <PostButton look="primary" action={`${at}/publish`} text="Publish" />}
    </div>
  );
}

/** What is set, as chips; the rest is under Details. */
function About({
  quiz,
  at,
  players,
  canShare,
}: Pick<Shown, 'quiz' | 'at'> & { players: number; canShare: boolean }) {
  const { viewer } = usePage();
  const chips = [
    count(quiz.questionCount, 'question', 'questions'),
    count(players, 'player', 'players'),
    DIFFICULTY_LABELS[quiz.difficulty],
    quiz.language && languageName(quiz.language, 'en'),
    quiz.category,
    ...quiz.tags.map((tag) => `#${tag}`),
    quiz.timeLimit && `time limit ${duration(quiz.timeLimit)}`,
    quiz.maxAttempts && count(quiz.maxAttempts, 'attempt per player', 'attempts per player'),
    quiz.acceptTypos && 'typing errors accepted',
    quiz.questionsPerAttempt &&
      count(quiz.questionsPerAttempt, 'question per attempt', 'questions per attempt'),
  ].filter((chip): chip is string => typeof chip === 'string' && chip !== '');
  return (
    <Panel label="About the quiz">
      <ul class="chips facts-line">
        <li class="plain-chip">
          <StateBadge {...quiz} />
        </li>
        {chips.map((chip) => (
          <li key={chip}>
            <bdi>{chip}</bdi>
          </li>
        ))}
      </ul>
      {quiz.description && (
        <p class="said after" {...inLanguage(quiz.language)}>
          {quiz.description}
        </p>
      )}
      {quiz.state === 'draft' && viewer && !mayWrite(viewer) && (
        <p class="muted after">
          {canShare && 'You can share it by link. '}To make it public,{' '}
          <Link to="/dashboard/account">ask for a plan</Link>.
        </p>
      )}
      <div class="buttons after">
        {quiz.questionCount > 0 && <LinkButton href={`${at}/preview`} text="Preview" />}
        <LinkButton href={`${at}/results`} text="Results" />
        {quiz.plays > 0 && quiz.state !== 'draft' && (
          <LinkButton href={`${at}/leaderboard`} text="Leaderboard" />
        )}
        {quiz.published && (
          <Confirm
            label="Unpublish"
            action={`${at}/unpublish`}
            question={`Unpublish “${quiz.title}”?`}
            effect="It is not public until you publish it again; unlisted links stay open. People who have already started can finish."
            button="Unpublish quiz"
          />
        )}
      </div>
      <details class="more after">
        <summary>Details</summary>
        <Facts
          of={{
            Plays: `${quiz.plays.toLocaleString('en')}, at most one a day for each network`,
            Changed: <Time at={quiz.updatedAt} />,
            Created: <Time at={quiz.createdAt} />,
            Assistant: quiz.writtenBy,
            'Quiz id': <span class="mono">{quiz.id}</span>,
          }}
        />
      </details>
    </Panel>
  );
}

/** A page of the questions in order, with the owner's actions. */
function Questions({ quiz, at, page, open }: Shown) {
  const { viewer } = usePage();
  const mayImport = viewer !== null && mayWrite(viewer);
  return (
    <section class="section">
      <div class="section-head">
        <h2>Questions</h2>
        <div class="buttons">
          {mayImport && (
            <LinkButton href={`/dashboard/imports/new?quiz=${quiz.id}`} text="Import a file" />
          )}
          <LinkButton href={addFromHref(quiz.id)} text="Add from my questions" />
          {quiz.questionCount > 0 && (
            <LinkButton icon="plus" href={`${at}/questions/new`} text="Add a question" />
          )}
        </div>
      </div>
      {quiz.questionCount === 0 ? (
        <EmptyState title="No questions yet">
          <p>A quiz without questions can be read, but not played.</p>
          <LinkButton look="outline" href={`${at}/edit`} text="Write questions" />
        </EmptyState>
      ) : (
        <>
          <ol class="questions" start={page.offset + 1}>
            {quiz.questions.map((question) => (
              <Question
                question={question}
                language={quiz.language}
                at={at}
                count={quiz.questionCount}
                isOpen={question.id === open}
              />
            ))}
          </ol>
          <Pager page={page} total={quiz.questionCount} at={at} />
        </>
      )}
    </section>
  );
}

function Question(props: {
  question: OwnedQuestion;
  language: string | null;
  at: string;
  count: number;
  isOpen: boolean;
}) {
  const { question, count } = props;
  const { id, position } = question;
  const url = `${props.at}/questions/${id}`;
  const name = `question ${position}`;
  return (
    <li class="panel question" id={`question-${id}`}>
      <QuestionTexts question={question} language={props.language} />
      <Menu label={`Actions of ${name}`} group="questions" isOpen={props.isOpen}>
        <LinkButton href={`${url}/edit`} label={`Edit ${name}`} text="Edit" />
        <LinkButton
          href={`${props.at}/questions/new?like=${id}`}
          label={`Duplicate ${name}`}
          text="Duplicate"
        />
        <MoveButtons {...{ action: `${url}/move`, name, at: position - 1, count, id }} />
        <Confirm
          label="Delete"
          action={`${url}/delete`}
          question={`Delete ${name}?`}
          effect={`“${textLine(question.text, question.format)}” is deleted with its answers. This cannot be undone.`}
          button="Delete question"
        />
      </Menu>
    </li>
  );
}
