import type { Context } from 'node:vm';
import { Script, createContext } from 'node:vm';

/**
 * Runs small programs within one budget of time: V8 ends one that is over it, also inside a regular expression.
 */
export interface TimedScripts {
  /** The whole budget is there again. */
  restart: () => void;
  run: (program: Script, place: Context) => { value: unknown } | 'slow';
}

/** All that is run has `budgetMs` together. */
export function createTimedScripts(budgetMs: number): TimedScripts {
  let leftMs = budgetMs;
  return {
    restart: () => {
      leftMs = budgetMs;
    },
    run(program, place) {
      const started = performance.now();
      try {
        return { value: program.runInContext(place, { timeout: Math.max(1, Math.round(leftMs)) }) as unknown };
      } catch (error) {
        if (isOverTime(error)) return 'slow';
        throw error;
      } finally {
        leftMs -= performance.now() - started;
      }
    },
  };
}

const CALL = new Script('act();');
/** Made once: it takes a millisecond. */
let callPlace: Context | null = null;

/** V8 counts what others compute, too: on a machine that has too much to do an act has so many times its time. */
const WHERE_BUSY = 2;
/** Less of the time than this was computed in this process: others had the rest. */
const OWN_SHARE = 0.8;

/**
 * Runs a function of ours, which V8 ends after so many milliseconds wherever it is then: also in code that was made
 * from foreign text, and inside a regular expression. One that was ended while the machine computed for others is run
 * once more, with more time, so the function begins anew whenever it is called: what it was at must not be used again.
 */
export function withinTime<T>(ms: number, act: () => T): { value: T } | 'slow' {
  const before = process.cpuUsage();
  const ran = endedAfter(ms, act);
  if (ran !== 'slow') return ran;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 < ms * OWN_SHARE ? endedAfter(ms * WHERE_BUSY, act) : ran;
}

function endedAfter<T>(ms: number, act: () => T): { value: T } | 'slow' {
  let result: { value: T } | 'slow' = 'slow';
  callPlace ??= createContext();
  callPlace['act'] = () => {
    result = { value: act() };
  };
  const ran = createTimedScripts(ms).run(CALL, callPlace);
  return ran === 'slow' ? ran : result;
}

/** The error of another realm is no `Error` of ours. */
function isOverTime(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
