import { rendered } from '../rendering/question-html';
import type { RenderedTexts } from '../rendering/rendered-texts';
import type { QuizWithQuestions } from './quiz.queries';
import { type QuizDetail, toQuizQuestionDetail } from './quizzes.dto';

/** With HTML beside the texts of its questions. */
export const toRenderedQuiz = (quiz: QuizWithQuestions, texts: RenderedTexts): QuizDetail => ({
  id: quiz.id,
  title: quiz.title,
  description: quiz.description ?? '',
  category: quiz.category ?? '',
  difficulty: quiz.difficulty,
  tags: quiz.tags,
  questionCount: quiz.question_count,
  plays: quiz.plays,
  slug: quiz.slug,
  questions: quiz.questions.map((question) =>
    rendered({ ...toQuizQuestionDetail(question), format: question.format }, texts),
  ),
});
