import { Get } from '@nestjs/common';
import {
  DiscoveryService,
  type PopularQuiz,
  type TopicWithCategories,
} from '../../catalog/discovery/discovery.service';
import { Config } from '../../platform/config/config';
import { CopyText, LinkButton } from '../components/button';
import { Brand, Document } from '../components/document';
import { count } from '../components/format';
import { Figures, Tile, type Figure } from '../components/section';
import { DIFFICULTY_LABELS } from '../dashboard/quizzes/quiz-labels';
import { usePage } from '../http/page-context';
import { OpenPages } from '../http/page-controller';
import { ConstantPage, type PageResult } from '../http/page-results';

@OpenPages()
export class LandingController {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly config: Config,
  ) {}

  @Get()
  async show(): Promise<PageResult> {
    // Each is read again after a few seconds, and is the same object until then.
    const shown = await Promise.all([
      this.discovery.metadata(),
      this.discovery.topics(),
      this.discovery.popular(),
    ]);
    const [{ stats }, topics, popular] = shown;
    const { signUp } = this.config;
    return new ConstantPage(() => <LandingPage {...{ stats, topics, popular, signUp }} />, shown);
  }
}

interface Shown {
  stats: { totalQuizzes: number; totalQuestions: number };
  topics: TopicWithCategories[];
  /** The most played first. */
  popular: PopularQuiz[];
  signUp: boolean;
}

function LandingPage({ stats, topics, popular, signUp }: Shown) {
  const { baseUrl } = usePage();
  const figures: Figure[] = [
    ['Quizzes', stats.totalQuizzes],
    ['Questions', stats.totalQuestions],
    ['Topics', topics.length],
    ['Categories', topics.reduce((sum, topic) => sum + topic.categories.length, 0)],
  ];
  return (
    <Document title="Quizzes over HTTP" class="landing">
      <header>
        <Brand href="/" />
        <nav aria-label="Main">
          <a href="/docs">Documentation</a>
          {signUp && <a href="/dashboard/sign-up">Sign up</a>}
          <LinkButton href="/dashboard/sign-in" text="Sign in" />
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
            <LinkButton
              look="primary"
              href={signUp ? '/dashboard/sign-up' : '/dashboard/sign-in'}
              text="Get an API key"
            />
            <LinkButton look="outline" href="/docs" text="Read the documentation" />
          </div>
          <Figures rows={figures} />
        </section>
        <section>
          <h2>Try it now</h2>
          <p>You can browse the catalogue without an API key.</p>
          <CopyText text={`curl -s ${baseUrl}/api/v1/categories`} label="Command" />
        </section>
        {popular.length > 0 && (
          <section>
            <h2>Play one</h2>
            <p>The most played quizzes, here in the browser, without a key.</p>
            <ul class="tiles">{popular.map(popularTile)}</ul>
          </section>
        )}
        {topics.length > 0 && (
          <section>
            <h2>Topics</h2>
            <p>Every quiz is in a category, every category in a topic.</p>
            <ul class="tiles">{topics.map(topicTile)}</ul>
          </section>
        )}
        <section>
          <h2>The API</h2>
          <p>Each endpoint with its parameters, responses, errors and samples in five languages.</p>
          <ul class="tiles">
            {REFERENCE_PAGES.map(([name, text]) => (
              <Tile href={`/docs/reference/${name.toLowerCase()}`} title={name} text={text} />
            ))}
          </ul>
        </section>
      </main>
      <footer>Quiz Question Service</footer>
    </Document>
  );
}

const REFERENCE_PAGES = [
  ['Discovery', 'Topics, categories, tags and totals. No key needed.'],
  ['Quizzes', 'List, search, read and create quizzes.'],
  ['Questions', 'Browse questions across quizzes, import up to 50 at once.'],
  ['Files', 'Import and export question files.'],
  ['Playing', 'Attempts, scores and leaderboards.'],
  ['Webhooks', 'Signed events for your app.'],
] as const;

function popularTile({ slug, title, category, difficulty, questionCount }: PopularQuiz) {
  const level = DIFFICULTY_LABELS[difficulty].toLowerCase();
  const facts = [category, level, count(questionCount, 'question', 'questions')];
  return <Tile href={`/play/${slug}`} title={title} text={facts.filter(Boolean).join(', ')} />;
}

function topicTile({ icon, name, categories }: TopicWithCategories) {
  const quizzes = categories.reduce((sum, { quizCount }) => sum + quizCount, 0);
  const inCategories = count(categories.length, 'category', 'categories');
  const text = `${count(quizzes, 'quiz', 'quizzes')}, ${inCategories}`;
  return <Tile icon={icon ?? '📁'} title={name} text={text} />;
}
