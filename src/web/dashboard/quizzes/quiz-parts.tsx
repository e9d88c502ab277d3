import type { AccountsService } from '../../../access/accounts/accounts.service';
import { PLAN_NAMES } from '../../../access/accounts/plan.rules';
import type { BulkAction, RefusedQuiz } from '../../../authoring/quizzes/quiz-bulk.service';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import type { StoredQuestion } from '../../../catalog/quizzes/quizzes.dto';
import {
  DIFFICULTIES,
  type Difficulty,
  type QuestionFormat,
  type QuizState,
} from '../../../catalog/vocabulary';
import type { Messages } from '../../../platform/messages/messages';
import { AuthorText, inLanguage, useQuestionText } from '../../components/author-text';
import { Selectable } from '../../components/bulk';
import { Icon, PostButton } from '../../components/button';
import { Clip, Link } from '../../components/format';
import { Badge, type BadgeVariant, Note, Panel } from '../../components/section';
import { errorText } from '../../http/form';
import { useMessages, usePage } from '../../http/page-context';
import { type PageResult, redirect, redirectRefused } from '../../http/page-results';

const VARIANTS: Record<QuizState, BadgeVariant> = {
  draft: 'neutral',
  pending: 'busy',
  live: 'good',
  rejected: 'bad',
};

/** The choices of a field, labelled by the sentences of a family: `difficulty.EASY`. */
export const labelledBy = <Value extends string>(
  values: readonly Value[],
  label: (value: Value) => string,
) => values.map((value) => ({ value, label: label(value) }));

export const useDifficulties = () => {
  const { t } = useMessages();
  return labelledBy(DIFFICULTIES, (it) => t(`difficulty.${it}`));
};

export const backToQuizzes = ({ t }: Messages) => ({
  href: '/dashboard/quizzes',
  label: t('nav.quizzes'),
});

/** Where a quiz's nested pages lead back to. */
export const backTo = ({ id, title }: { id: string; title: string }) => ({
  href: `/dashboard/quizzes/${id}`,
  label: title,
});

/** Where its owner decides about attempts that were scored by an earlier key. */
export const regradeHref = (quizId: string) => `/dashboard/quizzes/${quizId}/regrade`;

export function StateBadge({ state }: Pick<OwnedQuiz, 'state'>) {
  const { t } = useMessages();
  return <Badge variant={VARIANTS[state]}>{t(`state.badge.${state}`)}</Badge>;
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
  const { t } = useMessages();
  const level = t(`level.${difficulty}`);
  return (
    <>
      <Clip href={`${at}/${id}`} text={title} language={language} />
      <span class="sub clip">{category ? `${category}, ${level}` : level}</span>
    </>
  );
}

/**
 * A question with its correct answers marked: for its owner and for its reviewer.
 * @param props `language` of its quiz
 */
export function QuestionTexts(props: { question: StoredQuestion; language?: string | null }) {
  const { position, text, format } = props.question;
  const { lead, rest } = useQuestionText(text, format);
  const attributes = inLanguage(props.language);
  return (
    <>
      <h3>
        <span class="figure">{position}</span> {lead && <span {...attributes}>{lead}</span>}
      </h3>
      {rest && <div {...attributes}>{rest}</div>}
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
}) {
  const { t } = useMessages();
  const { type, difficulty, format, explanation, answers } = props.question;
  const attributes = inLanguage(props.language);
  return (
    <>
      <p class="muted">
        {t(`type.${type}`)}, {t(`level.${difficulty}`)}
      </p>
      <ul class="answers">
        {answers.map((answer) => (
          <li data-correct={answer.isCorrect ? '' : undefined}>
            {answer.isCorrect ? <Icon name="check" /> : <span aria-hidden="true" />}
            <div>
              <div {...attributes}>
                <AuthorText text={answer.text} format={format} />
              </div>
              {answer.isCorrect && <span class="sr-only"> {t('answer.correct')}</span>}
            </div>
          </li>
        ))}
      </ul>
      {explanation && (
        <div class="muted said" {...attributes}>
          <AuthorText text={explanation} format={format} links />
        </div>
      )}
    </>
  );
}

