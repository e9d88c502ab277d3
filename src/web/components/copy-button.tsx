import { Icon } from './icon';

/** Copies a text. It appears only where a script can do so. */
export function CopyButton({ text, variant }: { text: string; variant: 'ghost' | 'outline' }) {
  return (
    <button type="button" class="btn" data-variant={variant} data-size="sm" data-copy={text} hidden>
      <Icon name="copy" />
      <span aria-live="polite">Copy</span>
    </button>
  );
}
