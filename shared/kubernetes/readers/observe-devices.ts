import type * as z from 'zod';
import {
  deviceClaimSchema,
  deviceClaimTemplateSchema,
  readDeviceClaim,
  readDeviceClaimTemplate,
} from '../../api/builtin-resources/device-claims.ts';
import {
  deviceClassSchema,
  deviceSliceSchema,
  readDeviceClass,
  readDeviceSlice,
} from '../../api/builtin-resources/device-slices.ts';
import type { Devices } from '../../model/pods/devices.ts';
import { ApiForbiddenError, KindNotServedError } from '../client/api-errors.ts';
import { type ApiResource, DEVICE_RESOURCES, type DeviceResources } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { createObjectStore, type ObjectStore } from '../watch/object-store.ts';
import { type LiveReading, readLive } from './live-object.ts';

/** A kind that is listed for each observation, and the objects read so far. */
interface DeviceKind<T> {
  readonly resource: ApiResource;
  readonly store: ObjectStore<T>;
  readonly read: (raw: unknown) => LiveReading<T>;
}

const createDeviceKind = <Schema extends z.ZodType, T>(
  resource: ApiResource,
  schema: Schema,
  read: (written: z.output<Schema>) => T,
): DeviceKind<T> => ({
  resource,
  store: createObjectStore(),
  read: (raw) => readLive(resource.kind, schema, raw, (written) => ({ outcome: 'read', value: read(written) })),
});

export type DeviceLister = () => Promise<Devices | undefined>;

/**
 * Lists slices, classes, claims and templates of devices in the newest API version that the cluster
 * serves. Returns `undefined` if it serves none, or not to us.
 */
export function createDeviceLister(api: KubernetesApi): DeviceLister {
  const versions = DEVICE_RESOURCES.map((resources) => createVersionLister(api, resources));
  let lastServed: (typeof versions)[number] | undefined;

  return async () => {
    const others = versions.filter((list) => list !== lastServed);
    for (const list of lastServed ? [lastServed, ...others] : others) {
      try {
        const devices = await list();
        lastServed = list;
        return devices;
      } catch (error) {
        // RBAC grants rights for the API group, whatever the version.
        if (error instanceof ApiForbiddenError) return undefined;
        if (!(error instanceof KindNotServedError)) throw error;
      }
    }
    return undefined;
  };
}

/**
 * Lists one API version. Unchanged objects and lists stay identical, because decisions cache
 * results by identity.
 *
 * @throws KindNotServedError - the cluster does not serve this version
 */
function createVersionLister(api: KubernetesApi, resources: DeviceResources): () => Promise<Devices> {
  const slices = createDeviceKind(resources.slices, deviceSliceSchema, readDeviceSlice);
  const classes = createDeviceKind(resources.classes, deviceClassSchema, readDeviceClass);
  const claims = createDeviceKind(resources.claims, deviceClaimSchema, readDeviceClaim);
  const templates = createDeviceKind(resources.templates, deviceClaimTemplateSchema, readDeviceClaimTemplate);
  const refresh = async <T>(kind: DeviceKind<T>): Promise<void> => kind.store.replace(await listObjects(api, kind));
  let last: Devices | undefined;

  return async () => {
    // The first list tells whether the version is served, at the cost of one request.
    await refresh(slices);
    await Promise.all([refresh(classes), refresh(claims), refresh(templates)]);
    const devices: Devices = {
      slices: slices.store.values(),
      classes: classes.store.values(),
      claims: claims.store.values(),
      templates: templates.store.values(),
    };
    if (!last || !isSameDevices(last, devices)) last = devices;
    return last;
  };
}

const isSameDevices = (a: Devices, b: Devices): boolean =>
  a.slices === b.slices && a.classes === b.classes && a.claims === b.claims && a.templates === b.templates;
