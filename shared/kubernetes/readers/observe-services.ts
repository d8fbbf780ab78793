import * as z from 'zod';
import type { Service } from '../../model/workload.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import { SERVICES } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readLive } from './live-object.ts';

const serviceSchema = z.object({
  metadata: z.object({ namespace: z.string(), name: z.string() }),
  spec: z.object({ selector: z.record(z.string(), z.string()).default({}) }).prefault({}),
});

/** Those that select pods. Where they must not be read, there are none to spread pods by. */
export async function listServices(api: KubernetesApi): Promise<readonly Service[]> {
  const read = (raw: unknown) =>
    readLive(SERVICES.kind, serviceSchema, raw, (value) => ({ outcome: 'read' as const, value }));
  try {
    const { readings } = await listObjects(api, { resource: SERVICES, read });
    return [...readings.values()].flatMap((one) => {
      if (one.outcome !== 'read') return [];
      const { metadata, spec } = one.value;
      return Object.keys(spec.selector).length > 0 ? [{ ...metadata, ...spec }] : [];
    });
  } catch (error) {
    if (error instanceof ApiForbiddenError) return [];
    throw error;
  }
}
