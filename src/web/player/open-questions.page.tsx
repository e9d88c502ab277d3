import type { VisitorAttempt } from '../../play/visitors/visitor-attempt';
import { Icon } from '../components/icon';
import { count } from '../components/format';
import { PlayerFrame, Progress } from './frame';

/** After the last question, where some were skipped: go back to them, or finish as it is. */
export function OpenQuestionsPage({ attempt, home }: { attempt: VisitorAttempt; home: string }) {
  const { questions } = attempt;
  const here = `${home}/${attempt.id}`;
  const open = questions.filter(({ given }) => !given).length;
  const first = questions.findIndex(({ given }) => !given) + 1;
  return (
    <PlayerFrame
      title="Almost done"
      top={
        <Progress
          title={attempt.title ?? 'Quiz'}
          href={home}
          number={questions.length - open}
          total={questions.length}
          done
        />
      }
    >
      <h1 class="question-text">
        {open === 0
          ? 'All questions are answered.'
          : `${count(open, 'question', 'questions')} left`}
      </h1>
      <p class="muted">
        {open === 0
          ? 'You may still go back and change an answer.'
          : 'Unanswered questions count as wrong.'}
      </p>
      <ol class="overview">
        {questions.map(({ id, text, given }, index) => (
          <li key={id} data-open={given ? undefined : ''}>
            <a href={`${here}/${index + 1}`}>
              <span class="overview-number">{index + 1}</span>
              <span dir="auto">{text}</span>
              {given ? (
                <span class="overview-state">
                  <Icon name="check" />
                  <span class="sr-only">answered</span>
                </span>
              ) : (
                <span class="overview-state">open</span>
              )}
            </a>
          </li>
        ))}
      </ol>
      <div class="player-actions">
        {open > 0 && (
          <a class="btn btn-big" href={`${here}/${first}`} data-next>
            Answer {open === 1 ? 'it' : 'them'}
          </a>
        )}
        <form method="post" action={here}>
          <button class="btn btn-big" data-variant={open > 0 ? 'ghost' : undefined}>
            Finish{open > 0 ? ' now' : ''}
          </button>
        </form>
      </div>
    </PlayerFrame>
  );
}
