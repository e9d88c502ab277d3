import type { ImportView } from '../../../import-export/imports/import';
import { questions } from './import-labels';

/** How far it is. With a script the page looks again by itself, without one the browser loads it again. */
export function ImportUnderWay({ view, at }: { view: ImportView; at: string }) {
  // What a preview has read is not read again: then all that is left is writing.
  const done = view.checked ? view.imported / Math.max(view.importable, 1) : view.progress;
  const percent = Math.floor(done * 100);
  return (
    <section
      class="panel"
      aria-label="Progress"
      hx-get={at}
      hx-trigger="every 1s"
      hx-target="#main"
      hx-select="#main"
      hx-swap="outerHTML"
    >
      <div class="quota">
        <div class="quota-line">
          <span role="status">{said(view)}</span>
          <span class="muted">{percent} %</span>
        </div>
        <progress value={percent} max={100} aria-label="Progress" />
      </div>
      <div class="buttons after">
        <form method="post" action={`${at}/cancel`}>
          <button class="btn" data-variant="outline" data-size="sm">
            Cancel
          </button>
        </form>
        <noscript>
          <a class="link" href={at}>
            Look again
          </a>
        </noscript>
      </div>
    </section>
  );
}

function said(view: ImportView): string {
  if (view.state !== 'running') return 'It begins as soon as a worker is free.';
  if (view.checked && !view.dryRun)
    return `${view.imported.toLocaleString('en')} of ${questions(view.importable)} imported`;
  return `${questions(view.rows)} read`;
}
