import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MediaService } from '../../media/media.service';
import { Invalid, type Issue } from '../../platform/errors/domain-errors';
import {
  mediaOf,
  NO_ALT,
  pictureIssues,
  picturesOf,
  shortened,
  withOtherPictures,
} from './question-pictures.rules';
import { findQuestionsWithPictures } from './question-writing.queries';
import type { QuestionInput } from './questions.dto';

/** The pictures that questions show. The caller has locked the account, so that none of them is deleted meanwhile. */
@Injectable()
export class QuestionPicturesService {
  constructor(private readonly media: MediaService) {}

  /**
   * @param isPublic whether the quiz is published: then every picture needs an alternative text
   * @param pathOf the path of a question by its index
   * @throws Invalid for pictures that the account does not have, each beside its field
   */
  async require(
    tx: EntityManager,
    accountId: string,
    questions: readonly QuestionInput[],
    isPublic: boolean,
    pathOf: (index: number) => string = (index) => `questions[${index}].`,
  ): Promise<void> {
    const pictures = questions.map(picturesOf);
    const ids = pictures.flat().map(({ id }) => id);
    if (ids.length === 0) return;
    const owned = await this.media.ownedOf(tx, accountId, ids);
    const issues = pictures.flatMap((ofQuestion, index) =>
      pictureIssues(ofQuestion, owned, isPublic, pathOf(index)),
    );
    throwAny('The body', issues);
  }

  /** @throws Invalid that names the questions of a quiz whose pictures have no alternative text, by their place in it */
  async requirePublishable(tx: EntityManager, quizId: string): Promise<void> {
    const questions = await findQuestionsWithPictures(tx, quizId);
    const issues = questions.flatMap((question): Issue[] => {
      const picture = picturesOf(question).find(({ alt }) => !alt);
      if (!picture) return [];
      const path = `questions[${question.position - 1}].${picture.path}`;
      const message = `question ${question.position} (“${shortened(question.text)}”) ${NO_ALT}`;
      return [{ path, message, code: 'alternative_text' }];
    });
    throwAny('The quiz', issues);
  }

  /**
   * Questions of other accounts with pictures of this one, which are copied where it has none.
   * @throws LimitExceeded
   */
  async adopt<Q extends QuestionInput>(
    tx: EntityManager,
    accountId: string,
    questions: readonly Q[],
  ): Promise<Q[]> {
    const ids = questions.flatMap((question) => mediaOf(question) ?? []);
    if (ids.length === 0) return [...questions];
    const copies = await this.media.copyIn(tx, accountId, ids);
    return questions.map((question) => withOtherPictures(question, copies));
  }
}

function throwAny(what: string, [first, ...rest]: Issue[]): void {
  if (first) throw new Invalid(what, [first, ...rest]);
}
