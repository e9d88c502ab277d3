import type { Account } from '../../../access/accounts/account.entity';
import type { ListedAuditEntry } from '../../../access/audit/audit.dto';
import type { ContentQuestion, QuizChange } from '../../../authoring/review/quiz-changes.rules';
import type { ChangesSinceApproval } from '../../../authoring/review/review.service';
import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import type { QuizState } from '../../../catalog/vocabulary';
import { languageName } from '../../../platform/text/language.rules';
import { AuthorText, inLanguage } from '../../components/author-text';
import { LinkButton } from '../../components/button';
import { TextInput } from '../../components/fields';
import { count, Link, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Note, Section } from '../../components/section';
import { type PageOf, Pager, Table } from '../../components/table';
import type { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { History } from '../audit/audit.controller';
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
  /** Of the quiz's content, as it is shown here. */
  version: string;
  since: ChangesSinceApproval | null;
}

/** A quiz as a player sees it, and the decision about it. */
export function ReviewPage({ form, ...reviewed }: Reviewed & { form: Form }) {
  const { quiz, page, owner, owned, waiting, entries, since } = reviewed;
  const isWaiting = quiz.state === 'pending';
  return (
    <Page
      title={isWaiting ? 'Review a quiz' : 'Reviewed quiz'}
      help={
        isWaiting
          ? `${count(waiting, 'quiz waits', 'quizzes wait')}. Below is the quiz as players see it, with the correct answers marked.`
          : 'Reviewed. A new decision takes effect immediately.'
      }
      back={{ href: AT, label: 'Review' }}
      action={
        <div class="buttons">
          <LinkButton look="outline" href="#verdict" text="Go to the verdict" />
          {isWaiting && waiting > 1 && (
            <LinkButton
              look="outline"
              href={`${AT}/${quiz.id}/next`}
              text="Skip to the next"
              keys="Alt+N"
            />
          )}
        </div>
      }
      form={form}
    >
      <p class="muted" data-shortcuts hidden>
        Keys: <kbd>Alt A</kbd> approves, <kbd>Alt R</kbd> goes to the reason for a rejection,{' '}
        <kbd>Alt N</kbd> skips to the next.
      </p>
      {isWaiting && quiz.rejectionReason && (
        <Note variant="busy" title="It was rejected before">
          <p class="said">{quiz.rejectionReason}</p>
        </Note>
      )}
      <p class="by-line">
        <StateBadge {...quiz} />
        <span class="muted">
          by{' '}
          <a class="link" href={`/dashboard/admin/accounts/${owner.id}`}>
            {owner.email}
          </a>
          , created <Time at={quiz.createdAt} />
        </span>
        <Link to={`/dashboard/admin/quizzes?owner=${owner.id}`}>
          {`All quizzes of the author: ${owned.live} live, ${owned.rejected} rejected`}
        </Link>
        <Link to={`/dashboard/quizzes/${quiz.id}/results`}>Results</Link>
        {quiz.plays > 0 && (
          <Link to={`/dashboard/quizzes/${quiz.id}/leaderboard`}>Leaderboard</Link>
        )}
      </p>
      {quiz.writtenBy && (
        <p class="muted">
          Written or edited by an assistant: <bdi>{quiz.writtenBy}</bdi>
        </p>
      )}
      {since && since.changes.length > 0 && <Changes {...since} />}
      <QuizAsPlayed quiz={quiz} page={page} />
      <Verdict {...reviewed} />
      <History entries={entries} />
    </Page>
  );
}

/** More than anybody reads; the quiz itself is below. */
export const CHANGES_SHOWN = 100;

function Changes({ approvedAt, changes }: ChangesSinceApproval) {
  return (
    <Section
      title="Changed since approval"
      help={
        <>
          {count(changes.length, 'change', 'changes')} since it was approved{' '}
          <Time at={approvedAt} />
          {changes.length > CHANGES_SHOWN && `; the first ${CHANGES_SHOWN} are shown`}.
        </>
      }
    >
      <Table
        label="Changes since approval"
        rows={changes.slice(0, CHANGES_SHOWN)}
        columns={{
          What: ({ what }) => what,
          Approved: ({ before }) => <Version of={before} none="(new)" />,
          Now: ({ after }) => <Version of={after} none="(removed)" />,
        }}
      />
    </Section>
  );
}

