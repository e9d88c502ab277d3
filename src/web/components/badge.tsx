import type { PillTone } from './badge-variant';

/** A state as a word with a colour: the word alone says it. */
export function Pill({ tone, children }: { tone: PillTone; children: string }) {
  return (
    <span class="pill" data-tone={tone}>
      {children}
    </span>
  );
}
