import { isSameOrigin } from './page-security';

const target = 'http://localhost:3000';
const from = (secFetchSite?: string, origin?: string) => ({ secFetchSite, origin, target });

test.each([
  [from('same-origin'), null, true],
  [from('same-origin', 'http://localhost:3000'), 'https://quiz.example.com', false],
  [from('same-origin', 'https://quiz.example.com'), 'https://quiz.example.com', true],
  [from('cross-site', 'https://quiz.example.com'), 'https://quiz.example.com', false],
  [from('same-origin'), 'https://quiz.example.com', true],
  [from('cross-site', target), null, false],
  [from('same-site', target), null, false],
  [from('none', target), null, false],
  [from(undefined, target), null, true],
  [from(undefined, 'http://127.0.0.1:3000'), null, false],
  [from(undefined, target), 'https://quiz.example.com', false],
  [from(undefined, 'https://quiz.example.com'), 'https://quiz.example.com', true],
  [from(undefined, 'null'), null, false],
  [from(), null, false],
])(
  'a form with headers %j and PUBLIC_URL %j is of the same origin: %j',
  (provenance, publicOrigin, ours) => {
    expect(isSameOrigin(provenance, publicOrigin)).toBe(ours);
  },
);
