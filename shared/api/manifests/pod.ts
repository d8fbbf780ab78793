import * as z from 'zod';
import type { OwnerReference, Pod } from '../../model/pods/pod.ts';
import { type Metadata, metadataSchema } from '../builtin-resources/metadata.ts';
import { podSpecSchema } from '../builtin-resources/pod-template.ts';
import { readWithSchema } from '../builtin-resources/read-with-schema.ts';
import type { ParseResult } from '../finding.ts';
import type { SkipCause } from './cluster-manifests.ts';
import {
  type Contribution,
  findOtherScheduler,
  mapReading,
  type ReadContext,
  readingOf,
  readWorkloadBase,
} from './contribution.ts';

const podSchema = z.object({
  metadata: metadataSchema,
  spec: podSpecSchema,
  status: z
    .object({ phase: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
type WrittenPod = z.output<typeof podSchema>;

/**
 * Reads a pod as newly created: pending, at time 0 until a cluster sets it. Node and status of a
 * pod that was copied from another cluster are dropped, but pods that no cluster would create again
 * are left out.
 */
export const readPod = (value: unknown, context: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(podSchema, value), (pod): ParseResult<Contribution> => {
    const { metadata, spec } = pod;
    const cause = findSkipCause(pod);
    if (cause) return readingOf({ kind: 'skipped', cause });
    return mapReading(readWorkloadBase(context, metadata, { metadata, spec }, ANY_POLICY, []), ({ template }) =>
      readingOf({ kind: 'pod', pod: { ...template, ...created(context, metadata) } }),
    );
  });

const ANY_POLICY = ['Always', 'OnFailure', 'Never'] as const;

/** The kubelet marks what it shows of a static pod with this annotation. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

function findSkipCause({ metadata, spec, status }: WrittenPod): SkipCause | undefined {
  const { annotations = {}, deletionTimestamp } = metadata;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return { why: 'ended' };
  if (deletionTimestamp !== undefined && deletionTimestamp !== null) return { why: 'being-deleted' };
  if (MIRROR_ANNOTATION in annotations) return { why: 'static' };
  return findOtherScheduler(spec);
}

const created = (
  { namespace, name }: ReadContext,
  { uid, ownerReferences = [] }: Metadata,
): Omit<Pod, 'labels' | 'annotations' | 'spec'> => {
  const controller = ownerReferences.find((reference) => reference.controller);
  return {
    namespace,
    name,
    uid: uid ?? `pod-${namespace}-${name}`,
    createdAt: 0,
    ...(controller && { owner: ownerOf(controller) }),
    phase: 'Pending',
    ready: false,
  };
};

const ownerOf = ({
  kind,
  name,
  uid = `${kind}-${name}`,
}: {
  kind: string;
  name: string;
  uid?: string | undefined;
}): OwnerReference => ({ kind, name, uid });
