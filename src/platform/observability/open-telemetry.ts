import { diag, DiagLogLevel, type Attributes } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { IncomingMessage } from 'node:http';
import { withoutKeys } from '../http/server/access-log';
import { createLogger } from './logger';
import { routeOf } from './metrics';

/**
 * Sends traces of this process by OTLP: its HTTP requests, and queries that already have a parent span (the worker
 * polls its queue all the time, which is noise). Loaded only if tracing is on.
 * @param serviceName used if OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES name none
 * @public required by start-tracing.ts
 */
export function openTelemetry(serviceName: string): void {
  const logger = createLogger('warn');
  diag.setLogger(
    quietly((message) => logger.warn(`tracing: ${message}`)),
    {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    },
  );
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': serviceName }))
      // Without the process's command line and user, which may contain secrets.
      .merge(detectResources({ detectors: [hostDetector, envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [
      new HttpInstrumentation({
        disableOutgoingRequestInstrumentation: true,
        ignoreIncomingRequestHook: isLookedAtByMachines,
        startIncomingSpanHook: safeUrl,
        applyCustomAttributesOnSpan: (span, request) => {
          const route = routeOf(request as IncomingMessage);
          if (route === 'unmatched') return;
          span.setAttribute('http.route', route);
          span.updateName(`${request.method ?? ''} ${route}`);
        },
      }),
      new PgInstrumentation({ requireParentSpan: true }),
    ],
  });
}

/** Health checks and Prometheus ask every few seconds. */
const isLookedAtByMachines = ({ url = '' }: IncomingMessage) =>
  /^\/(?:health(?:\/|$)|metrics$)/.test(url);

/** Replaces what the instrumentation would write: the same URL that the access log shows. */
function safeUrl({ url = '', headers }: IncomingMessage): Attributes {
  const [path = '', ...query] = withoutKeys(url).split('?');
  return {
    'url.path': path,
    // Always set, since it replaces another value: a URL that is cut before its query would show that value in full.
    'url.query': query.length > 0 ? query.join('?') : undefined,
    ...(headers['user-agent'] && { 'user_agent.original': withoutKeys(headers['user-agent']) }),
  };
}

const REPEATED_AFTER = 60_000;

/** Logs the same problem once a minute: an unreachable collector fails every batch. */
function quietly(say: (message: string) => void) {
  const said = new Map<string, number>();
  const tell = (message: string) => {
    const now = Date.now();
    if (now - (said.get(message) ?? -Infinity) < REPEATED_AFTER) return;
    if (said.size > 100) said.clear();
    said.set(message, now);
    say(message);
  };
  const nothing = () => undefined;
  return { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing };
}
