import * as z from 'zod';
import { shareWhileRunning } from '../../model/concurrency.ts';
import type { AttachedVolume } from '../../model/pods/storage.ts';
import { objectPath, VOLUME_ATTACHMENTS, VOLUMES } from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readLive } from './live-object.ts';

interface Attachment {
  readonly name: string;
  readonly node: string;
  /** `undefined` for an inline volume, for which no drain waits. */
  readonly volume: string | undefined;
}

const attachmentSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    nodeName: z.string(),
    source: z.object({ persistentVolumeName: z.string().nullish() }),
  }),
});

const volumeSchema = z.object({
  spec: z.object({
    claimRef: z.object({ namespace: z.string(), name: z.string() }).nullish(),
  }),
});

const readAttachment = (raw: unknown) =>
  readLive('VolumeAttachment', attachmentSchema, raw, ({ metadata, spec }) => ({
    outcome: 'read',
    value: {
      name: metadata.name,
      node: spec.nodeName,
      volume: spec.source.persistentVolumeName ?? undefined,
    } satisfies Attachment,
  }));

/**
 * Returns a reader of the volumes that are attached to a node. The API server cannot select
 * VolumeAttachments by node, so all are listed: once for all nodes of the same moment, and for each
 * node again when the attachments that were found first are gone. Until then these are read by name:
 * no pod of a drained node attaches more of them.
 */
export function createAttachmentReader(api: KubernetesApi): (node: string) => Promise<readonly AttachedVolume[]> {
  const byNode = new Map<string, readonly AttachedVolume[]>();
  const listAll = shareWhileRunning(async () => {
    const { parsed } = await listObjects(api, {
      resource: VOLUME_ATTACHMENTS,
      read: readAttachment,
    });
    return [...parsed.values()].flatMap((reading) => (reading.outcome === 'read' ? [reading.value] : []));
  });

  async function listOnNode(node: string): Promise<readonly AttachedVolume[]> {
    const attached = (await listAll()).filter((one) => one.node === node);
    return Promise.all(
      attached.flatMap(({ name, volume }) => (volume === undefined ? [] : [readVolumeClaimName(api, name, volume)])),
    );
  }

  return async (node) => {
    const earlier = byNode.get(node) ?? [];
    const stay = await Promise.all(earlier.map(({ name }) => isAttached(api, name)));
    const remaining = earlier.filter((_, index) => stay[index]);
    const attached = remaining.length > 0 ? remaining : await listOnNode(node);
    if (attached.length > 0) byNode.set(node, attached);
    else byNode.delete(node);
    return attached;
  };
}

/** A new attachment never has the name of one on another node, because its hash contains the node. */
async function isAttached(api: KubernetesApi, name: string): Promise<boolean> {
  const path = objectPath(VOLUME_ATTACHMENTS, { name });
  const request = { verb: 'get', resource: VOLUME_ATTACHMENTS.name, path } as const;
  const response = await api.send(request);
  if (response.status === 404) return false;
  if (!isSuccess(response)) throw toApiError(request, response);
  return true;
}

async function readVolumeClaimName(api: KubernetesApi, name: string, volume: string): Promise<AttachedVolume> {
  const path = objectPath(VOLUMES, { name: volume });
  const request = { verb: 'get', resource: VOLUMES.name, path } as const;
  const response = await api.send(request);
  if (response.status === 404) return { name };
  if (!isSuccess(response)) throw toApiError(request, response);
  const claim = volumeSchema.safeParse(response.body).data?.spec.claimRef;
  return { name, ...(claim ? { claim: `${claim.namespace}/${claim.name}` } : {}) };
}
