import type { ClusterSnapshot } from '../../model/cluster-snapshot.ts';
import type { NodeSelectorTerm, Pod, PodSpec, SettledNeeds } from '../../model/pod.ts';
import type { Reason } from '../../model/reasons.ts';
import {
  findConflict,
  formatRequirement,
  intersectRequirements,
  NO_REQUIREMENTS,
  type Requirements,
  requirementsOfLabels,
  toRequirementSpecs,
  toRequirements,
} from '../../model/requirements.ts';
import { type DecisionSettings, USUAL_SETTINGS } from '../../model/settings.ts';
import type { Storage } from '../../model/storage.ts';
import { attachments, countedVolumes, type LimitedDrivers } from './attach-limits.ts';
import { hasVolumes, storageIndex, wantedVolumes } from './storage-index.ts';

/**
 * The pods as packing sees them: what they name elsewhere, their volumes first of all, is looked up
 * and written into their specs. Pods with equal needs come out with one spec again, so that the
 * thousand pods of a StatefulSet are a few classes: one for each place of their volumes.
 */
export function settlePods(
  pods: readonly Pod[],
  { storage, settings = USUAL_SETTINGS }: ClusterSnapshot,
  limits: LimitedDrivers | undefined,
): readonly Pod[] {
  const isOpen = (pod: Pod): boolean =>
    pod.spec.settled === undefined && (pod.spec.deviceClaims !== undefined || hasVolumes(pod));
  if (!pods.some(isOpen)) return pods;
  return pods.map((pod) => {
    if (!isOpen(pod)) return pod;
    const refusal = deviceRefusal(pod.spec, settings);
    // Of volumes that nobody knows, the names would only tell equal pods apart.
    return refusal || !storage
      ? { ...pod, spec: specWith(pod.spec, { nodeTerms: [], ...(refusal && { refusal }) }, {}) }
      : settle(pod, storage, limits);
  });
}

/** Which devices a node will have is not planned: a node for such a pod might be one for nothing. */
function deviceRefusal(
  { deviceClaims = [] }: PodSpec,
  { ignoreDraRequests }: DecisionSettings,
): Reason | undefined {
  if (deviceClaims.length === 0) return undefined;
  const setting = `IGNORE_DRA_REQUESTS is ${ignoreDraRequests}`;
  return { code: 'device-claims', fields: { claims: deviceClaims.join(', '), setting } };
}

function settle(pod: Pod, storage: Storage, limits: LimitedDrivers | undefined): Pod {
  const settled = needsOf(pod, storage);
  const counts = new Map<string, number>();
  for (const { key, driver } of limits ? countedVolumes(pod, storage) : []) {
    if (!limits?.drivers.includes(driver) || limits.shared.has(key)) continue;
    counts.set(attachments(driver), (counts.get(attachments(driver)) ?? 0) + 1);
  }
  return { ...pod, spec: specWith(pod.spec, settled, Object.fromEntries(counts)) };
}

// What is worked out for a spec is kept by the spec, so equal ones must be one object.
const specs = new WeakMap<PodSpec['requests'], Map<string, PodSpec>>();

function specWith(
  { ephemeralVolumes: _, ...spec }: PodSpec,
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

interface Reach {
  readonly claim: string;
  readonly terms: readonly Requirements[];
}

/** Where a node would reach all of the volumes; one combination of their places is enough. */
function needsOf(pod: Pod, storage: Storage): SettledNeeds {
  const reaches: Reach[] = [];
  for (const wanted of wantedVolumes(pod)) {
    const claim = `${pod.namespace}/${wanted.claim}`;
    const found = storageIndex(storage).find(pod.namespace, wanted);
    if (found.outcome === 'waits') {
      const fields = { claim, state: found.state };
      return { nodeTerms: [], refusal: { code: 'volume-not-ready', fields } };
    }
    if (found.nodeTerms.length > 0) {
      reaches.push({ claim, terms: found.nodeTerms.map(toRequirements) });
    }
  }
  return combined(reaches, pod.spec);
}

function combined(reaches: readonly Reach[], spec: PodSpec): SettledNeeds {
  const wishes = wishesOf(spec);
  let places: readonly Requirements[] = [NO_REQUIREMENTS];
  const before: Reach[] = [];
  for (const reach of reaches) {
    const met = wishes.some((wish) => reach.terms.some((term) => !clash(wish, term)));
    if (!met)
      return { nodeTerms: [], refusal: elsewhere(reach, { claim: 'the pod', terms: wishes }) };
    const next = distinct(
      places.flatMap((place) =>
        reach.terms
          .filter((term) => !clash(place, term))
          .map((term) => intersectRequirements(place, term)),
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

/** What the pod itself asks of a node; any one of them. */
function wishesOf({ nodeSelector, requiredNodeTerms }: PodSpec): readonly Requirements[] {
  const selector = requirementsOfLabels(nodeSelector);
  return requiredNodeTerms.length === 0
    ? [selector]
    : requiredNodeTerms.map((term) => intersectRequirements(selector, toRequirements(term)));
}

const clash = (a: Requirements, b: Requirements) => findConflict(a, b, new Set(b.keys()));

const termOf = (requirements: Requirements): NodeSelectorTerm =>
  [...requirements].flatMap(([key, requirement]) => toRequirementSpecs(key, requirement));

function distinct(all: readonly Requirements[]): Requirements[] {
  const byText = new Map(all.map((one) => [JSON.stringify(termOf(one)), one]));
  return [...byText.values()];
}

function elsewhere({ claim, terms }: Reach, other: Reach | undefined): Reason {
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
  return { code: 'volume-elsewhere', fields };
}
