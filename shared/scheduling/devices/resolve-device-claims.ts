import { judgeDevice } from '../../api/cel/device-selectors.ts';
import type {
  DeviceChoice,
  DeviceClaim,
  DeviceClaimTemplate,
  DeviceClass,
  Devices,
  DeviceWish,
  PodDeviceClaim,
  WantedDevices,
} from '../../model/pods/devices.ts';
import type { NodeSelectorTerm, Pod } from '../../model/pods/pod.ts';
import { groupDevicePools } from './device-pools.ts';

/** What the claims of a pod come to. */
export type DeviceResolution =
  | { readonly outcome: 'waits'; readonly claim: string; readonly state: string }
  | {
      readonly outcome: 'found';
      /** Claims that have no devices yet, or none that stay. */
      readonly requested: readonly WantedDevices[];
      /** Claims that have theirs, each with where they can be used: any one of its terms. */
      readonly bound: readonly {
        readonly claim: string;
        readonly terms: readonly NodeSelectorTerm[];
      }[];
    };

/** Looks up what pods claim. */
export type DeviceClaimResolver = (pod: Pod) => DeviceResolution;

/** @param held - claims whose devices stay where they are */
export function createDeviceClaimResolver(
  devices: Devices,
  held: ReadonlySet<DeviceClaim>,
): DeviceClaimResolver {
  const { claims, classes, templates } = getIndex(devices);

  const resolveClaim = (pod: Pod, { name, claim, template }: PodDeviceClaim): DeviceResolution => {
    const claimName = claim ?? pod.madeClaims?.[name];
    // A claim that nobody needs to make.
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
    const claimSpec = withClassSelectors(source.wish, classes);
    if (typeof claimSpec === 'string') return { outcome: 'waits', claim: key, state: claimSpec };
    // Claims of a template have names that differ from pod to pod, and nothing else that does.
    const label = template === undefined ? key : `${pod.namespace}/${template}`;
    const shared = claim === undefined ? {} : { shared: key };
    return {
      outcome: 'found',
      requested: [{ claim: label, ...shared, wish: claimSpec }],
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
  const cached = indexes.get(devices) ?? {
    claims: new Map(devices.claims.map((one) => [`${one.namespace}/${one.name}`, one])),
    classes: new Map(devices.classes.map((one) => [one.name, one])),
    templates: new Map(devices.templates.map((one) => [`${one.namespace}/${one.name}`, one])),
  };
  indexes.set(devices, cached);
  return cached;
}

/** The wish with the selectors of its classes in it, or which class is missing. */
function withClassSelectors(
  claimSpec: DeviceWish,
  classes: ReadonlyMap<string, DeviceClass>,
): DeviceWish | string {
  const choices = claimSpec.requests.flatMap((request) => request.choices);
  const missing = choices.find(({ deviceClass }) => !classes.has(deviceClass));
  if (missing) return `DeviceClass ${missing.deviceClass} not found`;
  const withSelectors = (choice: DeviceChoice): DeviceChoice => ({
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
 * Where devices are that could serve the claims, beside those of the nodes themselves: one term for
 * each such place, and one for anywhere else. None at all: they are where the nodes are.
 */
export function listDeviceLocations(
  requested: readonly WantedDevices[],
  { slices }: Devices,
): readonly NodeSelectorTerm[] {
  const choices = requested.flatMap(({ wish: claimSpec }) =>
    claimSpec.requests.flatMap((request) => request.choices),
  );
  const locations = groupDevicePools(slices).flatMap(({ devices }) =>
    devices.flatMap(({ knownDevice, driver, reach }) => {
      if (reach === 'everywhere' || 'node' in reach) return [];
      const isUsable = choices.some(({ selectors }) =>
        selectors.every((one) => judgeDevice(one, knownDevice, driver) === 'matches'),
      );
      return isUsable ? reach.nodeTerms : [];
    }),
  );
  if (locations.length === 0) return [];
  return [...new Map(locations.map((term) => [JSON.stringify(term), term])).values(), []];
}
