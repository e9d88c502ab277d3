import type { ResultsService } from '../../../play/results/results.service';
import { AuthorText } from '../../components/author-text';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge } from '../../components/section';
import { Table } from '../../components/table';
import { duration } from '../../player/player.rules';
import { urlOf } from './results.page';

/** One attempt, with its questions as they were. */
export function AttemptPage(of: Awaited<ReturnType<ResultsService['attempt']>>) {
  const { quiz, name, score, timeSpent, submittedAt, questions } = of;
  return (
    <Page
      title={name}
      help={
        <>
          {score} of {questions.length} right in {duration(timeSpent)}, submitted{' '}
          <Time at={submittedAt} />.
        </>
      }
      back={{ href: urlOf(quiz), label: `Results of ${quiz.title}` }}
    >
      <Table
        label="Answers"
        rows={questions}
        columns={{
          Question: ({ question }) => (
            <div class="reason said">
              <AuthorText text={question.text} />
            </div>
          ),
          Given: ({ question, answerIds, text, correct, correctAnswers }) => {
            const chosen = question.answers.filter(({ id }) => answerIds?.includes(id));
            const said = text ?? textOf(chosen);
            return (
              <div class="reason">
                {said ? <AuthorText text={said} /> : <span class="muted">left out</span>}
                {!correct && (
                  <span class="sub">
                    Right: <AuthorText text={textOf(correctAnswers)} />
                  </span>
                )}
              </div>
            );
          },
          Result: ({ correct }) => (
            <Badge variant={correct ? 'good' : 'bad'}>{correct ? 'right' : 'wrong'}</Badge>
          ),
        }}
      />
    </Page>
  );
}

const textOf = (answers: readonly { text: string }[]) => answers.map(({ text }) => text).join('; ');
