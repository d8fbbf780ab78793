import * as z from 'zod';
import type {
  AttributeValue,
  CapacityPolicy,
  Device,
  DeviceCapacity,
  DeviceClass,
  DeviceNodes,
  DeviceSlice,
  DeviceTaint,
} from '../../model/pods/devices.ts';
import { deviceAmountSchema, nodeTermsSchema, readNodeTerms, selectorsSchema } from './device-fields.ts';

const attributeSchema = z.object({
  bool: z.boolean().nullish(),
  int: z.int().nullish(),
  string: z.string().nullish(),
  version: z.string().nullish(),
});

const capacitySchema = z.object({
  value: deviceAmountSchema,
  requestPolicy: z
    .object({
      default: deviceAmountSchema.nullish(),
      validValues: z.array(deviceAmountSchema).nullish(),
      validRange: z
        .object({
          min: deviceAmountSchema,
          max: deviceAmountSchema.nullish(),
          step: deviceAmountSchema.nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

const countersSchema = z.record(z.string(), z.object({ value: deviceAmountSchema })).nullish();

/** The nodes that can use a slice, or a device of it. */
const reachShape = {
  nodeName: z.string().nullish(),
  nodeSelector: nodeTermsSchema,
  allNodes: z.boolean().nullish(),
};
const reachSchema = z.object(reachShape);

const deviceSchema = z.object({
  name: z.string(),
  attributes: z.record(z.string(), attributeSchema).nullish(),
  capacity: z.record(z.string(), capacitySchema).nullish(),
  consumesCounters: z.array(z.object({ counterSet: z.string(), counters: countersSchema })).nullish(),
  allowMultipleAllocations: z.boolean().nullish(),
  taints: z
    .array(
      z.object({
        key: z.string(),
        value: z.string().nullish(),
        effect: z.enum(['NoSchedule', 'NoExecute', 'None']),
      }),
    )
    .nullish(),
  ...reachShape,
});

/** Converts a device of resource.k8s.io/v1beta1, which has all fields except the name under `basic`. */
function liftBasicFields(written: unknown): unknown {
  const { basic, ...device } = looseSchema.safeParse(written).data ?? {};
  return basic ? { ...basic, ...device } : written;
}

const looseSchema = z.looseObject({ basic: z.looseObject({}).optional() });

export const deviceSliceSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    driver: z.string(),
    pool: z.object({
      name: z.string(),
      generation: z.int(),
      resourceSliceCount: z.int(),
    }),
    devices: z.array(z.preprocess(liftBasicFields, deviceSchema)).nullish(),
    sharedCounters: z.array(z.object({ name: z.string(), counters: countersSchema })).nullish(),
    ...reachShape,
  }),
});

export const readDeviceSlice = ({ metadata, spec }: z.output<typeof deviceSliceSchema>): DeviceSlice => ({
  name: metadata.name,
  driver: spec.driver,
  pool: spec.pool.name,
  generation: spec.pool.generation,
  slicesInPool: spec.pool.resourceSliceCount,
  ...readReach(spec),
  devices: (spec.devices ?? []).map(readDevice),
  counters: Object.fromEntries((spec.sharedCounters ?? []).map(({ name, counters }) => [name, readCounters(counters)])),
});

const readCounters = (counters: z.output<typeof countersSchema>): Readonly<Record<string, number>> =>
  mapValues(counters ?? {}, ({ value }) => value);

function readReach({ nodeName, nodeSelector, allNodes }: z.output<typeof reachSchema>): {
  readonly reach?: DeviceNodes;
} {
  if (nodeName) return { reach: { node: nodeName } };
  if (nodeSelector) return { reach: { nodeTerms: readNodeTerms(nodeSelector) } };
  return allNodes ? { reach: 'everywhere' } : {};
}

function readDevice(written: z.output<typeof deviceSchema>): Device {
  const { consumesCounters, allowMultipleAllocations, taints } = written;
  const uses = (consumesCounters ?? []).map(({ counterSet, counters }) => ({
    set: counterSet,
    counters: readCounters(counters),
  }));
  return {
    name: written.name,
    attributes: readAttributes(written.attributes ?? {}),
    capacity: mapValues(written.capacity ?? {}, readCapacity),
    ...(uses.length > 0 && { uses }),
    ...(allowMultipleAllocations && { shareable: true }),
    ...(taints && taints.length > 0 && { taints: taints.map(readTaint) }),
    ...readReach(written),
  };
}

/** An attribute of an unknown kind is left out, so that a selector that reads it fails. */
const readAttributes = (
  written: Readonly<Record<string, z.output<typeof attributeSchema>>>,
): Readonly<Record<string, AttributeValue>> =>
  Object.fromEntries(
    Object.entries(written).flatMap(([name, value]) => {
      const attribute = readAttribute(value);
      return attribute ? [[name, attribute] as const] : [];
    }),
  );

function readAttribute({ bool, int, string, version }: z.output<typeof attributeSchema>): AttributeValue | undefined {
  if (typeof bool === 'boolean') return { bool };
  if (typeof int === 'number') return { int };
  if (typeof string === 'string') return { string };
  return typeof version === 'string' ? { version } : undefined;
}

const readCapacity = ({ value, requestPolicy }: z.output<typeof capacitySchema>): DeviceCapacity => ({
  value,
  ...(requestPolicy && { policy: readPolicy(requestPolicy) }),
});

function readPolicy({
  default: byDefault,
  validValues,
  validRange,
}: NonNullable<z.output<typeof capacitySchema>['requestPolicy']>): CapacityPolicy {
  const { min = 0, max, step } = validRange ?? {};
  return {
    ...(typeof byDefault === 'number' && { byDefault }),
    ...(validValues && validValues.length > 0 && { valid: validValues }),
    ...(validRange && {
      range: {
        min,
        ...(typeof max === 'number' && { max }),
        ...(typeof step === 'number' && { step }),
      },
    }),
  };
}

const readTaint = ({
  key,
  value,
  effect,
}: NonNullable<z.output<typeof deviceSchema>['taints']>[number]): DeviceTaint => ({
  key,
  ...(value && { value }),
  effect,
});

const mapValues = <From, To>(
  all: Readonly<Record<string, From>>,
  change: (one: From) => To,
): Readonly<Record<string, To>> => Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one)]));

export const deviceClassSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ selectors: selectorsSchema }).prefault({}),
});

export const readDeviceClass = ({ metadata, spec }: z.output<typeof deviceClassSchema>): DeviceClass => ({
  name: metadata.name,
  selectors: spec.selectors,
});
