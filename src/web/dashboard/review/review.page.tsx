import type { Account } from '../../../access/accounts/account.entity';
import type { ListedAuditEntry } from '../../../access/audit/audit.dto';
import type { ContentQuestion, QuizChange } from '../../../authoring/review/quiz-changes.rules';
import type { ChangesSinceApproval } from '../../../authoring/review/review.service';
import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import type { Difficulty, QuizState } from '../../../catalog/vocabulary';
import { translated } from '../../../platform/messages/refusals';
import { languageName } from '../../../platform/text/language.rules';
import { AuthorText, inLanguage } from '../../components/author-text';
import { LinkButton } from '../../components/button';
import { TextInput } from '../../components/fields';
import { Link, Time, withParameter } from '../../components/format';
import { Page } from '../../components/page';
import { Note, Section } from '../../components/section';
import { type PageOf, Pager, Table } from '../../components/table';
import type { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { History } from '../audit/audit-table';
import { AnswersAndExplanation, QuestionTexts, StateBadge } from '../quizzes/quiz-parts';

const AT = '/dashboard/admin/review';

interface Reviewed {
  quiz: OwnedQuizDetail;
  /** Of its questions. */
  page: PageOf;
  owner: Account;
  /** The owner's quizzes. */
  owned: Record<QuizState, number>;
  /** How many quizzes wait, including this one. */
  waiting: number;
  entries: ListedAuditEntry[];
  /** Of the quiz's whole content, read before what is shown here. */
  version: string;
  /** Whether the reviewer comes from a page of its questions with another version. */
  wasChanged: boolean;
  since: ChangesSinceApproval | null;
}

/** A quiz as a player sees it, and the decision about it. */
export function ReviewPage({ form, ...reviewed }: Reviewed & { form: Form }) {
  const { quiz, page, owner, owned, waiting, entries, version, wasChanged, since } = reviewed;
  const { rich, t } = useMessages();
  const isWaiting = quiz.state === 'pending';
  // Also after a decision that came too late: whoever else goes through the queue has taken it with this one.
  const hasNext = isWaiting ? waiting > 1 : waiting > 0 && !form.isBlank;
  const keys = !isApprovable(quiz, since) ? 'reject' : hasNext ? 'all' : 'verdict';
  return (
    <Page
      title={t(isWaiting ? 'review.title' : 'review.reviewed')}
      help={isWaiting ? t('review.helpWaiting', { count: waiting }) : t('review.helpReviewed')}
      back={{ href: AT, label: t('nav.review') }}
      action={
        <div class="buttons">
          <LinkButton look="outline" href="#verdict" text={t('review.toVerdict')} />
          {hasNext && (
            <LinkButton
              look="outline"
              href={`${AT}/${quiz.id}/next`}
              text={t('review.skip')}
              keys="Alt+N"
            />
          )}
        </div>
      }
      form={form}
    >
      <p class="muted" data-shortcuts hidden>
        {rich('review.keys', { keys, kbd: (key) => <kbd>{key}</kbd> })}
      </p>
      {wasChanged && <Note variant="busy" title={t('refusal.quizChangedInReview')} />}
      {isWaiting && quiz.rejectionReason && (
        <Note variant="busy" title={t('review.wasRejected')}>
          <p class="said">{quiz.rejectionReason}</p>
        </Note>
      )}
      <p class="by-line">
        <StateBadge {...quiz} />
        <span class="muted">
          {rich('review.by', {
            email: owner.email,
            link: (text) => <Link to={`/dashboard/admin/accounts/${owner.id}`}>{text}</Link>,
            time: <Time at={quiz.createdAt} />,
          })}
        </span>
        <Link to={`/dashboard/admin/quizzes?owner=${owner.id}`}>
          {t('review.ofAuthor', { live: owned.live, rejected: owned.rejected })}
        </Link>
        <Link to={`/dashboard/quizzes/${quiz.id}/results`}>{t('quiz.results')}</Link>
        {quiz.plays > 0 && (
          <Link to={`/dashboard/quizzes/${quiz.id}/leaderboard`}>{t('leaderboard.title')}</Link>
        )}
      </p>
      {quiz.writtenBy && (
        <p class="muted">{rich('review.assistant', { name: <bdi>{quiz.writtenBy}</bdi> })}</p>
      )}
      {since && since.changes.length > 0 && <Changes {...since} language={quiz.language} />}
      <QuizAsPlayed quiz={quiz} page={page} version={version} />
      <Verdict {...reviewed} />
      <History entries={entries} />
    </Page>
  );
}

/** Whether there is anything to approve: the quiz itself, or the changes of a live one. */
const isApprovable = ({ approval }: Reviewed['quiz'], since: Reviewed['since']) =>
  approval !== 'approved' || !!since?.changes.length;

/** More than anybody reads; the quiz itself is below. */
export const CHANGES_SHOWN = 100;

function Changes({
  approvedAt,
  approvedLanguage,
  changes,
  language,
}: ChangesSinceApproval & {
  /** Of the quiz as it is now. */
  language: string | null;
}) {
  const messages = useMessages();
  const { rich, t } = messages;
  const isMore = changes.length > CHANGES_SHOWN;
  return (
    <Section
      title={t('review.changed')}
      help={rich(isMore ? 'review.changesFirst' : 'review.changes', {
        count: changes.length,
        time: <Time at={approvedAt} />,
        shown: CHANGES_SHOWN,
      })}
    >
      <Table
        label={t('review.changesLabel')}
        rows={changes.slice(0, CHANGES_SHOWN)}
        columns={[
          [t('review.what'), ({ what }) => translated(what, messages, 'change.')],
          [
            t('review.approved'),
            ({ what, before }) => (
              <Version
                {...{ what, of: before, language: approvedLanguage }}
                none={t('review.added')}
              />
            ),
          ],
          [
            t('review.now'),
            ({ what, after }) => (
              <Version {...{ what, of: after, language }} none={t('review.removed')} />
            ),
          ],
        ]}
      />
    </Section>
  );
}

/** A cell of the table: the text or the question in one of the two versions. */
function Version({
  what,
  of,
  language,
  none,
}: {
  what: QuizChange['what'];
  of: QuizChange['before'];
  /** Of the quiz in this version. */
  language: string | null;
  none: string;
}) {
  const { language: ofPage, t } = useMessages();
  if (of === null) return <span class="muted">{none}</span>;
  if (typeof of !== 'string') return <QuestionVersion question={of} language={language} />;
  if (what === 'Difficulty') return <>{t(`level.${of as Difficulty}`)}</>;
  if (what === 'Language') return <>{languageName(of, ofPage)}</>;
  return (
    <div class="said" {...(IN_QUIZ_LANGUAGE.has(what) && inLanguage(language))}>
      {of}
    </div>
  );
}

/** The changed fields that are in the language of the quiz. Categories and tags may be those of the service. */
const IN_QUIZ_LANGUAGE: ReadonlySet<string> = new Set(['Title', 'Description']);

function QuestionVersion(props: { question: ContentQuestion; language: string | null }) {
  const { t } = useMessages();
  const { text, format, answers, explanation } = props.question;
  const attributes = inLanguage(props.language);
  const written = [text, ...answers.map((answer) => answer.text), explanation ?? ''];
  return (
    <div class="version">
      <div class="said" {...attributes}>
        <AuthorText text={text} format={format} />
      </div>
      <AnswersAndExplanation {...props} />
      {format === 'markdown' && (
        // What is rendered alike may be written differently, such as the alternative text of a picture.
        <details class="more">
          <summary>{t('review.inMarkdown')}</summary>
          <div class="said mono" {...attributes}>
            {written.filter(Boolean).join('\n')}
          </div>
        </details>
      )}
    </div>
  );
}

/** Title, description and questions as players see them. */
function QuizAsPlayed({ quiz, page, version }: Pick<Reviewed, 'quiz' | 'page' | 'version'>) {
  const { language, t } = useMessages();
  const facts = [
    quiz.category,
    t(`level.${quiz.difficulty}`),
    t('count.questions', { count: quiz.questionCount }),
    quiz.language && languageName(quiz.language, language),
    ...quiz.tags.map((tag) => `#${tag}`),
  ];
  return (
    <article class="panel played" aria-label={t('review.theQuiz')}>
      <h2 {...inLanguage(quiz.language)}>{quiz.title}</h2>
      {quiz.description && (
        <p class="said" {...inLanguage(quiz.language)}>
          {quiz.description}
        </p>
      )}
      <p class="muted">{facts.filter(Boolean).join(' · ')}</p>
      {quiz.questionCount === 0 ? (
        <p class="muted">{t('review.noQuestions')}</p>
      ) : (
        <>
          <ol class="played-questions" start={page.offset + 1}>
            {quiz.questions.map((question) => (
              <li>
                <QuestionTexts question={question} language={quiz.language} />
              </li>
            ))}
          </ol>
          <Pager
            page={page}
            total={quiz.questionCount}
            at={withParameter(`${AT}/${quiz.id}`, 'version', version)}
          />
        </>
      )}
    </article>
  );
}

function Verdict({ quiz, version, since }: Pick<Reviewed, 'quiz' | 'version' | 'since'>) {
  const { t } = useMessages();
  const { id, approval } = quiz;
  const changed = !!since?.changes.length;
  const isRejected = approval === 'rejected';
  const seen = (
    <>
      <input type="hidden" name="seen" value={approval} />
      <input type="hidden" name="version" value={version} />
    </>
  );
  return (
    <Section title={t('review.verdict')} id="verdict">
      <div class="panels after">
        {isApprovable(quiz, since) && (
          <form
            method="post"
            action={`${AT}/${id}/verdict`}
            class="panel form"
            aria-label={t(changed ? 'review.approveChanges' : 'review.approveButton')}
          >
            {seen}
            <h3>{t(changed ? 'review.approveChanges' : 'review.approve')}</h3>
            <p class="muted">
              {t(approval === 'approved' ? 'review.approveLive' : 'review.approveHelp')}
            </p>
            <div class="buttons">
              <button class="btn" name="verdict" value="approve" aria-keyshortcuts="Alt+A">
                {t('review.approveButton')}
              </button>
            </div>
          </form>
        )}
        <form
          method="post"
          action={`${AT}/${id}/verdict`}
          class="panel form"
          aria-label={t(isRejected ? 'review.rejectAgain' : 'review.rejectButton')}
        >
          {seen}
          <h3>{t(isRejected ? 'review.rejectAgain' : 'review.reject')}</h3>
          <TextInput
            name="reason"
            label={t('review.reason')}
            help={t(approval === 'approved' ? 'review.rejectLive' : 'review.rejectHelp')}
            rows={3}
            aria-keyshortcuts="Alt+R"
          />
          <div class="buttons">
            <button class="btn" data-variant="destructive" name="verdict" value="reject">
              {t('review.rejectButton')}
            </button>
          </div>
        </form>
      </div>
    </Section>
  );
}
