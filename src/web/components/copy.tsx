import { Icon } from './icon';

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

/** Copies a text. It appears only where a script can do so. */
export function CopyButton({ text, variant }: { text: string; variant: 'ghost' | 'outline' }) {
  return (
    <button type="button" class="btn" data-variant={variant} data-size="sm" data-copy={text} hidden>
      <Icon name="copy" />
      <span aria-live="polite">Copy</span>
    </button>
  );
}
