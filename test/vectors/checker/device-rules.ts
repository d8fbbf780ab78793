import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { ownValue } from '../../../shared/model/own-value.ts';
import type { DeviceClaimSpec } from '../../../shared/model/pods/devices.ts';
import type { Pod } from '../../../shared/model/pods/pod.ts';
import { matchesLabels, toRequirements } from '../../../shared/model/requirements/requirements.ts';
import { canAssignDevices, type DeviceUsage, type RequestedClaim } from './device-assignment.ts';
import { listKeptClaims, listUsableDevices, type UsableDevice } from './device-supply.ts';
import type { FinalNode } from './final-nodes.ts';
import type { NodeVariant } from './node-variants.ts';

/**
 * kube-scheduler's DynamicResources filter: checks that all claims of all arriving pods can be
 * allocated.
 */
export function findDeviceViolations(snapshot: ClusterSnapshot, nodes: readonly FinalNode[]): string[] {
  const claiming = nodes.filter(({ arriving }) => arriving.some(claimsDevices));
  if (claiming.length === 0) return [];
  if (!snapshot.devices) return claiming.map(({ name }) => `${name}: nobody knows of devices`);
  const variants = Math.max(...claiming.map((node) => node.variants.length));
  return Array.from({ length: variants }, (_, at) => at).flatMap((at) => {
    const stuck = findFirstViolation(snapshot, nodes, claiming, at);
    return stuck === undefined ? [] : [stuck];
  });
}

const claimsDevices = ({ spec }: Pod): boolean => (spec.deviceClaims ?? []).length > 0;

/** Finds the first violation with variant number `at` of every node, or its last variant. */
function findFirstViolation(
  snapshot: ClusterSnapshot,
  nodes: readonly FinalNode[],
  claiming: readonly FinalNode[],
  at: number,
): string | undefined {
  const sought = new Map<string, RequestedClaim>();
  for (const node of claiming) {
    const variant = node.variants[at] ?? node.variants.at(-1);
    if (!variant) continue;
    const supply = listUsableDevices(node, variant, snapshot);
    for (const pod of node.arriving) {
      const wrong = addRequestedClaims(pod, node, variant, supply, { snapshot, nodes, sought });
      if (wrong !== undefined) return wrong;
    }
  }
  return canAssignDevices([...sought.values()], computeUsage(snapshot, nodes))
    ? undefined
    : `not all of ${[...sought.keys()].join(', ')} find devices`;
}

interface ClaimSearch {
  readonly snapshot: ClusterSnapshot;
  readonly nodes: readonly FinalNode[];
  readonly sought: Map<string, RequestedClaim>;
}

/**
 * Adds a pod's claims to those that need devices, and reports claims that are invalid themselves.
 */
function addRequestedClaims(
  pod: Pod,
  node: FinalNode,
  { labels }: NodeVariant,
  supply: readonly UsableDevice[],
  { snapshot, nodes, sought }: ClaimSearch,
): string | undefined {
  const { claims = [], templates = [], classes = [] } = snapshot.devices ?? {};
  const kept = listKeptClaims(snapshot, nodes);
  for (const { name, claim, template } of pod.spec.deviceClaims ?? []) {
    const inNamespace = (one: { namespace: string }) => one.namespace === pod.namespace;
    const called = claim ?? ownValue(pod.madeClaims, name);
    const result = claims.find((one) => inNamespace(one) && one.name === called);
    const terms = result && kept.includes(result) ? result.allocation?.nodeTerms : undefined;
    if (terms) {
      const isHere = terms.some((term) => matchesLabels(toRequirements(term), labels));
      if (terms.length > 0 && !isHere) return `${called} is not for ${node.name}`;
      continue;
    }
    const made = templates.find((one) => inNamespace(one) && one.name === template);
    const request = (result ?? made)?.request;
    if (!request || result?.deleting) return `claim ${name} of ${pod.name} is not ready`;
    const key = claim === undefined ? `${pod.name}/${name}` : claim;
    const choices = request.requests.flatMap((request) => request.choices);
    if (!choices.every((choice) => classes.some((one) => one.name === choice.deviceClass))) {
      return `claim ${name} of ${pod.name} is of no class`;
    }
    // Pods on several nodes share a claim: its devices must be reachable from all of them.
    const before = sought.get(key)?.supply ?? supply;
    const common = before.filter((one) => supply.some((other) => other.key === one.key));
    sought.set(key, { name: key, request: withClassSelectors(request, snapshot), supply: common });
  }
  return undefined;
}

const withClassSelectors = (request: DeviceClaimSpec, { devices }: ClusterSnapshot): DeviceClaimSpec => ({
  ...request,
  requests: request.requests.map((request) => ({
    ...request,
    choices: request.choices.map((choice) => ({
      ...choice,
      selectors: [
        ...(devices?.classes.find(({ name }) => name === choice.deviceClass)?.selectors ?? []),
        ...choice.selectors,
      ],
    })),
  })),
});

function computeUsage(snapshot: ClusterSnapshot, nodes: readonly FinalNode[]): DeviceUsage {
  const used = new Map<string, number>();
  for (const { allocation } of listKeptClaims(snapshot, nodes)) {
    for (const { driver, pool, device, consumed, adminAccess } of allocation?.devices ?? []) {
      if (adminAccess) continue;
      const key = `${driver}|${pool}|${device}`;
      for (const [what, amount] of [['', 1] as const, ...Object.entries(consumed ?? {})]) {
        used.set(`${key}|${what}`, (used.get(`${key}|${what}`) ?? 0) + amount);
      }
    }
  }
  return used;
}
