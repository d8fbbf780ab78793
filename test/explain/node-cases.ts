import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import {
  ARCH_LABEL,
  DO_NOT_DISRUPT_ANNOTATION,
  INSTANCE_TYPE_LABEL,
  RESTART_WHEN_BLOCKED_ANNOTATION,
} from '../../shared/model/labels.ts';
import type { NodeTrouble } from '../../shared/model/nodes/node.ts';
import { DEFAULT_GATES, DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { aFleet, aWillingPool, type Fleet, type FleetNode, TYPES, web, willing } from '../disruption/fleet.ts';
import { aNode, aPodDisruptionBudget, aSelector, aTypeOf, NOON, resources } from '../support/builders.ts';
import type { ExplainCase } from './explain-case.ts';

const big: FleetNode = { name: 'big', type: 'large', pods: [web('heavy', 7)] };
const cheapX86 = aTypeOf('x86', 7, 16);
const cheapArm = aTypeOf('arm', 7, 16, { labels: { [ARCH_LABEL]: 'arm64' } });
/** The pod of the node `small` fits `big`, unless something keeps it. */
const fleet = (node: Partial<FleetNode> = {}, over: Fleet = {}): ClusterSnapshot =>
  aFleet([{ name: 'small', pods: [web('mover')], ...node }, big], over);

const guard = { ...web('guard', 0.1), labels: { app: 'guard' } };
const guardBudget = aPodDisruptionBudget({
  name: 'guard',
  selector: aSelector({ app: 'guard' }),
  minAvailable: '1',
  disruptionsAllowed: 0,
  currentHealthy: 1,
  desiredHealthy: 1,
});
const neverBudget = aPodDisruptionBudget({
  name: 'guard',
  selector: aSelector({ app: 'guard' }),
});
const DRAINING = { deletingAt: NOON, drainingAt: NOON };
/** The same pod, whose Deployment may be restarted. */
const restartable = {
  ...guard,
  labels: { ...guard.labels, 'pod-template-hash': '5d' },
  annotations: { [RESTART_WHEN_BLOCKED_ANNOTATION]: 'true' },
  owner: { kind: 'ReplicaSet', name: 'web-5d', uid: 'rs-web' },
};
const REPAIRING = { ...DEFAULT_SETTINGS, gates: { ...DEFAULT_GATES, NodeRepair: true } };

/** The node `small` has not been ready since noon. */
function unhealthy(status: NodeTrouble['status']): ClusterSnapshot {
  const snapshot = fleet({ pods: [guard] }, { podDisruptionBudgets: [guardBudget] });
  const troubles = [{ condition: 'Ready', status, since: NOON }];
  return {
    ...snapshot,
    nodes: snapshot.nodes.map((node) => (node.name === 'small' ? { ...node, ready: false, troubles } : node)),
  };
}
const REBOOT = { cause: 'AcceleratedHardwareReady/NvidiaXID46Error', requestedAt: NOON };
const withReboot = (snapshot: ClusterSnapshot): ClusterSnapshot => ({
  ...snapshot,
  claims: snapshot.claims.map((claim) => (claim.nodeName === 'small' ? { ...claim, reboots: [REBOOT] } : claim)),
});
const NODE = {
  subject: { kind: 'node', name: 'small' },
  outcome: 'stays',
  verdict: 'small stays: small on-demand us-east-1a, $0.1008/h, 1h old',
  evidence: 'NodePool: general',
} as const;

/** Why a node is still here: the questions that users ask. */
export const NODE_CASES: readonly ExplainCase[] = [
  {
    ...NODE,
    title: 'PDB',
    snapshot: fleet(
      { pods: [web('mover'), guard] },
      {
        podDisruptionBudgets: [guardBudget],
      },
    ),
    reasons: ['default/guard allows 0 disruptions (minAvailable 1, healthy 1)'],
    evidence: 'pods: 2: default/mover, default/guard',
    fix: 'set minAvailable of PodDisruptionBudget default/guard to 0',
    patch: `kubectl patch poddisruptionbudget guard -n default --type merge -p '{"spec":{"minAvailable":0}}'`,
  },
  {
    ...NODE,
    title: 'restart impossible',
    snapshot: fleet(
      { pods: [web('mover'), restartable] },
      {
        podDisruptionBudgets: [guardBudget],
        restarts: [{ owner: 'rs-web', replicas: 1, surge: 1, obstacle: 'Deployment x is paused' }],
      },
    ),
    reasons: [
      'default/guard allows 0 disruptions (minAvailable 1, healthy 1), and default/guard cannot be restarted elsewhere: Deployment x is paused',
    ],
    fix: 'set minAvailable of PodDisruptionBudget default/guard to 0',
  },
  {
    ...NODE,
    title: 'waits for a rollout',
    outcome: 'leaving',
    verdict: 'small goes: small',
    snapshot: fleet({
      pods: [restartable],
      claim: { deletingAt: NOON, drainingAt: NOON, restarts: { 'default/web-5d': NOON } },
    }),
    reasons: [],
    evidence: 'restart: waits for the rollout of Deployment/web in default, restarted at 2026-01-01T12:00:00Z',
    fix: undefined,
  },
  {
    ...NODE,
    title: 'restart refused',
    outcome: 'leaving',
    verdict: 'small goes: small',
    snapshot: fleet({
      pods: [restartable],
      claim: {
        ...{ deletingAt: NOON, drainingAt: NOON, restarts: { 'default/web-5d': NOON } },
        refusedRestarts: { 'default/web-5d': 'Deployment x is paused' },
      },
    }),
    reasons: [],
    evidence: 'restart: default/guard cannot be restarted elsewhere: Deployment x is paused',
    fix: undefined,
  },
  {
    ...NODE,
    title: 'drain behind a budget that never allows',
    outcome: 'leaving',
    verdict: 'small goes: small',
    snapshot: fleet({ pods: [guard], claim: DRAINING }, { podDisruptionBudgets: [neverBudget] }),
    reasons: [],
    evidence:
      'blocked: default/guard: PodDisruptionBudget default/guard (maxUnavailable 0) never allows an eviction; raise maxUnavailable',
    fix: 'set maxUnavailable of PodDisruptionBudget default/guard to 1',
    patch: `kubectl patch poddisruptionbudget guard -n default --type merge -p '{"spec":{"maxUnavailable":1}}'`,
    next: 'Nothing happens until a change lets default/guard leave.',
  },
  {
    ...NODE,
    title: 'not ready, without repair',
    verdict: 'NotReady since 2026-01-01T12:00:00Z: small stays: small',
    snapshot: unhealthy('False'),
    reasons: ['default/guard allows 0 disruptions (minAvailable 1, healthy 1)'],
    evidence: 'repair: off (feature gate NodeRepair): the node stays until it is deleted, or empty',
    fix: 'set minAvailable of PodDisruptionBudget default/guard to 0',
  },
  {
    ...NODE,
    title: 'unreachable, with repair',
    verdict: 'unreachable since 2026-01-01T12:00:00Z: its kubelet does not report: small stays: small',
    snapshot: { ...unhealthy('Unknown'), settings: REPAIRING },
    reasons: ['default/guard allows 0 disruptions (minAvailable 1, healthy 1)'],
    evidence: 'repair: due at 2026-01-01T12:30:00Z, unless a budget',
    fix: 'set minAvailable of PodDisruptionBudget default/guard to 0',
  },
  {
    ...NODE,
    title: 'unreachable, with the repair of Karpenter before 1.15',
    verdict: 'unreachable since 2026-01-01T12:00:00Z: its kubelet does not report: small stays: small',
    snapshot: { ...unhealthy('Unknown'), settings: { ...REPAIRING, legacyNodeRepair: true } },
    reasons: ['default/guard allows 0 disruptions (minAvailable 1, healthy 1)'],
    evidence: 'repair: due at 2026-01-01T12:30:00Z, unless more than 20 % of the nodes',
    fix: 'set minAvailable of PodDisruptionBudget default/guard to 0',
  },
  {
    ...NODE,
    title: 'reboot that EC2 has accepted',
    verdict: 'small reboots: small on-demand us-east-1a',
    snapshot: fleet({ claim: { reboots: [{ ...REBOOT, fromBoot: { id: 'a', at: NOON }, issuedAt: NOON }] } }),
    reasons: [],
    evidence: 'reboot: for AcceleratedHardwareReady/NvidiaXID46Error, since 2026-01-01T12:00:00Z',
    next: 'If it gets no further, it is replaced at 2026-01-01T12:20:00Z.',
    fix: undefined,
  },
  {
    ...NODE,
    title: 'drain before a reboot, not ready',
    verdict: 'NotReady since 2026-01-01T12:00:00Z: small reboots: small',
    snapshot: { ...withReboot(unhealthy('False')), settings: REPAIRING },
    reasons: [],
    next: 'Its pods leave, then EC2 reboots the instance.',
    fix: undefined,
  },
  {
    ...NODE,
    title: 'drain behind do-not-disrupt',
    outcome: 'leaving',
    verdict: 'small goes: small',
    snapshot: fleet({
      pods: [{ ...web('mover'), annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } }],
      claim: DRAINING,
    }),
    reasons: [],
    evidence: 'blocked: default/mover: it has the annotation karpenter.sh/do-not-disrupt; remove it',
    fix: 'remove karpenter.sh/do-not-disrupt from pod mover of namespace default',
    next: 'Nothing happens until a change lets default/mover leave.',
  },
  {
    ...NODE,
    title: 'do-not-disrupt',
    snapshot: fleet({
      pods: [{ ...web('mover'), annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } }],
    }),
    reasons: ['pod default/mover carries do-not-disrupt until it is removed'],
    fix: 'remove karpenter.sh/do-not-disrupt from pod mover of namespace default',
    patch: 'kubectl annotate pod mover -n default karpenter.sh/do-not-disrupt-',
  },
  {
    ...NODE,
    title: 'do-not-disrupt, and another reason behind it',
    snapshot: aFleet([
      {
        ...{ name: 'small', type: 'small' },
        pods: [{ ...web('mover'), annotations: { [DO_NOT_DISRUPT_ANNOTATION]: 'true' } }],
      },
    ]),
    reasons: ['pod default/mover carries do-not-disrupt until it is removed'],
    fix: 'remove karpenter.sh/do-not-disrupt from pod mover of namespace default; then: best is small at $0.1000/h, now $0.1000/h',
    patch: 'kubectl annotate pod mover -n default karpenter.sh/do-not-disrupt-',
  },
  {
    ...NODE,
    title: 'budget closed until',
    snapshot: fleet(
      {},
      {
        pools: [willing({ budgets: [{ nodes: '0', schedule: '0 9 * * *', durationMs: 8 * HOUR_MS }] })],
      },
    ),
    reasons: ['budget 0 allows no disruption for Underutilized, next window opens at 2026-01-01T17:00:00Z'],
    fix: 'wait until 2026-01-01T17:00:00Z',
  },
  {
    ...NODE,
    title: 'window',
    snapshot: fleet({}, { pools: [willing({ budgets: [{ nodes: '0' }] })] }),
    reasons: ['budget 0 allows no disruption for Underutilized'],
    fix: 'set disruption.budgets[0].nodes of NodePool general to 1',
    patch: `kubectl patch nodepool general --type json -p '[{"op":"replace","path":"/spec/disruption/budgets/0/nodes","value":"1"}]'`,
  },
  {
    ...NODE,
    title: 'drift waiting',
    snapshot: fleet(
      {
        pods: [web('mover', 1.5)],
        claim: { drift: { reason: 'AMIDrift', text: 'ami-1, wanted ami-2', since: NOON } },
      },
      { driftRests: { general: NOON + 10 * MINUTE_MS } },
    ),
    reasons: ['drifted; a replacement of NodePool general did not come up, tried again at 2026-01-01T12:10:00Z'],
    evidence: 'drifted: ami-1, wanted ami-2',
    fix: 'wait until 2026-01-01T12:10:00Z',
  },
  {
    ...NODE,
    title: 'not cheaper',
    subject: { kind: 'node', name: 'big' },
    verdict: 'big stays: large on-demand us-east-1a',
    snapshot: aFleet([big]),
    reasons: ['best is large at $0.4000/h, now $0.4000/h'],
    fix: undefined,
  },
  {
    ...NODE,
    title: 'a cheaper type of the same architecture is left out',
    subject: { kind: 'node', name: 'big' },
    verdict: 'big stays: large on-demand us-east-1a',
    snapshot: aFleet([big], {
      types: [...TYPES, cheapX86, cheapArm],
      pools: [
        aWillingPool({
          requirements: [{ key: INSTANCE_TYPE_LABEL, operator: 'In', values: ['large'] }],
        }),
      ],
    }),
    reasons: ['best is large at $0.4000/h, now $0.4000/h'],
    fix: 'allow node.kubernetes.io/instance-type In [large, x86] instead of In [large] in NodePool general',
  },
  {
    ...NODE,
    title: 'too young',
    snapshot: fleet(
      { claim: { lastPodEventAt: NOON - MINUTE_MS } },
      { pools: [willing({ consolidateAfterMs: 10 * MINUTE_MS })] },
    ),
    reasons: ['last pod change 1m ago, needs 10m'],
    fix: 'wait until 2026-01-01T12:09:00Z',
  },
  {
    ...NODE,
    title: 'not ours',
    subject: { kind: 'node', name: 'theirs' },
    outcome: 'not-ours',
    verdict: 'node group workers launched it',
    snapshot: aFleet([big], {
      nodes: [
        aNode({
          name: 'theirs',
          labels: { 'eks.amazonaws.com/nodegroup': 'workers' },
          allocatable: resources(2, 8, { pods: 29 }),
        }),
      ],
    }),
    reasons: [],
    evidence: 'without it: its pods fit the other nodes, so it is not needed now',
    fix: undefined,
  },
];
