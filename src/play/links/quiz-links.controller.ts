import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
} from '@nestjs/common';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import type { Caller } from '../../access/api-keys/caller';
import { ChecksAccess } from '../../access/api-keys/checks-access.decorator';
import { CurrentCaller } from '../../access/api-keys/current-caller.decorator';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { NOT_OWNER, QUIZ_ID, QUIZ_NOT_FOUND } from '../../catalog/quizzes/quizzes.dto';
import { JsonBody } from '../../platform/http/request/json-body.interceptor';
import { LIMITS } from '../../platform/limits/limits';
import { Endpoints, PathId, Sends, SendsNothing } from '../../platform/openapi/endpoint';
import { Fails } from '../../platform/openapi/failures';
import { ResultsService } from '../results/results.service';
import {
  CreateLinkRequest,
  EXAMPLE_LINK,
  LINK_LIMIT_REACHED,
  LINK_NOT_FOUND,
  LINKS_NOT_ALLOWED,
  UnlistedLink,
  UpdateLinkRequest,
} from './quiz-links.dto';
import { QuizLinksService } from './quiz-links.service';

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
  @Fails(LINKS_NOT_ALLOWED, LINK_LIMIT_REACHED)
  @KeyScope(['publish'])
  @LinksOfQuiz()
  @JsonBody()
  @Post()
  async createQuizLink(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Body() body: CreateLinkRequest,
  ) {
    return { success: true, data: await this.links.create(accountId, id, body) };
  }

  /**
   * Change an unlisted link
   * @remarks Its closing time, its name, its list of names and its time factor; the path and the code stay. A link that has closed can be opened again.
   * @returns The link as it is now.
   */
  @PathId('The id of the link.', EXAMPLE_LINK, 'link')
  @Sends(UnlistedLink)
  @Fails(LINK_NOT_FOUND)
  @KeyScope(['publish'])
  @LinksOfQuiz()
  @JsonBody()
  @Patch(':link')
  async updateQuizLink(
    @CurrentCaller() { accountId }: Caller,
    @Param('id') id: string,
    @Param('link') link: string,
    @Body() body: UpdateLinkRequest,
  ) {
    return { success: true, data: await this.links.change(accountId, id, link, body) };
  }

  /**
   * Revoke an unlisted link
   * @remarks Nobody can start the quiz by it any more. Attempts in progress can be finished.
   * @returns The link is revoked.
   */
  @PathId('The id of the link.', EXAMPLE_LINK, 'link')
  @SendsNothing()
  @Fails(LINK_NOT_FOUND)
  @KeyScope(['publish'])
  @LinksOfQuiz()
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
    ChecksAccess(ResultsService, (results, { accountId }, id) =>
      results.quiz({ accountId, isAdmin: false }, id, NOT_YOURS, toChange),
    ),
    Fails(QUIZ_NOT_FOUND, NOT_OWNER),
  );
}
