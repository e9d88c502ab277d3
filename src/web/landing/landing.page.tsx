import type { PopularQuiz, TopicWithCategories } from '../../catalog/discovery/discovery.service';
import { CopyText } from '../components/copy';
import { Brand, Document } from '../components/document';
import { count } from '../components/format';
import { Table } from '../components/table';
import { DIFFICULTY_LABELS } from '../dashboard/quizzes/quiz-labels';
import { usePage } from '../http/page-context';

export function LandingPage({
  stats,
  topics,
  popular,
  signUp,
}: {
  stats: { totalQuizzes: number; totalQuestions: number };
  topics: TopicWithCategories[];
  /** The most played first. */
  popular: PopularQuiz[];
  signUp: boolean;
}) {
  const { baseUrl } = usePage();
  const categories = topics.reduce((sum, topic) => sum + topic.categories.length, 0);
  return (
    <Document title="Quizzes over HTTP" class="landing">
      <header>
        <Brand href="/" />
        <nav aria-label="Main">
          <a href="/docs">Documentation</a>
          {signUp && <a href="/dashboard/sign-up">Sign up</a>}
          <a class="btn" data-variant="outline" data-size="sm" href="/dashboard/sign-in">
            Sign in
          </a>
        </nav>
      </header>
      <main>
        <section class="hero">
          <h1>A quiz API you can run yourself.</h1>
          <p>
            Search quizzes, browse questions across all of them, write your own. Every quiz is
            reviewed before it goes public, and signed webhooks tell your app what happens.
          </p>
          <div class="buttons">
            <a class="btn" href={signUp ? '/dashboard/sign-up' : '/dashboard/sign-in'}>
              Get an API key
            </a>
            <a class="btn" data-variant="outline" href="/docs">
              Read the documentation
            </a>
          </div>
          <dl class="figures">
            <Figure label="Quizzes" value={stats.totalQuizzes} />
            <Figure label="Questions" value={stats.totalQuestions} />
            <Figure label="Topics" value={topics.length} />
            <Figure label="Categories" value={categories} />
          </dl>
        </section>
        <section>
          <h2>Try it now</h2>
          <p>You can browse the catalogue without an API key.</p>
          <CopyText text={`curl -s ${baseUrl}/api/v1/categories`} label="Command" />
        </section>
        {popular.length > 0 && <Popular quizzes={popular} />}
        {topics.length > 0 && <Topics topics={topics} />}
        <Interface />
      </main>
      <footer>Quiz Question Service</footer>
    </Document>
  );
}

function Figure({ label, value }: { label: string; value: number }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value.toLocaleString('en')}</dd>
    </div>
  );
}

function Popular({ quizzes }: { quizzes: PopularQuiz[] }) {
  return (
    <section>
      <h2>Play one</h2>
      <p>The most played quizzes, here in the browser, without a key.</p>
      <ul class="topics quizzes-to-play">
        {quizzes.map(({ slug, title, category, difficulty, questionCount }) => (
          <li key={slug}>
            <div>
              <strong>
                <a href={`/play/${slug}`}>
                  <bdi>{title}</bdi>
                </a>
              </strong>
              <small>
                {[
                  category,
                  DIFFICULTY_LABELS[difficulty].toLowerCase(),
                  count(questionCount, 'question', 'questions'),
                ]
                  .filter(Boolean)
                  .join(', ')}
              </small>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Topics({ topics }: { topics: TopicWithCategories[] }) {
  return (
    <section>
      <h2>Topics</h2>
      <p>Every quiz is in a category, every category in a topic.</p>
      <ul class="topics">
        {topics.map(({ id, icon, name, categories }) => {
          const quizzes = categories.reduce((sum, { quizCount }) => sum + quizCount, 0);
          return (
            <li key={id}>
              <span class="emoji" aria-hidden="true">
                {icon ?? '📁'}
              </span>
              <div>
                <strong>{name}</strong>
                <small>
                  {count(quizzes, 'quiz', 'quizzes')},{' '}
                  {count(categories.length, 'category', 'categories')}
                </small>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const ROUTES = [
  ['GET /api/v1/metadata', 'no key', 'Difficulties, question types, categories, tags and totals'],
  ['GET /api/v1/categories', 'no key', 'Topics with their categories'],
  ['GET /api/v1/quizzes', 'key', 'List and search quizzes'],
  ['GET /api/v1/quizzes/{id}', 'key', 'A quiz with its questions and answers'],
  ['GET /api/v1/questions', 'key', 'The questions of a quiz, or of all: filtered, paged, shuffled'],
  ['POST /api/v1/quizzes', 'Starter or Pro', 'Create a quiz'],
  ['POST /api/v1/quizzes/{id}/questions/batch', 'Starter or Pro', 'Import up to 50 questions'],
  [
    'POST /api/v1/imports',
    'Starter or Pro',
    'Import a file of questions, with a report of every row',
  ],
  ['POST /api/v1/quizzes/{id}/attempts', 'key', 'Play: attempts, scores, leaderboards'],
] as const;

function Interface() {
  return (
    <section id="interface">
      <h2>The interface in short</h2>
      <p>
        A key goes into the header <code>Authorization: Bearer …</code>; every answer is JSON with a{' '}
        <code>success</code> field. For tools and clients there is an{' '}
        <a class="link" href="/api/v1/openapi.json">
          OpenAPI description
        </a>
        .
      </p>
      <Table
        label="Endpoints"
        rows={ROUTES}
        columns={{
          Endpoint: ([route]) => <span class="mono">{route}</span>,
          Needs: ([, needs]) => needs,
          'What it does': ([, , text]) => <span class="reason">{text}</span>,
        }}
      />
    </section>
  );
}
