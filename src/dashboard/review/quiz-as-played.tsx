import type { OwnedQuizDetail } from '../../catalog/owned-quizzes.service';
import { count } from '../kit/words';
import { AnswerList } from '../quizzes/answer-list';
import { DIFFICULTY_WORDS, TYPE_WORDS } from '../quizzes/quiz-words';

/** Title, description and questions as a player meets them. */
export function QuizAsPlayed({ quiz }: { quiz: OwnedQuizDetail }) {
  return (
    <article class="panel played" aria-label="The quiz">
      <h2>{quiz.title}</h2>
      {quiz.description && <p class="said">{quiz.description}</p>}
      <p class="muted">
        {[
          quiz.category,
          DIFFICULTY_WORDS[quiz.difficulty].toLowerCase(),
          count(quiz.questionCount, 'question', 'questions'),
          ...quiz.tags.map((tag) => `#${tag}`),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {quiz.questions.length === 0 ? (
        <p class="muted">It has no questions: it can be read, but not played.</p>
      ) : (
        <ol class="played-questions">
          {quiz.questions.map((question) => (
            <li key={question.id}>
              <h3>
                <span class="figure">{question.position}</span> {question.text}
              </h3>
              <p class="muted">
                {TYPE_WORDS[question.type]}, {DIFFICULTY_WORDS[question.difficulty].toLowerCase()}
              </p>
              <AnswerList question={question} />
              {question.explanation && <p class="muted said">{question.explanation}</p>}
            </li>
          ))}
        </ol>
      )}
    </article>
  );
}
