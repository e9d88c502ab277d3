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
