import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { toTimeline } from '../../../cli/describe/describe.ts';
import { timelineText } from '../../../cli/render/timeline.ts';
import { type ApiDouble, startApiDouble } from '../../kubernetes/support/api-double.ts';
import {
  aLiveNode,
  aLiveNodeClaim,
  aLivePool,
  aLiveRunningPod,
  COLLECTIONS,
} from '../../kubernetes/support/live-objects.ts';
import { aLaunch, aNodeClaim, NOON } from '../../support/builders.ts';
import { aFolder, documentOf, mortise } from '../call.ts';

const at = (second: number): string => new Date(NOON + second * 1_000).toISOString().replace('.000', '');

const isTrue = (type: string, second: number) => ({
  ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: at(second) },
});
const isUnknown = (type: string, reason: string, message: string, second: number) => ({
  ...{ type, status: 'Unknown', reason, message, lastTransitionTime: at(second) },
});

async function aCluster(): Promise<{ readonly double: ApiDouble; readonly kubeconfig: string }> {
  const double = await startApiDouble();
  onTestFinished(double.close);
  double.put(COLLECTIONS.pools, aLivePool());
  const config = {
    'current-context': 'admin@shop',
    contexts: [{ name: 'admin@shop', context: { cluster: 'shop', user: 'admin' } }],
    clusters: [{ name: 'shop', cluster: { server: double.url } }],
    users: [{ name: 'admin', user: { token: 'secret' } }],
  };
  const folder = await aFolder({ config: JSON.stringify(config) });
  return { double, kubeconfig: join(folder, 'config') };
}

/** AWS is not reachable, so that only live objects remain. */
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
});
afterEach(() => vi.unstubAllEnvs());

const withClaim = (double: ApiDouble, conditions: readonly object[], metadata = {}): void => {
  double.put(
    COLLECTIONS.claims,
    aLiveNodeClaim({
      name: 'general-1',
      metadata: { creationTimestamp: at(1), ...metadata },
      status: { nodeName: 'node-1', conditions },
    }),
  );
};

describe('mortise describe nodeclaim', () => {
  it('derives the phases from live objects, and says that the record is missing', async () => {
    const { double, kubeconfig } = await aCluster();
    withClaim(double, [isTrue('Launched', 3), isTrue('Registered', 30), isTrue('Initialized', 40)]);
    double.put(COLLECTIONS.nodes, aLiveNode());
    double.put(
      COLLECTIONS.pods,
      aLiveRunningPod({
        metadata: { creationTimestamp: at(0) },
        status: { containerStatuses: [{ name: 'web', state: { running: { startedAt: at(44) } } }] },
      }),
    );
    const outcome = await mortise(['describe', 'nodeclaim', 'general-1', '--kubeconfig', kubeconfig, '-o', 'json']);

    expect(documentOf(outcome)).toMatchObject({
      kind: 'NodeClaimTimeline',
      source: { cluster: 'shop', record: false },
      complete: false,
      result: {
        nodeClaim: 'general-1',
        node: 'node-1',
        phases: [
          { name: 'pod-pending', at: '2026-01-01T12:00:00.000Z' },
          { name: 'decided', ms: 1_000 },
          { name: 'launched', ms: 2_000 },
          { name: 'registered', ms: 27_000 },
          { name: 'initialized', ms: 10_000 },
          { name: 'pod-running', ms: 4_000 },
        ],
        startMs: 44_000,
      },
    });
    expect(outcome.code).toBe(6);
  });

  it('shows the reason of a phase that a claim waits for, such as a drain that does not progress', async () => {
    const { double, kubeconfig } = await aCluster();
    withClaim(
      double,
      [
        isTrue('Launched', 3),
        isTrue('Registered', 30),
        isTrue('Initialized', 40),
        isUnknown('Drained', 'DrainStuck', 'shop/web-1: it terminates', 90),
      ],
      { deletionTimestamp: at(80), finalizers: ['karpenter.sh/termination'] },
    );
    const { stdout } = await mortise(['describe', 'nodeclaim/general-1', '--kubeconfig', kubeconfig]);

    expect(stdout).toContain('40.0s  deleted\n');
    expect(stdout).toContain('10.0s  drain started\n');
    expect(stdout).toContain('waits for Drained since 2026-01-01T12:01:30Z: DrainStuck, shop/web-1: it terminates\n');
  });

  it('fails with exit code 5 if there is no such claim', async () => {
    const { kubeconfig } = await aCluster();
    const { code, stderr } = await mortise(['describe', 'nodeclaim', 'general-9', '--kubeconfig', kubeconfig]);

    expect(code).toBe(5);
    expect(stderr).toContain('no NodeClaim general-9');
  });

  it('needs no AWS region for live objects', async () => {
    vi.stubEnv('AWS_REGION', '');
    vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
    const { double, kubeconfig } = await aCluster();
    withClaim(double, [isTrue('Launched', 3)]);
    const { code, stdout, stderr } = await mortise([
      ...['describe', 'nodeclaim', 'general-1', '--kubeconfig', kubeconfig],
    ]);

    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: 'warning: the record was not read: no AWS region\n',
    });
    expect(stdout).toContain('2.0s  launched\n');
  });

  it.each([[['pod', 'web']], [['nodeclaim']]])('refuses %j', async (words) => {
    expect((await mortise(['describe', ...words])).code).toBe(2);
  });

  it('shows the life of a claim that is gone, from its record', () => {
    const record = aNodeClaim({
      name: 'general-7xk2p',
      podsWaitedSince: NOON + 100,
      createdAt: NOON + 900,
      decision: 's-20260101T120000Z-8r2c',
      launch: { ...aLaunch(), calledAt: NOON + 950, at: NOON + 2_600 },
      registeredAt: NOON + 31_200,
      initializedAt: NOON + 39_000,
      podRunningAt: NOON + 42_300,
      deletingAt: NOON + 3_600_000,
      drainingAt: NOON + 3_600_000,
      drainedAt: NOON + 3_610_000,
      terminatingAt: NOON + 3_610_000,
      terminatedAt: NOON + 3_792_000,
    });
    const timeline = toTimeline('general-7xk2p', { object: undefined, record, live: undefined });

    expect(timelineText(timeline).split('\n').slice(1)).toEqual([
      '2026-01-01 12:00:00.1          first pod pending',
      '2026-01-01 12:00:00.9    0.8s  decided, NodeClaim committed (s-20260101T120000Z-8r2c)',
      '2026-01-01 12:00:00.9    0.1s  CreateFleet called',
      '2026-01-01 12:00:02.6    1.6s  launched',
      '2026-01-01 12:00:31.2   28.6s  registered',
      '2026-01-01 12:00:39.0    7.8s  initialized',
      '2026-01-01 12:00:42.3    3.3s  first planned pod running; 42.2s in all',
      '2026-01-01 13:00:00.0  59m18s  deleted',
      '2026-01-01 13:00:00.0    0.0s  drain started',
      '2026-01-01 13:00:10.0   10.0s  pods evicted',
      '2026-01-01 13:00:10.0    0.0s  termination requested',
      '2026-01-01 13:03:12.0    3m2s  instance terminated',
      '',
    ]);
  });
});
