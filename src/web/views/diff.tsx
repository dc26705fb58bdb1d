import { plural } from '../../cli/text/format.js';
import { safeText } from '../../cli/text/safe-text.js';
import type { DiffLine, DiffPart } from '../data/line-diff.js';
import { shownParts } from '../data/line-diff.js';

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
          {shownParts(lines).map((part) => (
            <Part part={part} />
          ))}
        </pre>
      </div>
    </details>
  );
}

function Part({ part }: { part: DiffPart }) {
  if ('count' in part)
    return (
      <span class="line left">
        ⋯ {part.kind === 'same-left' ? `${plural(part.count, 'line')} as before` : `${part.count} more lines differ`}
        {'\n'}
      </span>
    );
  return (
    <span class={`line ${part.kind}`}>
      <span aria-hidden="true">{`${MARKS[part.kind]} `}</span>
      <span class="unseen">{WORDS[part.kind]}</span>
      {`${safeText(part.text)}\n`}
    </span>
  );
}
