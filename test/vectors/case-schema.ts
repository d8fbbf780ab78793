import * as z from 'zod';
import { selectorSchema } from '../../shared/api/builtin-resources/label-selector.ts';
import { MIN_VALUES_POLICIES, PREFERENCE_POLICIES } from '../../shared/model/settings.ts';

const texts = z.record(z.string(), z.string());
const amounts = z.record(z.string(), z.union([z.string(), z.number()]));
const metadata = z.object({
  name: z.string(),
  namespace: z.string().default('default'),
  labels: texts.default({}),
  annotations: texts.default({}),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  ownerReferences: z.array(z.object({ kind: z.string(), name: z.string(), uid: z.string().default('') })).default([]),
});
const taint = z.object({
  key: z.string(),
  value: z.string().exactOptional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});
const condition = z.object({ type: z.string(), status: z.string(), reason: z.string().optional() });
const conditions = z.array(condition);
const requirement = z.object({
  key: z.string(),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']),
  values: z.array(z.string()).exactOptional(),
  minValues: z.number().exactOptional(),
});
const capacityType = z.enum(['spot', 'on-demand', 'reserved']);

const pod = z.object({
  metadata,
  /** Stands for this many equal pods, named NAME-0 and so on. */
  replicas: z.number().optional(),
  spec: z.looseObject({ nodeName: z.string().optional() }),
  status: z
    .object({
      phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed']).optional(),
      nominatedNodeName: z.string().optional(),
      conditions: conditions.optional(),
    })
    .optional(),
});
export type WrittenPod = z.output<typeof pod>;

export const instanceType = z.object({
  name: z.string(),
  requirements: z.union([z.record(z.string(), z.array(z.string())), z.array(requirement)]).default({}),
  capacity: amounts,
  overhead: z.record(z.string(), amounts).default({}),
  offerings: z.array(
    z.object({
      zone: z.string(),
      capacityType,
      price: z.number(),
      available: z.boolean().default(true),
      reservationId: z.string().exactOptional(),
      reservationCapacity: z.number().default(0),
    }),
  ),
});
export type WrittenType = z.output<typeof instanceType>;

const node = z.object({
  metadata,
  spec: z
    .object({
      providerID: z.string().optional(),
      taints: z.array(taint).default([]),
      unschedulable: z.boolean().default(false),
    })
    .default({ taints: [], unschedulable: false }),
  status: z.object({
    capacity: amounts.default({}),
    allocatable: amounts.default({}),
    conditions: conditions.default([]),
  }),
});
export type WrittenNode = z.output<typeof node>;

const nodeClaim = z.object({
  metadata,
  spec: z.object({
    requirements: z.array(requirement).default([]),
    taints: z.array(taint).default([]),
    startupTaints: z.array(taint).default([]),
    resources: z.object({ requests: amounts.default({}) }).default({ requests: {} }),
  }),
  status: z.object({
    providerID: z.string().optional(),
    nodeName: z.string().optional(),
    capacity: amounts.default({}),
    allocatable: amounts.default({}),
    conditions: conditions.default([]),
  }),
});
export type WrittenClaim = z.output<typeof nodeClaim>;

const count = z.union([z.string(), z.number()]).transform(String);
const podDisruptionBudget = z.object({
  metadata,
  spec: z.object({
    selector: selectorSchema.exactOptional(),
    minAvailable: count.exactOptional(),
    maxUnavailable: count.exactOptional(),
  }),
  status: z
    .object({
      disruptionsAllowed: z.number().default(0),
      currentHealthy: z.number().default(0),
      desiredHealthy: z.number().default(0),
      expectedPods: z.number().default(0),
    })
    .prefault({}),
});
export type WrittenBudget = z.output<typeof podDisruptionBudget>;

const budget = z.object({
  nodes: z.string(),
  reasons: z.array(z.string()).optional(),
  schedule: z.string().optional(),
  duration: z.string().optional(),
});
export type WrittenBudgetEntry = z.output<typeof budget>;

