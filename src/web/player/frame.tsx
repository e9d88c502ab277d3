import type { ComponentChildren } from 'preact';
import { Document } from '../components/document';
import { assetPath } from '../http/assets';

/** The page around a quiz that is played: nothing on it but the quiz. */
export function PlayerFrame({
  title,
  description,
  top,
  children,
}: {
  title: string;
  /** For who shares the address. */
  description?: string;
  /** Beside nothing, above all. */
  top?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <Document
      title={title}
      class="player"
      head={
        <>
          {description && <meta name="description" content={description} />}
          <meta property="og:title" content={title} />
          {description && <meta property="og:description" content={description} />}
          <link rel="stylesheet" href={assetPath('playerStyles')} />
          <script defer src={assetPath('playerScript')}></script>
        </>
      }
    >
      {top && <header class="player-top">{top}</header>}
      <main class="player-main">{children}</main>
      <footer class="player-foot">
        <a href="/">
          <img src={assetPath('icon')} alt="" width="16" height="16" /> Quiz Question Service
        </a>
      </footer>
    </Document>
  );
}

/** Which quiz, and how far. */
export function Progress({
  title,
  href,
  number,
  total,
  done,
}: {
  title: string;
  href: string;
  number: number;
  total: number;
  /** Of so many it is said that they are answered, and not which of them this is. */
  done?: boolean;
}) {
  return (
    <>
      <div class="player-line">
        <a href={href} dir="auto">
          {title}
        </a>
        <span>
          {number} of {total}
          {done && ' answered'}
        </span>
      </div>
      <progress max={total} value={number} aria-label={done ? 'Answered questions' : 'Question'} />
    </>
  );
}
