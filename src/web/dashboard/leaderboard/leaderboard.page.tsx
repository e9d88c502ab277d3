import type {
  Board,
  LeaderboardPlayer,
} from '../../../play/leaderboard/leaderboard-moderation.service';
import { Confirm } from '../../components/confirm';
import { EmptyState, Table, type Column } from '../../components/table';
import { Page } from '../../components/page';
import { Time } from '../../components/format';
import { duration } from '../../player/player.rules';

/** The best of a quiz as everybody sees them, and who was taken off. */
export function LeaderboardPage({ quiz, isOwn, top, hidden }: Board) {
  const at = `/dashboard/quizzes/${quiz.id}/leaderboard`;
  const back = isOwn ? `/dashboard/quizzes/${quiz.id}` : `/dashboard/admin/review/${quiz.id}`;
  return (
    <Page
      title="Leaderboard"
      help="The ten best. Players choose their own names. Remove any that are offensive."
      back={{ href: back, label: quiz.title }}
    >
      {top.length === 0 ? (
        <EmptyState title="No scores yet">
          <p>Who submits an attempt at this quiz comes here.</p>
        </EmptyState>
      ) : (
        <Table
          label="The ten best"
          rows={top}
          rowKey={({ attemptId }) => attemptId}
          columns={[
            {
              title: 'Rank',
              kind: 'number',
              cell: (player) => top.indexOf(player) + 1,
            },
            ...COLUMNS,
            {
              title: 'Actions',
              kind: 'actions',
              cell: ({ attemptId, name }) => (
                <div>
                  <Confirm
                    label="Remove"
                    action={`${at}/remove`}
                    question={`Remove “${name}”?`}
                    effect="This player leaves the leaderboard, with all attempts, those to come too. Plays and scores stay. You can put them back."
                    button="Remove player"
                  >
                    <input type="hidden" name="attempt" value={attemptId} />
                  </Confirm>
                </div>
              ),
            },
          ]}
        />
      )}
      {hidden.length > 0 && (
        <section class="section">
          <h2>Removed</h2>
          <p>Nobody sees them, however well they play.</p>
          <Table
            label="Removed players"
            rows={hidden}
            rowKey={({ attemptId }) => attemptId}
            columns={[
              ...COLUMNS,
              {
                title: 'Actions',
                kind: 'actions',
                cell: ({ attemptId, name }) => (
                  <form method="post" action={`${at}/restore`}>
                    <input type="hidden" name="attempt" value={attemptId} />
                    <button
                      class="btn"
                      data-variant="outline"
                      data-size="sm"
                      aria-label={`Put back “${name}”`}
                    >
                      Put back
                    </button>
                  </form>
                ),
              },
            ]}
          />
        </section>
      )}
    </Page>
  );
}

const COLUMNS: Column<LeaderboardPlayer>[] = [
  {
    title: 'Player',
    cell: ({ name, player }) => (
      <div>
        <bdi class="clip" title={name}>
          {name}
        </bdi>
        {player !== name && <span class="sub mono clip">{player.slice(0, -name.length - 1)}</span>}
      </div>
    ),
  },
  { title: 'Right', kind: 'number', cell: ({ score }) => score.toLocaleString('en') },
  { title: 'Time', kind: 'number', cell: ({ timeSpent }) => duration(timeSpent) },
  { title: 'Reached', cell: ({ reachedAt }) => <Time at={reachedAt} /> },
];
