import { Note } from '../../components/note';
import { usePage } from '../../http/page-context';

/** Says so where nobody delivers; nothing while all is well. */
export function WorkerNote({ delivering }: { delivering: boolean }) {
  const { viewer } = usePage();
  if (delivering) return null;
  return (
    <Note variant="busy" title="Nothing is being delivered at the moment">
      <p>
        No webhook worker is running. Events are kept, and are sent as soon as one runs.
        {viewer?.isAdmin && (
          <>
            {' '}
            <code>npm run start:worker</code> starts one.
          </>
        )}
      </p>
    </Note>
  );
}
