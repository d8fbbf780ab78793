import { ARCH_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '../../shared/model/labels.ts';
import type { Node } from '../../shared/model/nodes/node.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { Offering } from '../../shared/model/offerings/instance-type.ts';
import type { Resources } from '../../shared/model/resources.ts';
import { CPU, NO_RESOURCES } from '../../shared/model/resources.ts';
import type { NodeView, PodView } from '../views.ts';
import { amountsOf, NO_AMOUNTS, sumAmounts } from './amounts.ts';
import type { ConsoleFacts } from './facts.ts';
import { capacityTypeOf, nodeGroupOf } from './node-labels.ts';
import { nodeStateOf } from './node-state.ts';

/** Creates a box for each claim, with or without a Node, and for each Node that is not ours. */
export function nodeViews(facts: ConsoleFacts, pods: readonly PodView[]): NodeView[] {
  const podsByNode = Map.groupBy(pods, ({ node }) => node);
  const nodes = new Map(facts.snapshot.nodes.map((node) => [node.name, node]));
  const claimed = new Set(facts.snapshot.claims.map(({ nodeName }) => nodeName));

  const ours = facts.snapshot.claims.map((claim) => {
    const node = claim.nodeName === undefined ? undefined : nodes.get(claim.nodeName);
    return claimView(facts, claim, node, podsByNode.get(claim.name) ?? []);
  });
  const others = facts.snapshot.nodes
    .filter(({ name }) => !claimed.has(name))
    .map((node) => strangerView(facts, node, podsByNode.get(node.name) ?? []));
  return [...ours, ...others];
}

function claimView(facts: ConsoleFacts, claim: NodeClaim, node: Node | undefined, pods: readonly PodView[]): NodeView {
  const machine = machineOf(facts, claim, node);
  const { capacityType, hourlyUsd } = machine;
  const arch = (node?.labels ?? claim.launch?.labels ?? claim.labels)[ARCH_LABEL];
  return {
    name: claim.name,
    ...(node !== undefined && { node: node.name }),
    pool: claim.pool,
    nodeClass: claim.nodeClass.name,
    instanceType: machine.instanceType,
    ...(arch !== undefined && { arch }),
    zone: machine.zone,
    ...(capacityType !== undefined && { capacityType }),
    ...(hourlyUsd !== undefined && { hourlyUsd }),
    vcpu: Math.max(1, (machine.capacity[CPU] ?? 0) / 1000),
    allocatable: amountsOf(machine.allocatable),
    ...usageOf(pods),
    bornAt: claim.createdAt,
    ...nodeStateOf(facts, claim, node, pods),
  };
}

interface Machine extends Partial<Omit<Offering, 'instanceType' | 'zone'>> {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/** Prefers the Node's labels, then the launch; before EC2's answer only the plan is known. */
function machineOf(
  { decisions }: ConsoleFacts,
  { name, launch, requests }: NodeClaim,
  node: Node | undefined,
): Machine {
  if (launch) {
    const { instanceType, zone, capacityType, hourlyUsd, capacity, allocatable } = launch;
    return {
      ...{ instanceType, zone, capacityType, hourlyUsd },
      capacity: node?.capacity ?? capacity,
      allocatable: node?.allocatable ?? allocatable,
    };
  }
  const planned = decisions.launchOf(name)?.planned.cheapest;
  return planned
    ? { ...planned, capacity: requests, allocatable: requests }
    : { instanceType: 'not known yet', zone: 'not known yet', ...UNKNOWN_SIZE };
}

const UNKNOWN_SIZE = { capacity: NO_RESOURCES, allocatable: NO_RESOURCES };

function usageOf(pods: readonly PodView[]) {
  const daemons = pods.filter(({ daemon }) => daemon);
  return {
    requested: pods.length === 0 ? NO_AMOUNTS : sumAmounts(pods.map(({ requests }) => requests)),
    daemon: sumAmounts(daemons.map(({ requests }) => requests)),
  };
}

function strangerView({ priceOf, info }: ConsoleFacts, node: Node, pods: readonly PodView[]): NodeView {
  const { labels } = node;
  const capacityType = capacityTypeOf(labels);
  const instanceType = labels[INSTANCE_TYPE_LABEL] ?? 'unknown type';
  const zone = labels[ZONE_LABEL] ?? 'no zone';
  const hourlyUsd = priceOf?.({ instanceType, zone, capacityType: capacityType ?? 'on-demand' });
  const pool = labels[NODEPOOL_LABEL] ?? nodeGroupOf(labels);
  return {
    name: node.name,
    node: node.name,
    ...(pool !== undefined && { pool }),
    instanceType,
    ...(labels[ARCH_LABEL] !== undefined && { arch: labels[ARCH_LABEL] }),
    zone,
    ...(capacityType !== undefined && { capacityType }),
    ...(hourlyUsd !== undefined && { hourlyUsd }),
    vcpu: Math.max(1, (node.capacity[CPU] ?? 0) / 1000),
    allocatable: amountsOf(node.allocatable),
    ...usageOf(pods),
    bornAt: node.createdAt,
    ...(info.source === 'playground' ? notOurs(node) : strangerState(node, pods)),
    holds: [],
  };
}

type StateOfStranger = Pick<NodeView, 'state' | 'stateSince' | 'note'>;

const notOurs = ({ createdAt }: Node): StateOfStranger => ({
  state: 'not-ours',
  stateSince: createdAt,
  note: { text: 'not ours' },
});

/** In a live cluster, nodes of another autoscaler or node group are shown like all others. */
function strangerState(node: Node, pods: readonly PodView[]): StateOfStranger {
  const stateSince = node.createdAt;
  if (node.deletionAt !== undefined) return { state: 'draining', stateSince: node.deletionAt };
  if (!node.ready) return { state: 'not-ready', stateSince, note: { text: 'not ready' } };
  if (node.taints.some(({ key }) => LEAVING_TAINTS.has(key))) {
    return { state: 'draining', stateSince, note: { text: 'to be deleted' } };
  }
  return pods.every(({ daemon }) => daemon)
    ? { state: 'empty', stateSince, note: { text: 'empty' } }
    : { state: 'ready', stateSince };
}

/** Taints by which Cluster Autoscaler and Karpenter mark nodes that they remove. */
const LEAVING_TAINTS: ReadonlySet<string> = new Set(['ToBeDeletedByClusterAutoscaler', 'karpenter.sh/disrupted']);
