import { Get } from '@nestjs/common';
import type { TopicWithCategories } from '../../catalog/discovery/discovery.dto';
import {
  DiscoveryService,
  isInUse,
  type LiveQuestion,
  type PopularQuiz,
} from '../../catalog/discovery/discovery.service';
import { Config, SOURCE_URL } from '../../platform/config/config';
import type { Messages } from '../../platform/messages/messages';
import { AuthorText, ControlText, inLanguage, TextsOfPage } from '../components/author-text';
import { CopyText, Icon, LinkButton } from '../components/button';
import { Cover } from '../components/cover';
import { Link } from '../components/format';
import { type Figure, Figures, Tile } from '../components/section';
import { topicLook } from '../components/topic-look';
import { assetPath } from '../http/assets';
import { useMessages, usePage } from '../http/page-context';
import { OpenPages } from '../http/page-controller';
import { ConstantPage, type PageResult } from '../http/page-results';
import { Scene, type SceneName } from './scenes';
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
    const [{ stats }, all, popular, question] = shown;
    const topics = all.filter(isInUse);
    const { signUp } = this.config;
    const page = <LandingPage {...{ stats, topics, popular, question, signUp }} />;
    return new ConstantPage(() => page, shown);
  }
}

interface Shown {
  stats: { totalQuizzes: number; totalQuestions: number };
  /** Those in use. */
  topics: TopicWithCategories[];
  /** The most played first. */
  popular: PopularQuiz[];
  question: LiveQuestion | null;
  signUp: boolean;
}

function LandingPage({ stats, topics, popular, question, signUp }: Shown) {
  const messages = useMessages();
  const { t, rich } = messages;
  const clone = SOURCE_URL ? `git clone ${SOURCE_URL} quiz && cd quiz\n` : '';
  const figures: Figure[] = [
    [t('landing.quizzes'), stats.totalQuizzes],
    [t('landing.questions'), stats.totalQuestions],
    [t('landing.topics'), topics.length],
    [t('landing.categories'), topics.reduce((sum, topic) => sum + topic.categories.length, 0)],
  ];
  const questions =
    stats.totalQuestions > 0 &&
    topics.length > 0 &&
    t('landing.stock', { questions: stats.totalQuestions, topics: topics.length });
  const account = signUp ? '/dashboard/sign-up' : '/dashboard/sign-in';
  const key = signUp ? '/dashboard/sign-up?key=yes' : '/dashboard/keys';
  return (
    <SitePage
      path="/"
      title={t('landing.title')}
      description={t('landing.description')}
      head={<link rel="stylesheet" href={assetPath('playerStyles')} />}
    >
      <section class="hero">
        <h1>{t('landing.heading')}</h1>
        <p>
          {questions} {t('landing.lead')}
        </p>
        <div class="buttons">
          <LinkButton look="primary" href="/play" text={t('landing.play')} />
          <LinkButton look="outline" href={account} text={t('landing.write')} />
          <LinkButton look="outline" href={key} text={t('landing.key')} />
        </div>
        <Fan topics={topics} />
      </section>
      <section aria-label={t('landing.ways')}>
        <ul class="doors">
          <WayIn
            scene="play"
            href="/play"
            title={t('landing.playTitle')}
            text={t('landing.playText')}
          />
          <WayIn
            scene="teach"
            href={account}
            title={t('landing.teachTitle')}
            text={t('landing.teachText')}
          />
          <WayIn
            scene="build"
            href="/docs"
            title={t('landing.buildTitle')}
            text={t('landing.buildText')}
          />
        </ul>
      </section>
      {question && <LivePart {...question} />}
      {popular.length > 0 && (
        <section>
          <h2>{t('landing.popular')}</h2>
          <p>
            {rich('landing.seeAll', {
              count: stats.totalQuizzes,
              link: (text) => <Link to="/play">{text}</Link>,
            })}
          </p>
          <QuizCards quizzes={popular} topics={topics} />
        </section>
      )}
      {topics.length > 0 && (
        <section>
          <h2>{t('landing.topics')}</h2>
          <ul class="tiles">{topics.map((topic) => topicTile(topic, messages))}</ul>
        </section>
      )}
      <section>
        <h2>{t('landing.run')}</h2>
        <p>
          {rich('landing.runText', {
            link: (text) => <Link to="/docs/guides/self-hosting">{text}</Link>,
          })}
        </p>
        <CopyText text={`${clone}npm ci\nnpm start`} label={t('landing.commands')} />
        <Figures rows={figures} />
      </section>
    </SitePage>
  );
}

/** A question to answer on the spot, beside the request that returns it. Its styles alone show what is correct. */
function LivePart({ question, format, texts }: LiveQuestion) {
  const { baseUrl, messages } = usePage();
  const { t } = messages;
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
                  <ControlText
                    text={answer.text}
                    format={format}
                    language={question.language ?? null}
                  />
                </label>
              </li>
            ))}
          </ul>
          <p role="status">
            <span class="live-right">{t('live.correct')}</span>
            <span class="live-wrong">{t('live.wrong')}</span>
          </p>
        </fieldset>
      </TextsOfPage.Provider>
      <div>
        <h2>{t('live.request')}</h2>
        <CopyText text={request} label={t('live.request')} />
        <h2>{t('live.response')}</h2>
        <p class="live-before muted">{t('live.choose')}</p>
        <pre class="live-after" role="region" aria-label={t('live.response')} tabIndex={0}>
          <code>{responseWith(question)}</code>
        </pre>
      </div>
    </section>
  );
}

/** What the request returns, with its `meta` shortened. The language would be in it only with `include=language`. */
function responseWith({ language: _, ...question }: LiveQuestion['question']): string {
  const whole = JSON.stringify({ success: true, data: [question] }, null, 2);
  return `${whole.slice(0, -2)},\n  "meta": { … }\n}`;
}

/** Covers in the colours of three topics. */
function Fan({ topics }: { topics: TopicWithCategories[] }) {
  const third = topics.length / 3;
  const shown = topics.length < 3 ? topics : [0, 1, 2].map((at) => topics[Math.floor(at * third)]!);
  return (
    <div class="fan" aria-hidden="true">
      {shown.map(({ slug }) => {
        const { hue, icon } = topicLook(slug);
        return (
          <span data-hue={hue}>
            <Cover of={slug} />
            <span class="badge">
              <Icon name={icon} />
            </span>
          </span>
        );
      })}
    </div>
  );
}

function WayIn(props: { scene: SceneName; href: string; title: string; text: string }) {
  return (
    <li>
      <Scene of={props.scene} />
      <strong>
        <a href={props.href}>{props.title}</a>
      </strong>
      <p>{props.text}</p>
    </li>
  );
}

function topicTile({ name, slug, categories }: TopicWithCategories, { t }: Messages) {
  const quizzes = categories.reduce((sum, { quizCount }) => sum + quizCount, 0);
  const text = t('landing.inTopic', { quizzes, categories: categories.length });
  return <Tile href={`/play?topic=${slug}`} look={topicLook(slug)} title={name} text={text} />;
}
