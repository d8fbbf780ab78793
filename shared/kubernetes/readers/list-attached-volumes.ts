import * as z from 'zod';
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
 * Lists the volumes that are attached to a node. The API server cannot select VolumeAttachments by
 * node, so all are listed.
 */
export async function listVolumeAttachments(
  api: KubernetesApi,
  node: string,
): Promise<readonly AttachedVolume[]> {
  const { parsed } = await listObjects(api, {
    resource: VOLUME_ATTACHMENTS,
    read: readAttachment,
  });
  const attached = [...parsed.values()].flatMap((reading) =>
    reading.outcome === 'read' && reading.value.node === node ? [reading.value] : [],
  );
  return Promise.all(
    attached.flatMap(({ name, volume }) =>
      volume ? [readVolumeClaimName(api, name, volume)] : [],
    ),
  );
}

async function readVolumeClaimName(
  api: KubernetesApi,
  name: string,
  volume: string,
): Promise<AttachedVolume> {
  const path = objectPath(VOLUMES, { name: volume });
  const request = { verb: 'get', resource: VOLUMES.name, path } as const;
  const response = await api.send(request);
  if (response.status === 404) return { name };
  if (!isSuccess(response)) throw toApiError(request, response);
  const claim = volumeSchema.safeParse(response.body).data?.spec.claimRef;
  return { name, ...(claim ? { claim: `${claim.namespace}/${claim.name}` } : {}) };
}
