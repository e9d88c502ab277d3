import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseUrl } from '../text/urls.rules';
import { loadConfig, type Config } from './config';

/** The process's environment: the one place that reads it. */
export function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- this is that place
  return process.env;
}

/** The settings of this process. @throws InvalidSettings */
export function configFromEnvironment(): Config {
  return loadConfig(environment());
}

/** What is ours to decide of OpenTelemetry's variables; the SDK reads the others by itself. */
export interface TracingEnvironment {
  /** What cannot be done, in a sentence for the log. */
  warning: string | null;
}

/**
 * OpenTelemetry's own variables, as its specification names them: no settings of ours, and not in the list of
 * those. Here is decided whether this process traces at all; endpoint, headers, sampler, resource, limits and batches
 * (`OTEL_EXPORTER_OTLP_*`, `OTEL_TRACES_SAMPLER*`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_SERVICE_NAME`, `OTEL_BSP_*`)
 * are read by the SDK, which is the one reader of the environment outside this folder.
 * @returns null where tracing is off: without an endpoint, by OTEL_SDK_DISABLED=true or OTEL_TRACES_EXPORTER=none
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
