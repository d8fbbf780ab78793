import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClusterView, createClusterView } from '../../../shared/kubernetes/watch/cluster-view.ts';
import { computeBackOffMs } from '../../../shared/kubernetes/watch/keep-watching.ts';
import type { Hint } from '../../../shared/ports/work-queue.ts';
import { NOON } from '../../support/builders.ts';
import { refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, aLiveNodeClaim, aLivePod, aLivePool, COLLECTIONS } from '../support/live-objects.ts';

const { pods, nodes, pools, claims } = COLLECTIONS;

let double: ApiDouble;
let view: ClusterView;
let stop: () => void;
const heard: Hint[] = [];
const troubles: unknown[] = [];
beforeEach(async () => {
  heard.length = 0;
  troubles.length = 0;
  double = await startApiDouble();
  view = createClusterView({ api: connect(double).api, clock: { now: () => NOON } });
});
afterEach(async () => {
  stop();
  view.close();
  await double.close();
});

/** Subscribes and waits for the first hint. */
async function subscribe(): Promise<void> {
  stop = view.subscribe({
    onHint: ({ hint }) => heard.push(hint),
    onError: (error) => troubles.push(error),
  });
  await hears({ topic: 'sweep' });
}

const hears = (hint: Hint): Promise<void> =>
  vi.waitFor(() => expect(heard).toContainEqual(hint), { timeout: 5_000, interval: 10 });

describe('a subscriber of a cluster', () => {
  it('gets one sweep for everything that exists', async () => {
    double.put(nodes, aLiveNode());
    double.put(pods, aLivePod());
    await subscribe();

    expect(heard).toEqual([{ topic: 'sweep' }]);
  });

  it('gets a hint for a new pending pod', async () => {
    await subscribe();
    double.put(pods, aLivePod());

    await hears({ topic: 'plan' });
  });

  it('gets hints for changes of claims without an observation', async () => {
    await subscribe();
    double.put(claims, aLiveNodeClaim());

    await hears({ topic: 'claim', claim: 'general-1' });
  });

  it('misses nothing while the connection is lost', async () => {
    await subscribe();
    await double.cutWatches();
    double.put(pools, aLivePool());

    await hears({ topic: 'disrupt' });
  });

  it('misses nothing if the history is gone', async () => {
    await subscribe();
    await double.cutWatches();
    double.put(pods, aLivePod());
    double.table.forgetHistory();

    await hears({ topic: 'plan' });
  });

  it('gets an error while the API server does not answer, and hints afterwards', async () => {
    await subscribe();
    double.fail('/pods', refusal(503, 'ServiceUnavailable', 'starting'), 2);
    await double.cutWatches();
    await vi.waitFor(() => expect(troubles).not.toEqual([]), { timeout: 5_000 });

    double.put(pods, aLivePod());
    await hears({ topic: 'plan' });
  });

  it('gets nothing after it has unsubscribed', async () => {
    await subscribe();
    stop();
    double.put(pods, aLivePod());
    await view.observe();

    expect(heard).toEqual([{ topic: 'sweep' }]);
  });
});

describe('the attempts to reach the API server', () => {
  it('are delayed longer each time, up to half a minute', () => {
    expect([1, 2, 3, 7, 8, 100].map((failures) => computeBackOffMs(failures, 1))).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('are spread by jitter', () => {
    expect(computeBackOffMs(2, 0)).toBe(500);
  });
});
