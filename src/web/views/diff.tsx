import { safeText } from '../../cli/text/safe-text.js';
import type { DiffLine } from '../data/line-diff.js';

const WORDS = { removed: 'was: ', added: 'is: ', same: '' } as const;
const MARKS = { removed: '−', added: '+', same: ' ' } as const;

/** What has changed between two texts, line by line: each says by a mark what it is. */
export function Diff({ lines, label }: { lines: DiffLine[]; label: string }) {
  const changed = lines.filter(({ kind }) => kind !== 'same').length;
  return (
    <details class="changes" open={changed > 0}>
      <summary>
        {label}: {changed === 0 ? 'nothing is different' : `${changed} lines differ`}
      </summary>
      <div class="content">
        <pre tabindex={0} aria-label={label}>
          {lines.map(({ kind, text }) => (
            <span class={`line ${kind}`}>
              <span aria-hidden="true">{`${MARKS[kind]} `}</span>
              <span class="unseen">{WORDS[kind]}</span>
              {`${safeText(text)}\n`}
            </span>
          ))}
        </pre>
      </div>
    </details>
  );
}
