import * as z from 'zod';
import { CAPACITY_BUFFER } from '../../api/custom-resources/capacity-buffer.ts';
import { NODE_OVERLAY } from '../../api/custom-resources/node-overlay.ts';
import { readNodeOverlay } from '../../api/stored-objects/node-overlay.ts';
import { readStoredSpec } from '../../api/stored-objects/read-stored.ts';
import type { NodeOverlay } from '../../model/offerings/node-overlay.ts';
import type { CapacityBuffer } from '../../model/pods/capacity-buffer.ts';
import type { FeatureGates } from '../../model/settings.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import { KindNotServedError } from '../client/api-errors.ts';
import { type ApiResource, CAPACITY_BUFFERS, NODE_OVERLAYS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { listObjects } from '../client/list-objects.ts';
import { readLive } from './live-object.ts';
import type { PodTemplateReader } from './read-pod-template.ts';
import { resolveBuffer } from './resolve-buffer.ts';

export type Extensions = Pick<ClusterObjects, 'overlays' | 'buffers'>;

/**
 * Lists NodeOverlays and CapacityBuffers if their feature gates are on. There are few objects, so
 * they are listed with every observation. A kind that is not served has none.
 */
export function createExtensionLister(
  api: KubernetesApi,
  templates: PodTemplateReader,
  gates: FeatureGates | undefined,
): () => Promise<Extensions> {
  const stableOverlays = createStableValue<readonly NodeOverlay[]>();
  const buffers = createStableValue<readonly CapacityBuffer[]>();
  return async () => {
    const [listedOverlays, listedBuffers] = await Promise.all([
      gates?.NodeOverlay ? listOverlays(api) : undefined,
      gates?.CapacityBuffer ? listBuffers(api, templates) : undefined,
    ]);
    return {
      ...(listedOverlays && { overlays: stableOverlays(listedOverlays) }),
      ...(listedBuffers && { buffers: buffers(listedBuffers) }),
    };
  };
}

/**
 * Returns the previous object while the content is equal, because decisions cache results by
 * identity.
 */
function createStableValue<T>(): (value: T) => T {
  let last: { readonly text: string; readonly value: T } | undefined;
  return (value) => {
    const text = JSON.stringify(value);
    if (last?.text !== text) last = { text, value };
    return last.value;
  };
}

const objectSchema = z.object({
  metadata: z.object({
    namespace: z.string().default(''),
    name: z.string(),
    uid: z.string().default(''),
    generation: z.int().default(1),
  }),
  spec: z.unknown(),
});
type WrittenObject = z.output<typeof objectSchema>;

async function listWritten(api: KubernetesApi, resource: ApiResource): Promise<WrittenObject[]> {
  const read = (raw: unknown) =>
    readLive(resource.kind, objectSchema, raw, (value) => ({ outcome: 'read' as const, value }));
  try {
    const { parsed } = await listObjects(api, { resource, read });
    return [...parsed.values()].flatMap((one) => (one.outcome === 'read' ? [one.value] : []));
  } catch (error) {
    if (error instanceof KindNotServedError) return [];
    throw error;
  }
}

/** Overlays that only an older schema accepted are left out. */
async function listOverlays(api: KubernetesApi): Promise<readonly NodeOverlay[]> {
  const written = await listWritten(api, NODE_OVERLAYS);
  return written.flatMap(({ metadata, spec }) => {
    const { name, uid, generation } = metadata;
    const reading = readStoredSpec(NODE_OVERLAY, spec);
    return reading.outcome === 'read' ? [readNodeOverlay({ name, uid, generation }, reading.value)] : [];
  });
}

async function listBuffers(api: KubernetesApi, templates: PodTemplateReader): Promise<readonly CapacityBuffer[]> {
  const written = await listWritten(api, CAPACITY_BUFFERS);
  const buffers = await Promise.all(
    written.map(async ({ metadata, spec }) => {
      const reading = readStoredSpec(CAPACITY_BUFFER, spec);
      if (reading.outcome !== 'read') return undefined;
      return resolveBuffer({ api, templates }, metadata, reading.value);
    }),
  );
  return buffers.filter((buffer) => buffer !== undefined);
}
