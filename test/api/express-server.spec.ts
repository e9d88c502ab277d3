import type { IncomingMessage, ServerResponse } from 'node:http';
import { startService, type Service } from '../support/service';

describe('Express requests and responses', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it("requests and responses get Express's prototypes when they are created", async () => {
    const express = service.app.getHttpAdapter().getInstance();
    const born: boolean[] = [];
    service.app
      .getHttpServer()
      .prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
        born.push(
          Object.getPrototypeOf(request) === express.request &&
            Object.getPrototypeOf(response) === express.response,
        ),
      );
    await service.get('/metadata').expect(200);
    expect(born).toEqual([true]);
    expect(express.request.app).toBe(express);
  });
});
