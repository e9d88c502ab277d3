import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useMessages } from '../http/page-context';

/** Line icons of 24 × 24, from Lucide (ISC licence). */
const PATHS = {
  home: 'M3 10.5 12 3l9 7.5M5 9v11a1 1 0 0 0 1 1h4v-6h4v6h4a1 1 0 0 0 1-1V9',
  key: 'm15.5 7.5 3 3L22 7l-3-3m-7.6 7.6L21 2M7.5 21a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Z',
  quiz: 'M9.1 9a3 3 0 0 1 5.8 1c0 2-3 3-3 3M12 17h.01M12 22a10 10 0 1 0 0-20 10 10 0 0 0 0 20Z',
  webhook:
    'M18 16.98h-5.99c-1.1 0-1.95.94-2.48 1.9A4 4 0 0 1 2 17c.01-.7.2-1.4.57-2M6 17l3.13-5.78c.53-.97.1-2.18-.5-3.1a4 4 0 1 1 6.89-4.06M12 6l3.13 5.73C15.66 12.7 16.9 13 18 13a4 4 0 0 1 0 8',
  review: 'M9 11l3 3L22 4M21 12v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h11',
  topics: 'M12 2 2 7l10 5 10-5-10-5ZM2 17l10 5 10-5M2 12l10 5 10-5',
  person: 'M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8Z',
  people:
    'M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM22 21v-2a4 4 0 0 0-3-3.87M16 3.13a4 4 0 0 1 0 7.75',
  bell: 'M6 8a6 6 0 0 1 12 0c0 7 3 9 3 9H3s3-2 3-9M10.3 21a2 2 0 0 0 3.4 0',
  book: 'M4 19.5A2.5 2.5 0 0 1 6.5 17H20V2H6.5A2.5 2.5 0 0 0 4 4.5v15A2.5 2.5 0 0 0 6.5 22H20v-5',
  shelf: 'm16 6 4 14M12 6v14M8 8v12M4 4v16',
  layers: 'M4 4h16v4H4ZM4 10h16v4H4ZM4 16h16v4H4Z',
  list: 'M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01',
  menu: 'M4 6h16M4 12h16M4 18h16',
  back: 'm15 18-6-6 6-6',
  up: 'm6 15 6-6 6 6',
  down: 'm6 9 6 6 6-6',
  check: 'M20 6 9 17l-5-5',
  cross: 'M18 6 6 18M6 6l12 12',
  warning:
    'm21.73 18-8-14a2 2 0 0 0-3.46 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3ZM12 9v4M12 17h.01',
  copy: 'M20 8H10a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V10a2 2 0 0 0-2-2ZM4 16a2 2 0 0 1-2-2V4c0-1.1.9-2 2-2h10a2 2 0 0 1 2 2',
  plus: 'M5 12h14M12 5v14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  grip: 'M9 5h.01M9 12h.01M9 19h.01M15 5h.01M15 12h.01M15 19h.01',
  bold: 'M6 12h9a4 4 0 0 1 0 8H7a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1h7a4 4 0 0 1 0 8',
  italic: 'M19 4h-9M14 20H5M15 4 9 20',
  code: 'm16 18 6-6-6-6M8 6l-6 6 6 6',
  codeBlock:
    'M10 9.5 8 12l2 2.5M14 9.5l2 2.5-2 2.5M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2z',
  picture:
    'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zM9 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM21 15l-3.1-3.1a2 2 0 0 0-2.8 0L6 21',
  theme: 'M12 21a9 9 0 0 0 0-18v18ZM12 21a9 9 0 0 1 0-18',
  // Of topics (topic-look.ts)
  openBook:
    'M12 5v16M20.001 19A2 2 0 0022 17V5a2 2 0 00-1.999-2L16 3.002A5 5 0 0012 5a5 5 0 00-4-2H4a2 2 0 00-2 2v12a2 2 0 001.999 2H8a5 5 0 014 2 5 5 0 014-2z',
  utensils:
    'M3 2v7c0 1.1.9 2 2 2h4a2 2 0 0 0 2-2V2M7 2v20M21 15V2a5 5 0 0 0-5 5v6c0 1.1.9 2 2 2h3Zm0 0v7',
  landmark:
    'M10 18v-7M11.119 2.205a2 2 0 0 1 1.762 0l7.84 3.846A.5.5 0 0 1 20.5 7h-17a.5.5 0 0 1-.22-.949zM14 18v-7M18 18v-7M3 22h18M6 18v-7',
  trophy:
    'M10 14.66V17a1 1 0 0 1-1 1 2 2 0 0 0-2 2v2M14 14.66V17a1 1 0 0 0 1 1 2 2 0 0 1 2 2v2M17.916 10H19.5A2.5 2.5 0 0 0 22 7.5V5a1 1 0 0 0-1-1h-3M4 22h16M6 9a6 6 0 0 0 12 0V3a1 1 0 0 0-1-1H7a1 1 0 0 0-1 1zM6.084 10H4.5A2.5 2.5 0 0 1 2 7.5V5a1 1 0 0 1 1-1h3',
  leaf: 'M11 20a10 10 0 0010-10 25.9 25.9 0 00-1.04-7.281 1 1 0 00-1.755-.325C15.833 5.5 13 5.5 9.8 6.1A7 7 0 0011 20M2 21a5 5 0 012.911-4.544C7.613 15.212 8.351 15.24 11 13',
  clapperboard:
    'm12.296 3.464 3.02 3.956M20.2 6 3 11l-.9-2.4c-.3-1.1.3-2.2 1.3-2.5l13.5-4c1.1-.3 2.2.3 2.5 1.3zM3 11h18v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM6.18 5.276l3.1 3.899',
  globe:
    'M2 12a10 10 0 1 0 20 0 10 10 0 1 0-20 0M12 2a14.5 14.5 0 0 0 0 20 14.5 14.5 0 0 0 0-20M2 12h20',
  flask:
    'M14 2v6a2 2 0 0 0 .245.96l5.51 10.08A2 2 0 0 1 18 22H6a2 2 0 0 1-1.755-2.96l5.51-10.08A2 2 0 0 0 10 8V2M6.453 15h11.094M8.5 2h7',
  cpu: 'M12 20v2M12 2v2M17 20v2M17 2v2M2 12h2M2 17h2M2 7h2M20 12h2M20 17h2M20 7h2M7 20v2M7 2v2M6 4h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-12a2 2 0 0 1-2-2v-12a2 2 0 0 1 2-2zM9 8h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z',
  music:
    'M21 16V3a1 1 0 0 0-1.28-.96l-10 2.917a1 1 0 0 0-.72.96V19M15 16a3 3 0 1 0 6 0 3 3 0 1 0-6 0M3 19a3 3 0 1 0 6 0 3 3 0 1 0-6 0',
  palette:
    'M12 22a1 1 0 0 1 0-20 10 9 0 0 1 10 9 5 5 0 0 1-5 5h-2.25a1.75 1.75 0 0 0-1.4 2.8l.3.4a1.75 1.75 0 0 1-1.4 2.8zM13 6.5a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M17 10.5a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M6 12.5a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0M8 7.5a.5.5 0 1 0 1 0 .5.5 0 1 0-1 0',
  sigma:
    'M18 7V5a1 1 0 0 0-1-1H6.5a.5.5 0 0 0-.4.8l4.5 6a2 2 0 0 1 0 2.4l-4.5 6a.5.5 0 0 0 .4.8H17a1 1 0 0 0 1-1v-2',
  shapes:
    'M8.3 10a.7.7 0 0 1-.626-1.079L11.4 3a.7.7 0 0 1 1.198-.043L16.3 8.9a.7.7 0 0 1-.572 1.1ZM4 14h5a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1h-5a1 1 0 0 1-1-1v-5a1 1 0 0 1 1-1zM14 17.5a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0',
} as const;