/** A quiz in a list, with its box. @param value of the box */
export const SelectableTitle = ({
  quiz,
  at,
  value = quiz.id,
}: {
  quiz: TitledQuiz;
  at: string;
  value?: string;
}) => (
  <Selectable name="quiz" value={value} label={quiz.title}>
    <QuizTitle quiz={quiz} at={at} />
  </Selectable>
);

export type Offer = ReturnType<AccountsService['writingPlans']>;

/** Why no quiz can be created, and how to get a plan that allows more. */
export function NoRoom({ limit, offer }: { limit: number; offer: Offer }) {
  const { t } = useMessages();
  const { viewer } = usePage();
  if (!viewer) return null;
  const larger = offer.filter(({ quizzes }) => quizzes > limit);
  const plan = PLAN_NAMES[viewer.plan];
  return (
    <Note variant="busy" title={t('plan.full')}>
      <p>
        {t('plan.fullText', { plan, count: limit })} {larger.length > 0 && t('plan.larger')}
      </p>
      <AskForPlan offer={larger} />
    </Note>
  );
}

/** What a Free account can do, and how to get a plan with which others find its quizzes. */
export function FreePlan({ limit, offer }: { limit: number; offer: Offer }) {
  const { t } = useMessages();
  return (
    <Panel title={t('plan.free', { count: limit })}>
      <p>{t('plan.freeText')}</p>
      <AskForPlan offer={offer} />
    </Panel>
  );
}

/** A button for each plan that was not asked for; the request leads back to the overview. */
function AskForPlan({ offer }: { offer: Offer }) {
  const { t } = useMessages();
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
              text={t('plan.ask', { plan: PLAN_NAMES[it.plan], count: it.quizzes })}
            />
          ))}
      </div>
    </>
  );
}

/** What the viewer has asked for and nobody has decided yet. */
export function PlanRequest() {
  const { rich } = useMessages();
  const plan = usePage().viewer?.requestedPlan;
  return plan ? (
    <p>
      {rich('plan.asked', {
        plan: PLAN_NAMES[plan],
        link: (text) => <Link to="/dashboard/notices">{text}</Link>,
      })}
    </p>
  ) : null;
}

/** How many quizzes a notice names that could not be changed. */
const MOST_REFUSED = 5;

/** Back to the list: `2 quizzes are published. Failed: “Lakes”: …` */
export function afterBulk(
  path: string,
  act: BulkAction | 'approve',
  done: number,
  refused: readonly RefusedQuiz[],
  messages: Messages,
): PageResult {
  const { t } = messages;
  const sentences: string[] = [];
  if (done > 0 || refused.length === 0) sentences.push(t(`bulk.done.${act}`, { count: done }));
  const named = refused.slice(0, MOST_REFUSED);
  const more = refused.length - named.length;
  const list = named.map(({ title, message }) =>
    t('bulk.reason', { title, reason: errorText(message, messages) }),
  );
  if (named.length > 0) sentences.push(t('bulk.failed', { list: list.join(' ') }));
  if (more > 0) sentences.push(t('bulk.more', { count: more }));
  const report = refused.length > 0 ? redirectRefused : redirect;
  return report(path, sentences.join(' '));
}

/** How many quizzes of the plan are in use. */
export function QuotaLine({ owned, limit }: { owned: number; limit: number | null }) {
  const { t } = useMessages();
  if (limit === null) return <p>{t('quota.unlimited', { quizzes: owned })}</p>;
  return (
    <div class="quota">
      <div class="quota-line">
        <span>{t('count.quizzes', { count: owned })}</span>
        <span class="muted">{t('quota.of', { limit })}</span>
      </div>
      <progress
        value={Math.min(owned, limit)}
        max={limit}
        aria-label={t('quota.label')}
        data-full={owned >= limit ? '' : undefined}
      />
    </div>
  );
}
