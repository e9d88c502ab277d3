import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { CopyText } from '../../components/copy';
import { Page } from '../../components/page';
import { Time } from '../../components/time';
import { usePage } from '../../http/page-context';
import { BACK_TO_KEYS } from './key-form.page';

/** The only page on which a key stands in clear. */
export function IssuedKeyPage({
  stored,
  secret,
  old,
}: {
  stored: ApiKey;
  secret: string;
  /** The key that it replaces. */
  old?: ApiKey;
}) {
  const { baseUrl } = usePage();
  return (
    <Page
      title={`Your new key “${stored.name}”`}
      help="Copy it now: this is the only time that it is shown."
      back={BACK_TO_KEYS}
    >
      <section class="panel" data-address="/dashboard/keys">
        <h2>The key</h2>
        <p>
          Keep it like a password.{' '}
          {stored.expiresAt && (
            <>
              It expires <Time at={stored.expiresAt} />.
            </>
          )}
        </p>
        <CopyText text={secret} label="The key" />
      </section>
      <section class="panel">
        <h2>Try it</h2>
        <p>The newest quizzes that you may see.</p>
        <CopyText
          text={`curl -s -H "Authorization: Bearer ${secret}" "${baseUrl}/api/v1/quizzes?sort=newest&limit=3"`}
          label="Command"
        />
      </section>
      {old && (
        <p class="section muted">
          The old key{' '}
          <span class="mono">
            {old.prefix}…{old.lastFour}
          </span>{' '}
          {old.revokedAt ? (
            'is revoked.'
          ) : (
            <>
              stops working <Time at={old.expiresAt} />.
            </>
          )}
        </p>
      )}
      <p class="section">
        <a class="btn" data-variant="outline" href="/dashboard/keys">
          I have copied it
        </a>
      </p>
    </Page>
  );
}
