// A quiz in the terminal: finds one, plays it, prints the score and the leaderboard.
//
//   npm ci && npm run build
//   QUIZ_API_KEY=svc_test_… node example/play.mjs [what it is about] [--auto] [--player NAME]
//
// QUIZ_URL is http://localhost:3000 unless it is set. With --auto nobody is asked: it answers at random.
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { ApiError, ConnectionError, QuizClient } from '@quiz-question-service/client';

const USAGE = `Usage: node example/play.mjs [what it is about] [--auto] [--player NAME]

  --auto         asks nobody: answers at random
  --player NAME  your name on the leaderboard
  --help         this text

QUIZ_URL      where the service is; http://localhost:3000 unless it is set
QUIZ_API_KEY  your API key`;
const OPTIONS = {
  auto: { type: 'boolean' },
  player: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
};

// Whoever reads the output may stop reading, as `head` does: that is not an error.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const { values, positionals } = readArguments();
const url = process.env.QUIZ_URL ?? 'http://localhost:3000';
const client = new QuizClient({ baseUrl: url, apiKey: process.env.QUIZ_API_KEY });
const terminal = values.auto
  ? null
  : createInterface({ input: process.stdin, output: process.stdout });
const closed = new AbortController();
terminal?.once('close', () => closed.abort());

function readArguments() {
  try {
    const given = parseArgs({ allowPositionals: true, options: OPTIONS });
    if (!given.values.help) return given;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Rejects with an AbortError after Ctrl-C, Ctrl-D or the end of the input. */
async function ask(prompt) {
  const typed = await terminal.question(prompt, { signal: closed.signal });
  return typed.trim();
}

async function main() {
  const topic = positionals.join(' ') || undefined;
  const quiz = await firstWithQuestions(topic);
  if (!quiz) {
    console.log(topic ? `There is no quiz about ${topic}.` : 'There is no quiz yet.');
    return;
  }
  const player = (values.player ?? (terminal && (await ask('Your name: ')))) || 'somebody';
  const attempt = await client.attempts.start(quiz.id, { player, reveal: true });
  console.log(`\n${quiz.title}: ${attempt.questions.length} questions\n`);

  for (const question of attempt.questions) {
    console.log(`${question.order}. ${question.text}`);
    question.answers.forEach(({ text }, index) => console.log(`   ${index + 1}) ${text}`));
    const result = await client.attempts.answer(attempt.id, {
      questionId: question.id,
      ...(await answerTo(question)),
    });
    const right = result.correctAnswers?.map(({ text }) => text).join(', ');
    console.log(result.correct ? '   Correct!' : `   No: ${right}`);
    if (result.spelling) console.log(`   Spelling: ${result.spelling}`);
    if (result.explanation) console.log(`   ${result.explanation}`);
    console.log();
  }

  const { score, total, timeSpent } = await client.attempts.submit(attempt.id);
  console.log(`${score} of ${total}, in ${timeSpent} s.\n\nThe best:`);
  for (const { rank, userId, score, timeSpent } of await client.quizzes.leaderboard(quiz.id))
    console.log(`${String(rank).padStart(4)}. ${userId.padEnd(24)} ${score} in ${timeSpent} s`);
}

async function firstWithQuestions(topic) {
  for await (const quiz of client.quizzes.iterate({ topic, sort: 'popular' }))
    if (quiz.questionCount > 0) return quiz;
  return null;
}

async function answerTo({ type, answers }) {
  if (type === 'OPEN_ENDED') return { text: (terminal && (await ask('   > '))) || 'no idea' };
  for (;;) {
    const typed = terminal
      ? await ask('   > ')
      : String(1 + Math.floor(Math.random() * answers.length));
    const chosen = typed.split(/[\s,]+/).map((number) => answers[Number(number) - 1]);
    if (chosen.every((answer) => answer)) return { answerIds: chosen.map(({ id }) => id) };
    console.log(`   A number from 1 to ${answers.length}, please.`);
  }
}

try {
  await main();
} catch (error) {
  process.exitCode = 1;
  if (error instanceof ApiError)
    console.error(`${error.message} (${error.status}, request ${error.requestId})`);
  else if (error instanceof ConnectionError)
    console.error(`${error.message}. Tried ${url}: set QUIZ_URL if the service is elsewhere.`);
  else if (error.name === 'AbortError') process.exitCode = 130;
  else throw error;
} finally {
  terminal?.close();
}
