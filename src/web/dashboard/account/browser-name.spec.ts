import { messagesFor } from '../../../platform/messages/messages';
import { browserName } from './browser-name';

const IOS =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  ['Safari on iOS', `${IOS} Version/18.5 Mobile/15E148 Safari/604.1`],
  ['Chrome on iOS', `${IOS} CriOS/138.0.7204.33 Mobile/15E148 Safari/604.1`],
  ['Firefox on iOS', `${IOS} FxiOS/140.0 Mobile/15E148 Safari/605.1.15`],
  ['Edge on iOS', `${IOS} Version/18.0 EdgiOS/138.0.3351.55 Mobile/15E148 Safari/604.1`],
  ['Chrome on Android', `${ANDROID} Chrome/138.0.0.0 Mobile Safari/537.36`],
  ['Edge on Android', `${ANDROID} Chrome/138.0.0.0 Mobile Safari/537.36 EdgA/138.0.0.0`],
  ['Safari on macOS', `${MAC} Version/18.5 Safari/605.1.15`],
  ['Opera on Windows', `${WINDOWS} Chrome/138.0.0.0 Safari/537.36 OPR/122.0.0.0`],
  ['Edge on Windows', `${WINDOWS} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
  ['curl/8.14.1', 'curl/8.14.1'],
  ['Unknown browser', ''],
])('a session of %s is named so', (name, userAgent) => {
  expect(browserName(userAgent, messagesFor('en'))).toBe(name);
});
