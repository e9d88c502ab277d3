import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
} from '@nestjs/common';
import {
  ChecksPath,
  CurrentCaller,
  KeyScope,
  NeedsKey,
  type Caller,
} from '../access/api-keys/api-key.guard';
import { NOT_OWNER, QUIZ_ID, QUIZ_NOT_FOUND } from '../catalog/quizzes/quizzes.dto';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { LIMITS } from '../platform/limits/limits';
import { Endpoints, PathId, Sends, SendsNothing } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { CreateLinkRequest, EXAMPLE_LINK, UnlistedLink } from './play.resources';
import { ResultsService } from './results/results.service';
import { LINKS_OFF, QuizLinksService } from './links/quiz-links.service';

const { value: MOST } = LIMITS.content.linksPerQuiz;
const NOT_YOURS = 'This quiz belongs to another account. Only its owner shares it.';

/** Unlisted links of a quiz (docs/playing.md): an extension of the specification that follows its rules. */
@Endpoints('Playing')
@Controller('quizzes/:id/links')
export class QuizLinksController {
  constructor(private readonly links: QuizLinksService) {}

  /**
   * List the unlisted links of a quiz
   * @remarks Newest first.
   * @returns The links.
   */
  @Sends({ listOf: UnlistedLink, maxItems: MOST })
  @LinksOfQuiz({ toChange: false })
  @Get()
  async listQuizLinks(@CurrentCaller() { accountId }: Caller, @Param('id') id: string) {
    return { success: true, data: await this.links.list(accountId, id) };
  }

  /**
   * Create an unlisted link
   * @remarks Whoever has the link can play the quiz as it is now, before and without review. A quiz can have 20 links.
   * @returns The link.
   */
  @Sends(UnlistedLink)
  @Fails(
    {
      status: 403,
      name: 'links-not-allowed',
      title: 'The operator does not allow unlisted links',
      error: LINKS_OFF,
      fix: 'Publish the quiz, or ask the operator to set `UNLISTED_LINKS=on`.',
    },
    {
      status: 422,
      name: 'link-limit-reached',
      title: 'The quiz has as many unlisted links as it may have',
      error: `A quiz can have ${MOST} unlisted links. Revoke one that is no longer needed.`,
      fix: 'Revoke a link.',
    },
  )
  @applyDecorators(KeyScope('publish'), JsonBody(), LinksOfQuiz())
  @Post()
  async createQuizLink(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Body() { closesAt }: CreateLinkRequest,
  ) {
    return { success: true, data: await this.links.create(accountId, id, closesAt) };
  }

  /**
   * Revoke an unlisted link
   * @remarks Nobody can start the quiz by it any more. Attempts in progress can be finished.
   * @returns The link is revoked.
   */
  @PathId('The id of the link.', EXAMPLE_LINK, 'link')
  @SendsNothing()
  @Fails({
    status: 404,
    name: 'link-not-found',
    title: 'The quiz has no such link',
    error: 'Link not found.',
    fix: 'Take the id from the list of links. A revoked one is not found either.',
  })
  @applyDecorators(KeyScope('publish'), LinksOfQuiz())
  @HttpCode(204)
  @Delete(':link')
  async revokeQuizLink(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Param('link') link: string,
  ) {
    await this.links.revoke(accountId, id, link);
  }
}

/** A key, then 404 for an unknown quiz, 403 for another account's. */
function LinksOfQuiz({ toChange = true } = {}) {
  return applyDecorators(
    PathId(...QUIZ_ID),
    NeedsKey(),
    ChecksPath(ResultsService, (results, accountId, id) =>
      results.quiz({ accountId, isAdmin: false }, id, NOT_YOURS, toChange),
    ),
    Fails(QUIZ_NOT_FOUND, NOT_OWNER),
  );
}
