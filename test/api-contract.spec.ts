import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import type { OpenApiDocument } from '../src/platform/openapi/openapi-objects';
import { checkResponses, takeContractViolations } from './support/api-contract';

/** Every test of the API relies on the check of its responses: here it gets responses that break the contract. */

const document = JSON.parse(
  readFileSync(join(__dirname, '../docs/openapi.json'), 'utf8'),
) as OpenApiDocument;

const HEADERS = {
  'X-Request-Id': 'x',
  'Cache-Control': 'no-store',
  'RateLimit-Limit': '60',
  'RateLimit-Remaining': '59',
  'RateLimit-Reset': '60',
  ETag: 'W/"x"',
};
const DATA = {
  difficulties: ['EASY'],
  questionTypes: ['TRUE_FALSE'],
  categories: [],
  tags: [],
  stats: { totalQuizzes: 0, totalQuestions: 0 },
};
const ERROR = { success: false, error: 'Wrong.' };

interface Sent {
  path?: string;
  status?: number;
  headers?: object;
  without?: string;
  body?: object;
}

/** What the check says of a response to a request for the metadata. */
async function violationsOf(sent: Sent): Promise<string[]> {
  const { path = '/api/v1/metadata', status = 200, headers = {}, without = '', body } = sent;
  const app = express().disable('x-powered-by').disable('etag');
  app.use(checkResponses(() => document));
  app.use((_, response) => {
    response.status(status).set({ ...HEADERS, ...headers });
    response.removeHeader(without);
    response.json(body ?? { success: true, data: DATA });
  });
  await request(app).get(path);
  return takeContractViolations();
}

test('the contract check accepts responses that the OpenAPI document describes', async () => {
  expect(await violationsOf({})).toEqual([]);
  const error = { status: 400, without: 'ETag', body: ERROR };
  const headers = { 'X-Error-Code': 'invalid-parameter' };
  expect(await violationsOf({ ...error, headers })).toEqual([]);
});

test.each<[string, Sent, string]>([
  [
    'an undocumented field',
    { body: { success: true, data: { ...DATA, owner: 'x' } } },
    '/data must NOT have additional properties {"additionalProperty":"owner"}',
  ],
  ['a missing field', { body: { success: true } }, "must have required property 'data'"],
  [
    'a field of another type',
    { body: { success: true, data: { ...DATA, tags: 'x' } } },
    '/data/tags must be array',
  ],
  ['an undocumented status', { status: 418 }, 'the document does not name this status'],
  ['an undocumented path', { path: '/api/v1/nothing' }, 'the document names no such endpoint'],
  ['an undocumented header', { headers: { 'X-Other': 'x' } }, 'does not name the header x-other'],
  ['a missing header', { without: 'RateLimit-Limit' }, 'RateLimit-Limit is missing'],
  ['an invalid number in a header', { headers: { 'RateLimit-Limit': '1.5' } }, 'must be integer'],
  ['a header of another form', { headers: { ETag: 'x' } }, 'ETag "x": the value must match'],
  ['another media type', { headers: { 'Content-Type': 'text/html' } }, 'the type text/html'],
  [
    'an undocumented error code',
    { status: 400, without: 'ETag', headers: { 'X-Error-Code': 'other' }, body: ERROR },
    'X-Error-Code "other": the value must be equal to one of the allowed values',
  ],
  [
    'an error without its code',
    { status: 400, without: 'ETag', body: ERROR },
    'X-Error-Code is missing',
  ],
])('the contract check reports %s', async (_, sent, violation) => {
  expect(await violationsOf(sent)).toEqual([expect.stringContaining(violation)]);
});
