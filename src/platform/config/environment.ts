import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseUrl } from '../text/urls.rules';
import { loadConfig, type Config } from './config';

/** The process's environment. Only this folder reads it. */
export function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- this is that place
  return process.env;
}

/** The settings of this process. @throws InvalidSettings */
export function configFromEnvironment(): Config {
  return loadConfig(environment());
}

/** The part of OpenTelemetry's variables that we decide on; the SDK reads the others. */
export interface TracingEnvironment {
  /** What is not possible, as a sentence for the log. */
  warning: string | null;
}

/**
 * OpenTelemetry's own variables, named by its specification; they are not settings of this service. This function
 * decides whether the process traces at all. The SDK, the only other reader of the environment, reads the endpoint,
 * headers, sampler, resource, limits and batches (`OTEL_EXPORTER_OTLP_*`, `OTEL_TRACES_SAMPLER*`,
 * `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SERVICE_NAME`, `OTEL_BSP_*`).
 * @returns null if tracing is off: no endpoint, OTEL_SDK_DISABLED=true or OTEL_TRACES_EXPORTER=none
 */
export function tracingEnvironment(
  env: NodeJS.ProcessEnv = environment(),
): TracingEnvironment | null {
  const value = (name: string) => env[name]?.trim().toLowerCase() ?? '';
  const endpoint =
    value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || value('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (!endpoint || value('OTEL_SDK_DISABLED') === 'true') return null;
  if (value('OTEL_TRACES_EXPORTER') === 'none') return null;
  const protocol =
    value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (!/^https?:\/\/[^/]/.test(endpoint) || !parseUrl(endpoint))
    return {
      warning: 'no traces can be sent: OTEL_EXPORTER_OTLP_ENDPOINT must begin with http://',
    };
  return {
    warning: ['', 'http/protobuf'].includes(protocol)
      ? null
      : 'traces leave by OTLP as http/protobuf, whatever OTEL_EXPORTER_OTLP_PROTOCOL says: give the endpoint of that, usually port 4318',
  };
}

/** The version in package.json, which lies beside both src and dist. */
export const VERSION = (
  JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string }
).version;
