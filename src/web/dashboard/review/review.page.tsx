import type { ComponentChildren } from 'preact';
import type { Account } from '../../../access/accounts/account.entity';
import type { AuditEntry } from '../../../access/accounts/audit-log';
import type { ChangesSinceApproval } from '../../../authoring/review/review-queue.service';
import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import { AuditTable } from '../audit/audit-table';
import { FormErrors, TextArea } from '../../components/fields';
import { Note, Badge } from '../../components/badge';
import { Page } from '../../components/page';
import type { PageOf } from '../../components/pager';
import { Table } from '../../components/table';
import { Time, count } from '../../components/format';
import { STATE_VARIANTS, STATE_LABELS } from '../quizzes/quiz-labels';
import type { Form } from '../../http/form';
import { QuizAsPlayed } from './quiz-as-played';

/** A quiz as a player sees it, and what can be said of it. */
export function ReviewPage({
  quiz,
  page,
  owner,
  waiting,
  entries,
  version,
  since,
  form,
}: {
  quiz: OwnedQuizDetail;
  /** Of its questions. */
  page: PageOf;
  owner: Account;
  /** How many quizzes wait, this one with them. */
  waiting: number;
  entries: AuditEntry[];
  /** Of the quiz's content, as it is shown here. */
  version: string;
  since: ChangesSinceApproval | null;
  form: Form;
}) {
  const isWaiting = quiz.state === 'waiting';
  return (
    <Page
      title={isWaiting ? 'Review a quiz' : 'Reviewed quiz'}
      help={
        isWaiting
          ? `${count(waiting, 'quiz waits', 'quizzes wait')}. Below it is as a player sees it, with the right answers marked.`
          : 'Reviewed. A new decision takes effect immediately.'
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
      <FormErrors form={form} />
      {isWaiting && quiz.rejectionReason && (
        <Note variant="busy" title="It was rejected before">
          <p class="said">{quiz.rejectionReason}</p>
        </Note>
      )}
      <p class="by-line">
        <Badge variant={STATE_VARIANTS[quiz.state]}>{STATE_LABELS[quiz.state]}</Badge>
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
      {since && since.changes.length > 0 && <Changes {...since} />}
      <QuizAsPlayed quiz={quiz} page={page} />
      <Verdict quiz={quiz} version={version} changed={!!since?.changes.length} form={form} />
      {entries.length > 0 && (
        <section class="section">
          <h2>History</h2>
          <AuditTable entries={entries} />
        </section>
      )}
    </Page>
  );
}

/** More than anybody reads; the quiz itself is below. */
const CHANGES_SHOWN = 100;

function Changes({ approvedAt, changes }: ChangesSinceApproval) {
  return (
    <section class="section">
      <h2>Changed since approval</h2>
      <p>
        {count(changes.length, 'change', 'changes')} since it was approved <Time at={approvedAt} />
        {changes.length > CHANGES_SHOWN && `; the first ${CHANGES_SHOWN} are shown`}.
      </p>
      <Table
        label="Changes since approval"
        rows={changes.slice(0, CHANGES_SHOWN)}
        rowKey={({ what, before }) => `${what} ${before}`}
        columns={[
          { title: 'What', cell: ({ what }) => what },
          { title: 'Approved', cell: ({ before }) => <Version text={before} none="(new)" /> },
          { title: 'Now', cell: ({ after }) => <Version text={after} none="(removed)" /> },
        ]}
      />
    </section>
  );
}

function Version({ text, none }: { text: string | null; none: string }) {
  return text === null ? <span class="muted">{none}</span> : <div class="said">{text}</div>;
}

function Verdict({
  quiz,
  version,
  changed,
  form,
}: {
  quiz: OwnedQuizDetail;
  version: string;
  /** It was edited after its approval. */
  changed: boolean;
  form: Form;
}) {
  return (
    <section class="section" id="verdict">
      <h2>Verdict</h2>
      <div class="panels after">
        {(quiz.approval !== 'approved' || changed) && (
          <VerdictForm quiz={quiz} version={version} verdict="approve">
            <h3>{changed ? 'Approve the changes' : 'Approve'}</h3>
            <p class="muted">
              {quiz.approval === 'approved'
                ? 'The quiz stays live and leaves the list of changed quizzes.'
                : "The quiz goes live immediately and its owner's webhooks are notified."}
            </p>
            <div class="buttons">
              <button class="btn">Approve quiz</button>
            </div>
          </VerdictForm>
        )}
        <VerdictForm quiz={quiz} version={version} verdict="reject">
          <h3>{quiz.approval === 'rejected' ? 'Reject for another reason' : 'Reject'}</h3>
          <TextArea
            form={form}
            name="reason"
            label="Reason"
            help={
              quiz.approval === 'approved'
                ? 'The quiz is taken offline immediately. The author sees this reason.'
                : 'The author sees this reason and can fix and resubmit the quiz.'
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
  version,
  verdict,
  children,
}: {
  quiz: OwnedQuizDetail;
  version: string;
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
      <input type="hidden" name="version" value={version} />
      <input type="hidden" name="verdict" value={verdict} />
      {children}
    </form>
  );
}