const nodePool = z.looseObject({
  metadata,
  spec: z
    .looseObject({
      limits: amounts.exactOptional(),
      disruption: z.looseObject({ budgets: z.array(budget).optional() }).optional(),
    })
    .optional(),
  status: z.object({ conditions: conditions.default([]) }).optional(),
});
export type WrittenPool = z.output<typeof nodePool>;

/** Go writes an empty list as null. */
const createPodListSchema = () => z.preprocess((list) => list ?? [], z.array(pod));

/** A list of objects each of which may stand for several. Go writes an empty list as null. */
const createListSchema = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((list) => (Array.isArray(list) ? list.flatMap(listCopies) : (list ?? [])), z.array(item)).default([]);

const several = z.looseObject({
  replicas: z.int(),
  metadata: z.looseObject({ name: z.string() }),
});

function listCopies(written: unknown): unknown[] {
  const { success, data } = several.safeParse(written);
  if (!success) return [written];
  const { replicas, metadata, ...object } = data;
  return Array.from({ length: replicas }, (_, index) => ({
    ...object,
    metadata: { ...metadata, name: `${metadata.name}-${index}` },
  }));
}

const range = z.object({ min: z.number(), max: z.number() });

/** The input of a case, without the recorded decision. */
export const situation = z.object({
  name: z.string(),
  topic: z.string().default(''),
  why: z.string().default(''),
  /** Settings that differ from Karpenter's defaults. */
  options: z
    .object({
      preferencePolicy: z.enum(PREFERENCE_POLICIES),
      minValuesPolicy: z.enum(MIN_VALUES_POLICIES),
      reservedCapacity: z.boolean(),
      spotToSpotConsolidation: z.boolean(),
      nodeOverlay: z.boolean(),
    })
    .partial()
    .default({}),
  now: z.string().default('2026-06-01T12:00:00Z'),
  catalog: z.string().optional(),
  instanceTypes: z.array(instanceType).default([]),
  instanceTypesFor: z.record(z.string(), z.array(z.string())).default({}),
  unavailable: z
    .array(
      z.object({
        instanceType: z.string().exactOptional(),
        zone: z.string().exactOptional(),
        capacityType: capacityType.exactOptional(),
      }),
    )
    .default([]),
  nodePools: z.array(nodePool).default([]),
  daemonSets: z.array(z.object({ metadata, spec: z.object({ template: z.looseObject({}) }) })).default([]),
  pods: createPodListSchema(),
  boundPods: createPodListSchema(),
  nodes: createListSchema(node),
  nodeClaims: createListSchema(nodeClaim),
  podDisruptionBudgets: createListSchema(podDisruptionBudget),
  namespaces: createListSchema(z.object({ metadata })),
  storageClasses: createListSchema(z.looseObject({ metadata })),
  persistentVolumes: createListSchema(z.looseObject({ metadata })),
  persistentVolumeClaims: createListSchema(z.looseObject({ metadata })),
  nodeOverlays: z.array(z.looseObject({ metadata, spec: z.unknown() })).default([]),
  csiNodes: z.array(z.looseObject({ metadata })).default([]),
});
export type Situation = z.output<typeof situation>;

export const caseSchema = situation.extend({
  expected: z.object({
    newNodeClaims: z.array(z.looseObject({ nodePool: z.string(), pods: z.array(z.string()) })),
    existingNodes: z.array(z.object({ node: z.string(), pods: z.array(z.string()) })).default([]),
    unschedulable: texts.default({}),
    totalPrice: z.number().default(0),
    stability: z.object({ totalPrice: range, newNodes: range, scheduledPods: range }),
  }),
});
export type VectorCase = z.output<typeof caseSchema>;

const command = z.object({
  method: z.enum(['emptiness', 'multi', 'single']),
  delete: z.array(z.string()),
  replacements: z.array(z.looseObject({ nodePool: z.string(), price: z.number() })),
  savings: z.number(),
});

export const consolidationSchema = situation.extend({
  expected: z.object({
    command: command.nullable(),
    byMethod: z.record(z.string(), command.nullable()),
    reasons: z.record(z.string(), z.array(z.string())).default({}),
    /** Over several runs; undefined if the case was decided once. */
    stability: z.object({ savings: range, deleted: range }).optional(),
  }),
});
export type ConsolidationCase = z.output<typeof consolidationSchema>;
