import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { ComponentChildren } from 'preact';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { LIMITS } from '../../../platform/limits/limits';
import { LONGEST_NAME } from '../../../play/attempts/visitor.rules';
import type { UnlistedLink } from '../../../play/links/quiz-links.dto';
import { inLanguage } from '../../components/author-text';
import { Confirm, CopyText, LinkButton } from '../../components/button';
import { Document } from '../../components/document';
import { PostForm, TextInput } from '../../components/fields';
import { fullTime, Link, Time } from '../../components/format';
import { Panel, Section } from '../../components/section';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { embedCode } from '../../player/place';

const { value: MOST_NAMES } = LIMITS.content.namesPerLink;

/** How a public quiz is shown in the pages of other sites. @param origins that may show it in a frame */
export function EmbedSection({
  quiz,
  origins,
  form,
  at,
}: {
  quiz: OwnedQuiz;
  origins: readonly string[];
  form: Form;
  at: string;
}) {
  const { baseUrl } = usePage();
  const code = embedCode(baseUrl, quiz);
  return (
    <Section title="Embed">
      <p>
        Paste these lines into any web page. The element sends events and takes your colours:{' '}
        <Link to="/docs/guides/embedding">Embedding</Link>.
      </p>
      <CopyText text={code.element} label="Element" />
      <p class="after">Where scripts are not allowed, use a frame:</p>
      <CopyText text={code.frame} label="Frame" />
      <PostForm form={form} action={`${at}/embed`} class="form after">
        <TextInput
          name="origins"
          rows={2}
          label="Websites that may use frames"
          initial={origins.join('\n')}
          placeholder="https://www.example.com"
          help="For all your quizzes, one origin per line. * is any website; empty is none."
        />
        <div class="buttons">
          <button class="btn" data-variant="outline">
            Save
          </button>
        </div>
      </PostForm>
    </Section>
  );
}

/** One unlisted link: its address, and whether it is still open. */
export function SharedLink({
  link,
  at,
  isAllowed,
}: {
  link: UnlistedLink;
  at: string;
  isAllowed: boolean;
}) {
  const { now } = usePage();
  const { closesAt, name, code } = link;
  const isClosed = closesAt !== null && closesAt <= now;
  return (
    <Panel class="after" title={name ?? undefined}>
      <Shared path={link.path} label="Unlisted link">
        <p class="muted">
          {code && (
            <>
              Code <strong class="mono">{code}</strong>.{' '}
            </>
          )}
          Created <Time at={link.createdAt} />.{' '}
          {closesAt ? (
            <>
              {isClosed ? 'Closed' : 'Closes'} <Time at={closesAt} />:{' '}
              <time dateTime={closesAt.toISOString()} data-local-time>
                {fullTime(closesAt)}
              </time>
              .
            </>
          ) : (
            'Open until you revoke it.'
          )}
          {link.timeFactor > 1 && ` Players have ${link.timeFactor} times the time limit.`}
        </p>
        {link.names.length > 0 && (
          <p>
            <Link to={`${at}/results`}>{handedIn(link)}</Link>
          </p>
        )}
        <div class="buttons">
          {isAllowed && !isClosed && (
            <>
              <LinkButton href={`${at}/share/big?link=${link.id}`} text="Show big" />
              <LinkButton href={link.path} text="Open" />
            </>
          )}
          <LinkButton href={`${at}/links/${link.id}/edit`} text="Edit" />
          <Confirm
            label="Revoke"
            action={`${at}/links/${link.id}/revoke`}
            question="Revoke this link?"
            effect="Nobody can start the quiz by it any more. People who have started can finish. This cannot be undone."
            button="Revoke link"
          />
        </div>
      </Shared>
    </Panel>
  );
}

const handedIn = ({ names, notHandedIn }: UnlistedLink) =>
  `Handed in: ${names.length - notHandedIn.length} of ${names.length}`;

/** How many of a link's list of names have handed in, and who has not; nothing without such a list. */
export function HandedIn({ link }: { link: UnlistedLink }) {
  const { name, names, notHandedIn } = link;
  if (names.length === 0) return null;
  return (
    <p>
      {name && (
        <>
          <bdi>{name}</bdi>.{' '}
        </>
      )}
      {handedIn(link)}.
      {notHandedIn.length > 0 && (
        <>
          {' '}
          Not handed in: <bdi>{notHandedIn.join(', ')}</bdi>
        </>
      )}
    </p>
  );
}

/** What a link's owner says about it. The script of the page reads and shows the time in the browser's time zone. */
export function LinkFieldsOf({ link }: { link?: UnlistedLink }) {
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        initial={link?.name ?? ''}
        maxLength={100}
        placeholder="Class 7b"
        help="Optional. Your players do not see it."
      />
      <TextInput
        name="closesAt"
        type="datetime-local"
        label="Closes at (UTC)"
        initial={link?.closesAt?.toISOString().slice(0, 16) ?? ''}
        help="Optional. Nobody can start the quiz from then on; people who have started can finish."
      />
      <TextInput
        name="timeFactor"
        inputMode="decimal"
        label="Time factor"
        initial={link && link.timeFactor > 1 ? String(link.timeFactor) : ''}
        placeholder="1"
        help="Optional. For people who need more time: with 1.5 they have one and a half times the time limit of the quiz. From 1 to 4."
      />
      <TextInput
        name="names"
        rows={4}
        label="Names of players"
        initial={link?.names.join('\n') ?? ''}
        placeholder="One name per line"
        help={`Optional, one a line: a class list, for example. The results then say who has not handed in. Your players do not see it. At most ${MOST_NAMES} names of ${LONGEST_NAME} characters.`}
      />
    </>
  );
}

/** The QR code and the short code of a quiz, as large as the screen. */
export function BigCode({
  title,
  language,
  path,
  code,
  back,
}: {
  title: string;
  language: string | null;
  path: string;
  code: string;
  back: string;
}) {
  const { baseUrl } = usePage();
  const url = baseUrl + path;
  return (
    <Document title={`Play “${title}”`} class="big-code">
      <nav class="buttons" aria-label="Page">
        <LinkButton href={back} text="Back" />
        <button class="btn" data-variant="outline" data-size="sm" data-full-screen hidden>
          Full screen
        </button>
      </nav>
      <main>
        <h1 {...inLanguage(language)}>{title}</h1>
        <QrCode text={url} label={`QR code of ${url}`} />
        <p>
          Or open <strong>{`${baseUrl.replace(/^https?:\/\//, '')}/play`}</strong> and type
        </p>
        {/* Spelled out for screen readers. */}
        <p class="code-letters" role="img" aria-label={`The code ${[...code].join(' ')}`}>
          {code}
        </p>
      </main>
    </Document>
  );
}

/** An address to copy, with its QR code. */
export function Shared(props: { path: string; label: string; children?: ComponentChildren }) {
  const { baseUrl } = usePage();
  const url = baseUrl + props.path;
  return (
    <div class="shared">
      <QrCode text={url} label={`QR code of ${url}`} />
      <div>
        <CopyText text={url} label={props.label} />
        {props.children}
      </div>
    </div>
  );
}

function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text);
  // Scanners need a light margin of four modules, in the dark theme too.
  const box = `-4 -4 ${code.size + 8} ${code.size + 8}`;
  return (
    <svg class="qr" viewBox={box} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect x="-4" y="-4" width="100%" height="100%" fill="#fff" />
      <path d={toSvgPath(code)} fill="#000" />
    </svg>
  );
}
