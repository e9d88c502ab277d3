import type { Response } from 'express';
import fc from 'fast-check';
import { readFrameOrigins } from '../../access/accounts/scope.rules';
import { DomainError } from '../../platform/errors/domain-errors';
import { allowFrames, isSameOrigin, nextPath } from './page-security';

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

test.each([
  ['/dashboard', '/dashboard'],
  ['/dashboard/keys?x=1', '/dashboard/keys?x=1'],
  ['/dashboard/a/../keys', '/dashboard/keys'],
  ['/dashboard/../x', '/dashboard'],
  ['/dashboard/../../x', '/dashboard'],
  ['/dashboard/%2e%2e/x', '/dashboard'],
  ['/dashboard\\..\\x', '/dashboard'],
  ['//evil.example/dashboard', '/dashboard'],
  ['.evil.example/dashboard', '/dashboard'],
  ['@evil.example/dashboard', '/dashboard'],
  ['https://evil.example/dashboard', '/dashboard'],
  ['', '/dashboard'],
])('the next page %j leads to %j', (wanted, path) => {
  expect(nextPath(wanted)).toBe(path);
});

describe('the policy of a page in a frame', () => {
  /** The header of a page that these origins may show. */
  function policyFor(origins: readonly string[]): string {
    let policy = '';
    const response = {
      removeHeader: () => undefined,
      setHeader: (_: string, it: string) => (policy = it),
    };
    allowFrames(response as unknown as Response, origins);
    return policy;
  }
  /** As browsers parse it (Content Security Policy Level 3, 2.2): commas separate policies, `;` directives. */
  const parse = (policy: string) =>
    policy
      .split(',')
      .map((one) => one.split(';').map((directive) => directive.trim().split(/\s+/)));
  const NAMES = parse(policyFor([]))[0]?.map(([name]) => name);

  test.each([
    'https://a;script-src',
    'https://a;report-uri',
    "https://a';",
    'https://a,b',
    'https://a%2Cb',
    'https://a%3Bsandbox',
    'https://a"b',
    'https://a_b',
    'https://a b',
    'https://a\t;x',
    'https://[::1];x',
  ])('%j is not accepted as a web origin', (text) => {
    expect(() => readFrameOrigins([text])).toThrow('is not a web origin');
  });

  test.each([
    'https://www.example.com',
    'http://localhost:8000',
    'http://127.0.0.1:3953',
    'http://[::1]:8000',
    'https://xn--bcher-kva.example',
    'https://*.example.com',
  ])('%j is accepted as a web origin, and a frame’s policy ends with it', (origin) => {
    expect(readFrameOrigins([origin])).toEqual([origin]);
    expect(parse(policyFor(readFrameOrigins([origin])))[0]?.at(-1)).toEqual([
      'frame-ancestors',
      origin,
    ]);
  });

  test('a text that could add a directive is refused where the header is written, wherever it comes from', () => {
    for (const text of ['https://a;x', 'https://a b', 'a,b', "'none'", 'a\n', ''])
      expect(() => policyFor(['https://good.example', text])).toThrow('is not a source');
  });

  test('no accepted origin adds a directive, a policy or a source to the header', () => {
    const character = fc.integer({ min: 0, max: 0x2fff }).map((code) => String.fromCodePoint(code));
    const odd = fc.constantFrom(...` !"$&'()*+,;=-._~:@/?#[]%\\^\`{|}<>`, '%2C', '%3B', '%20', 'é');
    const host = fc.array(
      fc.oneof(fc.constantFrom('a', 'b', '.', '1', ':80', '[::1]'), odd, character),
    );
    const scheme = fc.constantFrom('https://', 'http://', 'HTTPS://', '', 'https:');
    let accepted = 0;
    const origin = fc.tuple(scheme, host).map(([before, after]) => before + after.join(''));
    fc.assert(
      fc.property(origin, (text) => {
        let origins: string[] = [];
        try {
          origins = readFrameOrigins([text]);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          return;
        }
        accepted += 1;
        const policies = parse(policyFor(origins));
        expect(policies.map((directives) => directives.map(([name]) => name))).toEqual([NAMES]);
        expect(policies[0]?.at(-1)).toEqual(['frame-ancestors', origins[0]]);
      }),
      { numRuns: 20_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
