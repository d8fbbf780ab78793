import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { Reason } from '../../model/explanations/reasons.ts';
import { getOrCreate } from '../../model/memo.ts';
import { isActive } from '../../model/pods/disruption-pods.ts';
import {
  type NodeSelectorTerm,
  type Pod,
  type PodKey,
  type PodSpec,
  podKey,
  type ResolvedNeeds,
} from '../../model/pods/pod.ts';
import { type Storage, toClaimKey } from '../../model/pods/storage.ts';
import { formatRequirement, toRequirementSpecs } from '../../model/requirements/requirement-specs.ts';
import {
  conjoinRequirements,
  findConflict,
  NO_REQUIREMENTS,
  type Requirements,
  toRequirements,
} from '../../model/requirements/requirements.ts';
import { addResources, maxResources, NO_RESOURCES, type Resources } from '../../model/resources.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../../model/settings.ts';
import { findHeldClaims } from '../devices/held-device-claims.ts';
import {
  createDeviceClaimResolver,
  type DeviceClaimResolver,
  listDeviceLocations,
} from '../devices/resolve-device-claims.ts';
import { type AttachLimitsByType, listAttachedVolumes, toAttachmentResource } from '../input/attach-limits.ts';
import { listRequiredNodeTerms } from '../pods/relaxations.ts';
import { getStorageIndex, hasVolumes, listVolumeReferences } from '../pods/storage-index.ts';

/**
 * Replaces the volumes and device claims that pods name by node requirements in their specs. Pods
 * with equal needs share one spec afterwards, so that the thousand pods of a StatefulSet form only
 * one class per location of their volumes.
 */
export function resolveVolumesAndDevices(
  pods: readonly Pod[],
  snapshot: ClusterSnapshot,
  limits: AttachLimitsByType | undefined,
): readonly Pod[] {
  const isUnresolved = (pod: Pod): boolean =>
    pod.spec.resolved === undefined && (pod.spec.deviceClaims !== undefined || hasVolumes(pod));
  if (!pods.some(isUnresolved)) return pods;
  const context = createContext(snapshot, pods, limits);
  return withSharedRequests(pods.map((pod) => (isUnresolved(pod) ? resolvePod(pod, context) : pod)));
}

/** The objects in which volumes and device claims are looked up. */
interface ResolutionContext extends Pick<ClusterSnapshot, 'storage' | 'devices'> {
  readonly settings: DecisionSettings;
  readonly limits: AttachLimitsByType | undefined;
  /** Claims that one pod at a time may use, with the pod that is the one. */
  readonly claimHolders: ReadonlyMap<string, PodKey>;
  /** undefined if the cluster's devices are not observed or no pod claims any. */
  readonly resolveDevices?: DeviceClaimResolver;
}

function createContext(
  { storage, devices, settings = DEFAULT_SETTINGS, pods: allPods }: ClusterSnapshot,
  pods: readonly Pod[],
  limits: AttachLimitsByType | undefined,
): ResolutionContext {
  const hasDeviceClaims = devices && pods.some(({ spec }) => spec.deviceClaims !== undefined);
  return {
    settings,
    limits,
    claimHolders: findClaimHolders(storage, allPods, pods),
    ...(storage && { storage }),
    ...(hasDeviceClaims && {
      devices,
      resolveDevices: createDeviceClaimResolver(devices, findHeldClaims(devices, allPods, pods)),
    }),
  };
}

/**
 * Finds which pod may use each ReadWriteOncePod claim: one that stays on its node, else the first of
 * the pods to plan.
 *
 * @see kubernetes, plugin VolumeRestrictions
 */
function findClaimHolders(
  storage: Storage | undefined,
  allPods: readonly Pod[],
  pods: readonly Pod[],
): ReadonlyMap<string, PodKey> {
  const exclusive = new Set((storage?.claims ?? []).filter(({ oncePod }) => oncePod).map(toClaimKey));
  if (exclusive.size === 0) return new Map();
  const planned = new Set(pods.map(podKey));
  const staying = allPods.filter((pod) => pod.nodeName !== undefined && isActive(pod) && !planned.has(podKey(pod)));
  const leaving = pods.filter(({ nodeName }) => nodeName !== undefined);
  const holders = new Map<string, PodKey>();
  for (const pod of [...staying, ...leaving, ...pods]) {
    for (const name of pod.spec.volumeClaims) {
      const claim = toClaimKey({ namespace: pod.namespace, name });
      if (exclusive.has(claim) && !holders.has(claim)) holders.set(claim, podKey(pod));
    }
  }
  return holders;
}

