import { changing, dataOf, part, type CallOptions, type Transport } from './transport.ts';
import type { CreateLinkRequest, UnlistedLink, UpdateLinkRequest } from './types.ts';

/** Unlisted links: whoever has one can play the quiz. */
export class Links {
  constructor(private readonly transport: Transport) {}

  /** All unlisted links of a quiz. */
  list(quizId: string, options?: CallOptions): Promise<UnlistedLink[]> {
    const path = `/quizzes/${part(quizId)}/links`;
    return dataOf(this.transport, { ...options, method: 'GET', path });
  }

  /** Creates a link. The call is not retried after a network error. */
  create(
    quizId: string,
    link: CreateLinkRequest = {},
    options?: CallOptions,
  ): Promise<UnlistedLink> {
    const path = `/quizzes/${part(quizId)}/links`;
    return dataOf(this.transport, { ...options, method: 'POST', path, body: link });
  }

  /**
   * Changes the closing time, name, list of names or time factor of a link; its path and code stay. A closed link can be
   * opened again.
   */
  update(
    quizId: string,
    linkId: string,
    changes: UpdateLinkRequest,
    options?: CallOptions,
  ): Promise<UnlistedLink> {
    const path = `/quizzes/${part(quizId)}/links/${part(linkId)}`;
    return dataOf(this.transport, changing('PATCH', path, changes, options));
  }

  /** Revokes a link: nobody can start the quiz by it any more. Attempts in progress can be finished. */
  async revoke(quizId: string, linkId: string, options?: CallOptions): Promise<void> {
    const path = `/quizzes/${part(quizId)}/links/${part(linkId)}`;
    await this.transport.send({ ...options, method: 'DELETE', path });
  }
}
