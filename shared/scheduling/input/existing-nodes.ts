import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import { HOSTNAME_LABEL, INSTANCE_TYPE_LABEL, type Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { isRebooting } from '../../model/nodes/reboot.ts';
import { ownValue } from '../../model/own-value.ts';
import type { HostPort, Pod } from '../../model/pods/pod.ts';
import { type DaemonSet, isDaemon } from '../../model/pods/workload.ts';
import {
  findConflict,
  intersectRequirements,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '../../model/requirements/requirements.ts';
import {
  DISRUPTED_TAINT,
  findUntoleratedTaint,
  isEphemeralTaint,
  isSameTaint,
  isSteeringTaint,
  type Taint,
} from '../../model/requirements/taints.ts';
import { minResources, type Resources } from '../../model/resources.ts';
import { addTimes, at, type ResourceColumns, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { mayRunOnNewNode, runsOnNode } from '../instance-types/daemon-overhead.ts';
import { listTypesOfClaim, type TypeIndex } from '../instance-types/type-index.ts';
import type { Relaxation } from '../pods/relaxations.ts';
import type { PlanningSnapshot } from './snapshot-stages.ts';

/** A node, or a claim whose node has not joined yet, on which pods may be placed. */
export interface ExistingNode {
  /** The Node's name, or the claim's name while it has no Node. */
  readonly name: string;
  readonly node?: Node;
  readonly claim?: NodeClaim;
  readonly labels: Labels;
  readonly requirements: Requirements;
  readonly taints: readonly Taint[];
  readonly initialized: boolean;
  /** True if the node is being removed: its pods need another place, and no pod is placed here. */
  readonly leaving: boolean;
  /** Pods that are bound to the node and not finished. */
  readonly pods: readonly Pod[];
  readonly hostPorts: readonly HostPort[];
  /** Room for pods, after the DaemonSet pods that are still to come; may be negative. */
  readonly free: Vector;
  readonly allocatable: Vector;
}

/** Lists all nodes and claims of the snapshot: initialized nodes first, then by name. */
export function listExistingNodes(
  snapshot: PlanningSnapshot,
  typeIndex: TypeIndex,
  columns: ResourceColumns,
): ExistingNode[] {
  const bound = groupPodsByNode(snapshot.pods);
  const claimOf = new Map<string, NodeClaim>();
  for (const claim of snapshot.claims) if (claim.launch) claimOf.set(claim.launch.providerId, claim);

  const { daemonSets, instanceTypes } = snapshot;
  const context = { daemonSets, columns, typeIndex, instanceTypes };
  const existingNodes: ExistingNode[] = [];
  const withNode = new Set<NodeClaim>();
  for (const node of snapshot.nodes) {
    const claim = node.providerId === undefined ? undefined : claimOf.get(node.providerId);
    if (claim) withNode.add(claim);
    existingNodes.push(createFromNode(node, claim, bound.get(node.name) ?? [], context));
  }
  for (const claim of snapshot.claims) {
    if (!withNode.has(claim) && claim.terminatedAt === undefined) existingNodes.push(createFromClaim(claim, context));
  }
  return existingNodes.toSorted((a, b) => Number(b.initialized) - Number(a.initialized) || (a.name < b.name ? -1 : 1));
}

function groupPodsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (pod.nodeName === undefined || pod.phase === 'Succeeded' || pod.phase === 'Failed') continue;
    getOrCreate(byNode, pod.nodeName, () => []).push(pod);
  }
  return byNode;
}

interface Context {
  readonly daemonSets: readonly DaemonSet[];
  readonly columns: ResourceColumns;
  readonly typeIndex: TypeIndex;
  readonly instanceTypes: ClusterSnapshot['instanceTypes'];
}

// Between two decisions most nodes are the same objects with the same pods.
const cachedNodes = new WeakMap<Node, { readonly from: readonly unknown[]; readonly existingNode: ExistingNode }>();

function createFromNode(
  node: Node,
  claim: NodeClaim | undefined,
  pods: readonly Pod[],
  context: Context,
): ExistingNode {
  const from = [context.columns, context.daemonSets, claim, ...pods];
  const last = cachedNodes.get(node);
  if (last?.from.length === from.length && last.from.every((part, at) => part === from[at])) {
    return last.existingNode;
  }
  const made = buildFromNode(node, claim, pods, context);
  cachedNodes.set(node, { from, existingNode: made });
  return made;
}

function buildFromNode(node: Node, claim: NodeClaim | undefined, pods: readonly Pod[], context: Context): ExistingNode {
  const initialized = claim ? claim.initializedAt !== undefined && !isRebooting(claim) : true;
  const registered = claim ? claim.registeredAt !== undefined : true;
  const labels = {
    [HOSTNAME_LABEL]: node.name,
    ...node.labels,
    // The claim's labels are written to the Node at registration.
    ...(claim && !registered && toClaimLabels(claim)),
  };
  const template = claim ? [...claim.taints, ...claim.startupTaints] : [];
  const present = (registered ? node.taints : [...node.taints, ...template]).filter((taint) => !isSteeringTaint(taint));
  const leaving =
    node.deletionAt !== undefined ||
    claim?.deletingAt !== undefined ||
    node.taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT));
  return existingNode({
    name: node.name,
    node,
    ...(claim && { claim }),
    labels,
    taints: initialized ? present : withoutTemporaryTaints(present, claim?.startupTaints ?? []),
    initialized,
    leaving,
    pods,
    resources: initialized ? node.allocatable : withExpectedResources(node.allocatable, claim?.launch?.allocatable),
    context,
  });
}

