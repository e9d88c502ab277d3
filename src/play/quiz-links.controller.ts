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
import { NOT_OWNER, QUIZ_ID, QUIZ_NOT_FOUND } from '../catalog/resources';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { TimeField } from '../platform/http/request/text-fields';
import { LIMITS } from '../platform/limits/limits';
import { Endpoint, PathId, Sends, SendsNothing } from '../platform/openapi/endpoint';
import { Fails } from '../platform/openapi/failures';
import { EXAMPLE_LINK, UnlistedLink } from './play.resources';
import { ResultsService } from './results/results.service';
import { LINKS_OFF, QuizLinksService } from './links/quiz-links.service';

const { value: MOST } = LIMITS.content.linksPerQuiz;
const NOT_YOURS = 'This quiz belongs to another account. Only its owner shares it.';

/** Body of POST /quizzes/{id}/links. */
class CreateLinkRequest {
  @TimeField({
    optional: true,
    nullable: true,
    description: 'Nobody can start the quiz by the link from then on. Null: until you revoke it.',
    example: '2030-01-01T12:00:00Z',
  })
  closesAt: Date | null = null;
}

/** Unlisted links of a quiz (docs/playing.md): an extension of the specification that follows its rules. */
@Controller('quizzes/:id/links')
export class QuizLinksController {
  constructor(private readonly links: QuizLinksService) {}

  @Endpoint('Playing', 'listQuizLinks', 'List the unlisted links of a quiz', 'Newest first.')
  @Sends('The links.', { listOf: UnlistedLink, description: 'All of them.', maxItems: MOST })
  @LinksOfQuiz({ toChange: false })
  @Get()
  async list(@CurrentCaller() { accountId }: Caller, @Param('id') id: string) {
    return { success: true, data: await this.links.list(accountId, id) };
  }

  @Endpoint(
    'Playing',
    'createQuizLink',
    'Create an unlisted link',
    `Whoever has the link can play the quiz as it is now, before and without review. A quiz can have ${MOST} links.`,
  )
  @Sends('The link.', UnlistedLink)
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
  async create(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Body() { closesAt }: CreateLinkRequest,
  ) {
    return { success: true, data: await this.links.create(accountId, id, closesAt) };
  }

  @Endpoint(
    'Playing',
    'revokeQuizLink',
    'Revoke an unlisted link',
    'Nobody can start the quiz by it any more. Attempts in progress can be finished.',
  )
  @PathId('The id of the link.', EXAMPLE_LINK, 'link')
  @SendsNothing('The link is revoked.')
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
  async revoke(
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
