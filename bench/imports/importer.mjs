/**
 * Lets a process import when it is told to. Messages: { quizIds, batches } → 'done'; each quiz gets as many of the batches as
 * the others.
 * @param open gives `importInto(quizId, questions)`
 */
import { fiftyQuestions } from './questions.mjs';

export async function serve(open) {
  const importInto = await open(process.env.DATABASE_URL);
  let batch = 0;
  process.on('message', async ({ quizIds, batches }) => {
    for (let number = 0; number < batches; number++)
      await importInto(quizIds[number % quizIds.length], fiftyQuestions(batch++));
    process.send('done');
  });
  process.on('disconnect', () => process.exit(0));
  process.on('SIGTERM', () => process.exit(0));
  process.send('started');
}
