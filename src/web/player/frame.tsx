import type { ComponentChildren } from 'preact';
import type { LeaderboardRow } from '../../play/visitors/visitor-play.dto';
import { Document, PageCard, ThemeSwitch } from '../components/document';
import { fullTime, Link } from '../components/format';
import { assetPath } from '../http/assets';
import { usePage } from '../http/page-context';
import { duration } from './player.rules';

/** The page around a quiz that is being played: nothing else is on it. */
export function PlayerFrame({
  title,
  description,
  progress,
  children,
}: {
  title: string;
  /** Shown where the URL is shared. */
  description?: string;
  progress?: ProgressProps;
  children: ComponentChildren;
}) {
  const { path, baseUrl } = usePage();
  const [page = ''] = path.split('?', 1);
  const isPublic = /^\/play\/[a-z\d-]+$/.test(page);
  const [, embedded] = /^\/embed\/([^/?]+)/.exec(path) ?? [];
  const [preview] = /^\/dashboard\/quizzes\/[^/]+(?=\/preview)/.exec(path) ?? [];
  const head = (
    <>
      {!isPublic && <meta name="robots" content="noindex" />}
      {isPublic && <link rel="canonical" href={baseUrl + page} />}
      {isPublic && (
        <link
          rel="alternate"
          type="application/json+oembed"
          href={`${baseUrl}/oembed?format=json&url=${encodeURIComponent(baseUrl + page)}`}
          title={title}
        />
      )}
      {description && <PageCard title={title} description={description} />}
      <link rel="stylesheet" href={assetPath('playerStyles')} />
      <script defer src={assetPath('playerScript')}></script>
    </>
  );
  return (
    <Document title={title} class="player" head={head}>
      {preview && (
        <aside class="preview-bar" aria-label="Preview">
          This is a preview. Nobody else sees it, and nothing you play here counts.{' '}
          <Link to={preview}>Back to the quiz</Link>
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
        {!embedded && <ThemeSwitch />}
      </footer>
    </Document>
  );
}

interface ProgressProps {
  title: string;
  href: string;
  number: number;
  total: number;
  /** The attempt. */
  here: string;
  /** When its time limit is over; null: it has none. */
  endsAt: Date | null;
  /** `number` counts the answered questions, instead of naming the current one. */
  done?: boolean;
}

/** The quiz, and the progress. */
function Progress({ title, href, here, endsAt, number, total, done }: ProgressProps) {
  return (
    <header class="player-top">
      <div class="player-line muted small">
        <a href={href} dir="auto">
          {title}
        </a>
        <span>
          {number} of {total}
          {done && ' answered'}
        </span>
      </div>
      <progress max={total} value={number} aria-label={done ? 'Answered questions' : 'Question'} />
      {endsAt && <Countdown endsAt={endsAt} here={here} />}
    </header>
  );
}

/** The time that is left. With a script it counts down, and ends the attempt (countdown.js). */
function Countdown({ endsAt, here }: { endsAt: Date; here: string }) {
  const left = Math.max(0, endsAt.getTime() - usePage().now.getTime());
  return (
    <form method="post" action={here} class="player-timer" data-timer={left}>
      <span role="timer">
        {duration(Math.floor(left / 1_000))} left, until {fullTime(endsAt).slice(11)}
      </span>
      <span class="sr-only" role="status" />
    </form>
  );
}

export function LeaderboardTable({ top }: { top: readonly LeaderboardRow[] }) {
  return (
    <section class="standings" aria-labelledby="standings">
      <h2 id="standings">Leaderboard</h2>
      {top.length === 0 ? (
        <p class="muted">Nobody has played this quiz yet. Be the first.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="sr-only">Rank</span>
              </th>
              <th scope="col">Player</th>
              <th scope="col">Correct</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {top.map(({ rank, name, score, timeSpent, mine }) => (
              <tr key={rank} data-mine={mine ? '' : undefined}>
                <td>{rank}</td>
                <td>
                  <bdi>{name}</bdi>
                  {mine && (
                    <>
                      <span class="sr-only">, </span>
                      <span class="you small">you</span>
                    </>
                  )}
                </td>
                <td>{score}</td>
                <td>{duration(timeSpent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
