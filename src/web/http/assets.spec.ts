import type { Request, Response } from 'express';
import { assetPath, elementScript, serveAssets } from './assets';

interface Served {
  headers: Record<string, string>;
  type: string;
  body: Buffer;
}

const served = (path: string, encodings: string[] = []): Promise<Served> =>
  new Promise((resolve, reject) => {
    const headers: Record<string, string> = {};
    const request = {
      method: 'GET',
      path,
      headers: { 'accept-encoding': encodings.join() },
      acceptsEncodings: (encoding: string) => encodings.includes(encoding),
    };
    const response = {
      setHeader: (name: string, value: string) => (headers[name] = value),
      type: (type: string) => ({ send: (body: Buffer) => resolve({ headers, type, body }) }),
    };
    serveAssets(request as unknown as Request, response as unknown as Response, reject);
  });
const textOf = async (name: Parameters<typeof assetPath>[0]) =>
  (await served(assetPath(name))).body.toString();

it('the styles name a file of the font for each alphabet, which is served once and for ever', async () => {
  const faces = (await textOf('styles')).match(/@font-face \{[^}]*Inter Variable[^}]*\}/g) ?? [];
  expect(faces.length).toBeGreaterThanOrEqual(7);
  for (const face of faces) {
    expect(face).toMatch(/font-display: swap/);
    expect(face).toMatch(/unicode-range: U\+/);
    const [, path = ''] = /url\(([^)]*)\)/.exec(face) ?? [];
    const { headers, type, body } = await served(path, ['br', 'gzip']);
    expect(type).toBe('font/woff2');
    expect(body.subarray(0, 4).toString()).toBe('wOF2');
    expect(headers['Cache-Control']).toContain('immutable');
    expect(headers).not.toHaveProperty('Content-Encoding');
  }
  expect(faces.at(-1)).toContain(assetPath('fontLatin'));
  expect((await served(assetPath('fontLatin'))).body.length).toBeLessThan(60_000);
});

it('the styles are sent compressed and without their comments', async () => {
  const { headers, body } = await served(assetPath('styles'), ['br']);
  expect(headers['Content-Encoding']).toBe('br');
  expect(body.length).toBeLessThan(10_000);
  expect(await textOf('styles')).not.toContain('/*');
});

it.each(['styles', 'appStyles', 'editorStyles', 'playerStyles', 'siteStyles'] as const)(
  '%s has no words: those of a page are in the catalogues of messages',
  async (name) => {
    expect((await textOf(name)).match(/content:[^;{}']*'[^']*\p{L}{2}[^']*'/gu)).toBeNull();
  },
);

/** In its HTML, and in what it sets as the text or the name of an element. */
const wordsIn = (script: string) =>
  script
    .replace(/\$\{[^{}]*\}/g, '')
    .match(
      />[^<>${}=;]*\p{L}{2}[^<>${}=;]*<\/|\b(textContent|ariaLabel|title)( =|:) (['"`])[^'"`]*\p{L}{2}/gu,
    );

it.each(['script', 'editorScript', 'markdownScript', 'playerScript', 'topicsScript'] as const)(
  '%s has no words: those of a page are in the catalogues of messages',
  async (name) => expect(wordsIn(await textOf(name))).toBeNull(),
);

it('the script of <quiz-player> has no words besides those of the catalogues of messages', () => {
  expect(wordsIn(elementScript().plain.toString())).toBeNull();
});

it.each(['`<b>Done${key}</b>`', "label.textContent = 'Copied';", '{ ariaLabel: `Image ${n}` }'])(
  'words in a script are found: %s',
  (code) => expect(wordsIn(code)).toHaveLength(1),
);

/** An upgrade of Basecoat that writes its rules in another way is found here. */
it.each(['basecoat', 'basecoatLight', 'basecoatDark'] as const)(
  '%s has whole rules of what pages use, and no others',
  async (name) => {
    const text = await textOf(name);
    expect(text.split('{')).toHaveLength(text.split('}').length);
    for (const used of ['.btn {', '.table {', '.field > textarea', "input[type='radio']"])
      expect(text).toContain(used);
    for (const unused of ['.sidebar', '.toaster', '.drawer {', 'html.dark'])
      expect(text).not.toContain(unused);
    // A list of selectors over several lines would be cut through.
    expect(text).not.toMatch(/^ {2}[.[:a-z][^{}]*,$/m);
  },
);
