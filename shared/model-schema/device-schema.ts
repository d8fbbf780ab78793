import * as z from 'zod';
import type {
  AllocatedDevice,
  AttributeValue,
  CapacityPolicy,
  CounterUse,
  Device,
  DeviceCapacity,
  DeviceClaim,
  DeviceClaimSpec,
  DeviceClaimTemplate,
  DeviceClass,
  DeviceConstraint,
  DeviceNodes,
  DeviceRequest,
  DeviceSelection,
  DeviceSlice,
  Devices,
  DeviceTaint,
} from '../model/pods/devices.ts';
import { type FieldsOf, oneOf } from './exact-schema.ts';
import { amountsSchema, nodeTermsSchema, tolerationSchema } from './field-schemas.ts';

const attributeSchema: z.ZodType<AttributeValue> = z.union([
  z.strictObject({ bool: z.boolean() }),
  z.strictObject({ int: z.number() }),
  z.strictObject({ string: z.string() }),
  z.strictObject({ version: z.string() }),
]);

const reachSchema: z.ZodType<DeviceNodes> = z.union([
  z.literal('everywhere'),
  z.strictObject({ node: z.string() }),
  z.strictObject({ nodeTerms: nodeTermsSchema }),
]);

const policySchema = z.looseObject({
  byDefault: z.number().exactOptional(),
  valid: z.array(z.number()).exactOptional(),
  range: z
    .looseObject({
      min: z.number(),
      max: z.number().exactOptional(),
      step: z.number().exactOptional(),
    })
    .exactOptional(),
} satisfies FieldsOf<CapacityPolicy>);

const deviceTaintSchema = z.looseObject({
  key: z.string(),
  value: z.string().exactOptional(),
  effect: oneOf<DeviceTaint['effect']>({
    NoSchedule: 'NoSchedule',
    PreferNoSchedule: 'PreferNoSchedule',
    NoExecute: 'NoExecute',
    None: 'None',
  }),
} satisfies FieldsOf<DeviceTaint>);

const deviceSchema = z.looseObject({
  name: z.string(),
  attributes: z.record(z.string(), attributeSchema),
  capacity: z.record(
    z.string(),
    z.looseObject({
      value: z.number(),
      policy: policySchema.exactOptional(),
    } satisfies FieldsOf<DeviceCapacity>),
  ),
  uses: z
    .array(z.looseObject({ set: z.string(), counters: amountsSchema } satisfies FieldsOf<CounterUse>))
    .exactOptional(),
  shareable: z.literal(true).exactOptional(),
  taints: z.array(deviceTaintSchema).exactOptional(),
  reach: reachSchema.exactOptional(),
} satisfies FieldsOf<Device>);

const sliceSchema = z.looseObject({
  name: z.string(),
  driver: z.string(),
  pool: z.string(),
  generation: z.number(),
  slicesInPool: z.number(),
  reach: reachSchema.exactOptional(),
  devices: z.array(deviceSchema),
  counters: z.record(z.string(), amountsSchema),
} satisfies FieldsOf<DeviceSlice>);

const selectionSchema = z.looseObject({
  name: z.string(),
  deviceClass: z.string(),
  selectors: z.array(z.string()),
  count: z.union([z.number(), z.literal('all')]),
  adminAccess: z.literal(true).exactOptional(),
  tolerations: z.array(tolerationSchema),
  capacity: amountsSchema,
} satisfies FieldsOf<DeviceSelection>);

export const deviceClaimSpecSchema: z.ZodType<DeviceClaimSpec> = z.looseObject({
  requests: z.array(
    z.looseObject({
      name: z.string(),
      choices: z.array(selectionSchema),
    } satisfies FieldsOf<DeviceRequest>),
  ),
  constraints: z.array(
    z.looseObject({
      requests: z.array(z.string()),
      attribute: z.string(),
      kind: oneOf<DeviceConstraint['kind']>({ match: 'match', distinct: 'distinct' }),
    } satisfies FieldsOf<DeviceConstraint>),
  ),
} satisfies FieldsOf<DeviceClaimSpec>);

const allocatedSchema = z.looseObject({
  driver: z.string(),
  pool: z.string(),
  device: z.string(),
  adminAccess: z.literal(true).exactOptional(),
  consumed: amountsSchema.exactOptional(),
} satisfies FieldsOf<AllocatedDevice>);

const claimSchema = z.looseObject({
  namespace: z.string(),
  name: z.string(),
  request: deviceClaimSpecSchema,
  allocation: z.looseObject({ devices: z.array(allocatedSchema), nodeTerms: nodeTermsSchema }).exactOptional(),
  holders: z.array(z.string()),
  deleting: z.boolean(),
} satisfies FieldsOf<DeviceClaim>);

export const devicesSchema: z.ZodType<Devices> = z.looseObject({
  slices: z.array(sliceSchema),
  classes: z.array(
    z.looseObject({
      name: z.string(),
      selectors: z.array(z.string()),
    } satisfies FieldsOf<DeviceClass>),
  ),
  claims: z.array(claimSchema),
  templates: z.array(
    z.looseObject({
      namespace: z.string(),
      name: z.string(),
      request: deviceClaimSpecSchema,
    } satisfies FieldsOf<DeviceClaimTemplate>),
  ),
} satisfies FieldsOf<Devices>);
