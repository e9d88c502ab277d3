import { tracingEnvironment } from './config';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('tracing', () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ['without an endpoint', {}],
    ['with an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    ['with a name only', { OTEL_SERVICE_NAME: 'quiz', OTEL_TRACES_SAMPLER: 'always_on' }],
    ['by OTEL_SDK_DISABLED', { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    ['by OTEL_TRACES_EXPORTER=none', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ])('tracing is off %s', (_, env) => expect(tracingEnvironment(env)).toBeNull());

  it.each<[string, NodeJS.ProcessEnv]>([
    ['an endpoint', ENDPOINT],
    ['one for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }],
    ['the protocol that we speak', { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }],
  ])('tracing is on with %s', (_, env) =>
    expect(tracingEnvironment(env)).toEqual({ warning: null }),
  );

  it('tracing reports that gRPC is not supported', () => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    expect(tracingEnvironment(env)?.warning).toMatch(/http\/protobuf.*4318/);
  });

  it.each(['collector:4318', 'grpc://collector:4317', 'http://'])(
    'tracing reports that %s is not a valid endpoint',
    (url) =>
      expect(tracingEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: url })?.warning).toMatch(/http:/),
  );
});
