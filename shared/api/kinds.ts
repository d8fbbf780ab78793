import type * as z from 'zod';
import { type Contribution, mapReading, type ReadContext, read } from './contribution.ts';
import { readDaemonSet } from './daemon-set.ts';
import { ec2NodeClassSchema } from './ec2-node-class.ts';
import type { Reading } from './finding.ts';
import { readJob } from './job.ts';
import { readNamespace } from './namespace.ts';
import { nodeClaimSchema } from './node-claim.ts';
import { isOurClass } from './node-class-ref.ts';
import { nodePoolSchema } from './node-pool.ts';
import { readPod } from './pod.ts';
import { readPodDisruptionBudget } from './pod-disruption-budget.ts';
import { priorityClassSchema, readPriorityClass } from './priority-class.ts';
import { readEC2NodeClass } from './read-ec2-node-class.ts';
import { readNodePool } from './read-node-pool.ts';
import { readWithSchema } from './read-with-schema.ts';
import { readDeployment, readStatefulSet } from './replicated.ts';
import { unknownFields } from './unknown-fields.ts';

/** A kind of object that is read. */
export interface Kind {
  /** Empty: Kubernetes' core. */
  readonly group: string;
  readonly version: string;
  readonly isNamespaced: boolean;
  read(value: unknown, context: ReadContext): Reading<Contribution>;
}

/** A kind of ours: its fields are strict. */
const readStrictly = <Schema extends z.ZodType, T>(
  schema: Schema,
  value: unknown,
  change: (value: z.output<Schema>) => Reading<T>,
): Reading<T> => {
  const unknown = unknownFields(schema, value);
  const reading = mapReading(readWithSchema(schema, value), change);
  if (unknown.length === 0) return reading;
  const others = reading.outcome === 'refused' ? reading.findings : [];
  return { outcome: 'refused', findings: [...unknown, ...others] };
};

const SKIPPED: Reading<Contribution> = read({ kind: 'skipped' });
const apps = { group: 'apps', version: 'v1', isNamespaced: true };
const core = { group: '', version: 'v1' };

export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    'NodePool',
    {
      group: 'karpenter.sh',
      version: 'v1',
      isNamespaced: false,
      read: (value, { name }) =>
        readStrictly(nodePoolSchema, value, (written) =>
          isOurClass(written.spec.template.spec.nodeClassRef)
            ? read({ kind: 'pool', pool: readNodePool(name, written) })
            : SKIPPED,
        ),
    },
  ],
  [
    'NodeClaim',
    {
      group: 'karpenter.sh',
      version: 'v1',
      isNamespaced: false,
      read: (value) => readStrictly(nodeClaimSchema, value, () => SKIPPED),
    },
  ],
  [
    'EC2NodeClass',
    {
      group: 'karpenter.k8s.aws',
      version: 'v1',
      isNamespaced: false,
      read: (value, { name }) =>
        readStrictly(ec2NodeClassSchema, value, (written) =>
          mapReading(readEC2NodeClass(name, written), (nodeClass) =>
            read({ kind: 'nodeClass', nodeClass }),
          ),
        ),
    },
  ],
  ['Deployment', { ...apps, read: readDeployment }],
  ['ReplicaSet', { ...apps, read: readDeployment }],
  ['StatefulSet', { ...apps, read: readStatefulSet }],
  ['DaemonSet', { ...apps, read: readDaemonSet }],
  ['Job', { group: 'batch', version: 'v1', isNamespaced: true, read: readJob }],
  ['Pod', { ...core, isNamespaced: true, read: readPod }],
  ['Namespace', { ...core, isNamespaced: false, read: readNamespace }],
  [
    'PodDisruptionBudget',
    { group: 'policy', version: 'v1', isNamespaced: true, read: readPodDisruptionBudget },
  ],
  [
    'PriorityClass',
    {
      group: 'scheduling.k8s.io',
      version: 'v1',
      isNamespaced: false,
      read: (value, { name }) =>
        mapReading(readWithSchema(priorityClassSchema, value), (written) =>
          read({ kind: 'priorityClass', priorityClass: readPriorityClass(name, written) }),
        ),
    },
  ],
]);

/** Kinds of Karpenter's alpha, by group, with what came after them. */
export const SUPERSEDED: ReadonlyMap<string, string> = new Map([
  ['karpenter.sh/Provisioner', 'NodePool'],
  ['karpenter.sh/Machine', 'NodeClaim'],
  ['karpenter.k8s.aws/AWSNodeTemplate', 'EC2NodeClass'],
]);
