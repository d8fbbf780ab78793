import type * as z from 'zod';
import {
  deviceClaimSchema,
  deviceClaimTemplateSchema,
  readDeviceClaim,
  readDeviceClaimTemplate,
} from '../api/device-claims.ts';
import {
  deviceClassSchema,
  deviceSliceSchema,
  readDeviceClass,
  readDeviceSlice,
} from '../api/device-slices.ts';
import type { Devices } from '../model/devices.ts';
import { ApiForbiddenError, KindNotServedError } from './api-errors.ts';
import {
  type ApiResource,
  DEVICE_CLAIM_TEMPLATES,
  DEVICE_CLAIMS,
  DEVICE_CLASSES,
  DEVICE_SLICES,
} from './api-resources.ts';
import type { KubernetesApi } from './kubernetes-api.ts';
import { listObjects } from './list-objects.ts';
import { type LiveReading, readLive } from './live-object.ts';
import { createObjectStore, type ObjectStore } from './object-store.ts';

/** A kind of which an observation tells all that is read from it. */
interface Listed<T> {
  readonly resource: ApiResource;
  readonly store: ObjectStore<T>;
  readonly read: (raw: unknown) => LiveReading<T>;
}

const listed = <Schema extends z.ZodType, T>(
  resource: ApiResource,
  schema: Schema,
  of: (written: z.output<Schema>) => T,
): Listed<T> => ({
  resource,
  store: createObjectStore(),
  read: (raw) =>
    readLive(resource.kind, schema, raw, (written) => ({ outcome: 'read', value: of(written) })),
});

export type DeviceLister = () => Promise<Devices | undefined>;

/**
 * Lists what pods with claims of devices hang on; undefined where the cluster does not serve it, or
 * not to us. An object that comes again in the same version is not read again, and what is unchanged
 * stays one object: decisions remember what they made of it.
 */
export function createDeviceLister(api: KubernetesApi): DeviceLister {
  const slices = listed(DEVICE_SLICES, deviceSliceSchema, readDeviceSlice);
  const classes = listed(DEVICE_CLASSES, deviceClassSchema, readDeviceClass);
  const claims = listed(DEVICE_CLAIMS, deviceClaimSchema, readDeviceClaim);
  const templates = listed(
    DEVICE_CLAIM_TEMPLATES,
    deviceClaimTemplateSchema,
    readDeviceClaimTemplate,
  );
  const refresh = async <T>(kind: Listed<T>): Promise<void> =>
    kind.store.replace(await listObjects(api, kind));
  let last: Devices | undefined;

  return async () => {
    try {
      await Promise.all([refresh(slices), refresh(classes), refresh(claims), refresh(templates)]);
    } catch (error) {
      const isClosed = error instanceof KindNotServedError || error instanceof ApiForbiddenError;
      if (isClosed) return undefined;
      throw error;
    }
    const seen: Devices = {
      slices: slices.store.values(),
      classes: classes.store.values(),
      claims: claims.store.values(),
      templates: templates.store.values(),
    };
    if (!last || !isSame(last, seen)) last = seen;
    return last;
  };
}

const isSame = (a: Devices, b: Devices): boolean =>
  a.slices === b.slices &&
  a.classes === b.classes &&
  a.claims === b.claims &&
  a.templates === b.templates;
