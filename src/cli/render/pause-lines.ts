import type { Pause } from '../../plan/budget/steering.js';
import { safeLine, safeName } from '../text/safe-text.js';
import { typedCommand } from '../text/own-name.js';

const WIDEST_COMMAND = 52;

/** Why nothing new starts in a run, and the commands by which it goes on. */
export function pauseLines(pause: Pause): string[] {
  const run = safeName(pause.run);
  const said = safeLine(pause.message);
  const line = (command: string, about: string): string => `  ${command.padEnd(WIDEST_COMMAND)}  ${about}`;
  if (pause.cause === 'request')
    return [`‖ ${said}. Nothing new starts, nothing is lost.`, line(typedCommand('perdure resume', [run]), 'go on')];
  if (pause.cause === 'quota')
    return [
      `‖ paused: ${said}. Nothing runs, nothing is lost.`,
      `  It goes on by itself at ${(pause.until ?? '').slice(0, 16).replace('T', ' ')} UTC.`,
      line(typedCommand('perdure resume', [run]), 'try now, by the quota of perdure.yml'),
      line(typedCommand('perdure budget', [run], '--abort'), 'stop here and keep what is done'),
    ];
  return [
    `‖ paused: ${said}. Nothing runs, nothing is lost.`,
    ...additionsFor(pause.cause).map((flags) => line(typedCommand('perdure budget', [run], flags), 'go on with more')),
    line(typedCommand('perdure budget', [run], '--abort'), 'stop here and keep what is done'),
  ];
}

function additionsFor(cause: Exclude<Pause['cause'], 'request' | 'quota'>): string[] {
  switch (cause) {
    case 'max_cost_usd':
      return ['--add-usd 2'];
    case 'max_tokens':
      return ['--add-tokens 100000'];
    case 'max_steps':
      return ['--add-steps 20'];
    case 'max_runtime_mins':
      return ['--add-minutes 30'];
    case 'max_parallel':
      return [];
  }
}
