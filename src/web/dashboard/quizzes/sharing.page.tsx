import { generate } from 'lean-qr';
import { toSvgPath } from 'lean-qr/extras/svg';
import type { ComponentChildren } from 'preact';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import type { UnlistedLink } from '../../../play/links/quiz-links.dto';
import { Confirm, CopyText } from '../../components/button';
import { PostForm, TextInput } from '../../components/fields';
import { fullTime, Link, Time } from '../../components/format';
import { Panel, Section } from '../../components/section';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { embedCode } from '../../player/place';

/** How a public quiz is shown in the pages of other sites. @param origins that may show it in a frame */
export function EmbedSection(of: {
  quiz: OwnedQuiz;
  origins: readonly string[];
  form: Form;
  at: string;
}) {
  const { quiz, origins, form, at } = of;
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
export function SharedLink(of: { link: UnlistedLink; at: string; isAllowed: boolean }) {
  const { link, at, isAllowed } = of;
  const { now } = usePage();
  const { closesAt } = link;
  const isClosed = closesAt !== null && closesAt <= now;
  return (
    <Panel class="after">
      <Shared path={link.path} label="Unlisted link">
        <p class="muted">
          Created <Time at={link.createdAt} />.{' '}
          {closesAt ? (
            <>
              {isClosed ? 'Closed' : 'Closes'} <Time at={closesAt} />, at{' '}
              <time dateTime={closesAt.toISOString()} data-local-time>
                {fullTime(closesAt)}
              </time>
              .
            </>
          ) : (
            'Open until you revoke it.'
          )}
        </p>
        <div class="buttons">
          {isAllowed && !isClosed && <Link to={link.path}>Open</Link>}
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

/** An address to copy, with its QR code. */
export function Shared(of: { path: string; label: string; children?: ComponentChildren }) {
  const { baseUrl } = usePage();
  const url = baseUrl + of.path;
  return (
    <div class="shared">
      <QrCode text={url} label={`QR code of ${url}`} />
      <div>
        <CopyText text={url} label={of.label} />
        {of.children}
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
