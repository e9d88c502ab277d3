import {
  type Attributes,
  type ProxyTracerProvider,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import { setTimeout as sleep } from 'node:timers/promises';

// While tracing is off, the SDK is not loaded (start-tracing.ts) and OpenTelemetry's API does nothing.

/** A stopping process does not wait longer than this for a collector that does not respond. */
const FLUSH_WITHIN = 3_000;

/** Call last in a process: sends its pending spans. Never rejects. */
export async function stopTracing(): Promise<void> {
  const tracers = trace.getTracerProvider() as ProxyTracerProvider;
  const provider = tracers.getDelegate() as TracerProvider & { shutdown?(): Promise<void> };
  const late = sleep(FLUSH_WITHIN, undefined, { ref: false });
  await Promise.race([provider.shutdown?.(), late]).catch(() => undefined);
}

/** The trace of the running code; undefined outside of one, and while tracing is off. */
export const currentTraceId = (): string | undefined =>
  trace.getActiveSpan()?.spanContext().traceId;

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
export function traced<T>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: () => Promise<T>,
  ending?: (result: T) => Ending,
): Promise<T> {
  const tracer = trace.getTracer('quiz-question-service');
  return tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
    try {
      const result = await work();
      if (ending) tell(span, ending(result));
      return result;
    } catch (error) {
      // Only its name: a message may repeat what was sent.
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
  span.setStatus({ code: SpanStatusCode.ERROR });
}
