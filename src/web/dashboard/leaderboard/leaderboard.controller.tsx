import { Get, Post } from '@nestjs/common';
import type { Messages } from '../../../platform/messages/messages';
import { shownName } from '../../../play/attempts/visitor.rules';
import { type Board, LeaderboardService } from '../../../play/leaderboard/leaderboard.service';
import { Confirm, PostButton } from '../../components/button';
import { Clip, Time } from '../../components/format';
import { Page } from '../../components/page';
import { Section } from '../../components/section';
import { type Column, EmptyState, Table } from '../../components/table';
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
  async show(@Asked() { viewer, id, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const { quiz, isOwn, top, hidden } = await this.leaderboard.board(viewer, id);
    const at = urlOf(id);
    const back = isOwn ? `/dashboard/quizzes/${quiz.id}` : `/dashboard/admin/review/${quiz.id}`;
    return (
      <Page
        title={t('leaderboard.title')}
        help={t('board.help')}
        back={{ href: back, label: quiz.title }}
      >
        <Table
          label={t('board.best')}
          rows={top}
          columns={[
            [t('leaderboard.rank'), (player) => top.indexOf(player) + 1],
            ...columnsOf(messages),
          ]}
          actions={({ attemptId, player }) => (
            <div>
              <Confirm
                label={t('do.remove')}
                action={`${at}/remove`}
                fields={{ attempt: attemptId }}
                question={t('board.removeIt', { name: shownName(player) })}
                effect={t('board.removeEffect')}
                button={t('board.removeButton')}
              />
            </div>
          )}
          empty={<EmptyState title={t('board.none')} text={t('board.noneText')} />}
        />
        {hidden.length > 0 && (
          <Section title={t('board.removed')} help={t('board.removedHelp')}>
            <Table
              label={t('board.removedPlayers')}
              rows={hidden}
              columns={[...columnsOf(messages)]}
              actions={({ attemptId, player }) => (
                <PostButton
                  action={`${at}/restore`}
                  fields={{ attempt: attemptId }}
                  label={t('board.putBackIt', { name: shownName(player) })}
                  text={t('board.putBack')}
                />
              )}
            />
          </Section>
        )}
      </Page>
    );
  }

  @Post('remove')
  async remove(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.leaderboard.hide(viewer, id, form.text('attempt'), true);
    return redirect(urlOf(id), t('board.wasRemoved'));
  }

  @Post('restore')
  async restore(@Asked() { viewer, id, form, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.leaderboard.hide(viewer, id, form.text('attempt'), false);
    return redirect(urlOf(id), t('board.isBack'));
  }
}

type Entry = Board['top'][number];

const columnsOf = (messages: Messages): Column<Entry>[] => [
  [
    messages.t('leaderboard.player'),
    ({ player }) => {
      const name = shownName(player);
      return (
        <div>
          <Clip text={name} />
          {player !== name && (
            <span class="sub mono clip">{player.slice(0, -name.length - 1)}</span>
          )}
        </div>
      );
    },
  ],
  [messages.t('leaderboard.correct'), ({ score }) => score],
  [
    messages.t('leaderboard.time'),
    {
      number: ({ timeSpent }) => duration(timeSpent, messages),
    },
  ],
  [messages.t('board.reached'), ({ reachedAt }) => <Time at={reachedAt} />],
];
