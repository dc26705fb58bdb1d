import type { Template } from '../../plan/values/expression.js';
import type { CommandStep } from '../../plan/step.js';
import type { Node } from '../text/node.js';
import { listText, wordsOf } from '../text/words.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { writtenText } from '../text/written-number.js';
import type { TemplateContext } from '../expressions/template.js';
import { compileTemplate } from '../expressions/template.js';
import { hasTemplate, warnOfCode } from '../text/value-as-code.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, DEFAULT_TRY_MS, policyOf, schemaAt, templateAt, usualPolicy } from './base.js';

const DEFAULT_OUTPUT_KB = 100;

/** A program with its arguments. */
export function compileCommandStep(authored: Authored<'command'>, context: StepContext): CommandStep {
  const { node, templates, report } = context;
  const command = memberOf(node, 'command');
  const argv = (command?.items ?? []).map((item, index): Template => {
    if (index === 0) checkExecutable(item, report);
    return index === 0 ? { kind: 'literal', value: writtenText(item) } : asText(item, templates);
  });
  const env = memberOf(node, 'env')?.members ?? new Map<string, never>();
  const stdin = memberOf(node, 'stdin');
  checkWrittenOut(node, report);
  warnOfCode(command?.items ?? [], hasTemplate, report);
  return {
    kind: 'command',
    ...baseOf(authored, context),
    ...policyOf(authored, usualPolicy(1, DEFAULT_TRY_MS), context),
    argv,
    cwd: templateAt('cwd', context),
    env: Object.fromEntries([...env].map(([name, member]) => [name, asText(member.node, templates)])),
    stdin: stdin && asText(stdin, templates),
    reads: authored.reads ?? [],
    ...(authored.writes === undefined || authored.writes.length === 0 ? {} : { writes: authored.writes }),
    max_output_kb: authored.max_output_kb ?? DEFAULT_OUTPUT_KB,
    schema: schemaAt(context),
  };
}

/** Files that tell whether a result still holds are known before anything runs. */
function checkWrittenOut(node: Node, report: Report): void {
  for (const key of ['reads', 'writes'])
    for (const item of memberOf(node, key)?.items ?? []) {
      const path = String(item.value);
      if (path.includes('${'))
        report({
          code: 'invalid-value',
          at: item,
          message: 'Expected a path, got a template: files that a result depends on are written out.',
        });
      else if (/[*?]/.test(path))
        report({
          code: 'invalid-value',
          at: item,
          message: `Expected a path, got the pattern \`${path}\`, which is the name of no file.`,
          suggestion: 'name the folder: it stands for all that is below it',
        });
    }
}

/** Decision 3: what runs is decided by the person who wrote the definition, never by a value. */
export function checkExecutable(node: Node, report: Report): void {
  const { value } = node;
  if (typeof value !== 'string' || value.trim() === '') {
    report({ code: 'invalid-value', at: node, message: 'Expected the name or the path of an executable.' });
  } else if (value.includes('${')) {
    report({
      code: 'command-not-literal',
      at: node,
      message: 'Expected an executable, got a template.',
      suggestion: 'write the executable out; the arguments after it may be templates',
    });
  } else if (/\s/.test(value)) {
    const words = wordsOf(value).slice(0, 8);
    report({
      code: 'command-not-list',
      at: node,
      message: `Expected one executable, got \`${words.join(' ')}\`.`,
      suggestion: `write ${listText(words)}`,
    });
  }
}

/** What a program reads are texts: `3.10` is `"3.10"`. */
function asText(node: Node, templates: TemplateContext): Template {
  if (typeof node.value !== 'number' && typeof node.value !== 'boolean') return compileTemplate(node, templates);
  return { kind: 'literal', value: writtenText(node) };
}
