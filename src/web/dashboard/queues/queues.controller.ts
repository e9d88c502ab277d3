import { Controller, Get, Next, Req, Res, UseGuards } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { NotFound } from '../../../platform/errors/domain-errors';
import { AdministratorGuard } from '../../http/page-controller';
import { allowBoard } from '../../http/page-security';
import { BOARD_AT, QueueBoardService } from './queue-board.service';

/**
 * Bull Board for administrators. It only reads: there is no route for its other methods, and its queues are read-only.
 */
@Controller(BOARD_AT.slice(1))
@UseGuards(AdministratorGuard)
export class QueuesController {
  constructor(private readonly board: QueueBoardService) {}

  @Get(['', '*path'])
  async show(
    @Req() request: Request,
    @Res() response: Response,
    @Next() next: NextFunction,
  ): Promise<void> {
    const { url } = request;
    const path = url.slice(BOARD_AT.length);
    const board = await this.board.open();
    // The board's application puts its own methods on both, and takes the paths below its own.
    const prototypes = [request, response].map((it) => [it, Object.getPrototypeOf(it)] as const);
    const notFound = (error?: unknown) => {
      for (const [of, prototype] of prototypes) Object.setPrototypeOf(of, prototype as object);
      request.url = url;
      next(error ?? new NotFound('Page'));
    };
    if (path.startsWith('/static/')) response.setHeader('Cache-Control', cached(path));
    else {
      allowBoard(response);
      response.setHeader('Cache-Control', 'no-store');
    }
    request.url = path.startsWith('/') ? path : `/${path}`;
    board(request, response, notFound);
  }
}

/** Files whose names change with their content can be cached for ever. */
const cached = (path: string): string =>
  /\.[0-9a-f]{10}\.\w+$/.test(path)
    ? 'private, max-age=31536000, immutable'
    : 'private, max-age=3600';
