import { Linter } from 'eslint';
import { parser } from 'typescript-eslint';
import { describe, expect, it } from 'vitest';

/** Plain JavaScript, without types. */
const CONFIG: string = '../../eslint.config.js';
const { default: config } = (await import(CONFIG)) as { default: Linter.Config[] };
/** The rules about what is written to a terminal, as lint has them for `src/`. */
const rules = config.find((block) => block.rules?.['no-console'] !== undefined)?.rules ?? {};

function findings(code: string): string[] {
  return new Linter().verify(code, [{ languageOptions: { parser }, rules }]).map(({ message }) => message);
}

describe('writing to a terminal past the one writer', () => {
  it.each([
    'process.stdout.write("x")',
    'process.stderr.end()',
    'const { stdout } = process;',
    'const { stderr: out } = process;',
    'console.log("x")',
    'globalThis.console.log("x")',
    'globalThis.process.stdout',
    'terminal.stdout.write("x")',
    '(terminal.stderr as NodeJS.WriteStream).write("x")',
    'stream.write("x")',
    'source.pipe(process.stdout)',
    'source.pipe(terminal.stdout)',
    'child.stdout.pipe(stdout)',
    'writeSync(1, "x")',
    'fs.writeSync(2, "x")',
    'writeFileSync("/dev/tty", "x")',
    'await writeFile("/dev/stdout", "x")',
    'appendFileSync("/proc/self/fd/1", "x")',
    'import { WriteStream } from "node:tty"',
    'import { log } from "node:console"',
    'import process from "node:process"',
    'await import("node:tty")',
    'process["stdout"].write("x")',
    'process._rawDebug("x")',
  ])('is found by lint: %s', (code) => {
    expect(findings(code)).not.toEqual([]);
  });

  it.each([
    'log.write("note", "x")',
    'tell(terminal, "x")',
    'writeFileSync("report.md", "x")',
    'child.stdin.write("x")',
    'child.stdout.on("data", f)',
    'process.exit(1)',
    'terminal.stdout.isTTY',
  ])('is not what this is: %s', (code) => {
    expect(findings(code)).toEqual([]);
  });
});
