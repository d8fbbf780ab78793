import * as z from 'zod';
import { collectionPath } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { applyObject, deleteObject, findObject, HOOKS_RESOURCE } from './apply-object.ts';
import { HOOKS_NAME, type HookTarget, hookConfiguration } from './hooks.ts';

const HOOKS = { kind: HOOKS_RESOURCE.kind, metadata: { name: HOOKS_NAME } } as const;

/** From a few seconds after this the API server calls the address. */
export const placeHooks = (api: KubernetesApi, target: HookTarget): Promise<void> =>
  applyObject(api, hookConfiguration(target));

/** @returns false: there were none */
export const withdrawHooks = (api: KubernetesApi): Promise<boolean> => deleteObject(api, HOOKS);

export const hasHooks = async (api: KubernetesApi): Promise<boolean> =>
  (await findObject(api, HOOKS)) !== undefined;

const configurationsSchema = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }) })),
});

/** Validating hooks of others: EKS counts their calls and ours together. */
export async function hasOtherHooks(api: KubernetesApi): Promise<boolean> {
  const path = collectionPath(HOOKS_RESOURCE);
  const body = await api.read({ verb: 'list', resource: HOOKS_RESOURCE.name, path });
  return configurationsSchema
    .parse(body)
    .items.some(({ metadata }) => metadata.name !== HOOKS_NAME);
}
