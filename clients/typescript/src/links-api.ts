import { dataOf, part, type CallOptions, type Transport } from './transport.ts';
import type { CreateLinkRequest, UnlistedLink, UpdateLinkRequest } from './types.ts';

/** Unlisted links: whoever has one can play the quiz. */
export class Links {
  constructor(private readonly transport: Transport) {}

  list(quizId: string, options?: CallOptions): Promise<UnlistedLink[]> {
    const path = `/quizzes/${part(quizId)}/links`;
    return dataOf(this.transport, { ...options, method: 'GET', path });
  }

  create(
    quizId: string,
    link: CreateLinkRequest = {},
    options?: CallOptions,
  ): Promise<UnlistedLink> {
    const path = `/quizzes/${part(quizId)}/links`;
    return dataOf(this.transport, { ...options, method: 'POST', path, body: link });
  }

  /**
   * Changes its closing time, its name, its list of names and its time factor; the path and the code stay. A link that has
   * closed can be opened again.
   */
  update(
    quizId: string,
    linkId: string,
    changes: UpdateLinkRequest,
    options?: CallOptions,
  ): Promise<UnlistedLink> {
    const path = `/quizzes/${part(quizId)}/links/${part(linkId)}`;
    return dataOf(this.transport, { ...options, method: 'PATCH', path, body: changes });
  }

  /** Nobody can start the quiz by it any more. Attempts in progress can be finished. */
  async revoke(quizId: string, linkId: string, options?: CallOptions): Promise<void> {
    const path = `/quizzes/${part(quizId)}/links/${part(linkId)}`;
    await this.transport.send({ ...options, method: 'DELETE', path });
  }
}
