import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = '0.165.0';
const PROVIDERS = '1.71.0';
const CORE = 'go.opentelemetry.io/collector';
/** Outside the checkout: a collector takes minutes to build. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'perdure', `otel-collector-${VERSION}`);
/** A build that takes longer has no network, or no machine. */
const LONGEST_MS = 900_000;

/** What the builder of OpenTelemetry puts into the collector: it takes OTLP, and hands it on. */
const MANIFEST = `
dist: {name: collector, output_path: ./out, version: ${VERSION}}
receivers: [{gomod: ${CORE}/receiver/otlpreceiver v${VERSION}}]
exporters: [{gomod: ${CORE}/exporter/otlphttpexporter v${VERSION}}]
providers:
  - gomod: ${CORE}/confmap/provider/envprovider v${PROVIDERS}
  - gomod: ${CORE}/confmap/provider/fileprovider v${PROVIDERS}
`;

/** A real collector, made by OpenTelemetry's own builder once. */
export function collectorBinary(): string {
  const built = join(CACHE, 'collector');
  if (existsSync(built)) return built;
  mkdirSync(CACHE, { recursive: true });
  const env = { ...process.env, GOBIN: CACHE, GOFLAGS: '-p=1', CGO_ENABLED: '0' };
  const go = { cwd: CACHE, env, stdio: 'ignore' as const, timeout: LONGEST_MS };
  execFileSync('go', ['install', `${CORE}/cmd/builder@v${VERSION}`], go);
  writeFileSync(join(CACHE, 'manifest.yaml'), MANIFEST);
  execFileSync(join(CACHE, 'builder'), ['--config', 'manifest.yaml', '--ldflags', '-s -w'], go);
  renameSync(join(CACHE, 'out', 'collector'), built);
  return built;
}
