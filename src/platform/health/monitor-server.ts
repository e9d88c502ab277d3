import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
  type Type,
} from '@nestjs/common';
import { Config } from '../config/config';
import { StartupError } from '../errors/domain-errors';
import { LOGGER, type Logger } from '../observability/logger';
import { Metrics } from '../observability/metrics';
import { LIVE } from '../process/live';
import {
  HEALTH_CHECKS,
  type HealthCheck,
  readinessResponse,
  ReadinessService,
} from './readiness.service';

/**
 * Endpoints for monitoring, on a port of their own (METRICS_PORT) that can stay inside the private network:
 * `/health/live`, `/health/ready`, and `/metrics`, which METRICS_TOKEN can protect. The worker has no other port.
 */
@Injectable()
export class MonitorServer implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;
  private started!: () => void;
  private readonly start = new Promise<void>((resolve) => (this.started = resolve));

  constructor(
    private readonly config: Config,
    private readonly readiness: ReadinessService,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Null when METRICS_PORT is not set. */
  get port(): number | null {
    return (this.server?.address() as AddressInfo | undefined)?.port ?? null;
  }

  /**
   * Opens the port before the process begins its work, in `onApplicationBootstrap`: else a worker whose port is taken
   * would end with deliveries under way, and leave a heartbeat at each restart.
   * @throws StartupError if the port is not available
   */
  async onModuleInit(): Promise<void> {
    const { metrics } = this.config;
    if (!metrics) return;
    const server = createServer((request, response) => {
      this.respond(request, response).catch((error: unknown) => {
        this.logger.error({ err: error }, 'the monitoring port could not respond');
        response.destroy();
      });
    });
    server.headersTimeout = 5_000;
    server.requestTimeout = 5_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(
          new StartupError(
            `METRICS_PORT=${metrics.port} cannot be opened (${error.message}). Choose another one, or remove the setting.`,
          ),
        ),
      );
      server.listen(metrics.port, metrics.host, resolve);
    });
    this.server = server;
    this.logger.info({ metricsPort: this.port }, 'metrics and health are on the monitoring port');
  }

  /** Requests that have come meanwhile are answered now: the worker has its heartbeat. */
  onApplicationBootstrap(): void {
    this.started();
  }

  /** Closes last: until then the process is alive. */
  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.start;
    const path = (request.url ?? '').split('?')[0];
    const send = (status: number, body: object) => {
      response.writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Cache-Control': 'no-store',
      });
      response.end(JSON.stringify(body));
    };
    if (path === '/health/live') return send(200, LIVE);
    if (path === '/health/ready') {
      const { status, body } = readinessResponse(await this.readiness.checkAll());
      return send(status, body);
    }
    if (path === '/metrics') {
      if (!this.mayRead(request)) {
        response.setHeader('WWW-Authenticate', 'Bearer');
        return send(401, WRONG_TOKEN);
      }
      const { registry } = this.metrics;
      response.writeHead(200, { 'Content-Type': registry.contentType });
      response.end(await registry.metrics());
      return;
    }
    send(404, {
      success: false,
      error: 'Not found. Available: /health/live, /health/ready, /metrics.',
    });
  }

  private mayRead(request: IncomingMessage): boolean {
    const { metricsToken } = this.config;
    if (metricsToken === null) return true;
    const digest = (text: string) => createHash('sha256').update(text).digest();
    const given = digest(request.headers.authorization ?? '');
    return timingSafeEqual(given, digest(`Bearer ${metricsToken}`));
  }
}

const WRONG_TOKEN = {
  success: false,
  error: 'Metrics need the token of METRICS_TOKEN: send it as Authorization: Bearer <token>.',
};

/** The providers of a process with a monitoring port; readiness runs `checks`, in the order of the response. */
export const monitoring = (...checks: Type<HealthCheck>[]): Provider[] => [
  MonitorServer,
  ReadinessService,
  { provide: HEALTH_CHECKS, inject: checks, useFactory: (...found: HealthCheck[]) => found },
];
