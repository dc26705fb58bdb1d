import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codeOf, UnavailableError } from '../errors.js';

/** How a part of the worker stands; `detail` says what is wrong with it. */
export interface Check {
  name: string;
  ok: boolean;
  detail?: string;
}

export interface HealthOptions {
  host: string;
  port: number;
  /** Whether the process should be left alone. */
  alive: () => Check[];
  /** Whether it takes work now. */
  ready: () => Promise<Check[]>;
  /** What Prometheus reads. */
  metrics: () => Promise<string>;
}

/** A server of a worker's health. */
export interface HealthServer {
  port: number;
  close(): Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics`. Throws an UnavailableError where it cannot listen. It tells no content
 * and no address, and takes no orders.
 */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new UnavailableError(
          `The health port ${options.host}:${String(options.port)} cannot be listened at: ` +
            `${codeOf(error) ?? error.message}.`,
          'Choose another one: --health-port',
        ),
      ),
    );
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port, // it listens at a port
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: HealthOptions): Promise<void> {
  const { alive, ready, metrics } = options;
  if (request.method !== 'GET' && request.method !== 'HEAD') return say(response, 405, 'text/plain', 'GET only\n');
  switch ((request.url ?? '').split('?', 1)[0]) {
    case '/healthz':
      return sayChecks(response, alive());
    case '/readyz':
      return sayChecks(response, [...alive(), ...(await ready())]);
    case '/metrics':
      return say(response, 200, 'text/plain; version=0.0.4; charset=utf-8', await metrics());
    default:
      return say(response, 404, 'text/plain', '/healthz, /readyz or /metrics\n');
  }
}

function sayChecks(response: ServerResponse, checks: Check[]): void {
  const ok = checks.every((check) => check.ok);
  say(response, ok ? 200 : 503, 'application/json', `${JSON.stringify({ ok, checks })}\n`);
}

function say(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
