import * as z from 'zod';
import { textsSchema } from '../../api/builtin-resources/metadata.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { type EpochMs, formatInstant } from '../../model/time.ts';
import type { RestartOutcome } from '../../ports/cluster.ts';
import { ApiForbiddenError } from '../client/api-errors.ts';
import {
  type ApiResource,
  DEPLOYMENTS,
  objectPath,
  REPLICA_SETS,
} from '../client/api-resources.ts';
import { toApiError } from '../client/api-responses.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';

const REVISION = 'deployment.kubernetes.io/revision';
/** `kubectl rollout restart` writes the same annotation. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

const metadataSchema = z.object({
  annotations: textsSchema.default({}),
  ownerReferences: z
    .array(z.object({ kind: z.string(), name: z.string(), controller: z.boolean().optional() }))
    .default([]),
});
const replicaSetSchema = z.object({ metadata: metadataSchema });

/** A whole number, or a share of the replicas. */
const amountSchema = z.union([z.int(), z.string().regex(/^\d+%$/)]);
const deploymentSchema = z.object({
  metadata: metadataSchema.extend({ resourceVersion: z.string(), generation: z.number() }),
  spec: z.object({
    paused: z.boolean().default(false),
    replicas: z.int().default(1),
    strategy: z
      .object({
        type: z.string().default('RollingUpdate'),
        rollingUpdate: z
          .object({
            maxUnavailable: amountSchema.default('25%'),
            maxSurge: amountSchema.default('25%'),
          })
          .prefault({}),
      })
      .prefault({}),
  }),
  status: z
    .object({ observedGeneration: z.number().default(0), updatedReplicas: z.int().default(0) })
    .prefault({}),
});
type LiveDeployment = z.output<typeof deploymentSchema>;

/**
 * Starts a rolling restart of the pod's Deployment, if that adds the new pod before it removes the
 * old one, and if no rollout replaces the pod already.
 */
export async function restartOwner(
  api: KubernetesApi,
  { namespace, owner }: Pod,
  at: EpochMs,
): Promise<RestartOutcome> {
  if (owner?.kind !== 'ReplicaSet') return refused('it belongs to no Deployment');
  const replicaSet = await read(api, REPLICA_SETS, namespace, owner.name, replicaSetSchema);
  if (!replicaSet) return { outcome: 'under-way' };
  const { ownerReferences, annotations } = replicaSet.metadata;
  const name = ownerReferences.find((one) => one.controller && one.kind === 'Deployment')?.name;
  if (name === undefined) return refused('it belongs to no Deployment');
  const deployment = await read(api, DEPLOYMENTS, namespace, name, deploymentSchema);
  if (!deployment) return { outcome: 'under-way' };

  const isCurrent = annotations[REVISION] === deployment.metadata.annotations[REVISION];
  if (!isCurrent || isRollingOut(deployment)) return { outcome: 'under-way' };
  const obstacle = findObstacle(deployment);
  if (obstacle !== undefined) return refused(`Deployment ${namespace}/${name} ${obstacle}`);
  return patchTemplate(api, { namespace, name }, deployment.metadata.resourceVersion, at);
}

const refused = (why: string): RestartOutcome => ({ outcome: 'refused', why });

async function read<T>(
  api: KubernetesApi,
  resource: ApiResource,
  namespace: string,
  name: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const path = objectPath(resource, { namespace, name });
  const request = { verb: 'get', resource: resource.name, path } as const;
  const response = await api.send(request);
  if (response.status === 404) return undefined;
  if (!isSuccess(response)) throw toApiError(request, response);
  return schema.parse(response.body);
}

const isRollingOut = ({ metadata, spec, status }: LiveDeployment): boolean =>
  status.observedGeneration < metadata.generation || status.updatedReplicas < spec.replicas;

/**
 * A restart must not remove a pod before its replacement is ready, because a budget protects it.
 *
 * @see kubernetes, deployment_util.go `ResolveFenceposts`: shares of maxSurge are rounded up, those
 *   of maxUnavailable down, and if both are 0, one pod may be unavailable
 */
function findObstacle({ spec }: LiveDeployment): string | undefined {
  const { paused, replicas, strategy } = spec;
  if (paused) return 'is paused';
  if (strategy.type !== 'RollingUpdate') return `has the strategy ${strategy.type}`;
  const { maxSurge, maxUnavailable } = strategy.rollingUpdate;
  if (resolve(maxSurge, replicas, Math.ceil) === 0) return 'has maxSurge 0';
  return resolve(maxUnavailable, replicas, Math.floor) === 0
    ? undefined
    : `allows unavailable pods during a rollout (maxUnavailable ${maxUnavailable}); set it to 0`;
}

const resolve = (
  amount: number | string,
  replicas: number,
  round: (value: number) => number,
): number =>
  typeof amount === 'number' ? amount : round((Number.parseInt(amount, 10) * replicas) / 100);

async function patchTemplate(
  api: KubernetesApi,
  deployment: { readonly namespace: string; readonly name: string },
  resourceVersion: string,
  at: EpochMs,
): Promise<RestartOutcome> {
  const path = objectPath(DEPLOYMENTS, deployment);
  const request = { verb: 'patch', resource: DEPLOYMENTS.name, path } as const;
  const template = { metadata: { annotations: { [RESTARTED_AT]: formatInstant(at) } } };
  try {
    const response = await api.send({
      ...request,
      contentType: 'application/merge-patch+json',
      body: { metadata: { resourceVersion }, spec: { template } },
    });
    if (isSuccess(response)) return { outcome: 'restarted', deployment: deployment.name };
    // Another writer changed or deleted it; the drain tries again if it is still needed.
    if (response.status === 409 || response.status === 404) return { outcome: 'under-way' };
    throw toApiError(request, response);
  } catch (error) {
    if (!(error instanceof ApiForbiddenError)) throw error;
    return refused(
      `Mortise may not patch Deployments in namespace ${deployment.namespace}: bind the right to the group of NodeLifecycle there`,
    );
  }
}
