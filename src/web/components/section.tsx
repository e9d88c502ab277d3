import type { ComponentChildren } from 'preact';
import { useMessages } from '../http/page-context';
import { Icon } from './button';
import type { TopicLook } from './topic-look';

interface SectionProps {
  title?: string;
  /** One line below the title. */
  help?: ComponentChildren;
  /** Its name for screen readers, if that helps. */
  label?: string;
  id?: string;
  class?: string;
  /** The URL that the browser shows instead of the form's, so that a reload does not post again. */
  address?: string;
  children?: ComponentChildren;
}

/** A part of a page, below its own title. */
export function Section({ title, help, label, class: look = 'section', ...rest }: SectionProps) {
  return (
    <section class={look} id={rest.id} aria-label={label} data-address={rest.address}>
      {title && <h2>{title}</h2>}
      {help && <p>{help}</p>}
      {rest.children}
    </section>
  );
}

export function Panel({ class: more = '', ...rest }: SectionProps) {
  return <Section {...rest} class={`panel ${more}`.trim()} />;
}

export type Fact = [title: string, value: ComponentChildren];

/** The properties of one object: a line for each; `null` as the value leaves its line out. */
export function Facts({ rows }: { rows: readonly Fact[] }) {
  return (
    <dl class="facts">
      {rows.map(
        ([title, value]) =>
          value !== null && (
            <>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </>
          ),
      )}
    </dl>
  );
}

interface TileProps {
  title: string;
  text: string;
  /** Where the whole tile leads to. */
  href?: string;
  /** Of a topic. */
  look?: TopicLook;
}

/** An item of a list `tiles`. */
export function Tile({ title, text, href, look }: TileProps) {
  const name = <bdi>{title}</bdi>;
  return (
    <li>
      {look && (
        <span class="badge" data-hue={look.hue}>
          <Icon name={look.icon} />
        </span>
      )}
      <div>
        <strong>{href ? <a href={href}>{name}</a> : name}</strong>
        <small>{text}</small>
      </div>
    </li>
  );
}

export type Figure = [title: ComponentChildren, value: number];

/** Numbers, each below its title. */
export function Figures({ rows }: { rows: Figure[] }) {
  const { number } = useMessages();
  return (
    <dl class="figures">
      {rows.map(([title, value]) => (
        <div>
          <dt>{title}</dt>
          <dd>{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The meaning of a state for the reader: good, in progress, bad, or neutral. */
export type BadgeVariant = 'good' | 'busy' | 'bad' | 'neutral';

/** A state as a coloured word: the word alone is enough. */
export function Badge({ variant, children }: { variant: BadgeVariant; children: string }) {
  return (
    <span class="status-badge" data-variant={variant}>
      {children}
    </span>
  );
}

/** Something to know before the rest of the page, with what can be done about it. */
export function Note({
  variant,
  title,
  children,
}: {
  variant: BadgeVariant;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <section class="note" data-variant={variant} aria-label={title}>
      <Icon name="warning" />
      <div>
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  );
}
