import { CopyButton } from './copy-button';

/**
 * Text to take along, in one line or several, with a button that copies it. The button appears only where
 * a script can do it; without one the text is selected by a click.
 */
export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <div class="copy">
      <pre role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} variant="outline" />
    </div>
  );
}
