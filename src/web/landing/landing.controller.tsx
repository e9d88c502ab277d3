import { Get } from '@nestjs/common';
import type { TopicWithCategories } from '../../catalog/discovery/discovery.dto';
import {
  DiscoveryService,
  isInUse,
  type LiveQuestion,
  type PopularQuiz,
} from '../../catalog/discovery/discovery.service';
import { SOURCE_URL } from '../../platform/config/config';
import { Config } from '../../platform/config/config';
import { AuthorText, inLanguage, TextsOfPage } from '../components/author-text';
import { CopyText, LinkButton } from '../components/button';
import { count, Link } from '../components/format';
import { type Figure, Figures, Tile } from '../components/section';
import { topicLook } from '../components/topic-look';
import { assetPath } from '../http/assets';
import { usePage } from '../http/page-context';
import { OpenPages } from '../http/page-controller';
import { ConstantPage, type PageResult } from '../http/page-results';
import { QuizCards, SitePage } from './site.page';

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
      this.discovery.liveQuestion(),
    ]);
    const [{ stats }, topics, popular, question] = shown;
    const { signUp } = this.config;
    const page = <LandingPage {...{ stats, topics, popular, question, signUp }} />;
    return new ConstantPage(() => page, shown);
  }
}

interface Shown {
  stats: { totalQuizzes: number; totalQuestions: number };
  topics: TopicWithCategories[];
  /** The most played first. */
  popular: PopularQuiz[];
  question: LiveQuestion | null;
  signUp: boolean;
}

function LandingPage({ stats, topics, popular, question, signUp }: Shown) {
  const clone = SOURCE_URL ? `git clone ${SOURCE_URL} quiz && cd quiz\n` : '';
  const figures: Figure[] = [
    ['Quizzes', stats.totalQuizzes],
    ['Questions', stats.totalQuestions],
    ['Topics', topics.length],
    ['Categories', topics.reduce((sum, topic) => sum + topic.categories.length, 0)],
  ];
  const questions =
    stats.totalQuestions > 0 &&
    `${count(stats.totalQuestions, 'question', 'questions')} on ${count(topics.length, 'topic', 'topics')}.`;
  const account = signUp ? '/dashboard/sign-up' : '/dashboard/sign-in';
  const key = signUp ? '/dashboard/sign-up?key=yes' : '/dashboard/keys';
  return (
    <SitePage
      title="Quizzes to play, write and build on"
      description="A quiz back end you can run with two commands: play and write quizzes in the browser, or build on an HTTP API with review, API keys and signed webhooks."
      head={<link rel="stylesheet" href={assetPath('playerStyles')} />}
    >
      <section class="hero">
        <h1>Good questions to play, teach and build with.</h1>
        <p>{questions} A place to write your own, and an API for your app.</p>
        <div class="buttons">
          <LinkButton look="primary" href="/play" text="Play a quiz" />
          <LinkButton look="outline" href={account} text="Write a quiz" />
          <LinkButton look="outline" href={key} text="Get an API key" />
        </div>
      </section>
      <section aria-label="Three ways in">
        <ul class="doors">
          <WayIn
            picture="pictureOfPlaying"
            href="/play"
            title="Play something now"
            text="Pick a topic and start, on any phone, without an account. The answer after each question tells you why."
          />
          <WayIn
            picture="pictureOfWriting"
            href={account}
            title="Teach with it tomorrow"
            text="Write a quiz or import your file from Moodle, Kahoot or Excel. Show the class a code, and see which question was too hard."
          />
          <WayIn
            picture="pictureOfIntegrating"
            href="/docs"
            title="Build your app on it"
            text="Random questions are one request away. There is a typed client, samples in five languages, and signed webhooks."
          />
        </ul>
      </section>
      {question && <LivePart {...question} />}
      {popular.length > 0 && (
        <section>
          <h2>Popular quizzes</h2>
          <p>
            The most played ones.{' '}
            <Link to="/play">See all {stats.totalQuizzes.toLocaleString('en')}</Link>
          </p>
          <QuizCards quizzes={popular} topics={topics} />
        </section>
      )}
      {topics.length > 0 && (
        <section>
          <h2>Topics</h2>
          <ul class="tiles">{topics.filter(isInUse).map(topicTile)}</ul>
        </section>
      )}
      <section>
        <h2>Run it yourself</h2>
        <p>
          Two commands in a copy of the source code, on any machine with Node 20.19 or newer. The
          database is included. In production it runs on PostgreSQL and Redis: see{' '}
          <Link to="/docs/guides/self-hosting">Self-hosting</Link>.
        </p>
        <CopyText text={`${clone}npm ci\nnpm start`} label="Commands" />
        <Figures rows={figures} />
      </section>
    </SitePage>
  );
}

/** A question to answer on the spot, beside the request that returns it. Its styles alone show what is correct. */
function LivePart({ question, format, texts }: LiveQuestion) {
  const { baseUrl } = usePage();
  const { text, answers } = question;
  // Short lines: where a long URL wraps, its closing quote may end up alone on a line.
  const request = [
    'curl -H "Authorization: Bearer $KEY"',
    '  -G -d random=true -d limit=1',
    '  -d type=MULTIPLE_CHOICE',
    `  ${baseUrl}/api/v1/questions`,
  ].join(' \\\n');
  return (
    <section class="live" aria-labelledby="live">
      <TextsOfPage.Provider value={texts}>
        <fieldset>
          <legend id="live" {...inLanguage(question.language)}>
            <AuthorText text={text} format={format} />
          </legend>
          <ul class="options">
            {answers.map((answer) => (
              <li>
                <label class="option" data-answer={answer.isCorrect ? 'correct' : 'wrong'}>
                  <input type="radio" name="live" />
                  <span {...inLanguage(question.language)}>
                    <AuthorText text={answer.text} format={format} />
                  </span>
                </label>
              </li>
            ))}
          </ul>
          <p role="status">
            <span class="live-right">Correct! This is how players see it.</span>
            <span class="live-wrong">Not quite. The correct answer is marked.</span>
          </p>
        </fieldset>
      </TextsOfPage.Provider>
      <div>
        <h2>The request</h2>
        <CopyText text={request} label="Request" />
        <h2>The response</h2>
        <p class="live-before muted">Choose an answer to see it.</p>
        <pre class="live-after" role="region" aria-label="Response" tabIndex={0}>
          <code>{JSON.stringify({ success: true, data: [question] }, null, 2)}</code>
        </pre>
      </div>
    </section>
  );
}

function WayIn(props: {
  picture: Parameters<typeof assetPath>[0];
  href: string;
  title: string;
  text: string;
}) {
  return (
    <li>
      <img src={assetPath(props.picture)} alt="" width="480" height="300" loading="lazy" />
      <strong>
        <a href={props.href}>{props.title}</a>
      </strong>
      <p>{props.text}</p>
    </li>
  );
}

function topicTile({ name, slug, categories }: TopicWithCategories) {
  const quizzes = categories.reduce((sum, { quizCount }) => sum + quizCount, 0);
  const inCategories = count(categories.length, 'category', 'categories');
  const text = `${count(quizzes, 'quiz', 'quizzes')}, ${inCategories}`;
  return <Tile href={`/play?topic=${slug}`} look={topicLook(slug)} title={name} text={text} />;
}
