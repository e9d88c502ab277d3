import { unexpected, type Connect } from './client.js';
import * as api from './generated/oazapfts.js';

export const connect: Connect = (url, key) => {
  api.defaults.baseUrl = url;
  api.defaults.headers = { Authorization: `Bearer ${key}` };
  return {
    async list(topic) {
      const response = await api.listQuizzes({ topic, mine: true });
      if (response.status !== 200) throw unexpected(response);
      return response.data.data.map(({ title }) => title);
    },
    async create(title) {
      const response = await api.createQuiz({ title, difficulty: 'EASY' });
      if (response.status !== 201) throw unexpected(response);
      return response.data.data.id;
    },
    async etag(id) {
      const response = await api.getQuiz(id);
      if (response.status !== 200) throw unexpected(response);
      return response.headers.get('ETag') ?? '';
    },
    async batch(id, questions) {
      const response = await api.importQuestions(id, { questions });
      if (response.status !== 201) throw unexpected(response);
      return response.data.data.questionsCreated;
    },
    async rename(id, title, ifMatch) {
      const { status } = await api.updateQuiz(id, { title }, { ifMatch });
      return status;
    },
    async upload(file, filename) {
      const response = await api.createImport(file, { filename });
      if (response.status !== 202) throw unexpected(response);
      return response.data.data.id;
    },
    async importState(id) {
      const response = await api.getImport(id);
      if (response.status !== 200) throw unexpected(response);
      const { state, totals } = response.data.data;
      return { state, imported: totals.imported };
    },
  };
};