function resolvePod(pod: Pod, context: ResolutionContext): Pod {
  const { storage, limits } = context;
  const resolved = resolveNeeds(pod, context);
  const counts = new Map<string, number>();
  for (const { key, driver } of limits && storage ? listAttachedVolumes(pod, storage) : []) {
    if (!limits?.drivers.includes(driver) || limits.shared.has(key)) continue;
    counts.set(toAttachmentResource(driver), (counts.get(toAttachmentResource(driver)) ?? 0) + 1);
  }
  return { ...pod, spec: toResolvedSpec(pod.spec, resolved, Object.fromEntries(counts)) };
}

// Other caches are keyed by spec, so equal specs must be one object.
const specs = new WeakMap<PodSpec['requests'], Map<string, PodSpec>>();

function toResolvedSpec(
  { ephemeralVolumes: _, deviceClaims: __, ...spec }: PodSpec,
  resolved: ResolvedNeeds,
  attached: Readonly<Record<string, number>>,
): PodSpec {
  const { requests, ...others } = { ...spec, volumeClaims: [], resolved };
  const signature = JSON.stringify([others, attached]);
  const bySignature = getOrCreate(specs, requests, () => new Map());
  return getOrCreate(bySignature, signature, () => ({
    ...others,
    requests: { ...requests, ...attached },
  }));
}

/** A volume or device claim and the nodes that reach it; a node must meet any one of the terms. */
interface ReachableNodes {
  readonly code: 'volume-elsewhere' | 'devices-elsewhere';
  readonly claim: string;
  readonly terms: readonly Requirements[];
}

/** Resolves everything that the pod names into terms of nodes that reach all of it. */
function resolveNeeds(pod: Pod, context: ResolutionContext): ResolvedNeeds {
  const devices = resolveDeviceNeeds(pod, context);
  if ('refusal' in devices) return { nodeTerms: [], refusal: devices.refusal };
  const { storage } = context;
  // Without storage objects, volume names would only make equal pods look different.
  const volumes = storage ? resolveVolumes(pod, storage, context.claimHolders) : [];
  if ('refusal' in volumes) return { nodeTerms: [], refusal: volumes.refusal };
  return {
    ...combineReachableNodes([...volumes, ...devices.reaches], pod.spec),
    ...devices.resolved,
  };
}

interface ResolutionFailure {
  readonly refusal: Reason;
}

function resolveVolumes(
  pod: Pod,
  storage: Storage,
  claimHolders: ResolutionContext['claimHolders'],
): readonly ReachableNodes[] | ResolutionFailure {
  const reaches: ReachableNodes[] = [];
  for (const requested of listVolumeReferences(pod)) {
    const claim = toClaimKey({ namespace: pod.namespace, name: requested.claim });
    const holder = claimHolders.get(claim);
    if (holder !== undefined && holder !== podKey(pod)) {
      const state = `ReadWriteOncePod, and ${holder} has it`;
      return { refusal: { code: 'volume-not-ready', fields: { claim, state } } };
    }
    const resolution = getStorageIndex(storage).find(pod.namespace, requested);
    if (resolution.outcome === 'waits') {
      return { refusal: { code: 'volume-not-ready', fields: { claim, state: resolution.state } } };
    }
    if (resolution.nodeTerms.length > 0) {
      const terms = resolution.nodeTerms.map(toRequirements);
      reaches.push({ code: 'volume-elsewhere', claim, terms });
    }
  }
  return reaches;
}

interface ReachableDevices {
  readonly reaches: readonly ReachableNodes[];
  readonly resolved: Pick<ResolvedNeeds, 'devices'>;
}

