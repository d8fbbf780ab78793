import * as z from 'zod';
import type { OwnerReference, Pod } from '../../model/pods/pod.ts';
import { type Metadata, metadataSchema } from '../builtin-resources/metadata.ts';
import { podSpecSchema } from '../builtin-resources/pod-template.ts';
import { readWithSchema } from '../builtin-resources/read-with-schema.ts';
import type { ParseResult } from '../finding.ts';
import {
  type Contribution,
  mapReading,
  type ReadContext,
  readingOf,
  readWorkloadBase,
} from './contribution.ts';

const podSchema = z.object({ metadata: metadataSchema, spec: podSpecSchema });

/**
 * Reads a pod as newly created: pending, at time 0 until a cluster sets it. Node and status of a
 * pod that was copied from another cluster are dropped.
 */
export const readPod = (value: unknown, context: ReadContext): ParseResult<Contribution> =>
  mapReading(readWithSchema(podSchema, value), ({ metadata, spec }) =>
    mapReading(readWorkloadBase(context, metadata, { metadata, spec }, []), ({ template }) =>
      readingOf({ kind: 'pod', pod: { ...template, ...created(context, metadata) } }),
    ),
  );

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
    ...(controller ? { owner: ownerOf(controller) } : {}),
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
