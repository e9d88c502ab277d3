import { Icon } from '../kit/icon';
import { highlight } from './highlight';

/** Code in colours, with a button that copies it where a script can. */
export function Code({ code, language, label }: { code: string; language: string; label: string }) {
  return (
    <div class="code">
      <div class="code-head">
        <span>{label}</span>
        <button
          type="button"
          class="btn"
          data-variant="ghost"
          data-size="sm"
          data-copy={code}
          hidden
        >
          <Icon name="copy" />
          <span aria-live="polite">Copy</span>
        </button>
      </div>
      <pre role="group" aria-label={label} tabIndex={0}>
        {/* Our own code samples, escaped by the highlighter. */}
        <code dangerouslySetInnerHTML={{ __html: highlight(code, language) }} />
      </pre>
    </div>
  );
}
