import * as z from 'zod';
import { textsSchema } from '../../api/builtin-resources/metadata.ts';
import type { Pod } from '../../model/pods/pod.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';

const REVISION = 'deployment.kubernetes.io/revision';

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
  status: z.object({ observedGeneration: z.number().default(0), updatedReplicas: z.int().default(0) }).prefault({}),
});
type LiveDeployment = z.output<typeof deploymentSchema>;

export interface RestartableDeployment {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly replicas: number;
  /** The number of pods that its rollout may run besides its replicas. */
  readonly surge: number;
}

export type RestartCheck =
  | { readonly outcome: 'restartable'; readonly deployment: RestartableDeployment }
  /** A rollout replaces the pod already, or its owner is gone. */
  | { readonly outcome: 'under-way' }
  | { readonly outcome: 'refused'; readonly why: string };

/**
 * Reads whether a restart of the pod's Deployment would add a new pod before it removes this one.
 */
export async function checkRestart(
  api: Pick<KubernetesApi, 'send'>,
  { namespace, owner }: Pick<Pod, 'namespace' | 'owner'>,
): Promise<RestartCheck> {
  if (!owner) return refused('it has no owner that would replace it');
  if (owner.kind !== 'ReplicaSet') return refused(`it belongs to a ${owner.kind}, ${ONLY}`);
  const replicaSet = await readObject(api, REPLICA_SETS, { namespace, name: owner.name });
  if (replicaSet === undefined) return { outcome: 'under-way' };
  const { ownerReferences, annotations } = replicaSetSchema.parse(replicaSet).metadata;
  const name = ownerReferences.find((one) => one.controller && one.kind === 'Deployment')?.name;
  if (name === undefined) return refused(`it belongs to a ReplicaSet, ${ONLY}`);
  const body = await readObject(api, DEPLOYMENTS, { namespace, name });
  if (body === undefined) return { outcome: 'under-way' };
  const live = deploymentSchema.parse(body);

  const { metadata, spec } = live;
  const isCurrent = annotations[REVISION] === metadata.annotations[REVISION];
  if (!isCurrent || isRollingOut(live)) return { outcome: 'under-way' };
  const obstacle = findObstacle(live);
  if (obstacle !== undefined) return refused(`its Deployment ${obstacle}`);
  const { resourceVersion } = metadata;
  const { replicas } = spec;
  return {
    outcome: 'restartable',
    deployment: { namespace, name, resourceVersion, replicas, surge: countSurge(live) },
  };
}

const ONLY = 'and only Deployments start a new pod before they remove the old one';

const refused = (why: string): RestartCheck => ({ outcome: 'refused', why });

const isRollingOut = ({ metadata, spec, status }: LiveDeployment): boolean =>
  status.observedGeneration < metadata.generation || status.updatedReplicas < spec.replicas;

/**
 * A restart must not remove a pod before its replacement is ready, because a budget protects it.
 *
 * @see kubernetes, deployment_util.go `ResolveFenceposts`: shares of maxSurge are rounded up, those
 *   of maxUnavailable down, and if both are 0, one pod may be unavailable
 */
function findObstacle(live: LiveDeployment): string | undefined {
  const { paused, replicas, strategy } = live.spec;
  if (paused) return 'is paused';
  if (strategy.type !== 'RollingUpdate') return `has the strategy ${strategy.type}`;
  const { maxUnavailable } = strategy.rollingUpdate;
  if (countSurge(live) === 0) return 'has maxSurge 0';
  return resolve(maxUnavailable, replicas, Math.floor) === 0
    ? undefined
    : `allows unavailable pods during a rollout (maxUnavailable ${maxUnavailable}); set it to 0`;
}

const countSurge = ({ spec: { replicas, strategy } }: LiveDeployment): number =>
  resolve(strategy.rollingUpdate.maxSurge, replicas, Math.ceil);

const resolve = (amount: number | string, replicas: number, round: (value: number) => number): number =>
  typeof amount === 'number' ? amount : round((Number.parseInt(amount, 10) * replicas) / 100);
