import type { Request, Response } from 'express';
import { assetPath, serveAssets } from './assets';

function textOf(name: 'basecoat' | 'basecoatLight' | 'basecoatDark'): string {
  let text = '';
  const request = { method: 'GET', path: assetPath(name), acceptsEncodings: () => false };
  const response = {
    setHeader: () => 0,
    type: () => ({ send: (body: Buffer) => (text = body.toString()) }),
  };
  serveAssets(request as unknown as Request, response as unknown as Response, () => undefined);
  return text;
}

/** An upgrade of Basecoat that writes its rules in another way is found here. */
it.each(['basecoat', 'basecoatLight', 'basecoatDark'] as const)(
  '%s has whole rules of what pages use, and no others',
  (name) => {
    const text = textOf(name);
    expect(text.split('{')).toHaveLength(text.split('}').length);
    for (const used of ['.btn {', '.table {', '.field > textarea', "input[type='radio']"])
      expect(text).toContain(used);
    for (const unused of ['.sidebar', '.toaster', '.drawer {', 'html.dark'])
      expect(text).not.toContain(unused);
    // A list of selectors over several lines would be cut through.
    expect(text).not.toMatch(/^ {2}[.[:a-z][^{}]*,$/m);
  },
);
