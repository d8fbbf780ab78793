import * as z from 'zod';
import { CRDS } from '../../shared/api/custom-resources/crds.ts';
import { formatPath } from '../../shared/api/finding.ts';
import { listRuntimeFaults } from '../../shared/api/runtime-validation/faults.ts';
import { type ApiResource, collectionPath } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { conditionSchema } from '../../shared/kubernetes/readers/live-object.ts';
import { findObject } from '../../shared/kubernetes/setup/apply-object.ts';
import {
  decideCrdOwnership,
  isEstablished,
  readCrd,
  versionOfOwnCrd,
} from '../../shared/kubernetes/setup/crd-ownership.ts';
import { DEFAULT_GATES } from '../../shared/model/settings.ts';
import { findClassRefusal } from '../manifests/node-class-refusal.ts';
import type { CrdFacts, ObjectFacts } from './facts.ts';

/** Reads if the CRDs of the objects that Mortise uses are installed, and which installation keeps them. */
export const readCrds = (api: KubernetesApi): Promise<readonly CrdFacts[]> =>
  Promise.all(
    CRDS.map(async (own) => {
      const { name } = own.metadata;
      const version = versionOfOwnCrd(own);
      const object = await findObject(api, own);
      if (object === undefined) return { name, version, isInstalled: false, isUsable: false };
      const live = readCrd(object);
      const ownership = decideCrdOwnership(live, version);
      return ownership.action === 'apply'
        ? { name, version, isInstalled: true, isUsable: isEstablished(live) }
        : {
            ...{ name, version, isInstalled: true },
            ...{ isUsable: ownership.isUsable, keeper: ownership.keeper },
          };
    }),
  );

const liveSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ role: z.string().optional() }),
  status: z.object({ conditions: z.array(conditionSchema).default([]) }).prefault({}),
});
export type LiveObject = z.output<typeof liveSchema>;

const listSchema = z.object({ items: z.array(liveSchema) });

export async function listObjects(api: KubernetesApi, resource: ApiResource): Promise<readonly LiveObject[]> {
  const request = {
    verb: 'list',
    resource: resource.name,
    path: collectionPath(resource),
  } as const;
  return listSchema.parse(await api.read(request)).items;
}

/** @param version - of Kubernetes, such as `1.36`; undefined if unknown */
export function toObjectFacts(
  kind: 'EC2NodeClass' | 'NodePool',
  object: LiveObject,
  version: string | undefined,
): ObjectFacts {
  const { metadata, status } = object;
  const [refusal] = listRuntimeFaults({ kind }, object, {
    kubernetesMinor: Number(version?.split('.')[1]),
    // The settings of a stack that does not exist yet are unknown: expressions are not refused.
    gates: { ...DEFAULT_GATES, NodeClassCEL: true },
    findClassRefusal,
  }).refusals;
  return {
    name: metadata.name,
    falseConditions: status.conditions.filter((condition) => condition.status === 'False'),
    ...(refusal && {
      refusal: { what: `${formatPath(refusal.path)}: ${refusal.what}`, fix: refusal.fix },
    }),
  };
}