export type IconName = keyof typeof PATHS;

/** What is drawn in a box of 24 × 24, by lines of 2. */
export const iconPath = (name: IconName): string => PATHS[name];

/** Decoration beside a word with the same meaning: hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

const LOOKS = {
  /** The next step of a page: one per page. */
  primary: { class: 'btn' },
  outline: { class: 'btn', 'data-variant': 'outline' },
  small: { class: 'btn', 'data-variant': 'outline', 'data-size': 'sm' },
  ghost: { class: 'btn', 'data-variant': 'ghost' },
} as const;

interface ButtonProps {
  look?: keyof typeof LOOKS;
  /** For screen readers where the text alone does not name the object: `Edit Biology`. */
  label?: string;
  text: string;
}

export function LinkButton({
  href,
  look = 'small',
  icon,
  label,
  text,
  keys,
}: ButtonProps & { href: string; icon?: IconName; keys?: string }) {
  return (
    <a {...LOOKS[look]} href={href} aria-label={label} aria-keyshortcuts={keys}>
      {icon && <Icon name={icon} />}
      {text}
    </a>
  );
}

/** A button that posts: a form of its own, so that it works without a script. */
export function PostButton({
  action,
  fields,
  look = 'small',
  label,
  text,
}: ButtonProps & { action: string; fields?: Record<string, string> }) {
  return (
    <form method="post" action={action}>
      <HiddenFields fields={fields} />
      <button {...LOOKS[look]} aria-label={label}>
        {text}
      </button>
    </form>
  );
}

