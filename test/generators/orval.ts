import { unexpected, type Connect } from './client.js';
import * as api from './generated/orval.js';

/** Its URL is in the generated code. */
export const connect: Connect = (_url, key) => {
  const headers = { Authorization: `Bearer ${key}` };
  return {
    async list(topic) {
      const response = await api.listQuizzes({ topic, mine: true }, { headers });
      if (response.status !== 200) throw unexpected(response);
      return response.data.data.map(({ title }) => title);
    },
    async create(title) {
      const response = await api.createQuiz({ title, difficulty: 'EASY' }, { headers });
      if (response.status !== 201) throw unexpected(response);
      return response.data.data.id;
    },
    async etag(id) {
      const response = await api.getQuiz(id, {}, { headers });
      if (response.status !== 200) throw unexpected(response);
      return response.headers.get('ETag') ?? '';
    },
    async batch(id, questions) {
      const response = await api.importQuestions(id, { questions }, { headers });
      if (response.status !== 201) throw unexpected(response);
      return response.data.data.questionsCreated;
    },
    async rename(id, title, ifMatch) {
      const options = { headers: { ...headers, 'If-Match': ifMatch } };
      const { status } = await api.updateQuiz(id, { title }, options);
      return status;
    },
    async upload(file, filename) {
      const response = await api.createImport(file, { filename }, { headers });
      if (response.status !== 202) throw unexpected(response);
      return response.data.data.id;
    },
    async importState(id) {
      const response = await api.getImport(id, {}, { headers });
      if (response.status !== 200) throw unexpected(response);
      const { state, totals } = response.data.data;
      return { state, imported: totals.imported };
    },
  };
};
