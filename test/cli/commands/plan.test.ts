import { describe, expect, it } from 'vitest';
import { ASKS_A_MODEL, HELLO, newFolder, perdureHere } from '../helpers/command-line.js';

const FILES = {
  'hello.yml': HELLO,
  'asks.yml': ASKS_A_MODEL,
  'empty.yml': '',
  'broken.yml': 'name: broken\nsteps:\n  - agent: general-porpose\n    prompt: hi\n',
};

describe('plan', () => {
  it('takes inputs as `run` does: checks them, shows them, and misses none', async () => {
    const folder = newFolder({
      ...FILES,
      'in.yml': 'count: 3\n',
      'two.yml':
        'name: two\ninputs:\n  name: {type: string, required: true}\n  count: {type: number, required: ' +
        'true}\nsteps:\n  - command: [echo, "${name} ${count}"]\n',
    });
    const { code, stdout } = await perdureHere(folder, ['plan', 'two.yml', '-i', 'name=Ana']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/name +string = "Ana" .*\n +count +number, required /)]);
    expect((await perdureHere(folder, ['plan', 'two.yml', '--inputs', 'in.yml'])).stdout).toMatch(/count +number = 3 /);
    expect((await perdureHere(folder, ['plan', 'asks.yml', 'Hello.'])).stderr).toContain('takes no request');
    for (const args of [
      ['-i', 'nam=Ana'],
      ['-i', 'count=many'],
      ['-i', 'count'],
      ['--inputs', 'none.yml'],
    ]) {
      const refused = await perdureHere(folder, ['plan', 'two.yml', ...args]);
      expect([refused.code, refused.stdout], args.join(' ')).toEqual([2, '']);
      expect(refused.stderr).toBe((await perdureHere(folder, ['run', 'two.yml', ...args])).stderr);
    }
  });

  it('tells of a number in a file of inputs that is another text, but where a number is meant', async () => {
    const folder = newFolder({
      'two.yml': 'inputs: {python: {}, price: {type: number}}\nsteps: [{command: [echo, "${python} ${price}"]}]\n',
      'in.yml': 'python: 3.10\nprice: 1.50\n',
    });
    const { code, stderr } = await perdureHere(folder, ['plan', 'two.yml', '--inputs', 'in.yml']);
    expect([code, stderr]).toEqual([
      0,
      'in.yml, `python`: The number `3.10` is handed on as `3.1`. Put it in quotes if it is a text.\n',
    ]);
  });

  const NESTED = {
    'definitions/workflows/inner.yml': HELLO.replace('hello', 'inner'),
    'outer.yml':
      'name: outer\nsteps:\n  - id: a\n    workflow: inner\n  - id: ok\n    approval: "Is \\"this\\" <fine>?"\n',
  };

  it('shows what a definition needs from the top, and the most it may use', async () => {
    const { stdout } = await perdureHere(newFolder(NESTED), ['plan', 'outer.yml']);
    expect(stdout).toContain('at most 2 steps');
    expect(stdout).toContain('name  string, required');
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  it('prints nodes and edges of the whole tree', async () => {
    const { stdout } = await perdureHere(newFolder(NESTED), ['plan', 'outer.yml', '--format', 'graph']);
    const graph = JSON.parse(stdout) as { nodes: { path: string; status: string }[]; edges: object[] };
    expect(new Set(graph.nodes.map(({ status }) => status))).toEqual(new Set(['pending']));
    expect(graph.nodes.map(({ path }) => path)).toEqual(['a', 'a/greeting', 'ok']);
    expect(graph.edges).toEqual([{ from: 'node-0', to: 'node-2' }]);
  });

  it('is a flow chart that Mermaid can read, whatever names a definition has', async () => {
    const { stdout } = await perdureHere(newFolder(NESTED), ['plan', 'outer.yml', '--format', 'mermaid']);
    expect(stdout).toMatch(/^flowchart TD\n {2}subgraph node-0\["workflow a<br\/>inner"\]/);
  });
});