function resolveDeviceNeeds(pod: Pod, context: ResolutionContext): ReachableDevices | ResolutionFailure {
  const { deviceClaims = [] } = pod.spec;
  if (deviceClaims.length === 0) return { reaches: [], resolved: {} };
  const { settings, devices, resolveDevices } = context;
  const claims = deviceClaims.map(({ name }) => name).join(', ');
  if (settings.ignoreDraRequests) {
    return { refusal: { code: 'device-claims', fields: { claims } } };
  }
  if (!devices || !resolveDevices) {
    return { refusal: { code: 'devices-not-served', fields: { claims } } };
  }
  const needs = resolveDevices(pod);
  if (needs.outcome === 'waits') {
    const { claim, state } = needs;
    return { refusal: { code: 'device-claim-not-ready', fields: { claim, state } } };
  }
  const { requested, bound } = needs;
  const terms = listDeviceLocations(requested, devices);
  return {
    reaches: [...bound, { claim: 'of devices', terms }].flatMap(({ claim, terms }): ReachableNodes[] =>
      terms.length > 0 ? [{ code: 'devices-elsewhere', claim, terms: terms.map(toRequirements) }] : [],
    ),
    resolved: requested.length > 0 ? { devices: requested } : {},
  };
}

function combineReachableNodes(reaches: readonly ReachableNodes[], spec: PodSpec): ResolvedNeeds {
  const podTerms = listRequiredNodeTerms(spec);
  let combined: readonly Requirements[] = [NO_REQUIREMENTS];
  const earlier: ReachableNodes[] = [];
  for (const reach of reaches) {
    const isReachable = podTerms.some((podTerm) => reach.terms.some((term) => !findClash(podTerm, term)));
    if (!isReachable)
      return {
        nodeTerms: [],
        refusal: createConflictReason(reach, { claim: 'the pod', terms: podTerms }),
      };
    const narrowedTerms = removeDuplicates(
      combined.flatMap((previous) =>
        reach.terms.filter((term) => !findClash(previous, term)).map((term) => conjoinRequirements(previous, term)),
      ),
    );
    const conflicting = earlier.find(({ terms }) => terms.every((a) => reach.terms.every((b) => findClash(a, b))));
    if (narrowedTerms.length === 0)
      return { nodeTerms: [], refusal: createConflictReason(reach, conflicting ?? earlier[0]) };
    combined = narrowedTerms;
    earlier.push(reach);
  }
  // A term without conditions means any node, and must stay among the others.
  return { nodeTerms: reaches.length > 0 ? combined.map(toNodeSelectorTerm) : [] };
}

const findClash = (a: Requirements, b: Requirements) => findConflict(a, b, new Set(b.keys()));

const toNodeSelectorTerm = (requirements: Requirements): NodeSelectorTerm =>
  [...requirements].flatMap(([key, requirement]) => toRequirementSpecs(key, requirement));

function removeDuplicates(allPods: readonly Requirements[]): Requirements[] {
  const byText = new Map(allPods.map((one) => [JSON.stringify(toNodeSelectorTerm(one)), one]));
  return [...byText.values()];
}

function createConflictReason(
  { code, claim, terms }: ReachableNodes,
  conflicting: Pick<ReachableNodes, 'claim' | 'terms'> | undefined,
): Reason {
  const conflict = conflicting?.terms.map((other) => terms.map((term) => findClash(other, term))[0])[0];
  const fields = {
    claim,
    other: conflicting?.claim ?? 'another volume',
    ...(conflict && {
      key: conflict.key,
      there: formatRequirement(conflict.expected),
      wanted: conflict.given ? formatRequirement(conflict.given) : 'none',
    }),
  };
  return { code, fields };
}

/**
 * Writes into each spec the total requests of the pods that share its device claim: the devices are
 * on one node, so all of these pods must fit there.
 */
function withSharedRequests(pods: readonly Pod[]): readonly Pod[] {
  const together = new Map<string, Resources>();
  for (const { spec } of pods) {
    for (const claim of listSharedClaims(spec)) {
      together.set(claim, addResources(together.get(claim) ?? NO_RESOURCES, spec.requests));
    }
  }
  if (together.size === 0) return pods;
  return pods.map((pod) => {
    const { resolved } = pod.spec;
    const claims = listSharedClaims(pod.spec);
    if (!resolved || claims.length === 0) return pod;
    const totalRequests = claims.map((claim) => together.get(claim) ?? NO_RESOURCES).reduce(maxResources);
    return { ...pod, spec: toResolvedSpec(pod.spec, { ...resolved, together: totalRequests }, {}) };
  });
}

const listSharedClaims = ({ resolved }: PodSpec): string[] =>
  (resolved?.devices ?? []).flatMap(({ shared }) => shared ?? []);
