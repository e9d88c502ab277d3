import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import { Pager, type PageOf } from '../../components/pager';
import { count } from '../../components/format';
import { QuestionTexts } from '../quizzes/question-list';
import { DIFFICULTY_LABELS } from '../quizzes/quiz-labels';

/** Title, description and questions as a player meets them. */
export function QuizAsPlayed({ quiz, page }: { quiz: OwnedQuizDetail; page: PageOf }) {
  return (
    <article class="panel played" aria-label="The quiz">
      <h2>{quiz.title}</h2>
      {quiz.description && <p class="said">{quiz.description}</p>}
      <p class="muted">
        {[
          quiz.category,
          DIFFICULTY_LABELS[quiz.difficulty].toLowerCase(),
          count(quiz.questionCount, 'question', 'questions'),
          ...quiz.tags.map((tag) => `#${tag}`),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {quiz.questionCount === 0 ? (
        <p class="muted">It has no questions: it can be read, but not played.</p>
      ) : (
        <>
          <ol class="played-questions" start={page.offset + 1}>
            {quiz.questions.map((question) => (
              <li key={question.id}>
                <QuestionTexts question={question} />
              </li>
            ))}
          </ol>
          <Pager
            page={page}
            total={quiz.questionCount}
            hrefOf={(number) => `/dashboard/admin/review/${quiz.id}?page=${number}`}
          />
        </>
      )}
    </article>
  );
}
