import { describe, expect, it } from 'vitest';
import type { EndedWork } from '../../../src/plan/placement/ended-work.js';
import { NO_WORK, lacks, withEnded } from '../../../src/plan/placement/ended-work.js';

const end = (work: EndedWork, workflow: string, activity: string): EndedWork => withEnded(work, { workflow, activity });

describe('what has ended of the work on a workspace', () => {
  it('is known by run, the latest last, and each once', () => {
    const work = ['1', '2', '1'].reduce((known, activity) => end(known, 'run', activity), end(NO_WORK, 'other', '9'));
    expect(work).toEqual({ by: { other: ['9'], run: ['2', '1'] } });
    expect(NO_WORK).toEqual({ by: {} });
  });

  it('is lacked where its run is not known, or knows only of others', () => {
    const work = end(NO_WORK, 'run', '1');
    expect(lacks(work, { workflow: 'run', activity: '1' })).toBe(false);
    expect(lacks(work, { workflow: 'run', activity: '2' })).toBe(true);
    expect(lacks(work, { workflow: 'other', activity: '1' })).toBe(true);
    expect(lacks({ ...work, more: true }, { workflow: 'run', activity: '2' })).toBe(true);
    expect(lacks({ ...work, more: true }, { workflow: 'other', activity: '1' })).toBe(false);
  });

  it('is that of runs called like what every object has', () => {
    for (const workflow of ['constructor', 'toString', 'valueOf']) {
      expect(lacks(NO_WORK, { workflow, activity: '1' })).toBe(true);
      expect(end(NO_WORK, workflow, '1')).toEqual({ by: { [workflow]: ['1'] } });
    }
  });

  it('forgets the first of many activities of one run', () => {
    let work = NO_WORK;
    for (let id = 1; id <= 65; id += 1) work = end(work, 'run', String(id));
    expect(work.by['run']).toHaveLength(64);
    expect(work.by['run']?.[0]).toBe('2');
    expect(work.more).toBeUndefined();
  });

  it('forgets the run of many that is longest silent, and says so from then on', () => {
    let work = NO_WORK;
    for (let run = 1; run <= 200; run += 1) work = end(work, `run-${run}`, '1');
    expect(Object.keys(work.by)).toHaveLength(200);
    expect(work.more).toBeUndefined();
    work = end(work, 'run-1', '2');
    expect(work.more).toBeUndefined();
    work = end(work, 'run-201', '1');
    expect(Object.keys(work.by)).toHaveLength(200);
    expect(work.by).not.toHaveProperty('run-2');
    expect(work.by['run-1']).toEqual(['1', '2']);
    expect(work.more).toBe(true);
    expect(end(work, 'run-201', '2').more).toBe(true);
  });
});
