import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiUnreachableError } from '../../../shared/kubernetes/client/api-errors.ts';
import { type ClusterView, createClusterView } from '../../../shared/kubernetes/watch/cluster-view.ts';
import { DEFAULT_GATES } from '../../../shared/model/settings.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';
import { refusal } from '../support/answers.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import { aLiveNode, aLivePod, aLiveRunningPod, COLLECTIONS } from '../support/live-objects.ts';

const { pods, nodes } = COLLECTIONS;

let now: number;
let double: ApiDouble;
let view: ClusterView;
beforeEach(async () => {
  now = NOON;
  double = await startApiDouble();
  view = createClusterView({ api: connect(double).api, clock: { now: () => now } });
});
afterEach(async () => {
  view.close();
  await double.close();
});

/** The `list` and `watch <version>` requests of a kind since the last call. */
function listRequests(path: string): string[] {
  const requests = double.requests.slice(observed).filter((request) => request.path === path);
  observed = double.requests.length;
  return requests.map(({ query }) => {
    if (query.has('watch')) return `watch ${query.get('resourceVersion')}`;
    return query.has('fieldSelector') ? 'list pending' : 'list';
  });
}
let observed = 0;
beforeEach(() => {
  observed = 0;
});

const nodeNames = async (): Promise<string[]> => (await view.observe()).nodes.map(({ name }) => name);

