import type { ComponentChildren } from 'preact';
import { useMessages } from '../http/page-context';
import { LONGEST_SEARCH } from './fields';
import { filtering } from './page';

/** The search of a list, with its other filters as children. */
export function ListSearch(props: {
  /** The path of the list. */
  at: string;
  text: string;
  label: string;
  /** The id of the list that a script updates while somebody types; without a script, Enter submits. */
  updates?: string;
  children?: ComponentChildren;
}) {
  const { t } = useMessages();
  const { at, text, label, updates, children } = props;
  return (
    <form class="toolbar" role="search" method="get" action={at}>
      <input
        class="input"
        type="search"
        name="q"
        value={text}
        maxLength={LONGEST_SEARCH}
        placeholder={label}
        aria-label={label}
        {...(updates && {
          ...filtering(updates, at, 'input changed delay:250ms', t('list.filterFailed')),
          'hx-replace-url': 'true',
          'hx-include': 'closest form',
        })}
      />
      {children}
      <button class="btn" data-variant="outline">
        {t('catalogue.search')}
      </button>
    </form>
  );
}
