import { takesJson } from './json-only.guard';

describe('Accept headers that allow JSON', () => {
  it.each([
    '',
    ' ',
    '*/*',
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/*',
    'text/html, application/xhtml+xml, */*;q=0.8',
    'application/json;q=0.1, text/html',
    'application/xml;q=0, */*',
    'application/json, */*;q=0',
    'application/json;q=high',
    'application/json;version=1',
  ])('Accept: %s allows JSON', (accept) => expect(takesJson(accept)).toBe(true));
});

describe('Accept headers that exclude JSON', () => {
  it.each([
    'text/html',
    'application/xml, text/*',
    'application/json;q=0',
    'application/json; q=0.000, */*',
    'application/*;q=0, */*;q=1',
    '*/*;q=0',
    'application/vnd.api+json',
    'json',
    ',',
  ])('Accept: %s excludes JSON', (accept) => expect(takesJson(accept)).toBe(false));
});