describe('a watched cluster', () => {
  it('is listed once and watched from there', async () => {
    double.put(nodes, aLiveNode());
    const version = double.table.version();

    await view.observe();
    expect(listRequests(nodes)).toEqual(['list', `watch ${version}`]);
    await view.observe();
    expect(listRequests(nodes)).toEqual([]);
  });

  it('shows what was added, changed and removed since', async () => {
    double.put(nodes, aLiveNode({ name: 'a' }));
    double.put(nodes, aLiveNode({ name: 'b' }));
    await view.observe();

    double.put(nodes, aLiveNode({ name: 'c' }));
    double.put(nodes, aLiveNode({ name: 'a', spec: { providerID: 'aws:///us-east-1b/i-a' } }));
    double.table.remove(nodes, '/b');

    const { nodes: shown } = await view.observe();
    expect(shown.map(({ name, providerId }) => [name, providerId])).toEqual([
      ['a', 'aws:///us-east-1b/i-a'],
      ['c', 'aws:///us-east-1a/i-node-1'],
    ]);
  });

  it('returns identical lists while nothing changes', async () => {
    double.put(nodes, aLiveNode());
    double.put(pods, aLiveRunningPod());
    const before = await view.observe();
    const heartbeat = { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T12:05:00Z' };
    double.put(nodes, aLiveNode({ status: { conditions: [heartbeat] } }));

    const after = await view.observe();

    expect(after.pods).toBe(before.pods);
    expect(after.nodes).toBe(before.nodes);
  });

  it('is listed once for observations that start together', async () => {
    await Promise.all([view.observe(), view.observe()]);

    expect(listRequests(nodes)).toEqual(['list', 'watch 100']);
  });

  it('leaves out unreadable objects until they are readable', async () => {
    await view.observe();
    double.put(nodes, aLiveNode({ spec: { taints: 'none' } }));

    expect(await view.observe()).toMatchObject({ nodes: [], unreadable: [{ name: 'node-1' }] });

    double.put(nodes, aLiveNode());
    expect(await nodeNames()).toEqual(['node-1']);
  });
});

describe('a watch that ended', () => {
  it('is resumed from the newest version, without a list', async () => {
    await view.observe();
    const { metadata } = double.put(nodes, aLiveNode({ name: 'a' }));
    await view.observe();
    listRequests(nodes);

    await double.cutWatches();
    double.put(nodes, aLiveNode({ name: 'b' }));

    expect(await nodeNames()).toEqual(['a', 'b']);
    expect(listRequests(nodes)).toEqual([`watch ${metadata.resourceVersion}`]);
  });

  it('is resumed from a bookmark', async () => {
    await view.observe();
    double.put(pods, aLivePod());
    double.table.bookmark();
    await view.observe();
    listRequests(nodes);

    await double.cutWatches();
    await view.observe();

    expect(listRequests(nodes)).toEqual([`watch ${double.table.version()}`]);
  });

  it('lists again if its history is gone, and misses no deletion', async () => {
    double.put(nodes, aLiveNode({ name: 'a' }));
    double.put(nodes, aLiveNode({ name: 'b' }));
    await view.observe();
    await double.cutWatches();
    double.table.remove(nodes, '/a');
    double.table.forgetHistory();
    listRequests(nodes);

    expect(await nodeNames()).toEqual(['b']);
    expect(listRequests(nodes)).toEqual(['watch 102', 'list', `watch ${double.table.version()}`]);
  });

  it.each([
    ['an error event', `${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`],
    ['a malformed line', '{"type":\n'],
    ['an event of an unknown type', '{"type":"MOVED","object":{}}\n'],
    ['an object without a name', '{"type":"ADDED","object":{}}\n'],
  ])('lists again after %s', async (_, text) => {
    double.put(nodes, aLiveNode({ name: 'a' }));
    await view.observe();
    await double.cutWatches();
    double.table.remove(nodes, '/a');
    double.fail('/nodes', { status: 200, text });
    listRequests(nodes);

    expect(await nodeNames()).toEqual([]);
    expect(listRequests(nodes)).toContain('list');
  });

  it('leads to an error instead of an old view if it cannot be resumed', async () => {
    await view.observe();
    await double.cutWatches();
    double.fail('/nodes', refusal(503, 'ServiceUnavailable', 'starting'));

    await expect(view.observe()).rejects.toThrow(ApiUnreachableError);
    await expect(view.observe()).resolves.toBeDefined();
  });

  it('leads to an error if it ends again and again', async () => {
    await view.observe();
    await double.cutWatches();
    double.fail('/nodes', { status: 200, text: '' }, 5);

    await expect(view.observe()).rejects.toThrow(ApiUnreachableError);
  });

  it('is reopened after a silence that is longer than the interval of bookmarks', async () => {
    await view.observe();
    listRequests(nodes);

    now += MINUTE_MS;
    await view.observe();
    expect(listRequests(nodes)).toEqual([]);

    now += MINUTE_MS;
    await view.observe();
    expect(listRequests(nodes)).toEqual(['watch 100']);
  });

  it('lists at once if its history is probably gone', async () => {
    double.put(nodes, aLiveNode({ name: 'a' }));
    await view.observe();
    double.table.remove(nodes, '/a');
    listRequests(nodes);

    now += 4 * MINUTE_MS + 1;

    expect(await nodeNames()).toEqual([]);
    expect(listRequests(nodes)).toEqual(['list', `watch ${double.table.version()}`]);
  });

  it('is reopened after the view was closed', async () => {
    await view.observe();
    view.close();
    double.put(nodes, aLiveNode());

    expect(await nodeNames()).toEqual(['node-1']);
  });
});

describe('pods without a node', () => {
  const listing = (resourceVersion: string, items: readonly unknown[]) => ({
    status: 200,
    body: { metadata: { resourceVersion }, items },
  });
  const podNames = async (): Promise<string[]> => (await view.observe()).pods.map(({ name }) => name);

  beforeEach(async () => {
    double.put(pods, aLivePod({ name: 'waits' }));
    double.put(pods, aLiveRunningPod({ name: 'runs' }));
    await view.observe();
    listRequests(pods);
  });

  it('are listed for every observation', async () => {
    await view.observe();

    expect(listRequests(pods)).toEqual(['list pending']);
  });

  it('are taken from the list if the watch is behind', async () => {
    double.fail('/pods', listing('900', [aLivePod({ name: 'new' })]));

    expect(await podNames()).toEqual(['new', 'runs']);
  });

  it('are taken from the watch if the list is behind', async () => {
    double.fail('/pods', listing('1', [aLivePod({ name: 'ghost' })]));

    expect(await podNames()).toEqual(['runs', 'waits']);
  });

  it('are never counted twice if they are bound meanwhile', async () => {
    double.fail('/pods', listing('900', []));
    expect(await podNames()).toEqual(['runs']);

    double.put(pods, aLiveRunningPod({ name: 'waits' }));

    expect(await podNames()).toEqual(['runs', 'waits']);
  });
});

describe('a view of a process that may be frozen', () => {
  let frozen: ClusterView;
  beforeEach(async () => {
    const { api } = connect(double);
    frozen = createClusterView({ api, clock: { now: () => now }, mayFreeze: true });
    double.put(nodes, aLiveNode({ name: 'a' }));
    await frozen.observe();
    listRequests(nodes);
  });
  afterEach(() => frozen.close());

  const names = async (): Promise<string[]> => {
    const { nodes: shown } = await frozen.observe();
    return shown.map(({ name }) => name);
  };

  it('keeps its watches between frequent observations', async () => {
    now += 2 * SECOND_MS;
    await frozen.observe();
    now += 2 * SECOND_MS;
    await frozen.observe();

    expect(listRequests(nodes)).toEqual([]);
  });

  it('resumes them after a pause and contains the changes since', async () => {
    const version = double.table.version();
    double.put(nodes, aLiveNode({ name: 'b' }));
    now += 2 * SECOND_MS + 1;

    expect(await names()).toEqual(['a', 'b']);
    expect(listRequests(nodes)[0]).toMatch(new RegExp(`^watch (${version}|${double.table.version()})$`));
  });

  it('leaves no watch open for the time in which it is frozen', async () => {
    expect(double.countWatches()).toBeGreaterThan(0);
    frozen.suspend();
    await vi.waitFor(() => expect(double.countWatches()).toBe(0));
    double.put(nodes, aLiveNode({ name: 'b' }));

    expect(await names()).toEqual(['a', 'b']);
    expect(listRequests(nodes).filter((request) => request === 'list')).toEqual([]);
  });

  it('is not suspended while an observation is under way', async () => {
    now += MINUTE_MS;
    const observing = frozen.observe();
    frozen.suspend();

    expect((await observing).nodes).toHaveLength(1);
    expect(listRequests(nodes)).toHaveLength(1);
  });

  it('serves concurrent observations, however slow the responses are', async () => {
    now += MINUTE_MS;
    const first = frozen.observe();
    now += 3 * SECOND_MS;
    const [one, other] = await Promise.all([first, frozen.observe()]);

    expect(one.nodes).toBe(other.nodes);
    expect(listRequests(nodes)).toHaveLength(1);
  });

  it('can be prepared in advance', async () => {
    now += MINUTE_MS;
    await frozen.prepare();
    expect(listRequests(nodes)).toHaveLength(1);

    double.put(nodes, aLiveNode({ name: 'b' }));
    expect(await names()).toEqual(['a', 'b']);
    expect(listRequests(nodes)).toEqual([]);
  });
});

describe('a list', () => {
  it('parses only changed objects again', async () => {
    double.put(pods, aLiveRunningPod({ name: 'same' }));
    double.put(pods, aLiveRunningPod({ name: 'other' }));
    const before = await view.observe();
    now += 5 * MINUTE_MS;
    double.put(pods, aLiveRunningPod({ name: 'other', spec: { nodeName: 'node-2' } }));

    const after = await view.observe();

    expect(after.pods.find(({ name }) => name === 'same')).toBe(before.pods.find(({ name }) => name === 'same'));
    expect(after.pods.find(({ name }) => name === 'other')?.nodeName).toBe('node-2');
  });
});

describe('NodeOverlays and CapacityBuffers', () => {
  const BUFFERS = '/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers';
  const isBufferWatch = ({ path, query }: ApiDouble['requests'][number]): boolean =>
    path === BUFFERS && query.has('watch');
  const buffer = (replicas: number, status = {}) => ({
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    kind: 'CapacityBuffer',
    metadata: { namespace: 'default', name: 'spare' },
    spec: { replicas },
    status,
  });

  it('are announced when they change, but not when only their status changes', async () => {
    double.unserved.add('/apis/karpenter.sh/v1alpha1/nodeoverlays');
    const gates = { ...DEFAULT_GATES, CapacityBuffer: true, NodeOverlay: true };
    view = createClusterView({ api: connect(double).api, clock: { now: () => now }, gates });
    const hints: string[] = [];
    const errors: unknown[] = [];
    const stop = view.subscribe({
      onHint: ({ hint }) => hints.push(hint.topic),
      onError: (error) => errors.push(error),
    });
    await vi.waitFor(() => expect(hints).toEqual(['sweep']));
    await vi.waitFor(() => expect(double.requests.some(isBufferWatch)).toBe(true));

    double.put(BUFFERS, buffer(1));
    await vi.waitFor(() => expect(hints).toEqual(['sweep', 'plan', 'disrupt']));
    double.put(BUFFERS, buffer(1, { replicas: 1 }));
    double.put(BUFFERS, buffer(2));
    await vi.waitFor(() => expect(hints).toHaveLength(5));
    stop();
    expect(errors).toEqual([]);
  });
});
