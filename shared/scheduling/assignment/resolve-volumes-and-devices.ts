import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeSelectorTerm, Pod, PodSpec, SettledNeeds } from '../../model/pod.ts';
import type { Reason } from '../../model/reasons.ts';
import { formatRequirement, toRequirementSpecs } from '../../model/requirement-specs.ts';
import {
  conjunctionOf,
  findConflict,
  NO_REQUIREMENTS,
  type Requirements,
  toRequirements,
} from '../../model/requirements.ts';
import { addResources, maxResources, NO_RESOURCES, type Resources } from '../../model/resources.ts';
import { type DecisionSettings, USUAL_SETTINGS } from '../../model/settings.ts';
import type { Storage } from '../../model/storage.ts';
import { type NeedsReader, needsReader, placesOfDevices } from '../devices/resolve-device-claims.ts';
import { heldClaims } from '../devices/held-device-claims.ts';
import { attachments, countedVolumes, type LimitedDrivers } from '../input/attach-limits.ts';
import { requiredOfNode } from '../pods/relaxations.ts';
import { hasVolumes, storageIndex, wantedVolumes } from '../pods/storage-index.ts';

/**
 * The pods as packing sees them: what they name elsewhere, volumes and claims of devices, is looked
 * up and written into their specs. Pods with equal needs come out with one spec again, so that the
 * thousand pods of a StatefulSet are a few classes: one for each place of their volumes.
 */
export function settlePods(
  pods: readonly Pod[],
  snapshot: ClusterSnapshot,
  limits: LimitedDrivers | undefined,
): readonly Pod[] {
  const isOpen = (pod: Pod): boolean =>
    pod.spec.settled === undefined && (pod.spec.deviceClaims !== undefined || hasVolumes(pod));
  if (!pods.some(isOpen)) return pods;
  const surroundings = surroundingsOf(snapshot, pods, limits);
  return sharingNodes(pods.map((pod) => (isOpen(pod) ? settle(pod, surroundings) : pod)));
}

/** What pods name is looked up in these. */
interface Surroundings extends Pick<ClusterSnapshot, 'storage' | 'devices'> {
  readonly settings: DecisionSettings;
  readonly limits: LimitedDrivers | undefined;
  /** Absent: nobody asked what devices there are. */
  readonly needsOfDevices?: NeedsReader;
}

function surroundingsOf(
  { storage, devices, settings = USUAL_SETTINGS, pods: all }: ClusterSnapshot,
  pods: readonly Pod[],
  limits: LimitedDrivers | undefined,
): Surroundings {
  const claiming = devices && pods.some(({ spec }) => spec.deviceClaims !== undefined);
  return {
    settings,
    limits,
    ...(storage && { storage }),
    ...(claiming && {
      devices,
      needsOfDevices: needsReader(devices, heldClaims(devices, all, pods)),
    }),
  };
}

function settle(pod: Pod, surroundings: Surroundings): Pod {
  const { storage, limits } = surroundings;
  const settled = needsOf(pod, surroundings);
  const counts = new Map<string, number>();
  for (const { key, driver } of limits && storage ? countedVolumes(pod, storage) : []) {
    if (!limits?.drivers.includes(driver) || limits.shared.has(key)) continue;
    counts.set(attachments(driver), (counts.get(attachments(driver)) ?? 0) + 1);
  }
  return { ...pod, spec: specWith(pod.spec, settled, Object.fromEntries(counts)) };
}

// What is worked out for a spec is kept by the spec, so equal ones must be one object.
const specs = new WeakMap<PodSpec['requests'], Map<string, PodSpec>>();

function specWith(
  { ephemeralVolumes: _, deviceClaims: __, ...spec }: PodSpec,
  settled: SettledNeeds,
  attached: Readonly<Record<string, number>>,
): PodSpec {
  const { requests, ...others } = { ...spec, volumeClaims: [], settled };
  const text = JSON.stringify([others, attached]);
  const known = specs.get(requests) ?? new Map<string, PodSpec>();
  specs.set(requests, known);
  const made = known.get(text) ?? { ...others, requests: { ...requests, ...attached } };
  known.set(text, made);
  return made;
}

/** Something that the pod names, and the nodes that reach it: any of these. */
interface Reach {
  readonly code: 'volume-elsewhere' | 'devices-elsewhere';
  readonly claim: string;
  readonly terms: readonly Requirements[];
}

/** Where a node would reach all that the pod names; one combination of their places is enough. */
function needsOf(pod: Pod, surroundings: Surroundings): SettledNeeds {
  const devices = deviceNeeds(pod, surroundings);
  if ('refusal' in devices) return { nodeTerms: [], refusal: devices.refusal };
  const { storage } = surroundings;
  // Of volumes that nobody knows, the names would only tell equal pods apart.
  const volumes = storage ? volumeReaches(pod, storage) : [];
  if ('refusal' in volumes) return { nodeTerms: [], refusal: volumes.refusal };
  return { ...combined([...volumes, ...devices.reaches], pod.spec), ...devices.settled };
}

interface Refused {
  readonly refusal: Reason;
}

