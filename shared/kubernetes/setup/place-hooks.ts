import type { EventsV1Event } from '@kubernetes/client-node';
import * as z from 'zod';
import { formatInstant } from '../../model/time.ts';
import type { Clock } from '../../ports/ports.ts';
import { collectionPath } from '../client/api-resources.ts';
import type { Json } from '../client/json.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { applyObject, deleteObject, findObject, HOOKS_RESOURCE } from './apply-object.ts';
import { HOOKS_NAME, type HookTarget, toHookConfiguration } from './hooks.ts';

const HOOKS = { kind: HOOKS_RESOURCE.kind, metadata: { name: HOOKS_NAME } } as const;

/** The API server calls the address from a few seconds later on. */
export async function placeHooks(api: KubernetesApi, target: HookTarget): Promise<void> {
  await applyObject(api, toHookConfiguration(target));
}

/**
 * @returns false if there were none
 */
export const withdrawHooks = (api: KubernetesApi): Promise<boolean> => deleteObject(api, HOOKS);

export const areHooksPlaced = async (api: KubernetesApi): Promise<boolean> =>
  (await findObject(api, HOOKS)) !== undefined;

/** A webhook as it is in the cluster. The last segment of its URL is a secret: never show it. */
export interface PlacedHook {
  readonly name: string;
  /** Undefined if another writer made it call a Service. */
  readonly url?: string;
}

const placedSchema = z.object({
  webhooks: z
    .array(z.object({ name: z.string(), clientConfig: z.object({ url: z.string().exactOptional() }) }))
    .default([]),
});

/** Reads our webhooks; undefined if there are none. */
export async function readHooks(api: KubernetesApi): Promise<readonly PlacedHook[] | undefined> {
  const object = await findObject(api, HOOKS);
  if (object === undefined) return undefined;
  return placedSchema.parse(object).webhooks.map(({ name, clientConfig }) => ({ name, ...clientConfig }));
}

const configurationsSchema = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string() }) })),
});

/** True if other validating webhooks exist: EKS counts their calls and ours together. */
export async function hasOtherHooks(api: KubernetesApi): Promise<boolean> {
  const path = collectionPath(HOOKS_RESOURCE);
  const body = await api.read({ verb: 'list', resource: HOOKS_RESOURCE.name, path });
  return configurationsSchema.parse(body).items.some(({ metadata }) => metadata.name !== HOOKS_NAME);
}

const NAMESPACE = 'default';

/**
 * Measures how long the API server takes to write an Event that triggers our webhook, in
 * milliseconds. It waits a second if the call is dropped; a refused call costs nothing.
 */
export async function probeHooks(api: KubernetesApi, clock: Clock): Promise<number> {
  const startedAt = clock.now();
  await api.read({
    verb: 'create',
    resource: 'events',
    path: `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`,
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { generateName: 'mortise-probe-', namespace: NAMESPACE },
      // The API server requires microseconds.
      eventTime: formatInstant(startedAt).replace('Z', '.000000Z'),
      reportingController: 'mortise.sh/cluster-setup',
      reportingInstance: 'mortise',
      action: 'Probing',
      reason: 'FailedScheduling',
      type: 'Normal',
      note: 'Mortise looks how long its hooks take. There is no such pod.',
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: NAMESPACE, name: 'mortise-probe' },
    } satisfies Json<EventsV1Event>,
  });
  return clock.now() - startedAt;
}
