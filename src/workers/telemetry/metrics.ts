/** What one metric of ours counts or shows. Names are Prometheus's; OTLP has the same ones. */
interface Described {
  kind: 'counter' | 'gauge';
  help: string;
}

/** All metrics of a worker, by name. */
export const METRICS = {
  perdure_model_calls_total: { kind: 'counter', help: 'Questions to models and programs, by how they ended.' },
  perdure_model_seconds_total: { kind: 'counter', help: 'Seconds that questions to models and programs took.' },
  perdure_cost_usd_total: { kind: 'counter', help: 'US dollars that answers have cost, where a price is known.' },
  perdure_tokens_total: { kind: 'counter', help: 'Tokens of answers, read and written.' },
  perdure_tool_calls_total: { kind: 'counter', help: 'Calls of tools, by how they ended.' },
  perdure_tries_total: { kind: 'counter', help: 'Tries of acting steps, or of their turns, by how they ended.' },
  perdure_retries_total: { kind: 'counter', help: 'Those of them that were made again, and who did it.' },
  perdure_runs_total: { kind: 'counter', help: 'Root runs that ended, by how.' },
  perdure_steps_total: { kind: 'counter', help: 'Steps of root runs that ended, by kind and by how they ended.' },
  perdure_wait_seconds_total: { kind: 'counter', help: 'Seconds that gates and waits of these runs took, by kind.' },
  perdure_traces_unsent: { kind: 'gauge', help: 'Traces that are to be sent.' },
  perdure_queue_backlog: { kind: 'gauge', help: 'Tasks that wait in the queue for a worker, by what they are.' },
  perdure_queue_backlog_age_seconds: { kind: 'gauge', help: 'How long the oldest of them has waited.' },
  perdure_runs_open: { kind: 'gauge', help: 'Open runs of the queue, by how they stand.' },
} satisfies Record<string, Described>;

export type MetricName = keyof typeof METRICS;
export type Labels = Record<string, string>;

/** One number of a metric. */
export interface Point {
  labels: Labels;
  value: number;
}

/** The metrics of this process, from its start on. */
export interface MetricBook {
  /** Epoch milliseconds. */
  since: number;
  add(name: MetricName, labels: Labels, by?: number): void;
  /** Puts these in the place of all numbers of a gauge. */
  set(name: MetricName, points: Point[]): void;
  read(): { name: MetricName; points: Point[] }[];
}

/** An empty one. */
export function openMetricBook(): MetricBook {
  const values = new Map<MetricName, Map<string, Point>>();
  return {
    since: Date.now(),
    add(name, labels, by = 1) {
      const points = values.get(name) ?? new Map<string, Point>();
      values.set(name, points);
      const key = JSON.stringify(labels);
      const point = points.get(key);
      if (point === undefined) points.set(key, { labels, value: by });
      else point.value += by;
    },
    set: (name, points) => void values.set(name, new Map(points.map((point) => [JSON.stringify(point.labels), point]))),
    read: () => [...values].map(([name, points]) => ({ name, points: [...points.values()] })),
  };
}

/** The text that Prometheus reads. */
export function prometheusText(book: Pick<MetricBook, 'read'>): string {
  const lines = book
    .read()
    .flatMap(({ name, points }) => [
      `# HELP ${name} ${METRICS[name].help}`,
      `# TYPE ${name} ${METRICS[name].kind}`,
      ...points.map(({ labels, value }) => `${name}${labelText(labels)} ${String(value)}`),
    ]);
  return lines.map((line) => `${line}\n`).join('');
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Names of models and tools are the definitions'. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