/** Creates the node that a claim without a Node will become. */
function createFromClaim(claim: NodeClaim, context: Context): ExistingNode {
  return existingNode({
    name: claim.name,
    claim,
    labels: toClaimLabels(claim),
    taints: withoutTemporaryTaints(claim.taints, claim.startupTaints),
    initialized: false,
    leaving: claim.deletingAt !== undefined,
    pods: [],
    resources: claim.launch?.allocatable ?? findMinAllocatable(claim, context),
    ...(!claim.launch && { open: findPossibleRequirements(claim) }),
    context,
  });
}

/** Requirements and labels that limit what a claim that is not launched may become. */
export const findPossibleRequirements = ({ requirements, labels }: NodeClaim): Requirements =>
  intersectRequirements(toRequirements(requirements), toLabelRequirements(labels));

function existingNode(
  facts: Omit<ExistingNode, 'requirements' | 'free' | 'allocatable' | 'hostPorts'> & {
    readonly resources: Resources;
    /** Undefined if the labels are already final. */
    readonly open?: Requirements;
    readonly context: Context;
  },
): ExistingNode {
  const { resources, context, open, ...nodeFacts } = facts;
  const { columns, daemonSets } = context;
  const requirements = toLabelRequirements(nodeFacts.labels);
  const allocatable = toVector(columns, resources);
  const free = allocatable.slice();
  const daemons = new Float64Array(columns.names.length);
  for (const { spec, owner } of nodeFacts.pods) {
    const request = toVector(columns, spec.requests);
    addTimes(free, request, -1);
    if (owner && isDaemon({ owner })) addTimes(daemons, request, -1);
  }
  const toCome = daemonSets.filter((one) =>
    open
      ? mayRunOnNewNode(one.template, open, nodeFacts.taints)
      : runsOnNode(one.template, requirements, nodeFacts.taints),
  );
  for (const { template } of toCome) {
    addTimes(daemons, toVector(columns, template.spec.requests), 1);
  }
  // A DaemonSet pod that is bound here unexpectedly must not add room.
  for (let column = 0; column < free.length; column++) {
    free[column] = at(free, column) - Math.max(0, at(daemons, column));
  }
  const specs = [...nodeFacts.pods, ...toCome.map(({ template }) => template)].map(({ spec }) => spec);
  const hostPorts = specs.flatMap((spec) => spec.hostPorts);
  return { ...nodeFacts, requirements, hostPorts, allocatable, free };
}

/** Removes the taints that are gone before pods come: ephemeral taints and startup taints. */
const withoutTemporaryTaints = (taints: readonly Taint[], startup: readonly Taint[]): Taint[] =>
  taints.filter((taint) => !isEphemeralTaint(taint) && !startup.some((one) => isSameTaint(one, taint)));

/** A kubelet reports devices late; until then the amounts of the instance type count. */
function withExpectedResources(reported: Resources, expected: Resources = {}): Resources {
  const filled: Record<string, number> = { ...reported };
  for (const name in expected) if (!ownValue(filled, name)) filled[name] = ownValue(expected, name) ?? 0;
  return filled;
}

function toClaimLabels(claim: NodeClaim): Labels {
  const decided: Record<string, string> = {};
  for (const [key, { complement, values }] of toRequirements(claim.requirements)) {
    const [only] = values;
    if (!complement && values.size === 1 && only !== undefined) decided[key] = only;
  }
  if (!claim.launch) delete decided[INSTANCE_TYPE_LABEL];
  return { [HOSTNAME_LABEL]: claim.name, ...decided, ...claim.labels, ...claim.launch?.labels };
}

/** The room that exists whichever of its types the claim is launched as. */
function findMinAllocatable(claim: NodeClaim, { typeIndex, instanceTypes }: Context): Resources {
  const types = listTypesOfClaim(claim, instanceTypes, typeIndex).map(({ allocatable }) => allocatable);
  return types.length > 0 ? types.reduce(minResources) : {};
}

/** True if the taints and labels of a node allow pods under this relaxation. */
export const admits = (
  { taints, requirements }: Pick<ExistingNode, 'taints' | 'requirements'>,
  relaxation: Pick<Relaxation, 'tolerations' | 'requirements'>,
): boolean =>
  !findUntoleratedTaint(taints, relaxation.tolerations) &&
  findConflict(requirements, relaxation.requirements) === undefined;

/** The node once these pods run on it too. */
export function withPods(node: ExistingNode, arriving: readonly Pod[], columns: ResourceColumns): ExistingNode {
  const free = node.free.slice();
  for (const { spec } of arriving) addTimes(free, toVector(columns, spec.requests), -1);
  return {
    ...node,
    free,
    pods: [...node.pods, ...arriving.map((pod) => ({ ...pod, nodeName: node.name }))],
    hostPorts: [...node.hostPorts, ...arriving.flatMap(({ spec }) => spec.hostPorts)],
  };
}
