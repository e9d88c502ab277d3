import { rendered } from '../rendering/question-html';
import type { RenderedTexts } from '../rendering/rendered-texts';
import type { QuizWithQuestions } from './quiz.queries';
import { toQuizQuestionDetail } from './quizzes.dto';

/** QuizDetail with HTML */
export const toRenderedQuiz = (quiz: QuizWithQuestions, texts: RenderedTexts) => ({
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
