import type { ComponentChildren } from 'preact';
import type { TopicWithCategories } from '../../catalog/discovery/discovery.dto';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { SOURCE_URL } from '../../platform/config/config';
import { inLanguage } from '../components/author-text';
import { Icon } from '../components/button';
import { Cover } from '../components/cover';
import {
  Alternates,
  Brand,
  Document,
  FontPreload,
  LanguageSwitch,
  PageCard,
  ThemeSwitch,
} from '../components/document';
import { quizLook } from '../components/topic-look';
import { assetPath } from '../http/assets';
import { useMessages } from '../http/page-context';

/** A public page with the site's header and footer: the landing page and the catalogue. */
export function SitePage({
  title,
  description,
  path,
  head,
  children,
}: {
  title: string;
  /** Its URL, with the query that its content depends on. */
  path: string;
  /** For search engines and where the URL is shared. */
  description: string;
  head?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { t } = useMessages();
  return (
    <Document
      title={title}
      class="landing"
      head={
        <>
          <PageCard title={title} description={description} />
          <Alternates path={path} />
          <link rel="manifest" href="/site.webmanifest" />
          <FontPreload />
          <link rel="stylesheet" href={assetPath('siteStyles')} />
          {head}
        </>
      }
    >
      <a class="skip" href="#main">
        {t('page.skip')}
      </a>
      <header class="site-top">
        <Brand href="/" />
        <nav class="site-links" aria-label={t('site.main')}>
          <a href="/play">{t('site.play')}</a>
          <a href="/docs">{t('site.docs')}</a>
          <a href="/dashboard">{t('site.dashboard')}</a>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="muted small">
        <nav class="site-links" aria-label={t('site.more')}>
          {FOOTER.map(([href, text]) => (
            <a href={href}>{t(text)}</a>
          ))}
          {SOURCE_URL && <a href={SOURCE_URL}>{t('site.source')}</a>}
        </nav>
        <LanguageSwitch />
        <ThemeSwitch />
        <p>Quiz Question Service</p>
      </footer>
    </Document>
  );
}

const FOOTER = [
  ['/play', 'site.quizzes'],
  ['/docs', 'site.docs'],
  ['/docs/guides/self-hosting', 'site.selfHosting'],
  ['/health/ready', 'site.status'],
  ['/license.txt', 'site.licence'],
] as const;

/** What a card shows of a quiz. */
export interface QuizOnCard {
  slug: string;
  title: string;
  /** Of its texts; null: not said. */
  language: string | null;
  category: string | null;
  difficulty: Difficulty;
  questionCount: number;
}

/** @param topics of the categories, whose look the quizzes have */
export function QuizCards(props: {
  quizzes: readonly QuizOnCard[];
  topics: readonly TopicWithCategories[];
}) {
  const { t } = useMessages();
  return (
    <ul class="cards">
      {props.quizzes.map((quiz) => {
        const { slug, title, language, category, difficulty, questionCount } = quiz;
        const { hue, icon } = quizLook(quiz, props.topics);
        return (
          <li data-hue={hue}>
            <Cover of={slug} />
            <span class="badge">
              <Icon name={icon} />
            </span>
            <strong>
              <a href={`/play/${slug}`}>
                <bdi {...inLanguage(language)}>{title}</bdi>
              </a>
            </strong>
            <small>
              <DifficultyMark of={difficulty} /> {t('count.questions', { count: questionCount })}
              {category && (
                <>
                  {' · '}
                  <bdi>{category}</bdi>
                </>
              )}
            </small>
          </li>
        );
      })}
    </ul>
  );
}

/** Four bars, of which one to four are filled. */
function DifficultyMark({ of }: { of: Difficulty }) {
  const level = DIFFICULTIES.indexOf(of) + 1;
  const label = useMessages().t(`difficulty.${of}`);
  return (
    <span class="level" role="img" aria-label={label} title={label}>
      {DIFFICULTIES.map((_, index) => (
        <i data-on={index < level ? '' : undefined} />
      ))}
    </span>
  );
}
