import { evaluateSelector } from '../../api/cel/device-selectors.ts';
import { getOrCreate } from '../../model/memo.ts';
import { ownValue } from '../../model/own-value.ts';
import type {
  DeviceClaim,
  DeviceClaimSpec,
  DeviceClaimTemplate,
  DeviceClass,
  DeviceSelection,
  Devices,
  PodDeviceClaim,
  ResolvedDeviceClaim,
} from '../../model/pods/devices.ts';
import type { NodeSelectorTerm, Pod } from '../../model/pods/pod.ts';
import { groupDevicePools } from './device-pools.ts';

/** The result of resolving the device claims of a pod. */
export type DeviceResolution =
  | { readonly outcome: 'waits'; readonly claim: string; readonly state: string }
  | {
      readonly outcome: 'found';
      /** Claims whose devices are still to be allocated. */
      readonly requested: readonly ResolvedDeviceClaim[];
      /** Allocated claims, each with terms of which a node must meet any one. */
      readonly bound: readonly {
        readonly claim: string;
        readonly terms: readonly NodeSelectorTerm[];
      }[];
    };

/** Resolves the device claims of a pod. */
export type DeviceClaimResolver = (pod: Pod) => DeviceResolution;

/**
 * @param held - claims whose devices stay allocated
 */
export function createDeviceClaimResolver(devices: Devices, held: ReadonlySet<DeviceClaim>): DeviceClaimResolver {
  const { claims, classes, templates } = getIndex(devices);

  const resolveClaim = (pod: Pod, { name, claim, template }: PodDeviceClaim): DeviceResolution => {
    const claimName = claim ?? ownValue(pod.madeClaims, name);
    // An empty name means that Kubernetes generates no claim for this pod.
    if (claimName === '') return { outcome: 'found', requested: [], bound: [] };
    const key = `${pod.namespace}/${claimName ?? template ?? name}`;
    const existing = claimName === undefined ? undefined : claims.get(key);
    if (existing?.deleting) return { outcome: 'waits', claim: key, state: 'is being deleted' };
    if (existing?.allocation && held.has(existing)) {
      const terms = existing.allocation.nodeTerms;
      return { outcome: 'found', requested: [], bound: [{ claim: key, terms }] };
    }
    const source = existing ?? (claim === undefined ? findTemplate(pod, template) : undefined);
    if (!source) return { outcome: 'waits', claim: key, state: 'not found' };
    const claimSpec = withClassSelectors(source.request, classes);
    if (typeof claimSpec === 'string') return { outcome: 'waits', claim: key, state: claimSpec };
    // Claims from one template differ only in their generated names, so the template's name is
    // used.
    const label = template === undefined ? key : `${pod.namespace}/${template}`;
    const shared = claim === undefined ? {} : { shared: key };
    return {
      outcome: 'found',
      requested: [{ claim: label, ...shared, deviceRequest: claimSpec }],
      bound: [],
    };
  };

  const findTemplate = ({ namespace }: Pod, template = ''): DeviceClaimTemplate | undefined =>
    templates.get(`${namespace}/${template}`);

  return (pod) => {
    const resolutions = (pod.spec.deviceClaims ?? []).map((one) => resolveClaim(pod, one));
    const waiting = resolutions.find(({ outcome }) => outcome === 'waits');
    if (waiting) return waiting;
    const existing = resolutions.filter((one) => one.outcome === 'found');
    return {
      outcome: 'found',
      requested: existing.flatMap(({ requested }) => requested),
      bound: existing.flatMap(({ bound }) => bound),
    };
  };
}

interface DeviceObjectIndex {
  readonly claims: ReadonlyMap<string, DeviceClaim>;
  readonly classes: ReadonlyMap<string, DeviceClass>;
  readonly templates: ReadonlyMap<string, DeviceClaimTemplate>;
}

const indexes = new WeakMap<Devices, DeviceObjectIndex>();

function getIndex(devices: Devices): DeviceObjectIndex {
  return getOrCreate(indexes, devices, () => ({
    claims: new Map(devices.claims.map((one) => [`${one.namespace}/${one.name}`, one])),
    classes: new Map(devices.classes.map((one) => [one.name, one])),
    templates: new Map(devices.templates.map((one) => [`${one.namespace}/${one.name}`, one])),
  }));
}

/**
 * Adds the selectors of the DeviceClasses to the claim. Returns a message if a class is missing.
 */
function withClassSelectors(
  claimSpec: DeviceClaimSpec,
  classes: ReadonlyMap<string, DeviceClass>,
): DeviceClaimSpec | string {
  const choices = claimSpec.requests.flatMap((request) => request.choices);
  const missing = choices.find(({ deviceClass }) => !classes.has(deviceClass));
  if (missing) return `DeviceClass ${missing.deviceClass} not found`;
  const withSelectors = (choice: DeviceSelection): DeviceSelection => ({
    ...choice,
    selectors: [...(classes.get(choice.deviceClass)?.selectors ?? []), ...choice.selectors],
  });
  return {
    ...claimSpec,
    requests: claimSpec.requests.map((request) => ({
      ...request,
      choices: request.choices.map(withSelectors),
    })),
  };
}

/**
 * Lists the locations of shared devices that could serve the claims, and one empty term for all
 * other nodes. An empty list means that no shared device could serve them.
 */
export function listDeviceLocations(
  requested: readonly ResolvedDeviceClaim[],
  { slices }: Devices,
): readonly NodeSelectorTerm[] {
  const choices = requested.flatMap(({ deviceRequest: claimSpec }) =>
    claimSpec.requests.flatMap((request) => request.choices),
  );
  const locations = groupDevicePools(slices).flatMap(({ devices }) =>
    devices.flatMap(({ knownDevice, driver, reach }) => {
      if (reach === 'everywhere' || 'node' in reach) return [];
      const isUsable = choices.some(({ selectors }) =>
        selectors.every((one) => evaluateSelector(one, knownDevice, driver) === 'matches'),
      );
      return isUsable ? reach.nodeTerms : [];
    }),
  );
  if (locations.length === 0) return [];
  return [...new Map(locations.map((term) => [JSON.stringify(term), term])).values(), []];
}
