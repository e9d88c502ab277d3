import type { ComponentChildren } from 'preact';
import type { Difficulty } from '../../catalog/vocabulary';
import { SOURCE_URL } from '../../platform/config/config';
import { Brand, Document, FontPreload, PageCard, ThemeSwitch } from '../components/document';
import { count } from '../components/format';
import { Tile } from '../components/section';
import { DIFFICULTY_LABELS } from '../dashboard/quizzes/quiz-parts';
import { assetPath } from '../http/assets';

/** A public page with the site's header and footer: the landing page and the catalogue. */
export function SitePage({
  title,
  description,
  head,
  children,
}: {
  title: string;
  /** For search engines and where the URL is shared. */
  description: string;
  head?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <Document
      title={title}
      class="landing"
      head={
        <>
          <PageCard title={title} description={description} />
          <link rel="manifest" href="/site.webmanifest" />
          <FontPreload />
          <link rel="stylesheet" href={assetPath('siteStyles')} />
          {head}
        </>
      }
    >
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="site-top">
        <Brand href="/" />
        <nav class="site-links" aria-label="Main">
          <a href="/play">Play</a>
          <a href="/docs">Documentation</a>
          <a href="/dashboard">Dashboard</a>
        </nav>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="muted small">
        <nav class="site-links" aria-label="More">
          {FOOTER.map(([href, text]) => (
            <a href={href}>{text}</a>
          ))}
          {SOURCE_URL && <a href={SOURCE_URL}>Source code</a>}
        </nav>
        <ThemeSwitch />
        <p>Quiz Question Service</p>
      </footer>
    </Document>
  );
}

const FOOTER = [
  ['/play', 'Quizzes'],
  ['/docs', 'Documentation'],
  ['/docs/guides/self-hosting', 'Self-hosting'],
  ['/health/ready', 'Status'],
  ['/license.txt', 'MIT licence'],
] as const;

/** What a tile shows of a quiz. */
export interface QuizOnTile {
  slug: string;
  title: string;
  category: string | null;
  difficulty: Difficulty;
  questionCount: number;
}

export function QuizTiles({ quizzes }: { quizzes: readonly QuizOnTile[] }) {
  return (
    <ul class="tiles">
      {quizzes.map(({ slug, title, category, difficulty, questionCount }) => {
        const level = DIFFICULTY_LABELS[difficulty].toLowerCase();
        const facts = [category, level, count(questionCount, 'question', 'questions')];
        return (
          <Tile href={`/play/${slug}`} title={title} text={facts.filter(Boolean).join(', ')} />
        );
      })}
    </ul>
  );
}
