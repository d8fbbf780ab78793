import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { ExtensionCondition, ExtensionStatus } from '../../model/nodes/reported-status.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';
import { type ApiResource, CAPACITY_BUFFERS, NODE_OVERLAYS, objectPath } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';
import { conditionSchema } from '../readers/live-object.ts';

const EXTENSION_RESOURCES: Readonly<Record<ExtensionStatus['kind'], ApiResource>> = {
  NodeOverlay: NODE_OVERLAYS,
  CapacityBuffer: CAPACITY_BUFFERS,
};

const liveSchema = z.object({
  metadata: z.object({ uid: z.string() }),
  status: z
    .looseObject({
      conditions: z.array(conditionSchema.extend({ observedGeneration: z.number().optional() })).default([]),
    })
    .prefault({}),
});
type LiveExtension = z.output<typeof liveSchema>;

/** Server-side apply of the status if it has changed. */
export async function reportExtension(
  api: Pick<KubernetesApi, 'send'>,
  status: ExtensionStatus,
  now: EpochMs,
): Promise<void> {
  const { kind, namespace, name } = status;
  const resource = EXTENSION_RESOURCES[kind];
  const id = { name, ...(namespace !== undefined && { namespace }) };
  const live = liveSchema.safeParse(await readObject(api, resource, id)).data;
  if (live?.metadata.uid !== status.uid) return;

  const newStatus = {
    ...status.fields,
    conditions: status.conditions.map((condition) => withTransitionTime(condition, status, live, now)),
  };
  if (isUpToDate(newStatus, live)) return;
  const request: ApiRequest = {
    verb: 'patch',
    resource: `${resource.name}/status`,
    path: objectPath(resource, id, 'status'),
    query: { force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: {
      apiVersion: resource.root.slice('/apis/'.length),
      kind,
      metadata: id,
      status: newStatus,
    },
  };
  const response = await api.send(request);
  if (!isSuccess(response) && response.status !== 404) throw toApiError(request, response);
}

/** A condition whose status is unchanged keeps its transition time. */
function withTransitionTime(
  condition: ExtensionCondition,
  { generation }: ExtensionStatus,
  { status: { conditions } }: LiveExtension,
  now: EpochMs,
) {
  const before = conditions.find(({ type }) => type === condition.type);
  const since = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
  return {
    ...condition,
    lastTransitionTime: formatInstant(since),
    observedGeneration: generation,
  };
}

const isUpToDate = (
  { conditions, ...fields }: { readonly conditions: readonly object[] } & Record<string, unknown>,
  { status: { conditions: live, ...others } }: LiveExtension,
): boolean =>
  isDeepStrictEqual(
    live.map(({ lastTransitionTime: at, ...one }) => ({
      ...one,
      lastTransitionTime: formatInstant(at ?? 0),
    })),
    conditions,
  ) && Object.entries(fields).every(([key, value]) => isDeepStrictEqual(others[key], value));
