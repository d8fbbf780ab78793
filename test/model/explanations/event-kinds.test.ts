import { describe, expect, it } from 'vitest';
import { formatEvent } from '../../../shared/model/explanations/event-kinds.ts';
import type { ClusterEvent } from '../../../shared/model/explanations/events.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/model/time.ts';
import { anOffering, NOON } from '../../support/builders.ts';

const spot = anOffering({ instanceType: 'c7g.4xlarge', capacityType: 'spot', hourlyUsd: 0.2337 });
const podsOf = (workload: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${workload}-${index}`);

describe('formatEvent', () => {
  const cases: readonly (readonly [ClusterEvent, string])[] = [
    [
      {
        kind: 'class-not-ready',
        at: NOON,
        claim: 'by-hand',
        nodeClass: 'default',
        reason: 'NodeClassNotFound',
        text: 'there is no EC2NodeClass default',
      },
      'by-hand waits for EC2NodeClass default: there is no EC2NodeClass default.',
    ],
    [
      { kind: 'plan-unfinished', at: NOON, planner: 'disruption', startedAt: NOON },
      'The plan of removals that began at 12:00:00 did not end. Nodes are looked at in parts, until the one that ends the planner is found.',
    ],
    [
      { kind: 'node-set-aside', at: NOON, claim: 'general-1', failures: 2, until: NOON },
      'The planner ended without a plan when it planned the removal of general-1, 2 times in a row. It stays, and the removal of all other nodes is planned; it is looked at again at 12:00.',
    ],
    [
      {
        ...{ kind: 'planning-paused', at: NOON, planner: 'disruption', pools: ['general'] },
        ...{ failures: 2, until: NOON },
      },
      'Plans of removals do not end, whichever nodes they leave out, 2 times in a row: a defect that a NodePool or a running pod brings out. No node is removed or replaced to save money or because of drift; tried again at 12:00.',
    ],
    [
      {
        ...{ kind: 'planning-paused', at: NOON, planner: 'disruption', pools: ['general'] },
        ...{ isPartial: true, failures: 1, until: NOON },
      },
      'The planner ended without a plan when it planned removals with NodePool general. Its nodes stay, and no node is replaced from it; all other nodes are planned. It is tried again at 12:00.',
    ],
    [
      { kind: 'move-back-prevented', at: NOON, claim: 'general-1', types: ['m5.large'] },
      'general-1 stays: its consolidation would bring back m5.large, which an earlier one replaced, and its pods request as much as then.',
    ],
    [
      {
        kind: 'launch',
        at: NOON,
        claim: 'general-x7f2k',
        pods: podsOf('shop/web', 11),
        cpuMilli: 8000,
        offering: spot,
        nextBest: { ...spot, hourlyUsd: 0.2617 },
      },
      '11 pods need 8 CPU in us-east-1a → c7g.4xlarge spot, $0.234/h; next best +12 %.',
    ],
    [
      {
        kind: 'launch',
        at: NOON,
        claim: 'general-x7f2k',
        pods: ['shop/web-0'],
        cpuMilli: 250,
        offering: { ...spot, hourlyUsd: 0.0561 },
        nextBest: { ...spot, hourlyUsd: 0.0561 },
      },
      '1 pod needs 0.25 CPU in us-east-1a → c7g.4xlarge spot, $0.0561/h.',
    ],
    [
      {
        kind: 'launch',
        at: NOON,
        claim: 'general-x7f2k',
        pods: [],
        cpuMilli: 0,
        offering: spot,
      },
      'general-x7f2k in us-east-1a → c7g.4xlarge spot, $0.234/h.',
    ],
    [
      {
        kind: 'launch',
        at: NOON,
        claim: 'general-x7f2k',
        pods: podsOf('shop/web', 11),
        podsToCome: 20,
        cpuMilli: 24_000,
        offering: spot,
      },
      '31 pods (20 of them to come) need 24 CPU in us-east-1a → c7g.4xlarge spot, $0.234/h.',
    ],
    [
      {
        kind: 'launch',
        at: NOON,
        claim: 'general-x7f2k',
        pods: [],
        podsToCome: 1,
        cpuMilli: 500,
        offering: spot,
      },
      '1 pod to come needs 0.5 CPU in us-east-1a → c7g.4xlarge spot, $0.234/h.',
    ],
    [
      { kind: 'ready', at: NOON, claim: 'general-x7f2k', waitedMs: 48 * SECOND_MS },
      'general-x7f2k is ready, 48 s after the first pod waited.',
    ],
    [{ kind: 'ready', at: NOON, claim: 'general-x7f2k', waitedMs: 0 }, 'general-x7f2k is ready.'],
    [
      {
        kind: 'placed',
        at: NOON,
        pods: ['shop/cart-5d8f7c9bb-2x4kz', 'shop/cart-5d8f7c9bb-7hq2m', 'shop/cart-5d8f7c9bb-b6v8t'],
        targets: ['general-a1'],
      },
      '3 pods of shop/cart fit on nodes that run; nothing launched.',
    ],
    [
      { kind: 'placed', at: NOON, pods: ['shop/cart-0', 'shop/web-0'], targets: ['general-a1'] },
      '2 pods fit on nodes that run; nothing launched.',
    ],
    [
      { kind: 'placed', at: NOON, pods: ['shop/cart-0'], targets: ['general-a1'] },
      'shop/cart-0 fits on nodes that run; nothing launched.',
    ],
    [
      {
        kind: 'unplaced',
        at: NOON,
        pods: ['ml/train-bert-0'],
        text: 'gpu: nvidia.com/gpu 2 of 2 in use; smallest fitting node g5.xlarge adds 1',
      },
      'ml/train-bert-0 fits no NodePool: gpu: nvidia.com/gpu 2 of 2 in use; smallest fitting node g5.xlarge adds 1.',
    ],
    [
      { kind: 'interruption', at: NOON, claim: 'general-r6s1f', deadline: NOON + 2 * MINUTE_MS },
      'EC2 takes back spot node general-r6s1f in 2 min.',
    ],
    [
      {
        kind: 'interruption',
        at: NOON,
        claim: 'gpu-1',
        deadline: NOON + MINUTE_MS,
        reserved: true,
      },
      'EC2 takes back reserved node gpu-1 in 1 min.',
    ],
    [
      { kind: 'block-ends', at: NOON, claim: 'gpu-1', endsAt: NOON + 39 * MINUTE_MS },
      'The capacity block of gpu-1 ends at 12:39; its pods leave before.',
    ],
    [
      { kind: 'impaired', at: NOON, claim: 'general-1', cause: 'system_status' },
      'EC2 finds the host of general-1 broken; its pods leave at once.',
    ],
    [
      { kind: 'impaired', at: NOON, claim: 'general-1', cause: 'instance_status' },
      'EC2 cannot reach the instance of general-1; its pods leave at once.',
    ],
    [
      { kind: 'impaired', at: NOON, claim: 'general-1', cause: 'instance_stopped' },
      'The instance of general-1 stops; its pods are planned anew.',
    ],
    [
      { kind: 'impaired', at: NOON, claim: 'general-1', cause: 'scheduled_change' },
      'EC2 has scheduled an event for general-1; its pods leave before.',
    ],
    [
      { kind: 'rebalance', at: NOON, claim: 'general-f8c4y' },
      'EC2 advises to leave general-f8c4y; it stays until EC2 takes it back.',
    ],
    [
      { kind: 'volumes-attached', at: NOON, claim: 'general-f8c4y', volumes: 'csi-1, csi-2' },
      'general-f8c4y is drained and waits for its volumes to detach: csi-1, csi-2.',
    ],
    [
      {
        kind: 'launch-refused',
        at: NOON,
        claim: 'general-f8c4y',
        reason: 'Unauthorized',
        text: 'not authorized to perform ec2:CreateFleet',
      },
      'EC2 refuses to launch general-f8c4y: Unauthorized. not authorized to perform ec2:CreateFleet.',
    ],
    [
      { kind: 'inconsistent', at: NOON, claim: 'general-f8c4y', text: 'expected 8Gi, found 4Gi' },
      'The Node of general-f8c4y is not what was launched: expected 8Gi, found 4Gi.',
    ],
    [
      { kind: 'unguarded', at: NOON, claim: 'general-f8c4y' },
      'The Node of general-f8c4y joined without the taint karpenter.sh/unregistered; pods may have come too early.',
    ],
    [{ kind: 'stand-by', at: NOON, owner: 'Karpenter', why: 'karpenter' }, 'Standing by: Karpenter owns this cluster.'],
    [
      {
        kind: 'draining',
        at: NOON,
        claim: 'general-r6s1f',
        pods: 10,
        deadline: NOON + 92 * SECOND_MS,
      },
      'Moving 10 pods off general-r6s1f; 1 min 32 s left.',
    ],
    [{ kind: 'draining', at: NOON, claim: 'general-r6s1f', pods: 1 }, 'Moving 1 pod off general-r6s1f.'],
    [
      {
        kind: 'unavailable',
        at: NOON,
        offerings: [spot],
        until: NOON + 3 * MINUTE_MS,
        claim: 'general-x7f2k',
      },
      'EC2 has no c7g.4xlarge spot in us-east-1a; not asked again until 12:03.',
    ],
    [
      {
        kind: 'unavailable',
        at: NOON,
        offerings: [spot, spot, spot],
        until: NOON + 3 * MINUTE_MS,
        claim: 'general-x7f2k',
      },
      'EC2 has no c7g.4xlarge spot in us-east-1a, nor 2 other offerings; not asked again until 12:03.',
    ],
    [
      {
        kind: 'unavailable',
        at: NOON,
        offerings: [spot],
        until: NOON + 3 * MINUTE_MS,
        claim: 'general-x7f2k',
        reason: 'SpotQuotaExceeded',
      },
      'EC2 (SpotQuotaExceeded) launches no c7g.4xlarge spot in us-east-1a; not asked again until 12:03.',
    ],
    [
      {
        kind: 'remove-empty',
        at: NOON + 18 * SECOND_MS,
        claims: ['batch-y5g3q'],
        savingHourlyUsd: 0.0561,
      },
      'batch-y5g3q is empty; goes at 12:00:18, saves $0.0561/h.',
    ],
    [
      { kind: 'remove-empty', at: NOON, claims: ['a', 'b', 'c', 'd'], savingHourlyUsd: 1.5 },
      'a, b and 2 more are empty; go at 12:00:00, save $1.500/h.',
    ],
    [
      {
        kind: 'remove',
        at: NOON,
        claims: ['batch-d8w5b', 'batch-h2r9x'],
        pods: 5,
        savingHourlyUsd: 0.39,
      },
      'Removing batch-d8w5b and batch-h2r9x: their 5 pods fit on nodes that stay. Saves $0.390/h.',
    ],
    [
      {
        kind: 'replace',
        at: NOON,
        claims: ['general-a2w8p'],
        from: 'on-demand, $0.326',
        by: { ...spot, instanceType: 'm7g.2xlarge', hourlyUsd: 0.131 },
        savingHourlyUsd: 0.195,
      },
      'Replacing general-a2w8p (on-demand, $0.326) by m7g.2xlarge spot, $0.131.',
    ],
    [
      { kind: 'eviction-refused', at: NOON, pod: 'payments/ledger-0', pdb: 'ledger' },
      'Eviction of payments/ledger-0 refused: PDB ledger allows none. Tried again within 30 s.',
    ],
    [
      { kind: 'drain-stuck', at: NOON, claim: 'general-1', text: 'web-1 stays', blockers: [] },
      'The drain of general-1 does not progress: web-1 stays.',
    ],
    [
      {
        kind: 'eviction-failed',
        at: NOON,
        pod: 'payments/ledger-0',
        why: 'webhook guard denied it',
      },
      'payments/ledger-0 cannot be moved: webhook guard denied it. Tried again within 30 s.',
    ],
    [
      { kind: 'expired', at: NOON + 3 * HOUR_MS, claim: 'general-h5t9c' },
      'general-h5t9c expires at 15:00; its pods are planned anew.',
    ],
    [
      {
        kind: 'node-missing',
        at: NOON + 3 * MINUTE_MS,
        claim: 'general-q2m8d',
        since: NOON,
      },
      'The Node of general-q2m8d has been missing for 3 min while its instance ran; terminated without a drain, its pods planned anew.',
    ],
    [
      {
        kind: 'cluster-deleted',
        at: NOON + HOUR_MS,
        arn: 'arn:aws:eks:eu-west-1:123456789012:cluster/demo',
        since: NOON,
        instances: 3,
      },
      'EKS has had no cluster arn:aws:eks:eu-west-1:123456789012:cluster/demo for 1 h: its instances (3), launch templates and instance profiles are ended. Delete this stack.',
    ],
    [
      { kind: 'not-registered', at: NOON, claim: 'general-q2m8d', afterMs: 15 * MINUTE_MS },
      'general-q2m8d did not register within 15 min; terminated, its pods planned anew.',
    ],
    [
      { kind: 'terminated', at: NOON, claim: 'general-q2m8d', livedMs: 3 * HOUR_MS },
      'general-q2m8d is gone after 3 h.',
    ],
    [
      { kind: 'you', by: 'you', at: NOON, text: 'You scaled shop/web from 12 to 40' },
      'You scaled shop/web from 12 to 40.',
    ],
  ];

  it.each(cases.map(([event, text]) => ({ event, text })))('writes: $text', ({ event, text }) => {
    expect(formatEvent(event)).toBe(text);
  });
});
