import type { ClassConstructor } from 'class-transformer';
import { TextField, TimeField } from '../../platform/http/request/text-fields';
import { PatchBody } from '../../platform/http/request/validation.pipe';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Example } from '../../platform/openapi/fields';
import type { QuizLink } from './quiz-link.entity';
import { MARK } from './quiz-links.rules';

const { value: MOST } = LIMITS.content.linksPerQuiz;

export const EXAMPLE_LINK = '019a9f3e-6c00-7000-8000-000000000060';

/** An unlisted link, as the quiz's owner sees it. */
export class UnlistedLink {
  /** The id of the link, to revoke it. */
  @Example(EXAMPLE_LINK) id!: string;
  /**
   * The path of its page. Whoever has it can play the quiz.
   * @example /play/~Vn3mPq0aSx7yBd5tKc2hWg
   */
  path!: string;
  /** What you call it; null: nothing. @example "Class 7b" */
  name!: string | null;
  /**
   * Six characters that people type at `/play` instead of the URL; null for an old link whose code was never shown.
   * It ends with the link.
   * @example 7KQ2WX
   */
  code!: string | null;
  /** When it closes; null: when you revoke it. */
  @Example(null)
  closesAt!: Date | null;
  /** When it was created. @example 2026-01-01T12:00:00.000Z */
  createdAt!: Date;
}

/** Body of POST /quizzes/{id}/links. */
export class CreateLinkRequest {
  /**
   * Nobody can start the quiz by the link from then on. Null: until you revoke it.
   * @example 2030-01-01T12:00:00Z
   */
  @TimeField({ optional: true, nullable: true })
  closesAt: Date | null = null;

  /** What you call it: your players do not see it. @example "Class 7b" */
  @TextField({ max: 100, optional: true })
  name?: string | null;
}

/** Body of PATCH /quizzes/{id}/links/{link}: any of the same fields. */
@PatchBody()
export class UpdateLinkRequest extends (CreateLinkRequest as ClassConstructor<
  Partial<CreateLinkRequest>
>) {}

export type LinkFields = Partial<CreateLinkRequest>;

export const LINKS_NOT_ALLOWED: Failure = {
  status: 403,
  name: 'links-not-allowed',
  title: 'The operator does not allow unlisted links',
  error:
    'The operator of this service does not allow unlisted links (UNLISTED_LINKS). Publish the quiz to share it.',
  fix: 'Publish the quiz, or ask the operator to set `UNLISTED_LINKS=on`.',
};

export const LINK_LIMIT_REACHED: Failure = {
  status: 422,
  name: 'link-limit-reached',
  title: 'The quiz has as many unlisted links as it may have',
  error: `A quiz can have ${MOST} unlisted links. Revoke one that is no longer needed.`,
  fix: 'Revoke a link.',
};

export const LINK_NOT_FOUND: Failure = {
  status: 404,
  name: 'link-not-found',
  title: 'The quiz has no such link',
  error: 'Link not found.',
  fix: 'Take the id from the list of links. A revoked one is not found either.',
};

export const toUnlistedLink = (link: QuizLink): UnlistedLink => ({
  id: link.id,
  path: `/play/${MARK}${link.token}`,
  name: link.name,
  code: link.code,
  closesAt: link.closesAt,
  createdAt: link.createdAt,
});
