import type { ComponentChildren } from 'preact';
import { isLanguage } from '../../platform/messages/languages';
import type { VisitorLeaderboardRow } from '../../play/visitors/visitor-play.dto';
import { inLanguage } from '../components/author-text';
import { Document, LanguageSwitch, PageCard, ThemeSwitch } from '../components/document';
import { fullTime, Link, parametersOf, withParameter } from '../components/format';
import { assetPath } from '../http/assets';
import { useMessages, usePage } from '../http/page-context';
import { duration } from './player.rules';
import { coverOf } from './share-image';

/** The layout of the player's pages, without the navigation of other pages. */
export function PlayerFrame({
  title,
  description,
  progress,
  children,
}: {
  title: string;
  /** For the card that sites show where the page's URL is shared. */
  description?: string;
  progress?: ProgressProps;
  children: ComponentChildren;
}) {
  const { path, baseUrl, messages, isPosted } = usePage();
  const { t, rich } = messages;
  const [page = ''] = path.split('?', 1);
  const language = parametersOf(path).get('lang');
  /** Undefined unless this is the start page of a public quiz. */
  const slug = /^\/play\/([a-z\d-]+)\/?$/i.exec(page)?.[1];
  const canonical = `/play/${slug}`;
  const [, embedded] = /^\/embed\/([^/?]+)/i.exec(path) ?? [];
  const [preview] = /^\/dashboard\/quizzes\/[^/]+(?=\/preview)/.exec(path) ?? [];
  const head = (
    <>
      {!slug && <meta name="robots" content="noindex" />}
      {slug && (
        <>
          <link
            rel="canonical"
            href={
              baseUrl +
              (isLanguage(language) ? withParameter(canonical, 'lang', language) : canonical)
            }
          />
          <link
            rel="alternate"
            type="application/json+oembed"
            href={`${baseUrl}/oembed?format=json&url=${encodeURIComponent(baseUrl + canonical)}`}
            title={title}
          />
        </>
      )}
      {description && (
        <PageCard {...{ title, description, ...(slug && { image: coverOf(slug) }) }} />
      )}
      <link rel="stylesheet" href={assetPath('playerStyles')} />
      <script defer src={assetPath('playerScript')}></script>
    </>
  );
  return (
    <Document title={title} class="player" head={head}>
      {preview && (
        <aside class="preview-bar" aria-label={t('player.preview')}>
          {rich('player.previewNote', { link: (text) => <Link to={preview}>{text}</Link> })}
        </aside>
      )}
      {progress && <Progress {...progress} />}
      <main class="player-main">{children}</main>
      <footer class="player-foot muted small">
        {embedded ? (
          <a href={`/play/${embedded}`} target="_blank">
            Quiz Question Service
          </a>
        ) : (
          <a href="/">
            <img src={assetPath('icon')} alt="" width="16" height="16" /> Quiz Question Service
          </a>
        )}
        {!embedded && !isPosted && (
          <>
            <LanguageSwitch />
            <ThemeSwitch />
          </>
        )}
      </footer>
    </Document>
  );
}

interface ProgressProps {
  title: string;
  /** The language of the title; null if unknown. */
  language: string | null;
  href: string;
  number: number;
  total: number;
  /** The path of the attempt. */
  here: string;
  /** When the time limit ends; null without one. */
  endsAt: Date | null;
  isPractice: boolean;
  /** Whether `number` counts the answered questions. By default it is the number of the current question. */
  countsAnswered?: boolean;
}

/** The title of the quiz, the progress through its questions, and the remaining time. */
function Progress(props: ProgressProps) {
  const { title, language, href, here, endsAt, number, total, isPractice, countsAnswered } = props;
  const { t } = useMessages();
  return (
    <header class="player-top" data-practice={isPractice ? '' : undefined}>
      <div class="player-line muted small">
        <a href={href} {...inLanguage(language)}>
          {title}
        </a>
        <span>
          {t(countsAnswered ? 'player.progressAnswered' : 'player.progress', { number, total })}
        </span>
      </div>
      <progress
        max={total}
        value={number}
        aria-label={t(countsAnswered ? 'player.answeredQuestions' : 'player.question')}
      />
      {endsAt && <Countdown endsAt={endsAt} here={here} />}
    </header>
  );
}

/** The remaining time, and the form that ends the attempt; countdown.js counts down and sends it. */
function Countdown({ endsAt, here }: { endsAt: Date; here: string }) {
  const { now, messages } = usePage();
  const { t } = messages;
  const left = Math.max(0, endsAt.getTime() - now.getTime());
  const shown = {
    left: duration(Math.floor(left / 1_000), messages),
    time: fullTime(endsAt).slice(11, 19),
  };
  return (
    <form
      method="post"
      action={here}
      class="player-timer"
      data-timer={left}
      // The texts of countdown.js: the remaining time, and what screen readers hear when 300, 60 and 10 seconds are left.
      data-left={t('player.timeLeft', { time: '{time}' })}
      data-at-300={t('player.minutesLeft', { count: 5 })}
      data-at-60={t('player.minutesLeft', { count: 1 })}
      data-at-10={t('player.secondsLeft', { count: 10 })}
    >
      <span role="timer">{t('player.timeUntil', shown)}</span>
      <span class="sr-only" role="status" />
    </form>
  );
}

export function LeaderboardTable({ top }: { top: readonly VisitorLeaderboardRow[] }) {
  const { messages } = usePage();
  const { t } = messages;
  return (
    <section class="standings" aria-labelledby="standings">
      <h2 id="standings">{t('leaderboard.title')}</h2>
      {top.length === 0 ? (
        <p class="muted">{t('leaderboard.empty')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="sr-only">{t('leaderboard.rank')}</span>
              </th>
              <th scope="col">{t('leaderboard.player')}</th>
              <th scope="col">{t('leaderboard.correct')}</th>
              <th scope="col">{t('leaderboard.time')}</th>
            </tr>
          </thead>
          <tbody>
            {top.map(({ rank, name, score, timeSpent, isOwn }) => (
              <tr key={rank} data-mine={isOwn ? '' : undefined}>
                <td>{rank}</td>
                <td>
                  <bdi>{name}</bdi>
                  {isOwn && (
                    <>
                      <span class="sr-only">, </span>
                      <span class="you small">{t('leaderboard.you')}</span>
                    </>
                  )}
                </td>
                <td>{score}</td>
                <td>{duration(timeSpent, messages)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
