import { CopyButton } from '../components/copy-button';
import { highlight } from './highlight';

/** Code in colours, with a button that copies it where a script can. */
export function Code({ code, language, label }: { code: string; language: string; label: string }) {
  return (
    <div class="code">
      <div class="code-head">
        <span>{label}</span>
        <CopyButton text={code} variant="ghost" />
      </div>
      <pre role="group" aria-label={label} tabIndex={0}>
        {/* Our own code samples, escaped by the highlighter. */}
        <code dangerouslySetInnerHTML={{ __html: highlight(code, language) }} />
      </pre>
    </div>
  );
}
