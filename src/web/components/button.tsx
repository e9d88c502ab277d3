import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icon';

const LOOKS = {
  /** The next step of a page: one per page. */
  primary: { class: 'btn' },
  outline: { class: 'btn', 'data-variant': 'outline' },
  small: { class: 'btn', 'data-variant': 'outline', 'data-size': 'sm' },
  ghost: { class: 'btn', 'data-variant': 'ghost' },
} as const;

interface ButtonProps {
  look?: keyof typeof LOOKS;
  icon?: IconName;
  /** For screen readers where the text alone does not name the object: `Edit Biology`. */
  label?: string;
  text: string;
}

export function LinkButton(of: ButtonProps & { href: string; keys?: string }) {
  const { href, look = 'small', icon, label, text, keys } = of;
  return (
    <a {...LOOKS[look]} href={href} aria-label={label} aria-keyshortcuts={keys}>
      {icon && <Icon name={icon} />}
      {text}
    </a>
  );
}

/** A button that posts: a form of its own, so that it works without a script. */
export function PostButton(of: ButtonProps & { action: string; fields?: Record<string, string> }) {
  const { action, fields, look = 'small', label, text } = of;
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
export function Confirm(of: {
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
  /** The id of the form that is sent, with the fields as the button's own; default: a form with only the fields. */
  form?: string;
}) {
  const { label, action, question, effect, button = label, fields, form } = of;
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
              Cancel
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}

/** Up and down, one step each: the `direction` of the form. */
export function MoveButtons(of: {
  action: string;
  /** What is moved, for screen readers. */
  name: string;
  /** Its index among so many. */
  at: number;
  count: number;
  /** Of what is moved: the page that follows leads to `#up-{id}`, so the button has the focus again. */
  id?: string;
}) {
  const { action, name, at, count, id } = of;
  const move = (by: 'up' | 'down', title: string, disabled: boolean) => (
    <button
      {...LOOKS.small}
      id={id && `${by}-${id}`}
      name="by"
      value={by}
      disabled={disabled}
      aria-label={`Move ${name} ${by}`}
      title={title}
    >
      <Icon name={by} />
    </button>
  );
  return (
    <form method="post" action={action} class="moves">
      {move('up', 'Up', at === 0)}
      {move('down', 'Down', at === count - 1)}
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

/** Copies a text. It appears only if a script can copy. */
export function CopyButton({ text, variant }: { text: string; variant: 'ghost' | 'outline' }) {
  return (
    <button type="button" class="btn" data-variant={variant} data-size="sm" data-copy={text} hidden>
      <Icon name="copy" />
      <span aria-live="polite">Copy</span>
    </button>
  );
}
