import { describe, expect, it } from 'vitest';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import { aNodeClaim, aPod, aPodSpec, NOON, resources } from '../support/builders.ts';
import { aFleet, aWillingPool, decide, findStayReason, web } from './fleet.ts';

const GPU_TAINT = { key: 'gpu', value: 'true', effect: 'NoSchedule' } as const;
const POOLS = [aWillingPool(), aWillingPool({ name: 'gpu', taints: [GPU_TAINT] })];
const waiting = (over: Parameters<typeof aPodSpec>[0] = {}) =>
  aPod({
    name: 'train',
    owner: { kind: 'ReplicaSet', name: 'train', uid: 'rs-train' },
    spec: aPodSpec({ tolerations: [{ key: 'gpu', operator: 'Exists' }], ...over }),
  });
const launching = (over: Partial<NodeClaim> = {}): NodeClaim =>
  aNodeClaim({
    name: 'gpu-1',
    pool: 'gpu',
    taints: [GPU_TAINT],
    instanceTypes: ['small', 'medium'],
    createdAt: NOON - SECOND_MS,
    expects: { 'rs-train': 1 },
    ...over,
  });
const onlyGpu = { nodeSelector: { 'karpenter.sh/nodepool': 'gpu' } };

describe('an empty node', () => {
  const decideBeside = (claim: NodeClaim, pod = waiting(onlyGpu)) =>
    decide(aFleet([{ name: 'a' }], { pools: POOLS, claims: [claim], pods: [pod] }));

  it('goes while a claim is launched for pods that cannot run on it', () => {
    expect(decideBeside(launching()).gone).toEqual(['a']);
  });

  it('stays while a claim is launched for pods that could run on it', () => {
    const decision = decideBeside(launching(), waiting());

    expect(decision.gone).toEqual([]);
    expect(findStayReason(decision, 'a')).toBe('launch-under-way');
  });

  it('goes if those pods need more than it has', () => {
    const large = waiting({ requests: resources(3, 1, { pods: 1 }) });

    expect(decideBeside(launching(), large).gone).toEqual(['a']);
  });

  it('goes once the launch has taken more than two minutes', () => {
    const late = launching({ createdAt: NOON - 2 * MINUTE_MS - 1 });

    expect(decideBeside(late, waiting()).gone).toEqual(['a']);
    expect(decideBeside({ ...late, createdAt: NOON - 2 * MINUTE_MS }, waiting()).gone).toEqual([]);
  });
});

describe('a node with pods', () => {
  const nodes = [
    { name: 'a', pods: [web('p')] },
    { name: 'b', pods: [web('q')] },
  ];
  const decideBeside = (claim: NodeClaim) =>
    decide(aFleet(nodes, { pools: POOLS, claims: [claim], pods: [waiting(onlyGpu)] }));

  it('is consolidated while a claim is launched that its pods do not tolerate', () => {
    expect(decideBeside(launching()).command?.reason).toBe('Underutilized');
  });

  it('stays while a claim is launched that its pods could run on', () => {
    const decision = decideBeside(launching({ pool: 'general', taints: [] }));

    expect(decision.command).toBeUndefined();
    expect(findStayReason(decision, 'a')).toBe('launch-under-way');
  });

  it.each<[string, Partial<NodeClaim>]>([
    ['another operating system', { requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['windows'] }] }],
    ['types that are too small', { instanceTypes: ['tiny'] }],
  ])('is consolidated while a claim with %s is launched', (_, over) => {
    const linux = { nodeSelector: { 'kubernetes.io/os': 'linux' } };
    const own = nodes.map(({ name }, index) => ({ name, pods: [web(`p-${index}`, 0.5, linux)] }));
    const claim = launching({ pool: 'general', taints: [], ...over });
    const decision = decide(aFleet(own, { pools: POOLS, claims: [claim], pods: [waiting(onlyGpu)] }));

    expect(decision.command?.reason).toBe('Underutilized');
  });

  it('that has drifted waits for a claim that its pods could run on, and for no other', () => {
    const drift = { reason: 'NodePoolDrifted', text: 'labels', since: NOON - MINUTE_MS } as const;
    const drifted = [{ name: 'a', pods: [web('p')], claim: { drift } }];
    const decideDrift = (claim: NodeClaim) =>
      decide(aFleet(drifted, { pools: POOLS, claims: [claim], pods: [waiting(onlyGpu)] }));

    expect(decideDrift(launching()).command?.reason).toBe('Drifted');
    const decision = decideDrift(launching({ pool: 'general', taints: [] }));
    expect(findStayReason(decision, 'a')).toBe('launch-under-way');
  });
});
