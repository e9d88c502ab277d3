import { Icon } from './icon';

/**
 * Text to copy, in one line or several, with a button. The button appears only if a script can copy; without one a
 * click selects the text.
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

/** Copies a text. It appears only if a script can copy. */
export function CopyButton({ text, variant }: { text: string; variant: 'ghost' | 'outline' }) {
  return (
    <button type="button" class="btn" data-variant={variant} data-size="sm" data-copy={text} hidden>
      <Icon name="copy" />
      <span aria-live="polite">Copy</span>
    </button>
  );
}
