import type { Row } from '../../cli/render/rows.js';
import { rowsOf } from '../../cli/render/rows.js';
import type { RunView } from '../../cli/observe/view/view.js';
import { stepPath } from '../paths.js';
import { toneClass } from './status.js';

/** What a state's mark means, for who does not see it. */
const WORDS: Record<string, string> = {
  '○': 'not started',
  '◆': 'waits for a person',
  '✓': 'done',
  '✗': 'failed',
  '–': 'skipped',
  '?': 'not known',
  '!': 'done in part',
};

/** A run's tree, each step a link to its page. */
export function RunTree({ view, now }: { view: RunView; now: number }) {
  return (
    <ol class="tree">
      {rowsOf(view, { now, expand: true }).map((row) => (
        <TreeLine row={row} run={view.run} />
      ))}
    </ol>
  );
}

function TreeLine({ row, run }: { row: Row; run: string }) {
  const { depth, path, mark, tone, label, kind, detail, time, cost } = row;
  return (
    <li class={`row depth-${Math.min(depth, 12)}`}>
      <span class={`mark ${toneClass(tone)}`}>
        <span aria-hidden="true">{mark ?? '▸'}</span>
        <span class="unseen">{mark === null ? 'running' : (WORDS[mark] ?? '')}</span>
      </span>
      <span class={tone === 'quiet' ? 'label quiet' : 'label'}>
        {path === undefined ? label : <a href={stepPath(run, path)}>{label}</a>}
      </span>
      <span class="kind">{kind}</span>
      <span class={`detail ${tone === 'bad' || tone === 'attention' ? toneClass(tone) : ''}`}>{detail}</span>
      <span class="number">{time}</span>
      <span class="number">{cost}</span>
    </li>
  );
}
