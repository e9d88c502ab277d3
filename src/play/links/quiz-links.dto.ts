import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsArray, IsOptional, ValidateBy } from 'class-validator';
import {
  EachItem,
  NumberField,
  TextField,
  TimeField,
} from '../../platform/http/request/text-fields';
import { partial, PatchBody } from '../../platform/http/request/validation.pipe';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Example, Field } from '../../platform/openapi/fields';
import { codePoints } from '../../platform/text/text.rules';
import { TIME_FACTOR } from '../attempts/attempt.rules';
import { tidyName, tidyNames } from '../attempts/visitor.rules';
import type { QuizLink } from './quiz-link.entity';
import { MARK } from './quiz-links.rules';

const { linkName, visitorName } = LIMITS.content;
const { value: MOST } = LIMITS.content.linksPerQuiz;
const { value: MOST_NAMES } = LIMITS.content.namesPerLink;

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
  /** What you call it; null if it has no name. @example "Class 7b" */
  name!: string | null;
  /**
   * Six characters that people type at `/play` instead of the URL; null for an old link whose code was never shown.
   * It stops working when the link is revoked.
   * @example 7KQ2WX
   */
  code!: string | null;
  /** When it closes; null: it stays open until you revoke it. */
  @Example(null)
  closesAt!: Date | null;
  /** Whom you expect to hand in an attempt by it, such as a class. @example ["Ada", "Ben"] */
  names!: string[];
  /** The names in `names` without a submitted attempt through this link. @example ["Ben"] */
  notHandedIn!: string[];
  /** Multiplies the quiz's time limit for players of this link. @example 1.5 */
  timeFactor!: number;
  /** When it was created. @example 2026-01-01T12:00:00.000Z */
  createdAt!: Date;
}

const isString = (name: unknown) => typeof name === 'string';
const areStrings = (names: unknown): names is string[] =>
  Array.isArray(names) && names.every(isString);

/** Names of players. The service drops blank and repeated ones, so that errors name the items that were sent. */
const NamesField = () =>
  applyDecorators(
    Field({
      type: 'array',
      nullable: true,
      optional: true,
      maxItems: MOST_NAMES,
      items: { type: 'string', maxLength: visitorName.value },
    }),
    Transform(({ value }: { value: unknown }) => (areStrings(value) ? value.map(tidyName) : value)),
    IsArray({ message: '$path must be an array of strings' }),
    ValidateBy({
      name: 'arrayMaxSize',
      validator: {
        validate: (names) => !areStrings(names) || tidyNames(names).length <= MOST_NAMES,
        defaultMessage: () => `$path must hold at most ${MOST_NAMES} names`,
      },
    }),
    EachItem('itemType', isString, 'must be a string'),
    EachItem(
      'tooLong',
      (name) => typeof name !== 'string' || codePoints(name) <= visitorName.value,
      `is longer than ${visitorName.value} characters`,
    ),
    IsOptional(),
  );

/** Body of POST /quizzes/{id}/links. */
export class CreateLinkRequest {
  /**
   * Nobody can start the quiz by the link from then on. Null: until you revoke it.
   * @example 2030-01-01T12:00:00Z
   */
  @TimeField({ optional: true, nullable: true })
  closesAt: Date | null = null;

  /** What you call it: your players do not see it. @example "Class 7b" */
  @TextField({ max: linkName.value, optional: true })
  name?: string | null;

  /**
   * Whom you expect to hand in an attempt by it, by the names that they type as players. Anyone else can play, too, and
   * your players do not see the list. Blank and repeated names are dropped.
   * @example ["Ada", "Ben"]
   */
  @NamesField()
  names?: string[] | null;

  /**
   * Multiplies the quiz's time limit for players of this link, who may need more time. They see the limit that they have.
   * Null: 1.
   * @example 1.5
   */
  @NumberField({ ...TIME_FACTOR, optional: true })
  timeFactor?: number | null;
}

/** Body of PATCH /quizzes/{id}/links/{link}: any of the same fields. */
@PatchBody()
export class UpdateLinkRequest extends partial(CreateLinkRequest) {}

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
  title: 'The quiz has reached its limit of unlisted links',
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

/** Unlisted links by which a quiz can be started. */
export interface OpenLinks {
  count: number;
  /** The path of the newest one. */
  newest: string | null;
}

export const linkPath = ({ token }: Pick<QuizLink, 'token'>): string => `/play/${MARK}${token}`;

/** @param missing those of its names who have not submitted an attempt by it */
export const toUnlistedLink = (link: QuizLink, missing: string[]): UnlistedLink => ({
  id: link.id,
  path: linkPath(link),
  name: link.name,
  code: link.code,
  closesAt: link.closesAt,
  names: link.names,
  notHandedIn: missing,
  timeFactor: link.timeFactor,
  createdAt: link.createdAt,
});
