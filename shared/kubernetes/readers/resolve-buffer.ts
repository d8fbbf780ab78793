import * as z from 'zod';
import type { CapacityBufferSpec } from '../../api/custom-resources/capacity-buffer.ts';
import { bufferFaults } from '../../api/runtime-validation/buffer-faults.ts';
import type { BufferProblem, CapacityBuffer } from '../../model/pods/capacity-buffer.ts';
import type { PodTemplate } from '../../model/pods/pod.ts';
import { toResources } from '../../model/quantity.ts';
import { refusalOf } from '../client/api-responses.ts';
import {
  type ApiResource,
  DEPLOYMENTS,
  objectPath,
  POD_TEMPLATES,
  REPLICA_SETS,
  STATEFUL_SETS,
} from '../client/api-resources.ts';
import { isSuccess, type KubernetesApi } from '../client/kubernetes-api.ts';
import type { PodTemplateReader } from './read-pod-template.ts';

interface Readers {
  readonly api: Pick<KubernetesApi, 'ask'>;
  readonly templates: PodTemplateReader;
}

type Identity = Pick<CapacityBuffer, 'namespace' | 'name' | 'uid' | 'generation'>;

/** The buffer with what its pods are like; one that refers to nothing says so. */
export async function resolveBuffer(
  readers: Readers,
  identity: Identity,
  spec: CapacityBufferSpec,
): Promise<CapacityBuffer> {
  const { provisioningStrategy: strategy = '', replicas, percentage, limits } = spec;
  return {
    namespace: identity.namespace,
    name: identity.name,
    uid: identity.uid,
    generation: identity.generation,
    strategy,
    ...(replicas === undefined ? {} : { replicas }),
    ...(percentage === undefined ? {} : { percentage }),
    ...(limits === undefined ? {} : { limits: toResources(limits) }),
    ...(await referredTo(readers, identity.namespace, spec)),
  };
}

type Referred = Pick<CapacityBuffer, 'template' | 'templateRef' | 'scale' | 'problem'>;

const WORKLOADS: ReadonlyMap<string, ApiResource> = new Map([
  ['Deployment', DEPLOYMENTS],
  ['StatefulSet', STATEFUL_SETS],
  ['ReplicaSet', REPLICA_SETS],
]);

async function referredTo(
  readers: Readers,
  namespace: string,
  spec: CapacityBufferSpec,
): Promise<Referred> {
  const [fault] = bufferFaults(spec);
  const { podTemplateRef, scalableRef } = spec;
  if (podTemplateRef) return ofTemplate(readers, namespace, podTemplateRef.name);
  const resource = WORKLOADS.get(scalableRef?.kind ?? '');
  if (fault || !scalableRef || !resource) {
    return refused('ResolutionFailed', fault?.why ?? 'nothing says what its pods are like');
  }
  return ofWorkload(readers, namespace, resource, scalableRef.name);
}

const refused = (reason: BufferProblem['reason'], message: string): Referred => ({
  problem: { reason, message },
});

const templateSchema = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).nullish() }).nullish(),
  spec: z.record(z.string(), z.unknown()),
});
const podTemplateSchema = z.object({
  metadata: z.object({ generation: z.int().default(1) }),
  template: templateSchema,
});
const workloadSchema = z.object({
  spec: z.object({ replicas: z.int().nullish(), template: templateSchema }),
});

async function ofTemplate(readers: Readers, namespace: string, name: string): Promise<Referred> {
  const body = await read(readers, POD_TEMPLATES, namespace, name);
  if (body === undefined) {
    return refused('PodTemplateNotFound', `there is no PodTemplate ${namespace}/${name}`);
  }
  const parsed = podTemplateSchema.safeParse(body);
  if (!parsed.success) return unreadable(POD_TEMPLATES, name);
  const { metadata, template } = parsed.data;
  const found = readTemplate(readers, template);
  if (!found) return unreadable(POD_TEMPLATES, name);
  return { template: found, templateRef: { name, generation: metadata.generation } };
}

async function ofWorkload(
  readers: Readers,
  namespace: string,
  resource: ApiResource,
  name: string,
): Promise<Referred> {
  const body = await read(readers, resource, namespace, name);
  if (body === undefined) {
    return refused('ScalableRefNotFound', `there is no ${resource.kind} ${namespace}/${name}`);
  }
  const parsed = workloadSchema.safeParse(body);
  const template = parsed.success ? readTemplate(readers, parsed.data.spec.template) : undefined;
  if (!parsed.success || !template) return unreadable(resource, name);
  return { template, scale: parsed.data.spec.replicas ?? 1 };
}

const unreadable = ({ kind }: ApiResource, name: string): Referred =>
  refused('ResolutionFailed', `the pods of ${kind} ${name} cannot be read`);

function readTemplate(
  { templates }: Readers,
  { metadata, spec }: z.output<typeof templateSchema>,
): PodTemplate | undefined {
  const labels = metadata?.labels ?? {};
  const reading = templates.read({ labels, annotations: {}, spec, isDaemon: false });
  return reading.outcome === 'read' ? reading.value : undefined;
}

async function read(
  { api }: Readers,
  resource: ApiResource,
  namespace: string,
  name: string,
): Promise<unknown> {
  const path = objectPath(resource, { namespace, name });
  const request = { verb: 'get', resource: resource.name, path } as const;
  const answer = await api.ask(request);
  if (answer.status === 404) return undefined;
  if (!isSuccess(answer)) throw refusalOf(request, answer);
  return answer.body;
}
