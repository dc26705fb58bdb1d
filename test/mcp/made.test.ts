import { describe, expect, it } from 'vitest';
import type { Made, MadeDefinition, MadeKind } from '../../src/mcp/made.js';
import { createMade } from '../../src/mcp/made.js';

const made = (name: string, kind: MadeKind = 'workflow'): MadeDefinition => ({
  ...{ kind, name, description: null },
  file: `/project/definitions/${name}.yml`,
  text: `name: ${name}`,
});
const names = (all: Made): string[] => [...all.forCompiler().texts.values()];
const PASSES = (): Promise<void> => Promise.resolve();
const refuses = (): Promise<void> => Promise.reject(new Error('refused'));

describe('what a client makes', () => {
  it('is known to its check alone until that lets it pass', async () => {
    const all = createMade();
    await all.add(made('first'), PASSES);
    let pass = (): void => undefined;
    let seen: string[] = [];
    const added = new Promise<void>((begun) => {
      void all
        .add(made('second', 'tool'), ({ texts, tools = [] }) => {
          seen = [...texts.values(), ...tools];
          begun();
          return new Promise((resolve) => (pass = resolve));
        })
        .then(() => (seen = []));
    });
    await added;
    expect(seen).toEqual(['name: first', 'name: second', made('second').file]);
    expect([all.find('tool', 'second'), all.all('tool'), all.reached([made('second').file])]).toEqual([
      undefined,
      [],
      [],
    ]);
    expect(names(all)).toEqual(['name: first']);
    pass();
    await expect.poll(() => all.find('tool', 'second')?.text).toBe('name: second');
    expect(names(all)).toEqual(['name: first', 'name: second']);
  });

  it('is not there once it was refused, and its name is free', async () => {
    const all = createMade();
    await expect(all.add(made('evil'), refuses)).rejects.toThrow('refused');
    expect(names(all)).toEqual([]);
    await all.add(made('evil'), PASSES);
    expect(names(all)).toEqual(['name: evil']);
  });

  it('is checked with all that was made before it, also where both come at once', async () => {
    const all = createMade();
    const withSecond: string[][] = [];
    const [, second, twice] = await Promise.allSettled([
      all.add(made('first'), PASSES),
      all.add(made('second'), ({ texts }) => Promise.resolve(void withSecond.push([...texts.values()]))),
      all.add(made('First'), PASSES),
    ]);
    expect(withSecond).toEqual([['name: first', 'name: second']]);
    expect([second.status, twice.status]).toEqual(['fulfilled', 'rejected']);
  });
});
