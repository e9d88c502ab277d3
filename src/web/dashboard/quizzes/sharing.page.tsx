import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { ComponentChildren } from 'preact';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { LIMITS } from '../../../platform/limits/limits';
import type { Messages } from '../../../platform/messages/messages';
import { TIME_FACTOR } from '../../../play/attempts/attempt.rules';
import type { UnlistedLink } from '../../../play/links/quiz-links.dto';
import { inLanguage } from '../../components/author-text';
import { Confirm, CopyText, LinkButton } from '../../components/button';
import { Document } from '../../components/document';
import { TextInput } from '../../components/fields';
import { fullTime, Link, Names, Time } from '../../components/format';
import { Panel, Section } from '../../components/section';
import { useMessages, usePage } from '../../http/page-context';
import { embedCode } from '../../player/place';

const { value: MOST_NAMES } = LIMITS.content.namesPerLink;

/** How a public quiz is shown in the pages of other sites. @param origins that may show it in a frame */
export function EmbedSection({
  quiz,
  origins,
  at,
}: {
  quiz: OwnedQuiz;
  origins: readonly string[];
  at: string;
}) {
  const { rich, t } = useMessages();
  const { baseUrl } = usePage();
  const code = embedCode(baseUrl, quiz);
  return (
    <Section title={t('embed.title')}>
      <p>
        {rich('embed.help', {
          link: (text) => <Link to="/docs/guides/embedding">{text}</Link>,
        })}
      </p>
      <CopyText text={code.element} label={t('embed.element')} />
      <p class="after">{t('embed.noScripts')}</p>
      <CopyText text={code.frame} label={t('embed.frame')} />
      <form method="post" action={`${at}/embed`} class="form after">
        <TextInput
          name="origins"
          rows={2}
          label={t('embed.origins')}
          initial={origins.join('\n')}
          placeholder="https://www.example.com"
          help={t('embed.originsHelp')}
        />
        <div class="buttons">
          <button class="btn" data-variant="outline">
            {t('do.save')}
          </button>
        </div>
      </form>
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
  const messages = useMessages();
  const { rich, t } = messages;
  const { now } = usePage();
  const { closesAt, name, code } = link;
  const isClosed = closesAt !== null && closesAt <= now;
  return (
    <Panel class="after" title={name ?? undefined}>
      <Shared path={link.path} label={t('share.link')}>
        <p class="muted">
          {code && <>{rich('link.code', { code: <strong class="mono">{code}</strong> })} </>}
          {rich('link.created', { time: <Time at={link.createdAt} /> })}{' '}
          {closesAt
            ? rich(isClosed ? 'link.closed' : 'link.closes', {
                time: <Time at={closesAt} />,
                exact: (
                  <time dateTime={closesAt.toISOString()} data-local-time>
                    {fullTime(closesAt)}
                  </time>
                ),
              })
            : t('link.open')}
          {link.timeFactor > 1 && ` ${t('link.factor', { factor: link.timeFactor })}`}
        </p>
        {link.names.length > 0 && (
          <p>
            <Link to={`${at}/results`}>{handedIn(link, messages)}</Link>
          </p>
        )}
        <div class="buttons">
          {isAllowed && !isClosed && (
            <>
              <LinkButton href={`${at}/share/big?link=${link.id}`} text={t('share.big')} />
              <LinkButton href={link.path} text={t('catalogue.open')} />
            </>
          )}
          <LinkButton href={`${at}/links/${link.id}/edit`} text={t('do.edit')} />
          <Confirm
            label={t('link.revoke')}
            action={`${at}/links/${link.id}/revoke`}
            question={t('link.revokeIt')}
            effect={t('link.revokeEffect')}
            button={t('link.revokeButton')}
          />
        </div>
      </Shared>
    </Panel>
  );
}

const handedIn = ({ names, notHandedIn }: UnlistedLink, { t }: Messages) =>
  t('link.handedIn', { done: names.length - notHandedIn.length, total: names.length });

/** How many of a link's list of names have handed in, and who has not; nothing without such a list. */
export function HandedIn({ link }: { link: UnlistedLink }) {
  const messages = useMessages();
  const { t } = messages;
  const { name, names, notHandedIn } = link;
  if (names.length === 0) return null;
  return (
    <p>
      {name && (
        <>
          <bdi>{name}</bdi>.{' '}
        </>
      )}
      {handedIn(link, messages)}.
      {notHandedIn.length > 0 && (
        <>
          {' '}
          {t('link.notHandedIn')} <Names of={notHandedIn} />
        </>
      )}
    </p>
  );
}

/** A closing time as its field shows it: in UTC, without seconds. */
export const closingMinute = (closesAt: Date | null | undefined): string =>
  closesAt?.toISOString().slice(0, 16) ?? '';

/** What a link's owner says about it. The script of the page reads and shows the time in the browser's time zone. */
export function LinkFieldsOf({ link }: { link?: UnlistedLink }) {
  const { t } = useMessages();
  return (
    <>
      <TextInput
        name="name"
        label={t('field.name')}
        initial={link?.name ?? ''}
        maxLength={LIMITS.content.linkName.value}
        placeholder={t('link.namePlaceholder')}
        help={t('link.nameHelp')}
      />
      <TextInput
        name="closesAt"
        type="datetime-local"
        label={t('link.closesAt')}
        initial={closingMinute(link?.closesAt)}
        help={t('link.closesHelp')}
      />
      <TextInput
        name="timeFactor"
        inputMode="decimal"
        label={t('link.timeFactor')}
        initial={link && link.timeFactor > 1 ? String(link.timeFactor) : ''}
        placeholder="1"
        help={t('link.timeFactorHelp', { least: TIME_FACTOR.minimum, most: TIME_FACTOR.maximum })}
      />
      <TextInput
        name="names"
        rows={4}
        label={t('link.names')}
        initial={link?.names.join('\n') ?? ''}
        placeholder={t('link.onePerLine')}
        help={t('link.namesHelp', { most: MOST_NAMES, longest: LIMITS.content.visitorName.value })}
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
  const { rich, t } = useMessages();
  const { baseUrl } = usePage();
  const url = baseUrl + path;
  return (
    <Document title={t('link.playTitle', { title })} class="big-code">
      <nav class="buttons" aria-label={t('share.page')}>
        <LinkButton href={back} text={t('do.back')} />
        <button class="btn" data-variant="outline" data-size="sm" data-full-screen hidden>
          {t('share.fullScreen')}
        </button>
      </nav>
      <main>
        <h1 {...inLanguage(language)}>{title}</h1>
        <QrCode text={url} label={t('link.qr', { url })} />
        <p>
          {rich('link.orOpen', {
            address: `${baseUrl.replace(/^https?:\/\//, '')}/play`,
            strong: (text) => <strong>{text}</strong>,
          })}
        </p>
        {/* Spelled out for screen readers. */}
        <p
          class="code-letters"
          role="img"
          aria-label={t('link.codeSpelled', { letters: [...code].join(' ') })}
        >
          {code}
        </p>
      </main>
    </Document>
  );
}

/** An address to copy, with its QR code. */
export function Shared(props: { path: string; label: string; children?: ComponentChildren }) {
  const { t } = useMessages();
  const { baseUrl } = usePage();
  const url = baseUrl + props.path;
  return (
    <div class="shared">
      <QrCode text={url} label={t('link.qr', { url })} />
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
