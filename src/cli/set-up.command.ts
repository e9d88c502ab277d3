import { quizctl } from '../platform/config/command-line';
import { Conflict } from '../platform/errors/domain-errors';
import { command } from './command';

/** What `npm start` does by itself, for a service in production. */

export const seedCommand = command({
  name: 'seed',
  description: 'fill an empty service with the starter catalogue: topics, categories and quizzes',
  async run(services, _given, output) {
    const added = await services.seed.fill();
    output.result(
      added ?? { quizzes: 0, questions: 0 },
      added
        ? `Added ${added.quizzes} quizzes and ${added.questions} questions with their topics.`
        : 'There are topics already, so nothing was added.',
    );
  },
});

export const setUpLinkCommand = command({
  name: 'set-up-link',
  description: 'print a one-time link that creates the first administrator; it works for a day',
  async run(services, _given, output) {
    const token = await services.registration.newSetUpToken();
    if (!token)
      throw new Conflict(
        `There is an administrator already. To set a new password: ${quizctl('accounts set-password <account> --password-stdin')}`,
      );
    const url = `${services.config.publicUrl}/dashboard/set-up?token=${token}`;
    output.result({ url }, url);
  },
});
