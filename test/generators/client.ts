/** The calls that every generated client makes. All but `rename` reject when the response is not the expected one. */
export interface Client {
  /** @returns the titles of your quizzes that match */
  list(topic: string): Promise<string[]>;
  /** @returns the id of the quiz */
  create(title: string): Promise<string>;
  /** @returns the ETag of the quiz */
  etag(id: string): Promise<string>;
  /** @returns how many questions were added */
  batch(id: string, questions: Question[]): Promise<number>;
  /** @returns the status of the response */
  rename(id: string, title: string, ifMatch: string): Promise<number>;
  /** @returns the id of the import */
  upload(file: Blob, filename: string): Promise<string>;
  importState(id: string): Promise<{ state: string; imported: number }>;
}

export type Connect = (url: string, key: string) => Client;

export interface Question {
  text: string;
  type: 'MULTIPLE_CHOICE';
  difficulty: 'EASY';
  answers: { text: string; isCorrect: boolean }[];
}

export const unexpected = ({ status, data }: { status: number; data?: unknown }): Error =>
  new Error(`unexpected response with ${status}: ${JSON.stringify(data)}`);
