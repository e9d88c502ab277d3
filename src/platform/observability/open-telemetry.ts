import { diag, DiagLogLevel, trace, type Attributes } from '@opentelemetry/api';
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
import type { TracingEnvironment } from '../config/environment';
import { withoutKeys } from '../http/server/access-log';
import { createLogger } from './logger';
import { routeOf } from './metrics';
import type { Tracing } from './tracing';

/** A stop does not wait longer than this for a collector that does not answer. */
const FLUSH_WITHIN = 3_000;

/**
 * Traces of this process by OTLP: its HTTP requests, and the queries of what has a span already (the worker
 * looks into its queue all the time, which nobody wants to read). Loaded only where tracing is on.
 * @param serviceName where OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say none
 * @public required by start-tracing.ts
 */
export function openTelemetry(serviceName: string, { warning }: TracingEnvironment): Tracing {
  const logger = createLogger('warn');
  diag.setLogger(
    quietly((message) => logger.warn(`tracing: ${message}`)),
    {
      logLevel: DiagLogLevel.WARN,
      suppressOverrideMessage: true,
    },
  );
  if (warning) logger.warn(warning);
  const provider = new NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': serviceName }))
      // Without the process's command line and user, which may hold secrets.
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
  return {
    tracer: trace.getTracer('quiz-question-service'),
    traceId: () => trace.getActiveSpan()?.spanContext().traceId,
    stop: () => Promise.race([provider.shutdown(), after(FLUSH_WITHIN)]).catch(() => undefined),
  };
}

/** Health checks and Prometheus ask every few seconds. */
const isLookedAtByMachines = ({ url = '' }: IncomingMessage) =>
  /^\/(?:health(?:\/|$)|metrics$)/.test(url);

/** In the place of what the instrumentation would write: the same URL that the access log shows. */
function safeUrl({ url = '', headers }: IncomingMessage): Attributes {
  const [path = '', ...query] = withoutKeys(url).split('?');
  return {
    'url.path': path,
    // Always, since it stands in the place of another: a URL that is cut before its query would show that whole.
    'url.query': query.length > 0 ? query.join('?') : undefined,
    ...(headers['user-agent'] && { 'user_agent.original': withoutKeys(headers['user-agent']) }),
  };
}

const after = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref());

const REPEATED_AFTER = 60_000;

/** The same trouble once a minute: a collector that is away fails every batch. */
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
