import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** In a checkout the commands are npm scripts. An image has no sources, and has `quizctl` on its PATH. */
const isCheckout = existsSync(join(__dirname, '../../../src'));

/** A command of quizctl as people type it here, for hints. */
export const quizctl = (command: string): string =>
  `${isCheckout ? 'npm run -s quizctl --' : 'quizctl'} ${command}`;

/** The command that starts everything on one machine. */
export const START = isCheckout ? 'npm start' : 'docker compose up';
