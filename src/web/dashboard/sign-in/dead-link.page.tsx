import { translated } from '../../../platform/messages/refusals';
import { LinkButton } from '../../components/button';
import { Plain } from '../../components/document';
import { useMessages } from '../../http/page-context';

/** A one-time link that no longer works. */
export function DeadLink(props: { said: string; href: string; next: string }) {
  const messages = useMessages();
  return (
    <Plain title={messages.t('password.deadLink')}>
      <p>{translated(props.said, messages)}</p>
      <p>
        <LinkButton look="outline" href={props.href} text={props.next} />
      </p>
    </Plain>
  );
}
