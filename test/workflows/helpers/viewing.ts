import type { Connection } from '@temporalio/client';
import { observe } from '../../../src/cli/observe/observer.js';
import type { RunView } from '../../../src/cli/observe/view/view.js';
import type { Harness } from './harness.js';

/** A run as `show` sees it now. The client of the harness is connected by the ordinary means. */
export async function viewOf({ client, store }: Pick<Harness, 'client' | 'store'>, run: string): Promise<RunView> {
  const observer = observe({
    source: { client, connection: client.connection as Connection, namespace: 'default' },
    run,
    store,
    wait: false,
    signal: new AbortController().signal,
  });
  await observer.done;
  const view = observer.view();
  if (view === null) throw new Error(`nothing is known of ${run}`);
  return view;
}
