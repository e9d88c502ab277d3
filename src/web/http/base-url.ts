import type { Request } from 'express';
import type { Config } from '../../platform/config/config';

/** The address of the service as whoever asks sees it: PUBLIC_URL, or the one that was asked. */
export function baseUrl(request: Request, config: Config): string {
  if (config.publicUrlGiven) return config.publicUrl;
  return request.headers.host ? `${request.protocol}://${request.headers.host}` : config.publicUrl;
}
