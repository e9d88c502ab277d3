import type { ComponentChildren } from 'preact';
import type { AccountsService } from '../../../access/accounts/accounts.service';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { BulkAction } from '../../../authoring/quizzes/quiz-bulk.service';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import type { StoredQuestion } from '../../../catalog/quizzes/quizzes.dto';
import type {
  Difficulty,
  QuestionFormat,
  QuestionType,
  QuizState,
} from '../../../catalog/vocabulary';
import { AuthorText, inLanguage } from '../../components/author-text';
import { Selectable } from '../../components/bulk';
import { Icon, PostButton } from '../../components/button';
import { Clip, count, Link } from '../../components/format';
import { Badge, type BadgeVariant, Note, Panel } from '../../components/section';
import { usePage } from '../../http/page-context';

/** A quiz's state, as shown on its tab and badge. */
export const STATES: Record<QuizState, { tab: string; badge: string; variant: BadgeVariant }> = {
  draft: { tab: 'Drafts', badge: 'draft', variant: 'neutral' },
  pending: { tab: 'Waiting', badge: 'waiting for review', variant: 'busy' },
  live: { tab: 'Live', badge: 'live', variant: 'good' },
  rejected: { tab: 'Rejected', badge: 'rejected', variant: 'bad' },
};

export const DIFFICULTY_LABELS: Record<Difficulty, string> = {
  EASY: 'Easy',
  MEDIUM: 'Medium',
  HARD: 'Hard',
  EXPERT: 'Expert',
};

export const TYPE_LABELS: Record<QuestionType, string> = {
  MULTIPLE_CHOICE: 'Multiple choice',
  TRUE_FALSE: 'True or false',
  OPEN_ENDED: 'Open answer',
};

export const FORMAT_LABELS: Record<QuestionFormat, string> = {
  plain: 'Plain text',
  markdown: 'Markdown',
};

/** For users on the Free plan. */
export const PLAN_NEEDED = 'A Starter or Pro plan is needed. Ask an administrator for one.';

export const BACK_TO_QUIZZES = { href: '/dashboard/quizzes', label: 'My quizzes' };

/** Where a quiz's nested pages lead back to. */
export const backTo = ({ id, title }: { id: string; title: string }) => ({
  href: `/dashboard/quizzes/${id}`,
  label: title,
});

export function StateBadge({ state }: Pick<OwnedQuiz, 'state'>) {
  return <Badge variant={STATES[state].variant}>{STATES[state].badge}</Badge>;
}

export interface TitledQuiz {
  id: string;
  title: string;
  language?: string | null;
  category: string | null;
  difficulty: Difficulty;
}

/** A quiz in a table: its title as a link, and its category below. @param at the URL of the list of quizzes' pages */
export function QuizTitle({ quiz, at }: { quiz: TitledQuiz; at: string }) {
  const { id, title, language, category, difficulty } = quiz;
  const level = DIFFICULTY_LABELS[difficulty].toLowerCase();
  return (
    <>
      <Clip href={`${at}/${id}`} text={title} language={language} />
      <span class="sub clip">{category ? `${category}, ${level}` : level}</span>
    </>
  );
}

/**
 * A question with its correct answers marked: for its owner and for its reviewer.
 * @param props `language` of its quiz; `beside`: what stands beside an answer
 */
export function QuestionTexts(props: {
  question: StoredQuestion;
  language?: string | null;
  beside?: (answerId: string) => ComponentChildren;
}) {
  const { position, text, format } = props.question;
  return (
    <>
      <h3>
        <span class="figure">{position}</span>{' '}
        <span {...inLanguage(props.language)}>
          <AuthorText text={text} format={format} />
        </span>
      </h3>
      <AnswersAndExplanation {...props} />
    </>
  );
}

/** Its type and difficulty, and what follows its text. */
export function AnswersAndExplanation(props: {
  question: Pick<StoredQuestion, 'type' | 'difficulty' | 'explanation' | 'answers'> & {
    format?: QuestionFormat | undefined;
  };
  language?: string | null;
  beside?: ((answerId: string) => ComponentChildren) | undefined;
}) {
  const { type, difficulty, format, explanation, answers } = props.question;
  const attributes = inLanguage(props.language);
  return (
    <>
      <p class="muted">
        {TYPE_LABELS[type]}, {DIFFICULTY_LABELS[difficulty].toLowerCase()}
      </p>
      <ul class="answers">
        {answers.map((answer) => (
          <li data-correct={answer.isCorrect ? '' : undefined}>
            {answer.isCorrect ? <Icon name="check" /> : <span aria-hidden="true" />}
            <span>
              <bdi {...attributes}>
                <AuthorText text={answer.text} format={format} />
              </bdi>
              {answer.isCorrect && <span class="sr-only"> (correct)</span>}
            </span>
            {props.beside?.(answer.id)}
          </li>
        ))}
      </ul>
      {explanation && (
        <div class="muted said">
          <bdi {...attributes}>
            <AuthorText text={explanation} format={format} links />
          </bdi>
        </div>
      )}
    </>
  );
}

