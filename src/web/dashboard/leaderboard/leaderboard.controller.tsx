import { Get, Post } from '@nestjs/common';
import { shownName } from '../../../play/attempts/visitor.rules';
import { type Board, LeaderboardService } from '../../../play/leaderboard/leaderboard.service';
import { Confirm, PostButton } from '../../components/button';
import { Clip, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Section } from '../../components/section';
import { EmptyState, Table } from '../../components/table';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { duration } from '../../player/player.rules';

const urlOf = (quizId: string) => `/dashboard/quizzes/${quizId}/leaderboard`;

/** For the quiz's owner, and for administrators. */
@SignedInPages('quizzes/:id/leaderboard')
export class LeaderboardPagesController {
  constructor(private readonly leaderboard: LeaderboardService) {}

  /** The top players of a quiz as everybody sees them, and the removed players. */
  @Get()
  async show(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    const { quiz, isOwn, top, hidden } = await this.leaderboard.board(viewer, id);
    const at = urlOf(id);
    const back = isOwn ? `/dashboard/quizzes/${quiz.id}` : `/dashboard/admin/review/${quiz.id}`;
    return (
      <Page
        title="Leaderboard"
        help="The ten best. Players choose their own names. Remove any that are offensive."
        back={{ href: back, label: quiz.title }}
      >
        <Table
          label="The ten best"
          rows={top}
          columns={{
            Rank: (player) => top.indexOf(player) + 1,
            ...COLUMNS,
            Actions: ({ attemptId, player }) => (
              <div>
                <Confirm
                  label="Remove"
                  action={`${at}/remove`}
                  fields={{ attempt: attemptId }}
                  question={`Remove “${shownName(player)}”?`}
                  effect="This player leaves the leaderboard, with all attempts, those to come too. Plays and scores stay. You can put them back."
                  button="Remove player"
                />
              </div>
            ),
          }}
          empty={<EmptyState title="No scores yet" text="The best ten will appear here." />}
        />
        {hidden.length > 0 && (
          <Section title="Removed" help="They stay off the leaderboard, whatever their score.">
            <Table
              label="Removed players"
              rows={hidden}
              columns={{
                ...COLUMNS,
                Actions: ({ attemptId, player }) => (
                  <PostButton
                    action={`${at}/restore`}
                    fields={{ attempt: attemptId }}
                    label={`Put back “${shownName(player)}”`}
                    text="Put back"
                  />
                ),
              }}
            />
          </Section>
        )}
      </Page>
    );
  }

  @Post('remove')
  async remove(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    await this.leaderboard.hide(viewer, id, form.text('attempt'), true);
    return redirect(urlOf(id), 'The player was removed from the leaderboard.');
  }

  @Post('restore')
  async restore(@Asked() { viewer, id, form }: PageRequest): Promise<PageResult> {
    await this.leaderboard.hide(viewer, id, form.text('attempt'), false);
    return redirect(urlOf(id), 'The player is back on the leaderboard.');
  }
}

type Entry = Board['top'][number];

const COLUMNS = {
  Player: ({ player }: Entry) => {
    const name = shownName(player);
    return (
      <div>
        <Clip text={name} />
        {player !== name && <span class="sub mono clip">{player.slice(0, -name.length - 1)}</span>}
      </div>
    );
  },
  Correct: ({ score }: Entry) => score,
  Time: { number: ({ timeSpent }: Entry) => duration(timeSpent) },
  Reached: ({ reachedAt }: Entry) => <Time at={reachedAt} />,
};
