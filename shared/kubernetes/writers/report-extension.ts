import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { ExtensionCondition, ExtensionStatus } from '../../model/nodes/reported-status.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';
import { refusalOf } from '../client/api-responses.ts';
import { type ApiResource, CAPACITY_BUFFERS, NODE_OVERLAYS, objectPath } from '../client/api-resources.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { conditionSchema } from '../readers/live-object.ts';

const RESOURCES: Readonly<Record<ExtensionStatus['kind'], ApiResource>> = {
  NodeOverlay: NODE_OVERLAYS,
  CapacityBuffer: CAPACITY_BUFFERS,
};

const liveSchema = z.object({
  metadata: z.object({ uid: z.string() }),
  status: z
    .looseObject({
      conditions: z
        .array(conditionSchema.extend({ observedGeneration: z.number().optional() }))
        .default([]),
    })
    .prefault({}),
});
type Live = z.output<typeof liveSchema>;

/** Server-side apply of the status, where it says something else than before. */
export async function reportExtension(
  api: Pick<KubernetesApi, 'ask'>,
  status: ExtensionStatus,
  now: EpochMs,
): Promise<void> {
  const { kind, namespace, name } = status;
  const resource = RESOURCES[kind];
  const id = { name, ...(namespace === undefined ? {} : { namespace }) };
  const live = await readObject(api, resource, id);
  if (live?.metadata.uid !== status.uid) return;

  const written = {
    ...status.fields,
    conditions: status.conditions.map((condition) => dated(condition, status, live, now)),
  };
  if (isWritten(written, live)) return;
  const request: ApiRequest = {
    verb: 'patch',
    resource: `${resource.name}/status`,
    path: objectPath(resource, id, 'status'),
    query: { fieldManager: 'mortise', force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: resource.root.slice('/apis/'.length), kind, metadata: id, status: written },
  };
  const answer = await api.ask(request);
  if (!isSuccess(answer) && answer.status !== 404) throw refusalOf(request, answer);
}

async function readObject(
  api: Pick<KubernetesApi, 'ask'>,
  resource: ApiResource,
  id: { readonly name: string; readonly namespace?: string },
): Promise<Live | undefined> {
  const path = objectPath(resource, id);
  const request = { verb: 'get', resource: resource.name, path } as const;
  const answer = await api.ask(request);
  if (answer.status === 404) return undefined;
  if (!isSuccess(answer)) throw refusalOf(request, answer);
  return liveSchema.safeParse(answer.body).data;
}

/** A condition whose status stays keeps its time. */
function dated(
  condition: ExtensionCondition,
  { generation }: ExtensionStatus,
  { status: { conditions } }: Live,
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

const isWritten = (
  { conditions, ...fields }: { readonly conditions: readonly object[] } & Record<string, unknown>,
  { status: { conditions: live, ...others } }: Live,
): boolean =>
  isDeepStrictEqual(
    live.map(({ lastTransitionTime: at, ...one }) => ({
      ...one,
      lastTransitionTime: formatInstant(at ?? 0),
    })),
    conditions,
  ) && Object.entries(fields).every(([key, value]) => isDeepStrictEqual(others[key], value));
