import type { Messages } from '../../../platform/messages/messages';

const BROWSERS: [RegExp, string][] = [
  [/Edg(?:A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(?:Firefox|FxiOS)\//, 'Firefox'],
  [/(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

const find = (names: [RegExp, string][], text: string) =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** `Firefox on Linux`: good enough to recognise your own browsers. */
export function browserName(userAgent: string, { t }: Messages): string {
  const browser = find(BROWSERS, userAgent);
  const system = find(SYSTEMS, userAgent);
  if (!browser) return userAgent.slice(0, 40) || t('account.unknownBrowser');
  return system ? t('account.browserOn', { browser, system }) : browser;
}
