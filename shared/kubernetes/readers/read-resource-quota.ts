import * as z from 'zod';
import { quantitiesSchema } from '../../api/builtin-resources/quantities.ts';
import type { QuotaRoom } from '../../model/pods/workload.ts';
import { toResources } from '../../model/quantity.ts';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, subtractResources } from '../../model/resources.ts';

const schema = z.object({
  metadata: z.object({ namespace: z.string(), name: z.string() }),
  status: z.object({ hard: quantitiesSchema.default({}), used: quantitiesSchema.default({}) }).prefault({}),
});

/**
 * Pods that a ResourceQuota still allows; `undefined` if it cannot be read. Scopes are ignored, so it
 * may seem to limit pods that it does not.
 */
export function readQuotaRoom(raw: unknown): QuotaRoom | undefined {
  const { data } = schema.safeParse(raw);
  if (!data) return undefined;
  const { namespace, name } = data.metadata;
  const hard = toResources(pickPodQuantities(data.status.hard));
  const used = toResources(pickPodQuantities(data.status.used));
  return {
    namespace,
    name,
    free: subtractResources(hard, pickNamed(used, hard)),
    isPartlyKnown: Object.keys(data.status.hard).some((key) => key.startsWith('limits.')),
  };
}

type Quantities = z.output<typeof quantitiesSchema>;

/**
 * Keeps the limits that apply to pods, by resource name; services, secrets and storage are left
 * out.
 */
const pickPodQuantities = (quantities: Quantities): Quantities =>
  Object.fromEntries(
    Object.entries(quantities).flatMap(([key, quantity]) => {
      const name = toRequestName(key);
      return name === undefined ? [] : [[name, quantity]];
    }),
  );

function toRequestName(key: string): string | undefined {
  if (key === PODS || key === 'count/pods') return PODS;
  if (key === CPU || key === MEMORY || key === EPHEMERAL_STORAGE) return key;
  const requested = /^requests\.(.+)$/.exec(key)?.[1];
  return requested === 'storage' ? undefined : requested;
}

const pickNamed = <T>(from: Readonly<Record<string, T>>, names: object): Record<string, T> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => Object.hasOwn(names, name)));
