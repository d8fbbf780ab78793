import * as z from 'zod';
import type { CapacityBufferSpec } from '../../api/custom-resources/capacity-buffer.ts';
import { listBufferFaults } from '../../api/runtime-validation/buffer-faults.ts';
import type { BufferProblem, CapacityBuffer } from '../../model/pods/capacity-buffer.ts';
import type { PodTemplate } from '../../model/pods/pod.ts';
import { toResources } from '../../model/quantity.ts';
import { type ApiResource, DEPLOYMENTS, POD_TEMPLATES, REPLICA_SETS, STATEFUL_SETS } from '../client/api-resources.ts';
import type { KubernetesApi } from '../client/kubernetes-api.ts';
import { readObject } from '../client/read-object.ts';
import type { PodTemplateReader } from './read-pod-template.ts';

interface BufferReaders {
  readonly api: Pick<KubernetesApi, 'send'>;
  readonly templates: PodTemplateReader;
}

type BufferIdentity = Pick<CapacityBuffer, 'namespace' | 'name' | 'uid' | 'generation'>;

/**
 * The buffer with the pod template that it refers to, or with the problem if the reference cannot
 * be resolved.
 */
export async function resolveBuffer(
  readers: BufferReaders,
  identity: BufferIdentity,
  spec: CapacityBufferSpec,
): Promise<CapacityBuffer> {
  const { provisioningStrategy: strategy = '', replicas, percentage, limits } = spec;
  return {
    namespace: identity.namespace,
    name: identity.name,
    uid: identity.uid,
    generation: identity.generation,
    strategy,
    ...(replicas !== undefined && { replicas }),
    ...(percentage !== undefined && { percentage }),
    ...(limits !== undefined && { limits: toResources(limits) }),
    ...(await resolveReference(readers, identity.namespace, spec)),
  };
}

type ResolvedReference = Pick<CapacityBuffer, 'template' | 'templateRef' | 'scale' | 'problem'>;

const WORKLOADS: ReadonlyMap<string, ApiResource> = new Map([
  ['Deployment', DEPLOYMENTS],
  ['StatefulSet', STATEFUL_SETS],
  ['ReplicaSet', REPLICA_SETS],
]);

async function resolveReference(
  readers: BufferReaders,
  namespace: string,
  spec: CapacityBufferSpec,
): Promise<ResolvedReference> {
  const [fault] = listBufferFaults(spec);
  const { podTemplateRef, scalableRef } = spec;
  if (podTemplateRef) return resolvePodTemplate(readers, namespace, podTemplateRef.name);
  const resource = WORKLOADS.get(scalableRef?.kind ?? '');
  if (fault || !scalableRef || !resource) {
    return toProblem('ResolutionFailed', fault?.why ?? 'nothing says what its pods are like');
  }
  return resolveWorkload(readers, namespace, resource, scalableRef.name);
}

const toProblem = (reason: BufferProblem['reason'], message: string): ResolvedReference => ({
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

async function resolvePodTemplate(readers: BufferReaders, namespace: string, name: string): Promise<ResolvedReference> {
  const body = await readObject(readers.api, POD_TEMPLATES, { namespace, name });
  if (body === undefined) {
    return toProblem('PodTemplateNotFound', `there is no PodTemplate ${namespace}/${name}`);
  }
  const parsed = podTemplateSchema.safeParse(body);
  if (!parsed.success) return toUnreadable(POD_TEMPLATES, name);
  const { metadata, template } = parsed.data;
  const podTemplate = readTemplate(readers, template);
  if (!podTemplate) return toUnreadable(POD_TEMPLATES, name);
  return { template: podTemplate, templateRef: { name, generation: metadata.generation } };
}

async function resolveWorkload(
  readers: BufferReaders,
  namespace: string,
  resource: ApiResource,
  name: string,
): Promise<ResolvedReference> {
  const body = await readObject(readers.api, resource, { namespace, name });
  if (body === undefined) {
    return toProblem('ScalableRefNotFound', `there is no ${resource.kind} ${namespace}/${name}`);
  }
  const parsed = workloadSchema.safeParse(body);
  const template = parsed.success ? readTemplate(readers, parsed.data.spec.template) : undefined;
  if (!parsed.success || !template) return toUnreadable(resource, name);
  return { template, scale: parsed.data.spec.replicas ?? 1 };
}

const toUnreadable = ({ kind }: ApiResource, name: string): ResolvedReference =>
  toProblem('ResolutionFailed', `the pods of ${kind} ${name} cannot be read`);

function readTemplate(
  { templates }: BufferReaders,
  { metadata, spec }: z.output<typeof templateSchema>,
): PodTemplate | undefined {
  const labels = metadata?.labels ?? {};
  const reading = templates.read({ labels, annotations: {}, spec, isDaemon: false });
  return reading.outcome === 'read' ? reading.value : undefined;
}
