import { judgeDevice } from '../../api/runtime/device-selectors.ts';
import type {
  DeviceChoice,
  DeviceClaim,
  DeviceClaimTemplate,
  DeviceClass,
  Devices,
  DeviceWish,
  PodDeviceClaim,
  WantedDevices,
} from '../../model/devices.ts';
import type { NodeSelectorTerm, Pod } from '../../model/pod.ts';
import { devicePools } from './device-pools.ts';

/** What the claims of a pod come to. */
export type DeviceNeeds =
  | { readonly outcome: 'waits'; readonly claim: string; readonly state: string }
  | {
      readonly outcome: 'found';
      /** Claims that have no devices yet, or none that stay. */
      readonly wanted: readonly WantedDevices[];
      /** Claims that have theirs, each with where they can be used: any one of its terms. */
      readonly bound: readonly {
        readonly claim: string;
        readonly terms: readonly NodeSelectorTerm[];
      }[];
    };

/** Looks up what pods claim. */
export type NeedsReader = (pod: Pod) => DeviceNeeds;

/** @param held - claims whose devices stay where they are */
export function needsReader(devices: Devices, held: ReadonlySet<DeviceClaim>): NeedsReader {
  const { claims, classes, templates } = indexOf(devices);

  const read = (pod: Pod, { name, claim, template }: PodDeviceClaim): DeviceNeeds => {
    const made = claim ?? pod.madeClaims?.[name];
    // A claim that nobody needs to make.
    if (made === '') return { outcome: 'found', wanted: [], bound: [] };
    const key = `${pod.namespace}/${made ?? template ?? name}`;
    const found = made === undefined ? undefined : claims.get(key);
    if (found?.deleting) return { outcome: 'waits', claim: key, state: 'is being deleted' };
    if (found?.allocation && held.has(found)) {
      const terms = found.allocation.nodeTerms;
      return { outcome: 'found', wanted: [], bound: [{ claim: key, terms }] };
    }
    const written = found ?? (claim === undefined ? templateOf(pod, template) : undefined);
    if (!written) return { outcome: 'waits', claim: key, state: 'not found' };
    const wish = withClasses(written.wish, classes);
    if (typeof wish === 'string') return { outcome: 'waits', claim: key, state: wish };
    // Claims of a template have names that differ from pod to pod, and nothing else that does.
    const label = template === undefined ? key : `${pod.namespace}/${template}`;
    const shared = claim === undefined ? {} : { shared: key };
    return { outcome: 'found', wanted: [{ claim: label, ...shared, wish }], bound: [] };
  };

  const templateOf = ({ namespace }: Pod, template = ''): DeviceClaimTemplate | undefined =>
    templates.get(`${namespace}/${template}`);

  return (pod) => {
    const needs = (pod.spec.deviceClaims ?? []).map((one) => read(pod, one));
    const waiting = needs.find(({ outcome }) => outcome === 'waits');
    if (waiting) return waiting;
    const found = needs.filter((one) => one.outcome === 'found');
    return {
      outcome: 'found',
      wanted: found.flatMap(({ wanted }) => wanted),
      bound: found.flatMap(({ bound }) => bound),
    };
  };
}

interface Index {
  readonly claims: ReadonlyMap<string, DeviceClaim>;
  readonly classes: ReadonlyMap<string, DeviceClass>;
  readonly templates: ReadonlyMap<string, DeviceClaimTemplate>;
}

const indexes = new WeakMap<Devices, Index>();

function indexOf(devices: Devices): Index {
  const known = indexes.get(devices) ?? {
    claims: new Map(devices.claims.map((one) => [`${one.namespace}/${one.name}`, one])),
    classes: new Map(devices.classes.map((one) => [one.name, one])),
    templates: new Map(devices.templates.map((one) => [`${one.namespace}/${one.name}`, one])),
  };
  indexes.set(devices, known);
  return known;
}

/** The wish with the selectors of its classes in it, or which class is missing. */
function withClasses(
  wish: DeviceWish,
  classes: ReadonlyMap<string, DeviceClass>,
): DeviceWish | string {
  const choices = wish.requests.flatMap((request) => request.choices);
  const missing = choices.find(({ deviceClass }) => !classes.has(deviceClass));
  if (missing) return `DeviceClass ${missing.deviceClass} not found`;
  const selecting = (choice: DeviceChoice): DeviceChoice => ({
    ...choice,
    selectors: [...(classes.get(choice.deviceClass)?.selectors ?? []), ...choice.selectors],
  });
  return {
    ...wish,
    requests: wish.requests.map((request) => ({
      ...request,
      choices: request.choices.map(selecting),
    })),
  };
}

/**
 * Where devices are that could serve the claims, beside those of the nodes themselves: one term for
 * each such place, and one for anywhere else. None at all: they are where the nodes are.
 */
export function placesOfDevices(
  wanted: readonly WantedDevices[],
  { slices }: Devices,
): readonly NodeSelectorTerm[] {
  const choices = wanted.flatMap(({ wish }) => wish.requests.flatMap((request) => request.choices));
  const places = devicePools(slices).flatMap(({ devices }) =>
    devices.flatMap(({ sure, driver, reach }) => {
      if (reach === 'everywhere' || 'node' in reach) return [];
      const serves = choices.some(({ selectors }) =>
        selectors.every((one) => judgeDevice(one, sure, driver) === 'matches'),
      );
      return serves ? reach.nodeTerms : [];
    }),
  );
  if (places.length === 0) return [];
  return [...new Map(places.map((term) => [JSON.stringify(term), term])).values(), []];
}
