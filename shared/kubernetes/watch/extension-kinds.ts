import * as z from 'zod';
import type { FeatureGates } from '../../model/settings.ts';
import { type ApiResource, CAPACITY_BUFFERS, NODE_OVERLAYS } from '../client/api-resources.ts';
import { readLive } from '../readers/live-object.ts';
import type { ClusterChange } from './hints-of-change.ts';
import { createObjectStore } from './object-store.ts';
import type { ObservedKind } from './observed-kinds.ts';

/** The parts of an object that change with its spec, not with the status that we write. */
const schema = z.object({
  metadata: z.object({
    name: z.string(),
    generation: z.number().optional(),
    deletionTimestamp: z.string().optional(),
  }),
});
type ExtensionIdentity = z.output<typeof schema>['metadata'];

/**
 * The optional kinds whose gates are on. They are watched for their changes only; decisions list
 * them (`observe-extensions.ts`).
 */
export function createExtensionKinds(
  gates: FeatureGates | undefined,
  onChange: (change: ClusterChange) => void,
): readonly ObservedKind<ExtensionIdentity>[] {
  const kind = (name: 'NodeOverlay' | 'CapacityBuffer', resource: ApiResource): ObservedKind<ExtensionIdentity> => ({
    resource,
    read: (raw) => readLive(name, schema, raw, ({ metadata }) => ({ outcome: 'read', value: metadata })),
    store: createObjectStore((before, after) => {
      const object = after ?? before;
      if (object) onChange({ kind: name, name: object.name });
    }),
  });
  return [
    ...(gates?.NodeOverlay ? [kind('NodeOverlay', NODE_OVERLAYS)] : []),
    ...(gates?.CapacityBuffer ? [kind('CapacityBuffer', CAPACITY_BUFFERS)] : []),
  ];
}
