import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { INITIALIZED_LABEL, normaliseLabelKey, REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { allowsValue } from '../../../shared/model/requirements/requirement.ts';
import { type Requirements, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { findUntoleratedTaint } from '../../../shared/model/requirements/taints.ts';
import { addResources, NODES, subtractResources } from '../../../shared/model/resources.ts';
import { listShortages } from '../../support/resources.ts';
import type { FinalNode } from './final-nodes.ts';
import { getLaunchableNodes, isUsable, type LaunchableNode } from './launchable-nodes.ts';
import { computeMaxCapacity } from './limit-rules.ts';
import { listAvailableOfferings } from './node-variants.ts';
import { listPossibleDomains } from './topology-rules.ts';

/**
 * Finds claims of a NodePool all of whose pods could have used a heavier NodePool. Pods with
 * preferences are skipped, because preferences take precedence over weight.
 */
export function findWeightViolations(snapshot: ClusterSnapshot, finalNodes: readonly FinalNode[]): string[] {
  return finalNodes.flatMap((node) => {
    const pool = snapshot.pools.find(({ name }) => name === node.planned?.claim.pool);
    // Pods may join a node that is launched for buffer pods, whatever its weight.
    if (!pool || node.arriving.length === 0 || node.planned?.headroom) return [];
    const heavier = snapshot.pools.filter((one) => isUsable(one) && one.weight > pool.weight);
    const better = heavier.find((one) => node.arriving.every((pod) => couldOpen(pod, node, one, snapshot, finalNodes)));
    return better ? [`${node.name} is of ${pool.name}, but ${better.name} comes first`] : [];
  });
}

function couldOpen(
  pod: Pod,
  node: FinalNode,
  pool: NodePool,
  snapshot: ClusterSnapshot,
  finalNodes: readonly FinalNode[],
): boolean {
  const { spec } = pod;
  // Devices and volumes may run out in ways that this check does not compute.
  if (spec.deviceClaims || spec.volumeClaims.length > 0 || spec.ephemeralVolumes) return false;
  if (snapshot.settings?.defaultSpread) return false;
  if (hasPreferences(pod) || findUntoleratedTaint(pool.taints, spec.tolerations)) return false;
  // minValues need several types; this check does not compute what they leave.
  if (pool.requirements.some(({ minValues }) => minValues !== undefined)) return false;
  const remaining = subtractResources(pool.limits, computeMaxCapacity(snapshot, pool, finalNodes));
  return getLaunchableNodes(snapshot, pool).some(
    (launchable) =>
      isAvailable(launchable, snapshot) &&
      canRun(pod, launchable) &&
      isWithin(launchable, pool, remaining) &&
      holds(pod, launchable, pool, snapshot) &&
      isSameDomain(pod, node, launchable),
  );
}

const hasPreferences = ({ spec }: Pod): boolean =>
  spec.preferredNodeTerms.length > 0 ||
  spec.preferredPodAffinity.length > 0 ||
  spec.preferredPodAntiAffinity.length > 0 ||
  spec.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');

/** Reserved instances may be used by other claims of the plan. */
const isAvailable = ({ offering }: LaunchableNode, snapshot: ClusterSnapshot): boolean =>
  offering.reservation === undefined && listAvailableOfferings(snapshot, offering.instanceType).includes(offering);

function canRun({ spec }: Pod, launchable: LaunchableNode): boolean {
  const selector = toRequirements(
    Object.entries(spec.nodeSelector).map(([key, value]) => ({
      key: normaliseLabelKey(key),
      operator: 'In' as const,
      values: [value],
    })),
  );
  const terms = spec.requiredNodeTerms.map(toRequirements);
  return mayMeet(selector, launchable) && (terms.length === 0 || terms.some((term) => mayMeet(term, launchable)));
}

const mayMeet = (expected: Requirements, { labels, open }: LaunchableNode): boolean =>
  [...expected].every(([key, requirement]) => {
    const value = ownValue(labels, key);
    if (value !== undefined) return allowsValue(requirement, value);
    const given = open.get(key);
    // The planner decides whether an open label is set at all; another check covers that.
    return given !== undefined && !given.complement && [...given.values].some((one) => allowsValue(requirement, one));
  });

const isWithin = (
  { capacity }: LaunchableNode,
  { limits }: NodePool,
  remaining: Readonly<Record<string, number>>,
): boolean =>
  Object.keys(limits).every(
    (name) => (name === NODES ? 1 : (ownValue(capacity, name) ?? 0)) <= (ownValue(remaining, name) ?? 0),
  );

function holds(
  { spec }: Pod,
  { labels, allocatable }: LaunchableNode,
  { taints }: NodePool,
  { daemonSets }: ClusterSnapshot,
): boolean {
  const states = { [REGISTERED_LABEL]: 'true', [INITIALIZED_LABEL]: 'true' };
  const daemons = daemonSets.filter(
    ({ template }) =>
      !findUntoleratedTaint(taints, template.spec.tolerations) &&
      matchesDaemonSet(template.spec.nodeSelector, { ...labels, ...states }),
  );
  const total = addResources(spec.requests, ...daemons.map(({ template }) => template.spec.requests));
  return listShortages(total, allocatable).length === 0;
}

// Required terms of DaemonSets are ignored: counting a DaemonSet too many only weakens the check.
const matchesDaemonSet = (
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): boolean => Object.entries(selector).every(([key, value]) => ownValue(labels, key) === value);

/** Domains are chosen before NodePools, so the heavier NodePool must offer the same domain. */
const isSameDomain = ({ spec }: Pod, node: FinalNode, { labels }: LaunchableNode): boolean =>
  [...spec.topologySpread, ...spec.podAffinity, ...spec.podAntiAffinity].every(({ key }) => {
    const domains = listPossibleDomains(node, key);
    return domains.has(node.name) || domains.has(ownValue(labels, key) ?? '');
  });
