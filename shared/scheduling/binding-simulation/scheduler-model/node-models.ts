import {
  CAPACITY_TYPE_LABEL,
  type Labels,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '../../../model/labels.ts';
import { getOrCreate } from '../../../model/memo.ts';
import { interleaveZones } from '../../../model/nodes/node-search.ts';
import { listSteeringTaints } from '../../../model/nodes/steering-taints.ts';
import type { Offering } from '../../../model/offerings/instance-type.ts';
import { ownValue } from '../../../model/own-value.ts';
import type { HostPort } from '../../../model/pods/pod.ts';
import { allowsValue } from '../../../model/requirements/requirement.ts';
import {
  EXPENSIVE_POOL_TAINT,
  FILL_LAST_TAINT,
  isSteeringTaint,
  type Taint,
} from '../../../model/requirements/taints.ts';
import { createCustomLabels } from '../../claims/claim-requirements.ts';
import { hasBit } from '../../data-structures/bitset.ts';
import { at, type Vector } from '../../data-structures/resource-vectors.ts';
import type { ExistingNode } from '../../input/existing-nodes.ts';
import type { Problem } from '../../input/problem.ts';
import type { NodeClaimTemplate } from '../../instance-types/node-claim-templates.ts';
import { findExpensivePools } from '../../packing/expensive-pools.ts';
import { findCheapestType, type NewNode } from '../../packing/new-nodes/new-node.ts';

/** The properties that all nodes of one kind share: they differ in their name alone. */
export interface NodeKind {
  /** Index of the kind in its registry. */
  readonly number: number;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Vector;
  /**
   * Resources that are free for the pods of the batch: the pods that run and the DaemonSet pods are
   * subtracted.
   */
  readonly free: Vector;
  readonly hostPorts: readonly HostPort[];
  /**
   * True if the node takes no more pods. Topology rules still count the pods and the domain of the
   * node.
   */
  readonly isUnschedulable?: boolean;
}

/** A node as kube-scheduler sees it. */
export interface NodeModel {
  readonly name: string;
  readonly kind: NodeKind;
  /** `undefined` if the node exists already. */
  readonly newNode?: NewNode;
}

/** Builds the nodes of a packing, with one shared `NodeKind` object for equal nodes. */
export interface NodeModelRegistry {
  /**
   * Lists the existing nodes, then the new nodes, each launched as its cheapest offering. New nodes
   * are sorted by kind, so that packings with the same nodes list them in the same order. Of many nodes,
   * one of each zone follows the other.
   */
  listNodes(newNodes: readonly NewNode[]): readonly NodeModel[];
  /** Yields the kind of each new node and of each existing node, built as they are needed. */
  eachKind(newNodes: readonly NewNode[]): Generator<NodeKind>;
}

/**
 * @param mayReceive - existing nodes that take pods; pods on the others are still counted
 */
export function createNodeModelRegistry(
  problem: Problem,
  mayReceive: (node: ExistingNode) => boolean = () => true,
): NodeModelRegistry {
  const isUnschedulable = (node: ExistingNode): boolean => node.leaving || !mayReceive(node);
  const existing = problem.existingNodes.filter((one) => one.node || !isUnschedulable(one));
  const models: NodeModel[] = [];
  const getModel = (node: ExistingNode, number: number) => {
    models[number] ??= {
      name: node.name,
      kind: {
        ...node,
        taints: listScoredTaints(node),
        number,
        isUnschedulable: isUnschedulable(node),
      },
    };
    return models[number];
  };
  const findOrCreateKind = createKindRegistry(existing.length, problem);

  return {
    listNodes: (newNodes) =>
      interleaveZones<NodeModel>(
        [
          ...existing.map(getModel),
          ...newNodes
            .map((newNode) => ({ kind: findOrCreateKind(newNode), newNode }))
            .toSorted((a, b) => a.kind.number - b.kind.number)
            .map(({ kind, newNode }, ordinal) => ({ name: `\n${ordinal}`, kind, newNode })),
        ],
        ({ kind }) => ownValue(kind.labels, ZONE_LABEL),
      ),
    *eachKind(newNodes) {
      for (const newNode of newNodes) yield findOrCreateKind(newNode);
      for (const [number, one] of existing.entries()) yield getModel(one, number).kind;
    },
  };
}

/** Numbers of different sets, which are bits of an integer: a number is found faster than a text. */
const ZONE_SETS = 2 ** 31;
const CAPACITY_TYPE_SETS = 8;

/**
 * @param firstNumber - the number of the first kind
 */
function createKindRegistry(firstNumber: number, problem: Problem): (newNode: NewNode) => NodeKind {
  const kinds = new Map<string, NodeKind>();
  // The labels of a new node follow from its template, its custom requirements and these numbers.
  const byRequirements = new Map<NewNode['custom'], Map<NodeClaimTemplate, Map<number, NodeKind>>>();

  function buildKind(newNode: NewNode, type: number): NodeKind {
    const offering = problem.offerings.cheapest(type, newNode.where);
    const own = { ...chooseOpenLabels(newNode, type, problem), ...createCustomLabels(newNode) };
    const { template, fillsLast } = newNode;
    const key = [
      template.pool.name,
      fillsLast,
      type,
      offering?.zone,
      offering?.capacityType,
      JSON.stringify(own),
    ].join();
    return getOrCreate(kinds, key, () => ({
      ...buildLaunchedKind(newNode, type, offering, own, problem),
      number: firstNumber + kinds.size,
    }));
  }

  return (newNode) => {
    const { custom, where, template, fillsLast } = newNode;
    const { type } = findCheapestType(newNode, problem);
    const byTemplate = getOrCreate(byRequirements, custom, () => new Map());
    const cached = getOrCreate(byTemplate, template, () => new Map<number, NodeKind>());
    const key = ((type * 2 + Number(fillsLast)) * ZONE_SETS + where.zones) * CAPACITY_TYPE_SETS + where.capacityTypes;
    return getOrCreate(cached, key, () => buildKind(newNode, type));
  };
}

/** The planner ignores the taints that steer pods; kube-scheduler's scores do not. */
function listScoredTaints({ taints, node, claim }: ExistingNode): readonly Taint[] {
  if (node) {
    const steering = node.taints.filter(isSteeringTaint);
    return steering.length > 0 ? [...taints, ...steering] : taints;
  }
  return claim ? [...taints, ...listSteeringTaints(claim)] : taints;
}

function buildLaunchedKind(
  newNode: NewNode,
  type: number,
  offering: Offering | undefined,
  own: Labels,
  problem: Problem,
): Omit<NodeKind, 'number'> {
  const { typeIndex, columns } = problem;
  const { pool, daemons } = newNode.template;
  const group = daemons.find(({ types }) => hasBit(types, type));
  const allocatable = typeIndex.allocatable[type] ?? new Float64Array();
  const free = Float64Array.from(
    columns.names,
    (_, column) => at(allocatable, column) - (group ? at(group.overhead, column) : 0),
  );
  const { zone = '', capacityType = '' } = offering ?? {};
  return {
    labels: {
      ...typeIndex.types[type]?.labels,
      ...own,
      ...pool.labels,
      [NODEPOOL_LABEL]: pool.name,
      [NODECLASS_LABEL]: pool.nodeClass.name,
      [ZONE_LABEL]: zone,
      [CAPACITY_TYPE_LABEL]: capacityType,
    },
    taints: [
      ...pool.taints,
      ...(findExpensivePools(problem).has(pool.name) ? [EXPENSIVE_POOL_TAINT] : []),
      ...(newNode.fillsLast ? [FILL_LAST_TAINT] : []),
    ],
    allocatable,
    free,
    hostPorts: group?.hostPorts ?? [],
  };
}

/** Chooses the first value that the new node allows for each label that its type leaves open. */
function chooseOpenLabels({ custom }: NewNode, type: number, { typeIndex }: Problem): Labels {
  const chosen: Record<string, string> = {};
  for (const [key, values] of Object.entries(typeIndex.types[type]?.choices ?? {})) {
    const allowed = custom.get(key);
    const value = values.find((one) => !allowed || allowsValue(allowed, one));
    if (value !== undefined) chosen[key] = value;
  }
  return chosen;
}
