import type { Locator, Page } from 'playwright-core';

/** Pixels around an element that belong to its look: a focus ring is painted outside. */
const MARGIN = 6;

/**
 * How many pixels of an element a person sees change when `change` happens: those whose colours before and after have
 * a contrast of at least `contrast` (WCAG 1.4.11 asks 3:1 of a state).
 */
export async function pixelsChanged(
  element: Locator,
  change: () => Promise<unknown>,
  contrast = 3,
): Promise<number> {
  const page = element.page();
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (!box) throw new Error('The element is not visible');
  const clip = {
    x: Math.max(0, box.x - MARGIN),
    y: Math.max(0, box.y - MARGIN),
    width: box.width + 2 * MARGIN,
    height: box.height + 2 * MARGIN,
  };
  const shoot = () => page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
  const before = await shoot();
  await change();
  const after = await shoot();
  return countChanged(page, [before, after], contrast);
}

/** Chromium decodes its own pictures, in a page without a content security policy. */
async function countChanged(page: Page, pictures: Buffer[], contrast: number): Promise<number> {
  const blank = await page.context().newPage();
  try {
    await blank.goto('about:blank');
    const urls = pictures.map((it) => `data:image/png;base64,${it.toString('base64')}`);
    return await blank.evaluate<number>(`(${inPage})(${JSON.stringify(urls)}, ${contrast})`);
  } finally {
    await blank.close();
    await page.bringToFront();
  }
}

const inPage = `async (urls, contrast) => {
  const [before, after] = await Promise.all(urls.map(async (url) => {
    const image = await createImageBitmap(await (await fetch(url)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  }));
  const luminance = (data, at) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, channel) => {
    const value = data[at + channel] / 255;
    return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  }, 0.05);
  let changed = 0;
  for (let at = 0; at < before.length; at += 4) {
    const [one, other] = [luminance(before, at), luminance(after, at)];
    if (Math.max(one, other) / Math.min(one, other) >= contrast) changed += 1;
  }
  return changed;
}`;
