import { describe, expect, it } from 'vitest';
import type { WorkerDeployment } from '../../../src/plan/placement/deployment.js';
import { isSameVersion, versionIn, versionText, versionWaitText } from '../../../src/plan/placement/deployment.js';
import { isOwnQueue, ownQueue } from '../../../src/plan/placement/home.js';
import { queuesOfVersion } from '../../../src/plan/placement/version-queues.js';
import { workerRecord } from '../helpers/worker-record.js';

const shop = { name: 'shop', build: '1.2' };
const of = (build: string): { deployment: WorkerDeployment } => ({
  deployment: { name: 'shop', build, behavior: 'pinned' },
});

describe('a version', () => {
  it('is written as its deployment and its build', () => {
    expect(versionText(shop)).toBe('shop:1.2');
    expect(versionIn('shop:1.2')).toEqual(shop);
    expect(versionWaitText('shop:1.2')).toBe('is pinned to the version `shop:1.2`, of which no worker is there');
  });

  it.each<[string, ReturnType<typeof versionIn>]>([
    ['shop', { name: 'shop', build: null }],
    ['s', { name: 's', build: null }],
    ['9_a-B:v1.0_2+x-y', { name: '9_a-B', build: 'v1.0_2+x-y' }],
    [`${'a'.repeat(63)}:${'b'.repeat(100)}`, { name: 'a'.repeat(63), build: 'b'.repeat(100) }],
    ['a'.repeat(64), null],
    [`a:${'b'.repeat(101)}`, null],
    ['', null],
    [':1', null],
    ['shop:', null],
    ['-shop', null],
    ['shop.2', null],
    ['shop:-1', null],
    ['shop:1:2', null],
    ['shop:1 2', null],
    ['my shop', null],
    ['shop\n', null],
    ['shop:1\n', null],
  ])('is read from %j', (text, version) => {
    expect(versionIn(text)).toEqual(version);
  });

  it('is the same where both its names are, and none is none', () => {
    expect(isSameVersion(shop, { ...shop })).toBe(true);
    expect(isSameVersion(shop, { ...shop, build: '2' })).toBe(false);
    expect(isSameVersion(shop, { ...shop, name: 'other' })).toBe(false);
    expect(isSameVersion(shop, null)).toBe(false);
    expect(isSameVersion(null, shop)).toBe(false);
    expect(isSameVersion(null, null)).toBe(true);
  });

  it('takes from the queues of its workers that take new work, and from those of what they meet', () => {
    const workers = [
      workerRecord({ ...of('1.2'), serves: ['gpu', 'gpu,lab'] }),
      workerRecord({ ...of('1.2'), queue: 'r', draining: true }),
      workerRecord({ ...of('2'), queue: 's' }),
      workerRecord({ queue: 't' }),
    ];
    expect([...queuesOfVersion(workers, shop)]).toEqual(['q', 'q/needs/gpu', 'q/needs/gpu,lab']);
    expect([...queuesOfVersion(workers, { ...shop, build: '3' })]).toEqual([]);
  });
});

describe('the queue of one worker', () => {
  it('is told from others', () => {
    expect(ownQueue('perdure-a', 'b2c7')).toBe('perdure-a/worker/b2c7');
    expect(isOwnQueue(ownQueue('perdure-a', 'b2c7'))).toBe(true);
    for (const other of ['perdure-a', 'perdure-a/needs/gpu', 'q/worker/', 'q/worker/a/b', 'q/worker/A', 'worker/a1'])
      expect(isOwnQueue(other)).toBe(false);
  });
});
