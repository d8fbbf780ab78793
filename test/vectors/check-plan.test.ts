import { describe, expect, it } from 'vitest';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { PlannedClaim, ProvisioningPlan } from '../../shared/model/plans.ts';
import type { PodSpec } from '../../shared/model/pods/pod.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import {
  aDaemonSet,
  aNode,
  aNodePool,
  anInitializedClaim,
  aPod,
  aPodSpec,
  aPodTemplate,
  aRunningPod,
  aSelector,
  aSnapshot,
  aTypeOf,
  offeringsOf,
  resources,
} from '../support/builders.ts';
import { checkPlan } from './check-plan.ts';

const TYPES = [
  aTypeOf('m7i.large', 2, 8),
  aTypeOf('m7i.xlarge', 4, 16),
  aTypeOf('m7g.large', 2, 8, { labels: { [ARCH_LABEL]: 'arm64' } }),
];
const market = (over: Partial<ClusterSnapshot> = {}): ClusterSnapshot =>
  aSnapshot({
    instanceTypes: { general: TYPES, spare: TYPES },
    offerings: [...offeringsOf('m7i.large', 0.1), ...offeringsOf('m7i.xlarge', 0.2), ...offeringsOf('m7g.large', 0.08)],
    ...over,
  });

const pods = (count: number, spec: Partial<PodSpec> = {}) =>
  Array.from({ length: count }, (_, index) => aPod({ name: `web-${index + 1}`, spec: aPodSpec(spec) }));

type Edit = (plan: ProvisioningPlan) => ProvisioningPlan;
const ofClaims =
  (edit: (planned: PlannedClaim, index: number) => PlannedClaim): Edit =>
  (plan) => ({ ...plan, claims: plan.claims.map(edit) });
const ofClaim = (edit: (claim: NodeClaim) => Partial<NodeClaim>): Edit =>
  ofClaims((planned) => ({ ...planned, claim: { ...planned.claim, ...edit(planned.claim) } }));
const without = (key: string) =>
  ofClaim(({ requirements }) => ({ requirements: requirements.filter((one) => one.key !== key) }));
const onOneClaim: Edit = (plan) => ({
  ...plan,
  claims: plan.claims.slice(0, 1).map((planned) => ({
    ...planned,
    pods: plan.claims.flatMap((one) => one.pods),
  })),
  hourlyUsd: plan.claims[0]?.cheapest.hourlyUsd ?? 0,
});
const placedOn =
  (target: string): Edit =>
  (plan) => ({
    claims: [],
    placements: [{ target, pods: plan.claims.flatMap((one) => one.pods) }],
    unplaced: [],
    hourlyUsd: 0,
  });

const spread = {
  key: ZONE_LABEL,
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  selector: aSelector(),
  matchLabelKeys: [],
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
} as const;
const term = (key: string) => ({
  key,
  selector: aSelector(),
  matchLabelKeys: [],
  namespaces: [],
});
const port = { port: 80, protocol: 'TCP', ip: '' };
const large = { requests: resources(1.5, 1, { pods: 1 }) };

