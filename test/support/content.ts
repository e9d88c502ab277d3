import { quizBody } from './samples';
import type { TestAccount } from './service';

/** CreatedQuiz of the specification, part 2, with what was then imported into it. */
export interface MadeQuiz {
  id: string;
  title: string;
  category: string | null;
  tags: string[];
  questions: {
    id: string;
    text: string;
    type: string;
    difficulty: string;
    explanation: string | null;
    order: number;
    answers: { id: string; text: string; isCorrect: boolean }[];
  }[];
}

/** A quiz with its questions, made by the API. An administrator's is approved at once. */
export async function makeQuiz(
  account: TestAccount,
  fields: object = {},
  questions: object[] = [],
): Promise<MadeQuiz> {
  const created = await account.post('/quizzes', quizBody(fields)).expect(201);
  const quiz = created.body.data as MadeQuiz;
  return { ...quiz, questions: await addQuestions(account, quiz.id, questions) };
}

/** Questions appended by the API, in batches as large as it takes. */
export async function addQuestions(
  account: TestAccount,
  quizId: string,
  questions: object[],
): Promise<MadeQuiz['questions']> {
  const added: MadeQuiz['questions'] = [];
  for (let from = 0; from < questions.length; from += 50) {
    const batch = { questions: questions.slice(from, from + 50) };
    const { body } = await account.post(`/quizzes/${quizId}/questions/batch`, batch).expect(201);
    added.push(...(body.data.questions as MadeQuiz['questions']));
  }
  return added;
}

/** Query string of the parameters. */
export function queryOf(parameters: Record<string, string | number | string[]>): string {
  const entries = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((each) => [name, String(each)]),
  );
  return `?${new URLSearchParams(entries).toString()}`;
}

/** `links.next` of a page: this link, and the position behind the page's last question. */
export function nextLink(link: string): string {
  const start = link.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return expect.stringMatching(new RegExp(`^${start}&after=\\d+\\.[\\w-]{24}$`)) as string;
}
