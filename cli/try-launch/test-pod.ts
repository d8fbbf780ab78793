import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import * as z from 'zod';
import { collectionPath, NODE_POOLS, NODES, objectPath, PODS } from '../../shared/kubernetes/client/api-resources.ts';
import { readStatus } from '../../shared/kubernetes/client/api-responses.ts';
import type { Manifest } from '../../shared/kubernetes/client/json.ts';
import { isSuccess, type KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { instantSchema } from '../../shared/kubernetes/readers/live-object.ts';
import { readNode } from '../../shared/kubernetes/readers/read-node.ts';
import { INSTANCE_TYPE_LABEL, NODEPOOL_LABEL } from '../../shared/model/labels.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import { listReadable } from '../cluster/live-objects.ts';
import { type CliError, fail } from '../errors.ts';

const HOSTNAME_LABEL = 'kubernetes.io/hostname';
/** Kubernetes publishes it for every architecture; the pod need not start for the node to be proved. */
const IMAGE = 'registry.k8s.io/pause:3.10';

/** The pod as it was created. */
export interface TestPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: EpochMs;
}

export interface ChosenPool {
  readonly name: string;
  readonly taints: readonly Toleration[];
}

interface Toleration {
  readonly key: string;
  readonly effect: string;
}

export interface TestPodRequest {
  readonly pool: ChosenPool;
  readonly namespace: string;
  readonly instanceType?: string;
  /** Hostnames of the nodes of the NodePool. */
  readonly presentNodes: readonly string[];
}

const poolsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({
        template: z.object({
          spec: z.object({
            taints: z.array(z.object({ key: z.string(), effect: z.string() })).default([]),
          }),
        }),
      }),
    }),
  ),
});

/**
 * Finds the NodePool by its name, or the only one.
 *
 * @throws CliError - `not-found`, `bad-value`: there are several
 */
export async function choosePool(
  api: KubernetesApi,
  { requested, where }: { readonly requested: string | undefined; readonly where: string },
): Promise<ChosenPool> {
  const body = await api.read({
    ...{ verb: 'list', resource: NODE_POOLS.name, path: collectionPath(NODE_POOLS) },
  });
  const pools = poolsSchema.parse(body).items.map(({ metadata, spec }) => ({
    name: metadata.name,
    taints: spec.template.spec.taints,
  }));
  const named = pools.filter(({ name }) => requested === undefined || name === requested);
  const [only] = named;
  if (only && named.length === 1) return only;
  const names = pools.map(({ name }) => name).join(', ');
  if (only) {
    throw fail({
      ...{ code: 'bad-value', what: `there are ${named.length} NodePools`, where },
      ...{ why: names, fix: '--nodepool NAME' },
    });
  }
  throw fail({
    code: 'not-found',
    what: requested === undefined ? 'there is no NodePool' : `no NodePool ${requested}`,
    where,
    fix: pools.length === 0 ? 'apply one, see examples/' : `one of ${names}`,
  });
}

/** Lists the hostnames of the nodes of a NodePool. */
export async function listHostnames(api: KubernetesApi, pool: string): Promise<readonly string[]> {
  const query = { labelSelector: `${NODEPOOL_LABEL}=${pool}` };
  const nodes = await listReadable(api, { resource: NODES, read: readNode }, query);
  return nodes.flatMap(({ labels }) => labels[HOSTNAME_LABEL] ?? []);
}

/**
 * A pod that needs a new node of the NodePool. It tolerates the pool's taints and none of others, and keeps the
 * rules of the Pod Security Standard `restricted`.
 */
export function buildTestPod({ pool, namespace, instanceType, presentNodes }: TestPodRequest) {
  const isIn = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace,
      name: `mortise-try-launch-${randomBytes(4).toString('hex')}`,
      labels: { 'app.kubernetes.io/name': 'mortise-try-launch' },
    },
    spec: {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  isIn(NODEPOOL_LABEL, pool.name),
                  ...(instanceType === undefined ? [] : [isIn(INSTANCE_TYPE_LABEL, instanceType)]),
                  ...(presentNodes.length === 0
                    ? []
                    : [{ key: HOSTNAME_LABEL, operator: 'NotIn', values: presentNodes }]),
                ],
              },
            ],
          },
        },
      },
      tolerations: pool.taints.map(({ key, effect }) => ({ key, effect, operator: 'Exists' })),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      restartPolicy: 'Never',
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_535,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [
        {
          name: 'pause',
          image: IMAGE,
          resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '16Mi' } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  } satisfies Manifest<V1Pod>;
}

const createdSchema = z.object({
  metadata: z.object({ uid: z.string(), creationTimestamp: instantSchema }),
});

/**
 * Creates the pod.
 *
 * @throws CliError - `rule-refused`: admission refuses it
 */
export async function createTestPod(api: KubernetesApi, pod: ReturnType<typeof buildTestPod>): Promise<TestPod> {
  const { namespace, name } = pod.metadata;
  const path = collectionPath(PODS, namespace);
  const response = await api.send({ verb: 'create', resource: PODS.name, path, body: pod });
  if (isSuccess(response)) {
    const { uid, creationTimestamp: createdAt } = createdSchema.parse(response.body).metadata;
    return { namespace, name, uid, createdAt };
  }
  throw refused(namespace, readStatus(response.body).message);
}

const WEBHOOK = /admission webhook "([^"]+)" denied the request/;
const POLICY = /ValidatingAdmissionPolicy '([^']+)'/;

function refused(namespace: string, message: string): CliError {
  const webhook = WEBHOOK.exec(message)?.[1];
  const policy = POLICY.exec(message)?.[1];
  const by =
    webhook === undefined ? policy && `the ValidatingAdmissionPolicy ${policy}` : `the policy webhook ${webhook}`;
  return fail({
    code: 'rule-refused',
    what: `${by ?? 'the API server'} refuses the pod`,
    where: `namespace ${namespace}`,
    why: message,
    fix: by === undefined ? '--namespace NAME' : `except the namespace there, or --namespace NAME`,
  });
}

/** @returns false if it was gone already */
export async function deleteTestPod(api: KubernetesApi, pod: TestPod): Promise<boolean> {
  const path = objectPath(PODS, pod);
  const request = { verb: 'delete', resource: PODS.name, path } as const;
  const { status } = await api.send({ ...request, query: { gracePeriodSeconds: '0' } });
  return status !== 404;
}
