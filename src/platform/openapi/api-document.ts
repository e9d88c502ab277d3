import { Inject, Injectable, type Type } from '@nestjs/common';
import { ApplicationConfig, DiscoveryService } from '@nestjs/core';
import { stringify } from 'yaml';
import { buildDocument, type About } from './document';
import type { OpenApiDocument } from './openapi-objects';
import { routesOf } from './routes';

/** Injection token of what the document says beside its endpoints. */
export const ABOUT = Symbol('ABOUT');

/** The OpenAPI document of the running application, made of its controllers when it is first asked for. */
@Injectable()
export class ApiDocument {
  private made?: { document: OpenApiDocument; json: string; yaml: string };

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly application: ApplicationConfig,
    @Inject(ABOUT) private readonly about: About,
  ) {}

  get document(): OpenApiDocument {
    return this.read().document;
  }

  get json(): string {
    return this.read().json;
  }

  get yaml(): string {
    return this.read().yaml;
  }

  private read() {
    return (this.made ??= this.make());
  }

  private make() {
    const prefix = `/${this.application.getGlobalPrefix()}`;
    const { exclude = [] } = this.application.getGlobalPrefixOptions();
    const controllers = this.discovery.getControllers().map(({ metatype }) => metatype as Type);
    const routes = routesOf(controllers).map((route) => {
      const below = !exclude.some(({ pathRegex }) => pathRegex.test(route.path));
      return { ...route, below, path: below ? prefix + route.path : route.path };
    });
    const document = buildDocument(this.about, routes);
    return {
      document,
      json: `${JSON.stringify(document, null, 2)}\n`,
      // Without anchors, which some tools cannot read; long lines stay whole, so that changes are seen by lines.
      yaml: stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }),
    };
  }
}
