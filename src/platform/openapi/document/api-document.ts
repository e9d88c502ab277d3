import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { stringify } from 'yaml';
import { Config, VERSION } from '../../config/config';
import { ConstantText, JSON_TYPE } from '../../http/server/text-response';
import type { OpenApiDocument } from '../openapi-objects';

/**
 * The OpenAPI document as `npm run openapi` has stored it: generating it takes a development dependency. Stored as JSON,
 * because reading it as YAML would keep everybody else waiting for half a second.
 */
@Injectable()
export class ApiDocument {
  private readonly texts = new Map<string, ConstantText>();

  constructor(private readonly config: Config) {}

  get document(): OpenApiDocument {
    return (stored ??= JSON.parse(readFileSync(STORED, 'utf8')) as OpenApiDocument);
  }

  /** @param host the header Host of the request */
  json(host?: string): ConstantText {
    return this.textFor(host, JSON_TYPE, jsonOf);
  }

  /** @param host the header Host of the request */
  yaml(host?: string): ConstantText {
    return this.textFor(host, 'application/yaml; charset=utf-8', yamlOf);
  }

  private textFor(
    host: string | undefined,
    type: string,
    write: (document: OpenApiDocument) => string,
  ): ConstantText {
    const url = this.serverUrl(host);
    const name = `${type} ${url}`;
    let text = this.texts.get(name);
    if (!text) {
      const document = served(this.document, url);
      this.texts.set(name, (text = new ConstantText(type, write(document))));
    }
    return text;
  }

  /**
   * The URL of the service, which API clients take their base URL from. Of a request's Host only this machine's own name
   * is believed: any other would let clients fill the cache, and could be put into a document that others get.
   */
  private serverUrl(host = ''): string {
    const { publicUrl, publicUrlGiven } = this.config;
    const { port } = new URL(publicUrl);
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].some((name) => host === `${name}:${port}`);
    return publicUrlGiven || isLocal ? publicUrl : RELATIVE;
  }
}

let stored: OpenApiDocument | undefined;

const STORED = join(__dirname, '../../../../docs/openapi.json');

/** Relative to the URL of the document. */
export const RELATIVE = '/';

/** The document of this deployment. */
function served(document: OpenApiDocument, url: string): OpenApiDocument {
  const info = document.info as { description: string };
  return {
    ...document,
    info: {
      ...info,
      description: `${info.description} This is release ${VERSION} of the service.`,
    },
    servers: [{ url, description: 'This service.' }],
  };
}

export const jsonOf = (document: OpenApiDocument): string =>
  `${JSON.stringify(document, null, 2)}\n`;

/** Without anchors, which some tools cannot read; long lines are not wrapped, so that diffs are readable. */
const yamlOf = (document: OpenApiDocument): string =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 });
