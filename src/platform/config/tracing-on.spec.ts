import { isTracingOn } from './config';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('tracing', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['without an endpoint', {}],
    ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['with a name only', { OTEL_SERVICE_NAME: 'quiz', OTEL_TRACES_SAMPLER: 'always_on' }],
    ['by OTEL_SDK_DISABLED', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    ['by OTEL_TRACES_EXPORTER=none', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ])('tracing is off %s', (_, env) => expect(isTracingOn(env)).toBe(false));

  it.each<[string, NodeJS.ProcessEnv]>([
    ['an endpoint', ENDPOINT],
    ['one for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }],
    ['the protocol that we speak', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }],
  ])('tracing is on with %s', (_, env) => expect(isTracingOn(env)).toBe(true));
});
