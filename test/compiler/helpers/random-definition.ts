/** A step as people write it, in JSON, which is YAML. */
export type Written = Record<string, unknown>;

interface Scope {
  depth: number;
  repeats: 'foreach' | 'loop' | null;
  /** References that hold for every step of the scope. */
  around: string[];
}

/** Draws a random valid workflow of all kinds of control flow, nested in each other. `draw` gives numbers in [0, 1). */
export function randomDefinition(draw: () => number): Written {
  let names = 0;
  const upTo = (limit: number): number => Math.floor(draw() * limit);
  const chance = (of: number): boolean => draw() < of;
  const pick = <T>(options: T[]): T => options[upTo(options.length)] as T; // options is never empty here

  const steps = (scope: Scope, execution: string): Written[] => {
    const known: string[] = [];
    return Array.from({ length: 1 + upTo(scope.depth === 0 ? 4 : 2) }, (_, index) => {
      const id = `s${names++}`;
      const written = step(id, { ...scope, around: [...scope.around, ...known] });
      if (execution === 'parallel' && chance(0.4))
        written['parallel_group'] = `g${scope.depth}x${Math.floor(index / 2)}`;
      if (chance(0.3) && known.length > 0) written['when'] = `\${length(${pick(known)} ?? 'x') >= 0}`;
      if (chance(0.2)) written['on_error'] = pick(['continue', 'skip_dependents', 'stop']);
      known.push(`steps.${id}.output`, `steps.${id}.status`);
      return written;
    });
  };

  const step = (id: string, scope: Scope): Written => {
    const repeats = scope.depth < 3 && chance(0.5) ? pick(['foreach', 'loop'] as const) : null;
    if (repeats === null) return { id, ...act(scope, null) };
    const own = repeats === 'foreach' ? { foreach: foreach(scope) } : {};
    const isBlock = chance(0.5);
    const inner: Scope = {
      depth: scope.depth + 1,
      repeats,
      around: [...scope.around, 'index', ...(repeats === 'foreach' ? ['item'] : [])],
    };
    const execution = pick(['sequential', 'parallel', 'dag']);
    const body = isBlock ? { execution, steps: steps(inner, execution) } : act(inner, repeats === 'loop' ? id : null);
    const last = isBlock ? (body as { steps: Written[] }).steps.at(-1)?.['id'] : id; // made above
    const loop =
      repeats === 'loop'
        ? {
            loop: {
              until: `\${steps.${String(last)}.status == 'success' || index > 1}`,
              max: 1 + upTo(4),
              at_max: pick(['error', 'continue']),
            },
          }
        : {};
    return { id, ...own, ...loop, ...body };
  };

  const foreach = (scope: Scope): unknown => {
    const items =
      chance(0.5) || scope.around.length === 0 ? [1, 'two', { three: 3 }].slice(upTo(3)) : `\${${pick(scope.around)}}`;
    return chance(0.5) ? items : { items, max_parallel: 1 + upTo(4) };
  };

  /** `self`: the step's own id, where it may read its round before. */
  const act = ({ around }: Scope, self: string | null): Written => {
    const values = Array.from({ length: upTo(3) }, () =>
      reference(self === null ? around : [...around, `steps.${self}.output`]),
    );
    switch (upTo(4)) {
      case 0:
        return { set: Object.fromEntries(values.map((value, index) => [`v${index}`, value])) };
      case 1:
        return { wait: chance(0.5) ? '5ms' : { for: '1s' } };
      case 2:
        return { approval: { message: `Go on with ${values.join(' and ')}?`, fallback: 'approve' } };
      default:
        return { command: ['echo', ...values], ...(chance(0.3) ? { timeout: '9s' } : {}) };
    }
  };

  const reference = (around: string[]): string =>
    around.length === 0 || chance(0.2) ? 'text' : `\${${pick(around)}${chance(0.5) ? " ?? 'none'" : ''}}`;

  const execution = pick(['sequential', 'parallel', 'dag']);
  const own = steps({ depth: 0, repeats: null, around: [] }, execution);
  const last = chance(0.4)
    ? { finally: [{ id: 'bye', command: ['echo', `\${steps.${String(own[0]?.['id'])}.status}`] }] }
    : {};
  return { name: 'drawn', execution, steps: own, ...last };
}
