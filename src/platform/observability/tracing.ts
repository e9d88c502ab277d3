import type { Attributes, Span, SpanKind, Tracer } from '@opentelemetry/api';

/** Two of OpenTelemetry's span kinds, written here so that its package is not needed to name them. */
export const INTERNAL = 0 as SpanKind.INTERNAL;
export const CLIENT = 2 as SpanKind.CLIENT;
const ERROR = 2;

/** What a process that traces has: `open-telemetry.ts`. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Of the span that the running code is within. */
  traceId(): string | undefined;
  /** Sends what was not sent yet; takes at most three seconds, and never rejects. */
  stop(): Promise<void>;
}

let tracing: Tracing | null = null;

/** Turns tracing on for this process, for good. */
export function traceWith(started: Tracing): void {
  tracing = started;
}

/** The last thing that a process does: its last spans leave. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}

/** The trace that the running code belongs to; undefined outside of one, and where tracing is off. */
export function currentTraceId(): string | undefined {
  return tracing?.traceId();
}

/** How the work that a span stands for ended. */
export interface Ending {
  attributes?: Attributes;
  /** A word for what failed; the span is then one of a failure. */
  error?: string;
}

/**
 * Does the work within a span; queries that it makes appear below that. Where tracing is off it is a plain call.
 * @param attributes nothing secret: no key, no secret, no query of a URL
 * @param ending what the result says of how it went
 */
export async function traced<T>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: () => Promise<T>,
  ending?: (result: T) => Ending,
): Promise<T> {
  if (!tracing) return work();
  return tracing.tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      const result = await work();
      if (ending) tell(span, ending(result));
      return result;
    } catch (error) {
      // Its name only: a message may repeat what was sent.
      tell(span, { error: error instanceof Error ? error.name : 'Error' });
      throw error;
    } finally {
      span.end();
    }
  });
}

function tell(span: Span, { attributes, error }: Ending): void {
  if (attributes) span.setAttributes(attributes);
  if (error === undefined) return;
  span.setAttribute('error.type', error);
  span.setStatus({ code: ERROR });
}
