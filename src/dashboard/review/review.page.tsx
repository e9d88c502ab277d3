import type { ComponentChildren } from 'preact';
import type { Account } from '../../access/account.entity';
import type { AuditEntry } from '../../access/audit-log';
import type { OwnedQuizDetail } from '../../catalog/owned-quizzes.service';
import { AuditTable } from '../audit/audit-table';
import { FormFaults, TextArea } from '../kit/fields';
import { Note } from '../kit/note';
import { Page } from '../kit/page';
import type { PageOf } from '../kit/paging.rules';
import { Pill } from '../kit/pill';
import { Time } from '../kit/time';
import { count } from '../kit/words';
import { STATE_TONES, STATE_WORDS } from '../quizzes/quiz-words';
import type { Form } from '../web/form';
import { QuizAsPlayed } from './quiz-as-played';

/** A quiz as a player sees it, and what can be said of it. */
export function ReviewPage({
  quiz,
  page,
  owner,
  waiting,
  entries,
  form,
}: {
  quiz: OwnedQuizDetail;
  /** Of its questions. */
  page: PageOf;
  owner: Account;
  /** How many quizzes wait, this one with them. */
  waiting: number;
  entries: AuditEntry[];
  form: Form;
}) {
  const isWaiting = quiz.state === 'waiting';
  return (
    <Page
      title={isWaiting ? 'Review a quiz' : 'A reviewed quiz'}
      help={
        isWaiting
          ? `${count(waiting, 'quiz waits', 'quizzes wait')}. Below it is as a player sees it, with the right answers marked.`
          : 'It has its verdict. Another one takes its place at once.'
      }
      back={{ href: '/dashboard/admin/review', label: 'Review' }}
      action={
        isWaiting &&
        waiting > 1 && (
          <a class="btn" data-variant="outline" href={`/dashboard/admin/review/${quiz.id}/next`}>
            Skip to the next
          </a>
        )
      }
    >
      <FormFaults form={form} />
      {isWaiting && quiz.rejectionReason && (
        <Note tone="busy" title="It was rejected before">
          <p class="said">{quiz.rejectionReason}</p>
        </Note>
      )}
      <p class="by-line">
        <Pill tone={STATE_TONES[quiz.state]}>{STATE_WORDS[quiz.state]}</Pill>
        <span class="muted">
          by{' '}
          <a class="link" href={`/dashboard/admin/accounts/${owner.id}`}>
            {owner.email}
          </a>
          , created <Time at={quiz.createdAt} />
        </span>
        {quiz.plays > 0 && (
          <a class="link" href={`/dashboard/quizzes/${quiz.id}/leaderboard`}>
            Leaderboard
          </a>
        )}
      </p>
      <QuizAsPlayed quiz={quiz} page={page} />
      <Verdict quiz={quiz} form={form} />
      {entries.length > 0 && (
        <section class="section">
          <h2>History</h2>
          <AuditTable entries={entries} />
        </section>
      )}
    </Page>
  );
}

function Verdict({ quiz, form }: { quiz: OwnedQuizDetail; form: Form }) {
  return (
    <section class="section" id="verdict">
      <h2>Verdict</h2>
      <div class="panels after">
        {quiz.approval !== 'approved' && (
          <VerdictForm quiz={quiz} verdict="approve">
            <h3>Approve</h3>
            <p class="muted">Everybody sees it at once, and its owner&apos;s programs are told.</p>
            <div class="buttons">
              <button class="btn">Approve quiz</button>
            </div>
          </VerdictForm>
        )}
        <VerdictForm quiz={quiz} verdict="reject">
          <h3>{quiz.approval === 'rejected' ? 'Reject for another reason' : 'Reject'}</h3>
          <TextArea
            form={form}
            name="reason"
            label="Reason"
            help={
              quiz.approval === 'approved'
                ? 'It is taken from everybody at once. Its owner reads this.'
                : 'Its owner reads this, can mend the quiz and send it again.'
            }
          />
          <div class="buttons">
            <button class="btn" data-variant="destructive">
              Reject quiz
            </button>
          </div>
        </VerdictForm>
      </div>
    </section>
  );
}

function VerdictForm({
  quiz,
  verdict,
  children,
}: {
  quiz: OwnedQuizDetail;
  verdict: 'approve' | 'reject';
  children: ComponentChildren;
}) {
  return (
    <form
      method="post"
      action={`/dashboard/admin/review/${quiz.id}/verdict`}
      class="panel form"
      aria-label={verdict === 'approve' ? 'Approve' : 'Reject'}
    >
      <input type="hidden" name="seen" value={quiz.approval} />
      <input type="hidden" name="verdict" value={verdict} />
      {children}
    </form>
  );
}
