import type { Attributes, Span, SpanKind, Tracer } from '@opentelemetry/api';

/** Two of OpenTelemetry's span kinds, written here so that its package is not needed to name them. */
export const INTERNAL = 0 as SpanKind.INTERNAL;
export const CLIENT = 2 as SpanKind.CLIENT;
const ERROR = 2;

/** The tracing of a process: `open-telemetry.ts`. */
export interface Tracing {
  readonly tracer: Tracer;
  /** The id of the current span's trace. */
  traceId(): string | undefined;
  /** Sends pending spans; takes at most three seconds, and never rejects. */
  stop(): Promise<void>;
}

let tracing: Tracing | null = null;

/** Turns tracing on for this process, permanently. */
export function traceWith(started: Tracing): void {
  tracing = started;
}

/** Call last in a process: sends its pending spans. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
}

/** The trace of the running code; undefined outside of one, and while tracing is off. */
export function currentTraceId(): string | undefined {
  return tracing?.traceId();
}

/** How the work of a span ended. */
export interface Ending {
  attributes?: Attributes;
  /** A word for what failed; it marks the span as failed. */
  error?: string;
}

/**
 * Does the work within a span; its queries become child spans. A plain call while tracing is off.
 * @param attributes nothing secret: no key, no secret, no query of a URL
 * @param ending derives the span's outcome from the result
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