/** A quiz in a list, with its box. */
export const SelectableTitle = ({ quiz, at }: { quiz: TitledQuiz; at: string }) => (
  <Selectable name="quiz" value={quiz.id} label={quiz.title}>
    <QuizTitle quiz={quiz} at={at} />
  </Selectable>
);

export type Offer = ReturnType<AccountsService['writingPlans']>;

/** Why no quiz can be created, and how to get a plan that allows more. */
export function NoRoom({ limit, offer }: { limit: number; offer: Offer }) {
  const { viewer } = usePage();
  if (!viewer) return null;
  const larger = offer.filter(({ quizzes }) => quizzes > limit);
  const plan = PLAN_NAMES[viewer.plan];
  return (
    <Note variant="busy" title="Your plan is full">
      <p>
        {`Your ${plan} plan allows ${count(limit, 'quiz', 'quizzes')}, and all of them are in use. Delete a quiz to make room.`}
        {larger.length > 0 && ' You can ask an administrator for a plan that allows more.'}
      </p>
      <AskForPlan offer={larger} />
    </Note>
  );
}

/** What a Free account can do, and how to get a plan with which others find its quizzes. */
export function FreePlan({ limit, offer }: { limit: number; offer: Offer }) {
  return (
    <Panel title={`Write ${count(limit, 'quiz', 'quizzes')} and share them by link`}>
      <p>Public quizzes, imports and the API need a plan.</p>
      <AskForPlan offer={offer} />
    </Panel>
  );
}

/** A button for each plan that was not asked for; the request leads back to the overview. */
function AskForPlan({ offer }: { offer: Offer }) {
  const asked = usePage().viewer?.requestedPlan;
  return (
    <>
      <PlanRequest />
      <div class="buttons after">
        {offer
          .filter((it) => it.plan !== asked)
          .map((it) => (
            <PostButton
              action="/dashboard/account/plan"
              fields={{ plan: it.plan, back: 'overview' }}
              text={`Ask for ${PLAN_NAMES[it.plan]} (${count(it.quizzes, 'quiz', 'quizzes')})`}
            />
          ))}
      </div>
    </>
  );
}

/** What the viewer has asked for and nobody has decided yet. */
export function PlanRequest() {
  const plan = usePage().viewer?.requestedPlan;
  return plan ? (
    <p>
      You have asked for the {PLAN_NAMES[plan]} plan. An administrator decides, and a{' '}
      <Link to="/dashboard/notices">notice</Link> tells you.
    </p>
  ) : null;
}

const DONE: Record<BulkAction | 'approve', string> = {
  approve: 'approved',
  publish: 'published',
  unpublish: 'unpublished',
  move: 'moved',
  delete: 'deleted',
};

/** `2 quizzes are published. 1 is not: “Lakes”: …` */
export function bulkNotice(act: keyof typeof DONE, done: number, refused: string[]): string {
  const sentence = `${count(done, 'quiz is', 'quizzes are')} ${DONE[act]}.`;
  if (refused.length === 0) return sentence;
  return `${sentence} Failed: ${refused.slice(0, 5).join(' ')}${refused.length > 5 ? ` And ${refused.length - 5} more.` : ''}`;
}

/** How many quizzes of the plan are in use. */
export function QuotaLine({ owned, limit }: { owned: number; limit: number | null }) {
  const quizzes = count(owned, 'quiz', 'quizzes');
  if (limit === null) return <p>{quizzes} (unlimited)</p>;
  return (
    <div class="quota">
      <div class="quota-line">
        <span>{quizzes}</span>
        <span class="muted">of {limit.toLocaleString('en')}</span>
      </div>
      <progress
        value={Math.min(owned, limit)}
        max={limit}
        aria-label="Quizzes of your plan in use"
        data-full={owned >= limit ? '' : undefined}
      />
    </div>
  );
}
