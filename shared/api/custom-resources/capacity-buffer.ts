import { customKind, type SpecOf } from '../schema/custom-kind.ts';
import { defaulting, int32, int64, mapOf, object, text } from '../schema/fields.ts';
import type { Rule } from '../schema/schema.ts';
import { AGE_PATH, conditions } from './conditions.ts';
import { quantity } from './scalars.ts';

/** The only strategy that is implemented. */
export const ACTIVE_CAPACITY = 'buffer.x-k8s.io/active-capacity';

const SOME_SIZE: Rule = {
  id: 'CB-01',
  cel: '!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)',
  why: 'with podTemplateRef, replicas or limits say how large the buffer is',
  fix: 'add replicas or limits',
};

const ONE_REFERENCE: Rule = {
  id: 'CB-02',
  cel: '!has(self.podTemplateRef) || !has(self.scalableRef)',
  why: 'the pods come from a template or from a workload, not from both',
  fix: 'take podTemplateRef or scalableRef out',
};

const name = (description: string) => text(description, { minLength: 1 });
const podTemplateRef = object('A PodTemplate of the same namespace.', {
  required: { name: name('Name of the PodTemplate.') },
});
const strategy = text(
  'The provisioning strategy of the buffer. Mortise ignores buffers with another one than the default.',
);

export const CAPACITY_BUFFER = customKind({
  group: 'autoscaling.x-k8s.io',
  version: 'v1beta1',
  kind: 'CapacityBuffer',
  plural: 'capacitybuffers',
  singular: 'capacitybuffer',
  scope: 'Namespaced',
  shortNames: ['cb'],
  categories: ['autoscaling'],
  columns: [
    { name: 'Strategy', type: 'string', path: '.spec.provisioningStrategy' },
    { name: 'PodTemplate', type: 'string', path: '.status.podTemplateRef.name' },
    { name: 'Replicas', type: 'integer', path: '.status.replicas' },
    { name: 'ConditionsType', type: 'string', path: '.status.conditions[*].type' },
    { name: 'ConditionsStatus', type: 'string', path: '.status.conditions[*].status' },
    { name: 'ConditionsReason', type: 'string', path: '.status.conditions[*].reason' },
    { name: 'Age', type: 'date', path: AGE_PATH },
  ],
  description: 'Room that is kept free for future pods.',
  spec: object('The pods that room is kept for, and their number.', {
    optional: {
      provisioningStrategy: defaulting(strategy, ACTIVE_CAPACITY),
      podTemplateRef,
      scalableRef: object('The workload whose pods the room is for.', {
        required: {
          kind: name('Deployment, StatefulSet or ReplicaSet.'),
          name: name('Name of the workload.'),
        },
        optional: { apiGroup: text('API group of the workload. Default: apps.') },
      }),
      replicas: int32('Number of pods that room is kept for.', { minimum: 0 }),
      percentage: int32(
        "Room for this share of the workload's replicas, rounded up. The larger of replicas and percentage counts.",
        { minimum: 0 },
      ),
      limits: mapOf('Maximum total requests of the pods of the buffer.', quantity),
    },
    rules: [SOME_SIZE, ONE_REFERENCE],
  }),
  status: object('Observed state of the buffer.', {
    optional: {
      podTemplateRef,
      podTemplateGeneration: int64('The generation of the PodTemplate that was read.'),
      replicas: int32('Number of pods that room is kept for.'),
      provisioningStrategy: strategy,
      conditions,
    },
  }),
  gate: 'CapacityBuffer',
});

export type CapacityBufferSpec = SpecOf<typeof CAPACITY_BUFFER>;
