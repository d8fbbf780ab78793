import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { getOrCreate } from '../../shared/model/memo.ts';
import { commandSchema } from '../../shared/model-schema/command-schema.ts';
import { snapshotSchema } from '../../shared/model-schema/snapshot-schema.ts';
import { decisionInputSchemas } from '../../shared/record/decision-schema.ts';
import { createNameRedaction } from '../../shared/record/redact-names.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { anyCluster } from '../scheduling/support/any-cluster.ts';
import {
  aNodePool,
  anInitializedClaim,
  aPodDisruptionBudget,
  aPodSpec,
  aRunningPod,
  aSnapshot,
  NOON,
} from '../support/builders.ts';
import { aChoice, requestFor, someDevices } from '../support/devices.ts';
import { anyChoice, createValue } from './support/any-value.ts';

/** Names keep their length, so that a test can tell them apart. */
const hash = (name: string): string => `x${name.length}`;

/** Equal names have equal hashes, and others have others. */
const createDistinctHash = () => {
  const hashes = new Map<string, string>();
  return (name: string): string => getOrCreate(hashes, name, () => `x${hashes.size.toString(16).padStart(10, '0')}`);
};

const redact = <T>(value: T, over: Partial<ClusterSnapshot> = {}): T =>
  createNameRedaction(aSnapshot(over), hash)(value);

/** Facts of EC2 and the names of NodePools. */
const READABLE = new Set([
  '.pools[].name',
  '.instanceTypes{}[].name',
  '.instanceTypes{}[].capacity{}',
  '.offerings[].zone',
]);

describe('a redacted input of a decision', () => {
  it('contains no word of any field of any object, but of EC2 and the names of NodePools', () => {
    fc.assert(
      fc.property(anyChoice, (below) => {
        let words = 0;
        const createString = (path: string): string => {
          words += 1;
          return READABLE.has(path) ? `fact-${words}` : `acme${words}-bank`;
        };
        const snapshot = createValue(snapshotSchema, createString, below) as ClusterSnapshot;
        const others = [...decisionInputSchemas, commandSchema].map((schema) =>
          createValue(schema, createString, below),
        );
        const text = JSON.stringify([snapshot, others].map(createNameRedaction(snapshot, hash)));

        expect(words).toBeGreaterThan(300);
        expect(text.match(/.{0,60}(acme|bank).{0,20}/)?.[0]).toBeUndefined();
        expect(text).toContain('fact-');
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['a sentence', 'cannot evict pod acme/bank-0.', 'cannot x5 pod x4/x6.'],
    ['a name in quotes', 'webhook "acme/bank" denied; [bank]', 'webhook "x4/x4" denied; [x4]'],
    ['letters that are not ASCII', 'größe', 'x5'],
    ['a list of names', 'acme,bank', 'x4,x4'],
    ['a label with a prefix', 'acme.example.com/bank', 'x16/x4'],
    ['a number that could be an account', '123456789012', 'x12'],
    ['a name that begins as the name of a NodePool', 'general-bank', 'x12'],
  ])('has hashes in the place of %s', (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    ['labels of Kubernetes and Karpenter', 'topology.kubernetes.io/zone'],
    ['instances', 'aws:///us-east-1a/i-0123456789abcdef0'],
    ['instance types', 'm7i.large,c7g.16xlarge,u-6tb1.metal'],
    ['amounts', '1500m'],
    ['shares', '50%'],
    ['times', '2026-11-21T14:32:09.000Z'],
    ['NodeClaims of a NodePool', 'general-x7k2p'],
    ['decisions', 'p-20261121T143209Z-4k7q'],
  ])('keeps %s', (_, text) => {
    expect(redact(text)).toBe(text);
  });

  it('keeps the schedules of budgets, and hashes what is none', () => {
    const withSchedule = (schedule: string) => {
      const pool = aNodePool();
      const budgets = [{ nodes: '10%', schedule }];
      return aNodePool({ disruption: { ...pool.disruption, budgets } });
    };
    const pools = [withSchedule('0 9 * * mon-fri'), withSchedule('acme')];
    const redacted = redact(pools, { pools });

    expect(redacted.map(({ disruption }) => disruption.budgets[0]?.schedule)).toEqual(['0 9 * * mon-fri', 'x4']);
  });

  it('contains no name of a pod or budget, not in sentences about a drain either', () => {
    const text = '1 pod: shop/cart-1: PodDisruptionBudget shop/cart (minAvailable 1), and cart-1';
    const claim = anInitializedClaim('node-7', {
      name: 'general-x7k2p',
      heldUpBy: { 'Pod shop/cart-1': NOON },
      refusedRestarts: { 'shop/cart-1': 'its Deployment is paused' },
      blockedDrain: { pods: 1, since: NOON, text },
    });
    const pods = [aRunningPod('node-7', { namespace: 'shop', name: 'cart-1', uid: 'u-1' })];
    const podDisruptionBudgets = [aPodDisruptionBudget({ namespace: 'shop', name: 'cart' })];
    const snapshot = aSnapshot({ pods, claims: [claim], podDisruptionBudgets });
    const redacted = createNameRedaction(snapshot, hash)(snapshot);

    expect(JSON.stringify(redacted)).not.toMatch(/shop|cart/);
    expect(redacted.claims[0]?.blockedDrain?.text).toBe(
      '1 pod: x4/x6: PodDisruptionBudget x4/x4 (minAvailable 1), and x6',
    );
  });

  it('keeps the parts of names that decisions compare', () => {
    const pod = aRunningPod('node-7', {
      name: 'cart-0',
      labels: { 'pod-template-hash': '5d4f8c7b9' },
      owner: { kind: 'ReplicaSet', name: 'cart-5d4f8c7b9', uid: 'u-2' },
      spec: aPodSpec({ volumeClaims: ['data-cart-0'], ephemeralVolumes: [{ name: 'tmp' }] }),
    });
    const redactOne = createNameRedaction(aSnapshot({ pods: [pod] }), hash);

    expect(redactOne(['cart-5d4f8c7b9', 'data-cart-0', 'cart-0-tmp'])).toEqual(['x4-x9', 'x4-x6', 'x6-x3']);
  });

  it('keeps selectors of devices valid, with the hashes of the attributes', () => {
    const cel = 'device.attributes["gpu.acme.com"].bank == "acme" && device.driver != "gpu.acme.com"';
    const devices = someDevices({
      templates: [{ namespace: 'shop', name: 'one', request: requestFor([aChoice({ selectors: [cel] })]) }],
    });

    expect(redact(devices).templates[0]?.request.requests[0]?.choices[0]?.selectors).toEqual([
      'device.attributes["x12"].x4 == "x4" && device.driver != "x12"',
    ]);
  });
});

describe('a plan for a redacted cluster', () => {
  it('launches nodes of the same price, and leaves as many pods without a place', () => {
    const summarize = (cluster: ClusterSnapshot) => {
      const { claims, unplaced, hourlyUsd } = planProvisioning(cluster, 'p-1');
      return {
        types: claims.map(({ cheapest }) => cheapest.instanceType).toSorted(),
        unplaced: unplaced.reduce((sum, { pods }) => sum + pods.length, 0),
        usd: hourlyUsd.toFixed(6),
      };
    };
    fc.assert(
      fc.property(anyCluster(), (cluster) => {
        const redacted = createNameRedaction(cluster, createDistinctHash())(cluster);

        expect(summarize(redacted)).toEqual(summarize(cluster));
      }),
      { numRuns: 25 },
    );
  });
});
