import assert from 'node:assert';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Service } from './service';

interface ToldData {
  id: string;
  total: number;
  revision: string;
  questions: { id: string; text: string }[];
  quizzes: { id: string }[];
  [other: string]: unknown;
}

/** The result of a tool, read as the JSON that it is. */
export interface Told {
  isError: boolean;
  untrusted: boolean;
  data: ToldData;
  error: string;
  details: { path: string; message: string }[];
}

/** An assistant: the SDK's own client, with a key. */
export class Assistant {
  private constructor(readonly client: Client) {}

  /** @param era of the protocol: with the handshake `initialize`, or with metadata in each request */
  static async connect(
    { url }: Pick<Service, 'url'>,
    key: string,
    era: 'legacy' | 'auto' = 'legacy',
  ): Promise<Assistant> {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: era } },
    );
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    });
    await client.connect(transport);
    return new Assistant(client);
  }

  async call(name: string, args: object = {}): Promise<Told> {
    const result = await this.client.callTool({ name, arguments: args as Record<string, unknown> });
    const [content] = result.content as { text: string }[];
    // What a program reads is what a model reads.
    if (result.isError !== true)
      assert.deepEqual(result.structuredContent, JSON.parse(content?.text ?? ''));
    const {
      data = {} as ToldData,
      error = '',
      details = [],
      untrusted = false,
    } = JSON.parse(content?.text ?? '') as Partial<Told>;
    return { isError: result.isError === true, data, error, details, untrusted };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
