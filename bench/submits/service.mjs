// Messages: { prepare: n } starts and answers attempts, { submit } submits them; each is answered 'done'.
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { BatchImportService } from '../../dist/authoring/questions/batch-import.service.js';
import { QuizAuthoringService } from '../../dist/authoring/quizzes/quiz-authoring.service.js';
import { AttemptsService } from '../../dist/play/attempts/attempts.service.js';
import { SubmissionService } from '../../dist/play/submission/submission.service.js';
import { AuthoringModule } from '../../dist/authoring/authoring.module.js';
import { PlayModule } from '../../dist/play/play.module.js';
import { loadConfig } from '../../dist/platform/config/config.js';
import { createLogger, NestLogger } from '../../dist/platform/observability/logger.js';
import { PlatformModule } from '../../dist/platform/platform.module.js';

// Without the sums the statement is left out; everything else is the same.
const queries = createRequire(import.meta.url)('../../dist/play/results/results.queries.js');
if (process.env.SUMS === 'without') queries.changeSums = () => Promise.resolve();

const owner = process.env.OWNER_ID;
const logger = createLogger('error');
const databaseUrl = process.env.DATABASE_URL;
class SubmitsModule {}
const app = await NestFactory.createApplicationContext(
  {
    module: SubmitsModule,
    imports: [
      PlatformModule.register({ config: loadConfig({}), logger, databaseUrl }),
      AuthoringModule,
      PlayModule,
    ],
  },
  { logger: new NestLogger(logger), abortOnError: false },
);
const services = { of: (service) => app.get(service, { strict: false }) };
const attempts = services.of(AttemptsService);
const draft = {
  title: `Submits ${process.env.SUMS} sums`,
  difficulty: 'EASY',
  tags: [],
  published: true,
  featured: false,
};
const authoring = services.of(QuizAuthoringService);
const quiz = await services
  .of(DataSource)
  .transaction((tx) => authoring.createIn(tx, { accountId: owner }, draft));
await services.of(BatchImportService).import(
  { accountId: owner },
  quiz.id,
  Array.from({ length: 10 }, (_, number) => ({
    text: `What is ${number} and ${number}?`,
    type: 'MULTIPLE_CHOICE',
    difficulty: 'EASY',
    answers: [0, 1, 2, 3].map((more) => ({
      text: String(2 * number + more),
      isCorrect: more === 0,
    })),
  })),
);

let players = 0;
let waiting = [];
process.on('message', async ({ prepare }) => {
  if (prepare !== undefined)
    for (let number = 0; number < prepare; number++) {
      const player = `player-${players++}`;
      const request = { player, shuffle: false, reveal: false };
      const prepared = await attempts.prepare(owner, owner, quiz.id, request);
      const { id, questions } = await attempts.startIn(null, prepared);
      for (const [index, question] of questions.entries()) {
        const answer = question.answers[(players * (index + 3)) % 4];
        await attempts.answer(owner, id, { questionId: question.id, answerIds: [answer.id] });
      }
      waiting.push(id);
    }
  else {
    for (const id of waiting) await services.of(SubmissionService).submit(owner, id);
    waiting = [];
  }
  process.send('done');
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send('started');