function HiddenFields({ fields = {} }: { fields?: Record<string, string> }) {
  return Object.entries(fields).map(([name, value]) => (
    <input type="hidden" name={name} value={value} />
  ));
}

/**
 * A destructive action in two steps: the first opens a box that names the object and the effect, the second does it.
 * Without a script the box is a popover; with one it is a modal dialog, which holds the focus (dashboard.js).
 */
export function Confirm({
  label,
  action,
  question,
  effect,
  button = label,
  fields,
  form,
}: {
  /** On the button that opens the box, `Revoke`. */
  label: string;
  action: string;
  /** Names the object: `Revoke “Production”?` */
  question: string;
  /** The effect, and whether it can be undone. */
  effect: string;
  /** On the button that does it, `Revoke key`; the label where it says as much. */
  button?: string;
  fields?: Record<string, string>;
  /** The id of the form that is sent, with the first of the fields as the button's own; default: a form with only the fields. */
  form?: string;
}) {
  const { t } = useMessages();
  const [[name, value] = []] = form ? Object.entries(fields ?? {}) : [];
  const id = `confirm-${useId()}`;
  return (
    <>
      <button type="button" {...LOOKS.small} popovertarget={id} aria-haspopup="dialog">
        {label}
      </button>
      <dialog id={id} popover="auto" class="confirm" aria-label={question}>
        <form method="post" action={action} class="form">
          <strong>{question}</strong>
          <p class="muted">{effect}</p>
          <HiddenFields fields={fields} />
          <div class="buttons">
            <button class="btn" data-variant="destructive" form={form} name={name} value={value}>
              {button}
            </button>
            <button
              type="button"
              {...LOOKS.ghost}
              popovertarget={id}
              popovertargetaction="hide"
              autofocus
            >
              {t('do.cancel')}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

/** Actions behind one button. @param props `group`: of which only one is open */
export function Menu(props: {
  label: string;
  group: string;
  isOpen: boolean;
  children: ComponentChildren;
}) {
  return (
    <details class="menu" name={props.group} open={props.isOpen}>
      <summary class="btn" data-variant="ghost" data-size="sm" aria-label={props.label}>
        <Icon name="more" />
      </summary>
      <div class="buttons">{props.children}</div>
    </details>
  );
}

/** Up and down, one step each: the `direction` of the form. */
export function MoveButtons({
  action,
  name,
  at,
  count,
  id,
}: {
  action: string;
  /** What is moved, for screen readers. */
  name: string;
  /** Its index among so many. */
  at: number;
  count: number;
  /** Of what is moved: the page that follows leads to `#up-{id}`, so the button has the focus again. */
  id?: string;
}) {
  const { t } = useMessages();
  const move = (by: 'up' | 'down', title: string, disabled: boolean) => (
    <button
      {...LOOKS.small}
      id={id && `${by}-${id}`}
      name="by"
      value={by}
      disabled={disabled}
      aria-label={t(by === 'up' ? 'do.moveUp' : 'do.moveDown', { name })}
      title={title}
    >
      <Icon name={by} />
    </button>
  );
  return (
    <form method="post" action={action} class="moves">
      {move('up', t('do.up'), at === 0)}
      {move('down', t('do.down'), at === count - 1)}
    </form>
  );
}

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

/**
 * Copies a text. It appears only if a script can copy. An update of the page (`reloading`) does not change what the
 * button says: a click is answered there for two seconds.
 */
export function CopyButton({ text, variant }: { text: string; variant: 'ghost' | 'outline' }) {
  const { t } = useMessages();
  return (
    <button
      type="button"
      class="btn"
      data-variant={variant}
      data-size="sm"
      data-copy={text}
      data-copied={t('copy.copied')}
      data-failed={t('copy.select')}
      hx-morph-skip-children
      hidden
    >
      <Icon name="copy" />
      <span aria-live="polite">{t('copy.copy')}</span>
    </button>
  );
}
