import type { LeaderboardRow } from '../../play/visitors/visitor-play.service';
import { duration } from './player.rules';

/** The ten best. */
export function LeaderboardTable({ top }: { top: readonly LeaderboardRow[] }) {
  return (
    <section class="standings" aria-labelledby="standings">
      <h2 id="standings">Leaderboard</h2>
      {top.length === 0 ? (
        <p class="muted">Nobody has played this quiz yet. Be the first.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="sr-only">Rank</span>
              </th>
              <th scope="col">Player</th>
              <th scope="col">Right</th>
              <th scope="col">Time</th>
            </tr>
          </thead>
          <tbody>
            {top.map(({ rank, name, score, timeSpent, mine }) => (
              <tr key={rank} data-mine={mine ? '' : undefined}>
                <td>{rank}</td>
                <td>
                  <bdi>{name}</bdi>
                  {mine && <span class="you">you</span>}
                </td>
                <td>{score}</td>
                <td>{duration(timeSpent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
