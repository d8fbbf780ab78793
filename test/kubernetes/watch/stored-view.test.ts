import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterView, createClusterView } from '../../../shared/kubernetes/watch/cluster-view.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { ClusterObjects } from '../../../shared/ports/cluster.ts';
import { NOON } from '../../support/builders.ts';
import { createMemoryViewStore, type MemoryViewStore } from '../../support/memory-view-store.ts';
import { refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, aLivePod, aLiveRunningPod, COLLECTIONS } from '../support/live-objects.ts';

const { pods, nodes } = COLLECTIONS;
/** A smaller view is not stored. */
const POD_COUNT = 1_000;

let now: number;
let double: ApiDouble;
let views: MemoryViewStore;
const open: ClusterView[] = [];

beforeEach(async () => {
  now = NOON;
  views = createMemoryViewStore();
  double = await startApiDouble();
  double.put(nodes, aLiveNode());
  for (let index = 0; index < POD_COUNT; index += 1) {
    double.put(pods, aLiveRunningPod({ name: `web-${index}` }));
  }
});
afterEach(async () => {
  for (const view of open.splice(0)) view.close();
  await double.close();
});

/** A process that has just started. */
function start(): ClusterView {
  const view = createClusterView({
    api: connect(double).api,
    clock: { now: () => now },
    mayFreeze: true,
    views,
  });
  open.push(view);
  return view;
}

async function storeOne(): Promise<ClusterObjects> {
  const view = start();
  const objects = await view.observe();
  await view.storeView();
  return objects;
}

/** The full lists of pods and Nodes since `from`; the list of pending pods does not count. */
const countLists = (from: number): number =>
  double.requests
    .slice(from)
    .filter(({ path, query }) => (path === pods || path === nodes) && !query.has('watch'))
    .filter(({ query }) => !query.has('fieldSelector')).length;

const nameOf = ({ name }: { readonly name: string }): string => name;

describe('a stored view of the cluster', () => {
  it('gives a cold start the same objects without a list of pods and Nodes', async () => {
    const stored = await storeOne();
    const from = double.requests.length;

    const objects = await start().observe();
    expect(objects).toEqual(stored);
    expect(countLists(from)).toBe(0);
  });

  it('is brought up to date before anything is decided', async () => {
    await storeOne();
    double.put(nodes, aLiveNode({ name: 'node-2' }));
    double.table.remove(pods, 'default/web-7');
    double.put(pods, aLivePod({ name: 'pending' }));
    now += MINUTE_MS;

    const objects = await start().observe();
    expect(objects.nodes.map(nameOf)).toEqual(['node-1', 'node-2']);
    expect(objects.pods.map(nameOf)).toContain('pending');
    expect(objects.pods.map(nameOf)).not.toContain('web-7');
    expect(objects.lastPodEventAt).toEqual({ 'node-1': now });
  });

  it('is not used when the API server has lost the history since then', async () => {
    await storeOne();
    double.table.forgetHistory();
    double.put(nodes, aLiveNode({ name: 'node-2' }));

    const { nodes: observed, pods: observedPods } = await start().observe();
    expect(observed.map(nameOf)).toEqual(['node-1', 'node-2']);
    expect(observedPods).toHaveLength(POD_COUNT);
  });

  it('is counted as expired for each kind whose history the API server has lost', async () => {
    await storeOne();
    double.table.forgetHistory();
    const expired: string[] = [];
    const view = createClusterView({
      api: connect(double).api,
      clock: { now: () => now },
      views,
      onExpired: (resource) => expired.push(resource),
    });
    open.push(view);
    await view.observe();
    expect(expired.toSorted()).toEqual(['nodes', 'pods']);
  });

  it('is stored every other minute, and each minute in a large cluster', async () => {
    const intervals: number[] = [];
    views.save = async (_, { minIntervalMs }) => {
      intervals.push(minIntervalMs);
    };
    const view = start();
    await view.observe();
    await view.storeView();
    for (let index = 0; index < 49_000; index += 1) {
      double.put(pods, aLiveRunningPod({ name: `job-${index}` }));
    }
    view.close();
    now += 10 * MINUTE_MS;
    await view.observe();
    await view.storeView();

    expect(intervals).toEqual([90_000, 40_000]);
  });

  it('is not loaded twice when a watch ends because its history is gone', async () => {
    await storeOne();
    const view = start();
    // The API server may also tell so in the stream, after it has accepted the watch.
    double.fail(pods, refusal(410, 'Expired', 'too old resource version'));
    await view.observe();
    const { loads } = views;

    view.close();
    await view.observe();
    expect(views.loads).toBe(loads);
  });

  it('is loaded again by a process that was frozen for longer than the history lasts', async () => {
    const frozen = start();
    await frozen.observe();
    now += 10 * MINUTE_MS;
    await storeOne();
    double.put(nodes, aLiveNode({ name: 'node-2' }));
    const from = double.requests.length;

    expect((await frozen.observe()).nodes.map(nameOf)).toEqual(['node-1', 'node-2']);
    expect(countLists(from)).toBe(0);
  });

  it('is listed instead if it is older than the history', async () => {
    await storeOne();
    now += 5 * MINUTE_MS;
    const from = double.requests.length;
    await start().observe();
    expect(countLists(from)).toBeGreaterThan(0);
  });

  it('lets pods that are read later share the specs of stored ones', async () => {
    await storeOne();
    const view = start();
    const before = await view.observe();
    double.put(pods, aLiveRunningPod({ name: 'web-new' }));
    now += MINUTE_MS;
    const after = await view.observe();

    const added = after.pods.find(({ name }) => name === 'web-new');
    expect(added?.spec).toBe(before.pods[0]?.spec);
  });

  it('is not stored for a cluster that is quickly listed', async () => {
    for (let index = 1; index < POD_COUNT; index += 1) {
      double.table.remove(pods, `default/web-${index}`);
    }
    await storeOne();
    expect(views.file).toBeUndefined();
  });
});
