import type { Locator, Page } from 'playwright-core';

/** Makes the next pages believe that they are on a Mac, where Alt types characters. */
export async function onMac(page: Page): Promise<void> {
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }),
  );
}

/** Presses a key in an element. @returns whether a script has used it, so that it types nothing */
export const isUsed = (
  element: Locator,
  key: { key: string; code: string; altKey: boolean },
): Promise<boolean> =>
  element.evaluate(
    (target, pressed) =>
      !target.dispatchEvent(
        new KeyboardEvent('keydown', { ...pressed, bubbles: true, cancelable: true }),
      ),
    key,
  );
