import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AdminClient } from './admin-client.ts';
import { createPodDouble } from './pod-double.ts';

const PATH = '/api/v1/namespaces/default/pods/web';
const NOON = Date.parse('2026-01-01T12:00:00Z');

function fakeKube(pods: readonly object[] = []) {
  const calls: string[] = [];
  const kube: AdminClient = {
    list: async () => pods,
    get: async () => ({}),
    create: async () => undefined,
    patch: async (path, body) => void calls.push(`patch ${path} ${JSON.stringify(body)}`),
    patchNodeStatus: async () => undefined,
    remove: async (path) => void calls.push(`remove ${path} at ${(Date.now() - NOON) / 1000} s`),
    watch: () => undefined,
  };
  return { kube, calls };
}

interface PodOptions extends Readonly<Record<string, unknown>> {
  readonly restartPolicy?: string;
  /** The grace period in seconds, for a deleted pod. */
  readonly deletedFor?: number;
}

/** A pod with one container, which has the other options as fields. */
const aPod = ({ deletedFor, restartPolicy = 'Always', ...container }: PodOptions) => ({
  metadata: {
    uid: 'u1',
    name: 'web',
    namespace: 'default',
    ...(deletedFor !== undefined && {
      deletionTimestamp: new Date(NOON + deletedFor * 1000).toISOString(),
    }),
  },
  spec: {
    nodeName: 'node-1',
    restartPolicy,
    containers: [{ name: 'main', image: 'pause', ...container }],
  },
  status: { phase: 'Pending' },
});

const aDouble = (kube: AdminClient, isServed = (): boolean => true) =>
  createPodDouble({ kube, warn: () => () => undefined, isServed }, 100);

describe('a pod of the lab', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOON });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is ready again after a reboot of its node, with its containers started once more', async () => {
    const running = { phase: 'Running', containerStatuses: [{ name: 'main', restartCount: 1 }] };
    const elsewhere = { ...aPod({}), spec: { nodeName: 'node-2' }, status: running };
    const { kube, calls } = fakeKube([{ ...aPod({}), status: running }, elsewhere]);
    await aDouble(kube).restart('node-1');

    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain(`patch ${PATH}/status`);
    expect(calls[0]).toContain('{"type":"Ready","status":"True"');
    expect(calls[0]).toContain('"restartCount":2');
  });

  it('runs, and is ready without a probe', async () => {
    const { kube, calls } = fakeKube();
    aDouble(kube).handle('ADDED', aPod({}));
    await vi.runAllTimersAsync();

    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain(`patch ${PATH}/status`);
    expect(calls[0]).toContain('"type":"Ready","status":"True"');
  });

  it('runs but is never ready with an HTTP probe, because no process listens', async () => {
    const { kube, calls } = fakeKube();
    aDouble(kube).handle('ADDED', aPod({ readinessProbe: { httpGet: { port: 80 } } }));
    await vi.runAllTimersAsync();

    expect(calls[0]).toContain('"phase":"Running"');
    expect(calls[0]).toContain('"type":"Ready","status":"False"');
  });

  it('succeeds once its containers have slept, if they are not restarted', async () => {
    const { kube, calls } = fakeKube();
    const command = ['/bin/sh', '-c', 'sleep 30'];
    aDouble(kube).handle('ADDED', aPod({ restartPolicy: 'Never', command }));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(calls).toHaveLength(1);

    await vi.advanceTimersByTimeAsync(200);
    expect(calls[1]).toContain(`patch ${PATH}/status`);
    expect(calls[1]).toContain('"phase":"Succeeded"');
  });

  it.each<[string, PodOptions, PodOptions?]>([
    ['whose container is restarted', { command: ['sleep', '30'] }],
    ['that sleeps without end', { command: ['sleep', 'infinity'], restartPolicy: 'Never' }],
    ['that was deleted', { command: ['sleep', '30'], restartPolicy: 'Never' }, { deletedFor: 60 }],
  ])('does not succeed: a pod %s', async (_, options, change) => {
    const { kube, calls } = fakeKube();
    const double = aDouble(kube);
    double.handle('ADDED', aPod(options));
    if (change) double.handle('MODIFIED', aPod({ ...options, ...change }));
    await vi.runAllTimersAsync();

    expect(calls.join()).not.toContain('Succeeded');
  });

  it('ends at once when its containers handle SIGTERM', async () => {
    const { kube, calls } = fakeKube();
    aDouble(kube).handle('MODIFIED', aPod({ deletedFor: 60 }));
    await vi.runAllTimersAsync();

    expect(calls).toEqual([`remove ${PATH} at 0.1 s`]);
  });

  it('ends after its preStop hook', async () => {
    const { kube, calls } = fakeKube();
    const lifecycle = { preStop: { exec: { command: ['/bin/sh', '-c', 'sleep 20'] } } };
    aDouble(kube).handle('MODIFIED', aPod({ deletedFor: 60, lifecycle }));
    await vi.runAllTimersAsync();

    expect(calls).toEqual([`remove ${PATH} at 20.1 s`]);
  });

  it('is killed at the end of its grace period when PID 1 ignores SIGTERM', async () => {
    const { kube, calls } = fakeKube();
    aDouble(kube).handle('MODIFIED', aPod({ deletedFor: 60, command: ['sleep', 'infinity'] }));
    await vi.runAllTimersAsync();

    expect(calls).toEqual([`remove ${PATH} at 60 s`]);
  });

  it('ends earlier when it is deleted again with a shorter grace period', async () => {
    const { kube, calls } = fakeKube();
    const double = aDouble(kube);
    double.handle('MODIFIED', aPod({ deletedFor: 60, command: ['sleep', 'infinity'] }));
    double.handle('MODIFIED', aPod({ deletedFor: 10, command: ['sleep', 'infinity'] }));
    await vi.runAllTimersAsync();

    expect(calls).toEqual([`remove ${PATH} at 10 s`]);
  });

  it('is left to the pod garbage collector when its node has gone', async () => {
    const { kube, calls } = fakeKube();
    let isServed = true;
    aDouble(kube, () => isServed).handle('MODIFIED', aPod({ deletedFor: 60 }));
    isServed = false;
    await vi.runAllTimersAsync();

    expect(calls).toEqual([]);
  });
});