/** What stands there in one version. */
function Version({ of, none }: { of: QuizChange['before']; none: string }) {
  if (of === null) return <span class="muted">{none}</span>;
  return typeof of === 'string' ? <div class="said">{of}</div> : <QuestionVersion question={of} />;
}

function QuestionVersion({ question }: { question: ContentQuestion }) {
  const { text, format, answers, explanation } = question;
  const written = [text, ...answers.map((answer) => answer.text), explanation ?? ''];
  return (
    <div class="version">
      <div class="said">
        <AuthorText text={text} format={format} />
      </div>
      <AnswersAndExplanation question={question} />
      {format === 'markdown' && (
        // What is rendered alike may be written differently, such as the alternative text of a picture.
        <details class="more">
          <summary>In Markdown</summary>
          <div class="said mono">{written.filter(Boolean).join('\n')}</div>
        </details>
      )}
    </div>
  );
}

/** Title, description and questions as players see them. */
function QuizAsPlayed({ quiz, page }: Pick<Reviewed, 'quiz' | 'page'>) {
  const { t } = useMessages();
  const facts = [
    quiz.category,
    t(`level.${quiz.difficulty}`),
    count(quiz.questionCount, 'question', 'questions'),
    quiz.language && languageName(quiz.language, 'en'),
    ...quiz.tags.map((tag) => `#${tag}`),
  ];
  return (
    <article class="panel played" aria-label="The quiz">
      <h2 {...inLanguage(quiz.language)}>{quiz.title}</h2>
      {quiz.description && (
        <p class="said" {...inLanguage(quiz.language)}>
          {quiz.description}
        </p>
      )}
      <p class="muted">{facts.filter(Boolean).join(' · ')}</p>
      {quiz.questionCount === 0 ? (
        <p class="muted">It has no questions: it can be read, but not played.</p>
      ) : (
        <>
          <ol class="played-questions" start={page.offset + 1}>
            {quiz.questions.map((question) => (
              <li>
                <QuestionTexts question={question} language={quiz.language} />
              </li>
            ))}
          </ol>
          <Pager page={page} total={quiz.questionCount} at={`${AT}/${quiz.id}`} />
        </>
      )}
    </article>
  );
}

function Verdict({ quiz, version, since }: Pick<Reviewed, 'quiz' | 'version' | 'since'>) {
  const { id, approval } = quiz;
  const changed = !!since?.changes.length;
  const seen = (
    <>
      <input type="hidden" name="seen" value={approval} />
      <input type="hidden" name="version" value={version} />
    </>
  );
  return (
    <Section title="Verdict" id="verdict">
      <div class="panels after">
        {(approval !== 'approved' || changed) && (
          <form
            method="post"
            action={`${AT}/${id}/verdict`}
            class="panel form"
            aria-label="Approve"
          >
            {seen}
            <h3>{changed ? 'Approve the changes' : 'Approve'}</h3>
            <p class="muted">
              {approval === 'approved'
                ? 'The quiz stays live and leaves the list of changed quizzes.'
                : "The quiz goes live immediately and its owner's webhooks are notified."}
            </p>
            <div class="buttons">
              <button class="btn" name="verdict" value="approve" aria-keyshortcuts="Alt+A">
                Approve quiz
              </button>
            </div>
          </form>
        )}
        <form method="post" action={`${AT}/${id}/verdict`} class="panel form" aria-label="Reject">
          {seen}
          <h3>{approval === 'rejected' ? 'Reject for another reason' : 'Reject'}</h3>
          <TextInput
            name="reason"
            label="Reason"
            help={
              approval === 'approved'
                ? 'The quiz is taken offline immediately. The author sees this reason.'
                : 'The author sees this reason and can fix and resubmit the quiz.'
            }
            rows={3}
            aria-keyshortcuts="Alt+R"
          />
          <div class="buttons">
            <button class="btn" data-variant="destructive" name="verdict" value="reject">
              Reject quiz
            </button>
          </div>
        </form>
      </div>
    </Section>
  );
}
