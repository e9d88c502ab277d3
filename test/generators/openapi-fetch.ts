import createClient from 'openapi-fetch';
import { unexpected, type Connect } from './client.js';
import type { paths } from './generated/openapi-typescript.js';

export const connect: Connect = (url, key) => {
  const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
  return {
    async list(topic) {
      const { data, error, response } = await api.GET('/api/v1/quizzes', {
        params: { query: { topic, mine: true } },
      });
      if (!data) throw unexpected({ status: response.status, data: error });
      return data.data.map(({ title }) => title);
    },
    async create(title) {
      const { data, error, response } = await api.POST('/api/v1/quizzes', {
        body: { title, difficulty: 'EASY' },
      });
      if (!data) throw unexpected({ status: response.status, data: error });
      return data.data.id;
    },
    async etag(id) {
      const { data, error, response } = await api.GET('/api/v1/quizzes/{id}', {
        params: { path: { id } },
      });
      if (!data) throw unexpected({ status: response.status, data: error });
      return response.headers.get('ETag') ?? '';
    },
    async batch(id, questions) {
      const { data, error, response } = await api.POST('/api/v1/quizzes/{id}/questions/batch', {
        params: { path: { id } },
        body: { questions },
      });
      if (!data) throw unexpected({ status: response.status, data: error });
      return data.data.questionsCreated;
    },
    async rename(id, title, ifMatch) {
      const { response } = await api.PATCH('/api/v1/quizzes/{id}', {
        params: { path: { id }, header: { 'If-Match': ifMatch } },
        body: { title },
      });
      return response.status;
    },
    async upload(file, filename) {
      const { data, error, response } = await api.POST('/api/v1/imports', {
        params: { query: { filename } },
        // The type of `format: binary` is string here, and a body is sent as JSON unless it is told otherwise.
        body: file as unknown as string,
        bodySerializer: (body) => body,
        headers: { 'Content-Type': 'application/octet-stream' },
      });
      if (!data) throw unexpected({ status: response.status, data: error });
      return data.data.id;
    },
    async importState(id) {
      const { data, error, response } = await api.GET('/api/v1/imports/{id}', {
        params: { path: { id } },
      });
      if (!data) throw unexpected({ status: response.status, data: error });
      return { state: data.data.state, imported: data.data.totals.imported };
    },
  };
};