function volumeReaches(pod: Pod, storage: Storage): readonly Reach[] | Refused {
  const reaches: Reach[] = [];
  for (const wanted of wantedVolumes(pod)) {
    const claim = `${pod.namespace}/${wanted.claim}`;
    const found = storageIndex(storage).find(pod.namespace, wanted);
    if (found.outcome === 'waits') {
      return { refusal: { code: 'volume-not-ready', fields: { claim, state: found.state } } };
    }
    if (found.nodeTerms.length > 0) {
      const terms = found.nodeTerms.map(toRequirements);
      reaches.push({ code: 'volume-elsewhere', claim, terms });
    }
  }
  return reaches;
}

interface DeviceReaches {
  readonly reaches: readonly Reach[];
  readonly settled: Pick<SettledNeeds, 'devices'>;
}

function deviceNeeds(pod: Pod, surroundings: Surroundings): DeviceReaches | Refused {
  const { deviceClaims = [] } = pod.spec;
  if (deviceClaims.length === 0) return { reaches: [], settled: {} };
  const { settings, devices, needsOfDevices } = surroundings;
  const claims = deviceClaims.map(({ name }) => name).join(', ');
  if (settings.ignoreDraRequests) {
    return { refusal: { code: 'device-claims', fields: { claims } } };
  }
  if (!devices || !needsOfDevices) {
    return { refusal: { code: 'devices-not-served', fields: { claims } } };
  }
  const needs = needsOfDevices(pod);
  if (needs.outcome === 'waits') {
    const { claim, state } = needs;
    return { refusal: { code: 'device-claim-not-ready', fields: { claim, state } } };
  }
  const { wanted, bound } = needs;
  const places = placesOfDevices(wanted, devices);
  return {
    reaches: [...bound, { claim: 'of devices', terms: places }].flatMap(
      ({ claim, terms }): Reach[] =>
        terms.length > 0
          ? [{ code: 'devices-elsewhere', claim, terms: terms.map(toRequirements) }]
          : [],
    ),
    settled: wanted.length > 0 ? { devices: wanted } : {},
  };
}

function combined(reaches: readonly Reach[], spec: PodSpec): SettledNeeds {
  const wishes = requiredOfNode(spec);
  let places: readonly Requirements[] = [NO_REQUIREMENTS];
  const before: Reach[] = [];
  for (const reach of reaches) {
    const met = wishes.some((wish) => reach.terms.some((term) => !clash(wish, term)));
    if (!met)
      return { nodeTerms: [], refusal: elsewhere(reach, { claim: 'the pod', terms: wishes }) };
    const next = distinct(
      places.flatMap((place) =>
        reach.terms.filter((term) => !clash(place, term)).map((term) => conjunctionOf(place, term)),
      ),
    );
    const other = before.find(({ terms }) =>
      terms.every((a) => reach.terms.every((b) => clash(a, b))),
    );
    if (next.length === 0) return { nodeTerms: [], refusal: elsewhere(reach, other ?? before[0]) };
    places = next;
    before.push(reach);
  }
  // A place without a condition stays one of several: any node will do then.
  return { nodeTerms: reaches.length > 0 ? places.map(termOf) : [] };
}

const clash = (a: Requirements, b: Requirements) => findConflict(a, b, new Set(b.keys()));

const termOf = (requirements: Requirements): NodeSelectorTerm =>
  [...requirements].flatMap(([key, requirement]) => toRequirementSpecs(key, requirement));

function distinct(all: readonly Requirements[]): Requirements[] {
  const byText = new Map(all.map((one) => [JSON.stringify(termOf(one)), one]));
  return [...byText.values()];
}

function elsewhere(
  { code, claim, terms }: Reach,
  other: Pick<Reach, 'claim' | 'terms'> | undefined,
): Reason {
  const conflict = other?.terms.map((given) => terms.map((term) => clash(given, term))[0])[0];
  const fields = {
    claim,
    other: other?.claim ?? 'another volume',
    ...(conflict
      ? {
          key: conflict.key,
          there: formatRequirement(conflict.wanted),
          wanted: conflict.given ? formatRequirement(conflict.given) : 'none',
        }
      : {}),
  };
  return { code, fields };
}

/**
 * Writes down what pods with the same claim ask for together: its devices are on one node, so that
 * all of them must fit there.
 */
function sharingNodes(pods: readonly Pod[]): readonly Pod[] {
  const together = new Map<string, Resources>();
  for (const { spec } of pods) {
    for (const claim of sharedClaims(spec)) {
      together.set(claim, addResources(together.get(claim) ?? NO_RESOURCES, spec.requests));
    }
  }
  if (together.size === 0) return pods;
  return pods.map((pod) => {
    const { settled } = pod.spec;
    const claims = sharedClaims(pod.spec);
    if (!settled || claims.length === 0) return pod;
    const all = claims.map((claim) => together.get(claim) ?? NO_RESOURCES).reduce(maxResources);
    return { ...pod, spec: specWith(pod.spec, { ...settled, together: all }, {}) };
  });
}

const sharedClaims = ({ settled }: PodSpec): string[] =>
  (settled?.devices ?? []).flatMap(({ shared }) => shared ?? []);
