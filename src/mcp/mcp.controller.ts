import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  All,
  Controller,
  HttpCode,
  Inject,
  NotFoundException,
  Post,
  Req,
  Res,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { NeedsKeyForFile } from '../access/api-keys/api-key.guard';
import type { Caller } from '../access/api-keys/caller';
import { CurrentCaller } from '../access/api-keys/current-caller.decorator';
import { KeyScope } from '../access/api-keys/key-scope.decorator';
import { VERSION } from '../platform/config/config';
import { Malformed } from '../platform/errors/domain-errors';
import { JsonBody } from '../platform/http/request/json-body.interceptor';
import { ErrorFilter } from '../platform/http/server/error-filter';
import { JSON_TYPE } from '../platform/http/server/text-response';
import { LOGGER, type Logger } from '../platform/observability/logger';
import { PromptsAndResources } from './prompts-and-resources';
import type { Arguments } from './tool-arguments';
import { INSTRUCTIONS, type ToolName, TOOLS } from './tool-definitions';
import { asText, ToolsService, withNotice } from './tools.service';

/**
 * The endpoint of assistants: the Model Context Protocol over Streamable HTTP, stateless, so that any process serves any
 * request. Guards, limits and services are the API's (docs/adr/0028).
 */
@Controller('mcp')
export class McpController {
  constructor(
    private readonly tools: ToolsService,
    private readonly more: PromptsAndResources,
    private readonly errors: ErrorFilter,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The tools check the scope that each of them needs. */
  @NeedsKeyForFile()
  @KeyScope(['read', 'write', 'publish'])
  @JsonBody()
  @HttpCode(200)
  @Post()
  async serve(
    @CurrentCaller() caller: Caller,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const message: unknown = request.body;
    // A batch would be thousands of calls for one request of the rate limit. Current versions of MCP have none.
    if (Array.isArray(message))
      throw new Malformed('Send one JSON-RPC message per request, not a batch.');
    const sdk = await loadSdk();
    const failures: Error[] = [];
    const handler = sdk.createMcpHandler(() => this.server(sdk, caller, request), {
      // Nothing here changes that a client could listen to, and an open stream would hold its turn.
      maxSubscriptions: 0,
      onerror: (error) => void failures.push(error),
    });
    const reply = await handler.fetch(webRequest(request), { parsedBody: message });
    const text = await reply.text();
    if (reply.status >= 500)
      this.logger.error({ err: failures[0], requestId: request.id }, 'request failed');
    const type = reply.headers.get('content-type') ?? 'text/plain';
    response.setHeader('Content-Type', type.startsWith('application/json') ? JSON_TYPE : type);
    response.status(reply.status);
    return text;
  }

  /** Here, so that other methods and paths are counted by the rate limit too. The error filter makes the response. */
  @All(['', '{*path}'])
  notFound(): never {
    throw new NotFoundException();
  }

  /** One for each request: it holds nothing. */
  private server(sdk: Sdk, caller: Caller, request: Request) {
    const server = new sdk.Server(
      { name: 'quiz-question-service', title: 'Quiz Question Service', version: VERSION },
      { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions: INSTRUCTIONS },
    );
    const { InvalidParams, InternalError } = sdk.ProtocolErrorCode;
    /** Outside of tools an error is one of the protocol. @param uri of the resource that is read */
    const answer = async <T>(work: () => Promise<T> | T, uri?: string): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        const { status, error: message } = this.errors.envelope(error, request);
        // Clients recognise it by data that is the URI and nothing else, so it has no requestId.
        if (uri !== undefined && status === 404) throw new sdk.ResourceNotFoundError(uri, message);
        const code = status >= 500 ? InternalError : InvalidParams;
        throw new sdk.ProtocolError(code, message, { requestId: request.id });
      }
    };
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
    server.setRequestHandler('tools/call', ({ params }) =>
      answer(() => {
        const tool = TOOLS.find(({ name }) => name === params.name);
        if (!tool)
          throw new Malformed(
            `There is no tool of this name, only ${TOOLS.map(({ name }) => name).join(', ')}.`,
          );
        return this.call(caller, tool.name as ToolName, params.arguments ?? {}, request);
      }),
    );
    server.setRequestHandler('prompts/list', () => this.more.prompts());
    server.setRequestHandler('prompts/get', ({ params }) => answer(() => this.more.prompt(params)));
    server.setRequestHandler('resources/list', () => answer(() => this.more.resources(caller)));
    server.setRequestHandler('resources/templates/list', () => this.more.templates());
    server.setRequestHandler('resources/read', ({ params }) =>
      answer(() => this.more.resource(caller, params.uri), params.uri),
    );
    return server;
  }

  private async call(
    caller: Caller,
    name: ToolName,
    args: Arguments,
    request: Request,
  ): Promise<CallToolResult> {
    try {
      const result = await this.tools.call(caller, name, args);
      return {
        content: [{ type: 'text', text: asText(result) }],
        structuredContent: withNotice(result),
      };
    } catch (error) {
      const { error: message, details } = this.errors.envelope(error, request);
      const listed = details
        ?.slice(0, MOST_DETAILS)
        .map(({ path, message }) => ({ path, message }));
      const text = JSON.stringify({
        error: message.replace(/^The body is/, 'The arguments are'),
        details: listed,
        requestId: request.id,
      });
      return { content: [{ type: 'text', text }], isError: true };
    }
  }
}

/** On first use: it takes 0.3 s of CPU. */
const loadSdk = () => import('@modelcontextprotocol/server');
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** More than anybody fixes at once, and a conversation has room for so many. */
const MOST_DETAILS = 50;

/** What the SDK reads of a request. */
function webRequest({ headers }: Request): globalThis.Request {
  const names = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  const given = names.map((name) => [name, headers[name]]);
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: given.filter((it): it is [string, string] => typeof it[1] === 'string'),
  });
}