const BROKEN: readonly (readonly [string, ClusterSnapshot, Edit, RegExp])[] = [
  [
    'a pod that is neither placed nor refused',
    market({ pods: pods(1) }),
    () => ({ claims: [], placements: [], unplaced: [], hourlyUsd: 0 }),
    /web-1 is forgotten/,
  ],
  [
    'a pod in two places',
    market({ pods: pods(1) }),
    (plan) => ({ ...plan, unplaced: [{ pods: ['default/web-1'], pools: [], nodes: [] }] }),
    /web-1 is named twice/,
  ],
  [
    'a pod that runs already',
    market({ pods: [...pods(1), aRunningPod('node-1', { name: 'other' })], nodes: [aNode()] }),
    ofClaims((planned) => ({ ...planned, pods: [...planned.pods, 'default/other'] })),
    /other was not asked about/,
  ],
  ['a sum that is none', market({ pods: pods(1) }), (plan) => ({ ...plan, hourlyUsd: 1 }), /1 is not the sum/],
  [
    'a price that is not the lowest',
    market({ pods: pods(1) }),
    ofClaims((planned) => ({ ...planned, cheapest: { ...planned.cheapest, hourlyUsd: 9 } })),
    /its price is not the lowest/,
  ],
  [
    'types in another order than that of their prices',
    market({ pods: pods(1) }),
    ofClaim(({ instanceTypes }) => ({ instanceTypes: instanceTypes.toReversed() })),
    /not in the order of their prices/,
  ],
  [
    'a type that is too small',
    market({ pods: pods(1, { requests: resources(3, 1, { pods: 1 }) }) }),
    ofClaim(() => ({ instanceTypes: ['m7i.large', 'm7i.xlarge'] })),
    /cpu overflows on general-\w+ as m7i.large/,
  ],
  [
    'a type that holds the pods, but not the DaemonSets with them',
    market({
      pods: pods(1, { requests: resources(1.95, 1, { pods: 1 }) }),
      daemonSets: [aDaemonSet()],
    }),
    ofClaim(() => ({ instanceTypes: ['m7i.large', 'm7i.xlarge'] })),
    /cpu overflows on general-\w+ as m7i.large/,
  ],
  [
    'a type that the pod may not run on',
    market({ pods: pods(1, { nodeSelector: { [ARCH_LABEL]: 'amd64' } }) }),
    ofClaim(() => ({ instanceTypes: ['m7g.large', 'm7i.large'] })),
    /web-1 may not run on general-\w+ as m7g.large/,
  ],
  [
    'a zone that the pod may not run in',
    market({ pods: pods(1, { nodeSelector: { [ZONE_LABEL]: 'us-east-1b' } }) }),
    without(ZONE_LABEL),
    /web-1 may not run on .* us-east-1a/,
  ],
  [
    'a capacity type that the pool forbids',
    market({
      pods: pods(1),
      pools: [
        aNodePool({
          requirements: [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['on-demand'] }],
        }),
      ],
    }),
    without(CAPACITY_TYPE_LABEL),
    /the pool forbids one of its shapes/,
  ],
  [
    'a taint that is not tolerated',
    market({ pods: pods(1), nodes: [aNode({ taints: [{ key: 'a', effect: 'NoSchedule' }] })] }),
    placedOn('node-1'),
    /web-1 does not tolerate a:NoSchedule/,
  ],
  [
    'a node that is too full',
    market({
      pods: [...pods(1), aRunningPod('node-1', { name: 'other', spec: aPodSpec(large) })],
      nodes: [aNode()],
    }),
    placedOn('node-1'),
    /cpu overflows on node-1/,
  ],
  [
    'a node that has room, but not for the DaemonSets still to come',
    market({
      pods: pods(1, { requests: resources(1.9, 1, { pods: 1 }) }),
      nodes: [aNode()],
      daemonSets: [aDaemonSet()],
    }),
    placedOn('node-1'),
    /cpu overflows on node-1/,
  ],
  [
    'a node that is leaving',
    market({
      pods: pods(1),
      nodes: [aNode()],
      claims: [anInitializedClaim('node-1', { deletingAt: 1 })],
    }),
    placedOn('node-1'),
    /node-1 is leaving/,
  ],
  ['a node that is none', market({ pods: pods(1) }), placedOn('node-9'), /node-9 is no node/],
  [
    'two pods with one host port',
    market({ pods: pods(2, { hostPorts: [port], requests: { cpu: 100, pods: 1 } }) }),
    onOneClaim,
    /port TCP\/80 is wanted twice/,
  ],
  [
    'a zone that is left open for pods that spread',
    market({ pods: pods(3, { topologySpread: [spread] }) }),
    without(ZONE_LABEL),
    /topology.kubernetes.io\/zone of general-\w+ is open/,
  ],
  [
    'pods that are all in one zone',
    market({ pods: pods(3, { topologySpread: [spread], requests: { cpu: 100, pods: 1 } }) }),
    onOneClaim,
    /skew 2 over 1/,
  ],
  [
    'pods beside pods that they refuse',
    market({
      pods: pods(2, { podAntiAffinity: [term(HOSTNAME_LABEL)], requests: { cpu: 100, pods: 1 } }),
    }),
    onOneClaim,
    /web-1 may meet default\/web-2/,
  ],
  [
    'pods in a zone where they may meet pods that they refuse',
    market({ pods: pods(2, { podAntiAffinity: [term(ZONE_LABEL)] }) }),
    without(ZONE_LABEL),
    /web-1 may meet default\/web-2 in us-east-1a/,
  ],
  [
    'pods away from the pods that they must join',
    market({
      pods: [
        ...pods(1, { podAffinity: [term(HOSTNAME_LABEL)] }),
        aRunningPod('node-1', { name: 'other', spec: aPodSpec(large) }),
      ],
      nodes: [aNode({ labels: {} })],
    }),
    () => planProvisioning(market({ pods: pods(1) }), 'decision-1'),
    /nobody to join/,
  ],
  [
    'claims that could go over a limit',
    market({ pods: pods(1), pools: [aNodePool({ limits: { cpu: 2000 } })] }),
    ofClaim(() => ({ instanceTypes: ['m7g.large', 'm7i.large', 'm7i.xlarge'] })),
    /general: 4000 cpu over limit 2000/,
  ],
  [
    'too few types for minValues',
    market({
      pods: pods(1),
      pools: [
        aNodePool({
          requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 2 }],
        }),
      ],
    }),
    ofClaim(() => ({ instanceTypes: ['m7g.large'] })),
    /1 values of .*, minValues 2/,
  ],
  [
    'a lighter pool where a heavier one would do',
    market({
      pods: pods(1),
      pools: [aNodePool({ name: 'general', weight: 10 }), aNodePool({ name: 'spare' })],
    }),
    ofClaim(() => ({ pool: 'spare', poolHash: 'hash-spare' })),
    /is of spare, but general comes first/,
  ],
  [
    'the template of another pool',
    market({ pods: pods(1) }),
    ofClaim(() => ({ poolHash: 'other' })),
    /its hash is of another pool/,
  ],
  [
    'requests that leave a pod out',
    market({ pods: pods(1) }),
    ofClaim(() => ({ requests: { cpu: 1 } })),
    /its requests are less than its pods need/,
  ],
];

describe('the plan checker', () => {
  it.each(BROKEN)('rejects %s', (_, snapshot, spoil, objection) => {
    const plan = planProvisioning(snapshot, 'decision-1');

    expect(checkPlan(snapshot, spoil(plan)).join('\n')).toMatch(objection);
  });

  it.each(BROKEN)('accepts the plan without %s', (_, snapshot) => {
    expect(checkPlan(snapshot, planProvisioning(snapshot, 'decision-1'))).toEqual([]);
  });

  it('accepts pods that must be bound in one order', () => {
    const first = aPodTemplate({ labels: { app: 'web' } });
    const follower = aPod({
      name: 'follower',
      labels: { app: 'follower' },
      spec: aPodSpec({ podAffinity: [term(HOSTNAME_LABEL)], requests: { cpu: 900, pods: 1 } }),
    });
    const snapshot = market({ pods: [follower, aPod({ ...first, name: 'web-1' })] });

    expect(checkPlan(snapshot, planProvisioning(snapshot, 'decision-1'))).toEqual([]);
  });
});
