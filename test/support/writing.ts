import type { Response } from 'supertest';
import { quizBody } from './samples';
import type { TestAccount } from './service';

/** Makes a quiz by the API. @returns its id */
export async function createQuiz(account: TestAccount, fields: object = {}): Promise<string> {
  const { body } = await account.post('/quizzes', quizBody(fields)).expect(201);
  return (body as { data: { id: string } }).data.id;
}

/** The `details` of a 422 as `path code`, in their order. */
export function errorsIn(response: Response): string[] {
  const { details } = response.body as { details: { path: string; code: string }[] };
  return details.map(({ path, code }) => `${path} ${code}`);
}
