import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  type Labels,
  NODECLASS_LABEL,
  NODEPOOL_LABEL,
  WELL_KNOWN_LABELS,
  ZONE_LABEL,
} from '../../../shared/model/labels.ts';
import { getOrCreate } from '../../../shared/model/memo.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import type { InstanceType, Offering } from '../../../shared/model/offerings/instance-type.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import { allowsValue, DOES_NOT_EXIST, isIn } from '../../../shared/model/requirements/requirement.ts';
import {
  intersectRequirements,
  matchesLabels,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '../../../shared/model/requirements/requirements.ts';
import type { Resources } from '../../../shared/model/resources.ts';

/** A node that a NodePool could launch, ignoring limits and availability. */
export interface LaunchableNode {
  readonly offering: Offering;
  /** The labels that are decided; labels that the NodePool leaves open are missing. */
  readonly labels: Labels;
  /** User-defined labels that may get any allowed value. */
  readonly open: Requirements;
  readonly allocatable: Resources;
  readonly capacity: Resources;
}

export const isUsable = ({ ready, deleting, replicas }: NodePool): boolean =>
  ready && !deleting && replicas === undefined;

const nodesBySnapshot = new WeakMap<ClusterSnapshot, Map<string, readonly LaunchableNode[]>>();

/** Returns every node that the NodePool's requirements allow. */
export function getLaunchableNodes(snapshot: ClusterSnapshot, pool: NodePool): readonly LaunchableNode[] {
  const existing = getOrCreate(nodesBySnapshot, snapshot, () => new Map());
  return getOrCreate(existing, pool.name, () => listLaunchableNodes(snapshot, pool));
}

function listLaunchableNodes(snapshot: ClusterSnapshot, pool: NodePool): LaunchableNode[] {
  const byType = Map.groupBy(snapshot.offerings, ({ instanceType }) => instanceType);
  const own = {
    ...pool.labels,
    [NODEPOOL_LABEL]: pool.name,
    [NODECLASS_LABEL]: pool.nodeClass.name,
  };
  const expected = intersectRequirements(toRequirements(pool.requirements), toLabelRequirements(pool.labels));
  return (ownValue(snapshot.instanceTypes, pool.name) ?? []).flatMap((type) =>
    (byType.get(type.name) ?? []).flatMap((offering) => toLaunchableNode(type, offering, own, expected) ?? []),
  );
}

function toLaunchableNode(
  type: InstanceType,
  offering: Offering,
  own: Labels,
  expected: Requirements,
): LaunchableNode | undefined {
  const labels: Labels = {
    ...type.labels,
    ...own,
    [INSTANCE_TYPE_LABEL]: type.name,
    [ZONE_LABEL]: offering.zone,
    [CAPACITY_TYPE_LABEL]: offering.capacityType,
  };
  const isOpen = (key: string) => !(key in labels) && !WELL_KNOWN_LABELS.has(key);
  const choices = new Map(Object.entries(type.choices ?? {}).map(([key, values]) => [key, isIn(...values)] as const));
  for (const [key, requirement] of expected) {
    if (isOpen(key) && !choices.has(key)) continue;
    const values = choices.get(key)?.values;
    const fits = values
      ? [...values].some((value) => allowsValue(requirement, value))
      : matchesLabels(new Map([[key, requirement]]), labels);
    if (!fits) return undefined;
  }
  const open = new Map([...expected].filter(([key]) => isOpen(key)));
  for (const [key, given] of choices) {
    const requirement = expected.get(key);
    const remaining = [...given.values].filter((value) => !requirement || allowsValue(requirement, value));
    open.set(key, remaining.length > 0 ? isIn(...remaining) : DOES_NOT_EXIST);
  }
  const { allocatable, capacity } = type;
  return { offering, labels, open, allocatable, capacity };
}

/** Lists the values of a key that nodes of the NodePool can have. */
export function listLaunchableDomains(snapshot: ClusterSnapshot, pool: NodePool, key: string): Set<string> {
  const domains = new Set<string>();
  for (const { labels, open } of getLaunchableNodes(snapshot, pool)) {
    const requirement = open.get(key);
    const value = ownValue(labels, key);
    if (value !== undefined) domains.add(value);
    else if (requirement && !requirement.complement) {
      for (const one of requirement.values) domains.add(one);
    }
  }
  return domains;
}
