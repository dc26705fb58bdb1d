import type { MetricBook } from './metrics.js';
import { METRICS } from './metrics.js';
import type { OtlpMessage } from './otlp-messages.js';
import { attributesOf, nanoseconds } from './otlp-spans.js';

const CUMULATIVE = 2;

/** The request that brings all metrics of a worker as they are now. */
export function metricsRequest(
  book: Pick<MetricBook, 'read' | 'since'>,
  { resource, version }: { resource: Record<string, string>; version: string },
): OtlpMessage {
  const times = { startTimeUnixNano: nanoseconds(book.since), timeUnixNano: nanoseconds(Date.now()) };
  const metrics = book.read().map(({ name, points }) => {
    const { kind, help: description } = METRICS[name];
    const dataPoints = points.map(({ labels, value }) => ({
      ...times,
      asDouble: value,
      attributes: attributesOf(labels),
    }));
    return kind === 'gauge'
      ? { name, description, gauge: { dataPoints } }
      : { name, description, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } };
  });
  return {
    resourceMetrics: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeMetrics: [{ scope: { name: 'perdure', version }, metrics }],
      },
    ],
  };
}
