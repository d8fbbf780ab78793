import * as z from 'zod';
import type {
  AllocatedDevice,
  DeviceClaim,
  DeviceClaimSpec,
  DeviceClaimTemplate,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelection,
} from '../../model/pods/devices.ts';
import { deviceAmountSchema, nodeTermsSchema, readNodeTerms, selectorsSchema } from './device-fields.ts';
import { readToleration, tolerationSchema } from './taints.ts';

const choiceSchema = z.object({
  deviceClassName: z.string(),
  selectors: selectorsSchema,
  allocationMode: z.enum(['ExactCount', 'All']).nullish(),
  count: z.int().min(1).nullish(),
  adminAccess: z.boolean().nullish(),
  tolerations: z.array(tolerationSchema).nullish(),
  capacity: z.object({ requests: z.record(z.string(), deviceAmountSchema).nullish() }).nullish(),
});
type WrittenChoice = z.output<typeof choiceSchema>;

const requestSchema = z.preprocess(
  withExactly,
  z.object({
    name: z.string(),
    exactly: choiceSchema.nullish(),
    firstAvailable: z.array(choiceSchema.extend({ name: z.string() })).nullish(),
  }),
);

/**
 * @see resource.k8s.io/v1beta1, which writes a single choice into the request itself
 */
function withExactly(written: unknown): unknown {
  const { data } = flatSchema.safeParse(written);
  return data ? { ...data, exactly: data } : written;
}

const flatSchema = z.looseObject({ deviceClassName: z.string().min(1) });

const constraintSchema = z.object({
  requests: z.array(z.string()).nullish(),
  matchAttribute: z.string().nullish(),
  distinctAttribute: z.string().nullish(),
});

const specSchema = z.object({
  devices: z
    .object({
      requests: z.array(requestSchema).nullish(),
      constraints: z.array(constraintSchema).nullish(),
    })
    .nullish(),
});

const readChoice = (name: string, written: WrittenChoice): DeviceSelection => ({
  name,
  deviceClass: written.deviceClassName,
  selectors: written.selectors,
  count: written.allocationMode === 'All' ? 'all' : (written.count ?? 1),
  ...(written.adminAccess && { adminAccess: true }),
  tolerations: (written.tolerations ?? []).map(readToleration),
  capacity: written.capacity?.requests ?? {},
});

const readRequest = ({ name, exactly, firstAvailable }: z.output<typeof requestSchema>): DeviceRequest => ({
  name,
  choices: [
    ...(exactly ? [readChoice(name, exactly)] : []),
    ...(firstAvailable ?? []).map((choice) => readChoice(`${name}/${choice.name}`, choice)),
  ],
});

const readConstraint = ({
  requests,
  matchAttribute,
  distinctAttribute,
}: z.output<typeof constraintSchema>): DeviceConstraint => ({
  requests: requests ?? [],
  // An unknown constraint becomes an attribute that no device has, so that nothing is allocated.
  attribute: matchAttribute ?? distinctAttribute ?? '',
  kind: distinctAttribute ? 'distinct' : 'match',
});

const readDeviceRequest = ({ devices }: z.output<typeof specSchema>): DeviceClaimSpec => ({
  requests: (devices?.requests ?? []).map(readRequest),
  constraints: (devices?.constraints ?? []).map(readConstraint),
});

const metadataSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  deletionTimestamp: z.unknown().optional(),
});

const allocatedSchema = z.object({
  driver: z.string(),
  pool: z.string(),
  device: z.string(),
  adminAccess: z.boolean().nullish(),
  consumedCapacity: z.record(z.string(), deviceAmountSchema).nullish(),
});

const readAllocated = ({
  driver,
  pool,
  device,
  adminAccess,
  consumedCapacity,
}: z.output<typeof allocatedSchema>): AllocatedDevice => ({
  driver,
  pool,
  device,
  ...(adminAccess && { adminAccess: true }),
  ...(consumedCapacity && { consumed: consumedCapacity }),
});

export const deviceClaimSchema = z.object({
  metadata: metadataSchema,
  spec: specSchema.prefault({}),
  status: z
    .object({
      allocation: z
        .object({
          devices: z.object({ results: z.array(allocatedSchema).nullish() }).nullish(),
          nodeSelector: nodeTermsSchema,
        })
        .nullish(),
      reservedFor: z.array(z.object({ resource: z.string(), uid: z.string() })).nullish(),
    })
    .prefault({}),
});

export const readDeviceClaim = ({
  metadata: { namespace, name, deletionTimestamp },
  spec,
  status: { allocation, reservedFor },
}: z.output<typeof deviceClaimSchema>): DeviceClaim => ({
  namespace,
  name,
  request: readDeviceRequest(spec),
  ...(allocation && {
    allocation: {
      devices: (allocation.devices?.results ?? []).map(readAllocated),
      nodeTerms: readNodeTerms(allocation.nodeSelector),
    },
  }),
  holders: (reservedFor ?? []).flatMap(({ resource, uid }) => (resource === 'pods' ? [uid] : [])),
  deleting: deletionTimestamp !== undefined && deletionTimestamp !== null,
});

export const deviceClaimTemplateSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ spec: specSchema.prefault({}) }),
});

export const readDeviceClaimTemplate = ({
  metadata: { namespace, name },
  spec,
}: z.output<typeof deviceClaimTemplateSchema>): DeviceClaimTemplate => ({
  namespace,
  name,
  request: readDeviceRequest(spec.spec),
});
