import type {
  V1CSINode,
  V1DaemonSet,
  V1Namespace,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PriorityClass,
  V1Service,
  V1StorageClass,
  V1VolumeAttachment,
} from '@kubernetes/client-node';
import * as z from 'zod';
import { textsSchema } from '../../api/builtin-resources/metadata.ts';
import { readWithSchema } from '../../api/builtin-resources/read-with-schema.ts';
import { type FieldPath, formatPath, type ParseResult } from '../../api/finding.ts';
import type { UnreadableObject } from '../../model/cluster-snapshot.ts';
import { type EpochMs, formatInstant, SECOND_MS } from '../../model/time.ts';

/** RFC 3339 text to milliseconds since the epoch. */
export const instantSchema = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** The metadata of a stored object. */
export const liveMetadataSchema = z.object({
  name: z.string(),
  uid: z.string(),
  creationTimestamp: instantSchema,
  labels: textsSchema.default({}),
  annotations: textsSchema.default({}),
  finalizers: z.array(z.string()).default([]),
  deletionTimestamp: instantSchema.optional(),
});

/** An entry of `status.conditions`. */
export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(''),
  message: z.string().default(''),
  lastTransitionTime: instantSchema.nullish(),
});

/** A status whose conditions carry an `observedGeneration`. */
export const generationStatusSchema = z
  .object({
    conditions: z.array(conditionSchema.extend({ observedGeneration: z.number().optional() })).default([]),
  })
  .prefault({});
export type LiveCondition = z.output<typeof conditionSchema>;

export const isConditionTrue = (conditions: readonly LiveCondition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

/** The result of reading one object: its value, or the reason why it is left out. */
export type LiveReading<T> =
  | { readonly outcome: 'read'; readonly value: T }
  | { readonly outcome: 'unreadable'; readonly object: UnreadableObject };

const identitySchema = z.object({
  metadata: z.object({
    namespace: z.string().optional(),
    name: z.string(),
    resourceVersion: z.string().optional(),
  }),
});

interface LiveIdentity {
  readonly namespace?: string;
  readonly name: string;
  readonly resourceVersion?: string;
}

/**
 * Namespace, name and resourceVersion of any object; `undefined` for what the API server cannot
 * have stored.
 */
export function readObjectIdentity(raw: unknown): LiveIdentity | undefined {
  const parsed = identitySchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const { namespace, name, resourceVersion } = parsed.data.metadata;
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** The actions that are unsafe while an object of the kind cannot be read. */
const FORBIDDEN_ACTIONS: Readonly<Record<string, UnreadableObject['forbids']>> = {
  // Without the pod its node would look emptier than it is.
  Pod: ['remove'],
  // Without the node its capacity would be bought again and its claim would look lost.
  Node: ['launch', 'remove'],
  // Without the pool its nodes would have no owner.
  NodePool: ['remove'],
  // Without the DaemonSet new nodes would be too small for its pods.
  DaemonSet: ['launch', 'remove'],
  // A plan would count on evictions that the API server refuses.
  PodDisruptionBudget: ['remove'],
};

/**
 * Reads one object with a schema. An unreadable object never prevents the others from being read.
 */
export function readLive<Kind extends string, Schema extends z.ZodType, T>(
  kind: Kind,
  schema: Schema & SchemaOf<Kind, Schema>,
  raw: unknown,
  change: (written: z.output<Schema>) => ParseResult<T>,
): LiveReading<T> {
  const written = readWithSchema(schema, raw);
  const reading = written.outcome === 'read' ? change(written.value) : written;
  if (reading.outcome === 'read') return reading;

  const { namespace, name = 'unnamed' } = readObjectIdentity(raw) ?? {};
  return {
    outcome: 'unreadable',
    object: {
      kind,
      ...(namespace !== undefined && { namespace }),
      name,
      why: reading.findings.map(toSentence).join('; '),
      forbids: FORBIDDEN_ACTIONS[kind] ?? [],
    },
  };
}

const toSentence = ({ path, what }: { path: FieldPath; what: string }): string =>
  path.length > 0 ? `${formatPath(path)}: ${what}` : what;

/** The end of the grace period of a deletion, if one was requested. */
export const deletionOf = ({
  deletionTimestamp,
}: {
  readonly deletionTimestamp?: EpochMs | undefined;
}): { readonly deletionAt?: EpochMs } => (deletionTimestamp === undefined ? {} : { deletionAt: deletionTimestamp });

/** RFC 3339 with exactly six digits of a second, which the API server requires for MicroTime. */
export const formatMicroTime = (at: EpochMs): string =>
  formatInstant(at).replace('Z', `.${`${at % SECOND_MS}`.padStart(3, '0')}000Z`);

/** The generated types of the built-in kinds that we read. */
interface BuiltInKinds {
  readonly CSINode: V1CSINode;
  readonly DaemonSet: V1DaemonSet;
  readonly Namespace: V1Namespace;
  readonly Node: V1Node;
  readonly PersistentVolume: V1PersistentVolume;
  readonly PersistentVolumeClaim: V1PersistentVolumeClaim;
  readonly Pod: V1Pod;
  readonly PodDisruptionBudget: V1PodDisruptionBudget;
  readonly PriorityClass: V1PriorityClass;
  readonly Service: V1Service;
  readonly StorageClass: V1StorageClass;
  readonly VolumeAttachment: V1VolumeAttachment;
}

/**
 * The name of a field that a schema reads and Kubernetes does not have; `never` if it has all. Lists are compared by
 * their items; maps, such as labels, may have any key.
 */
export type UnknownField<Read, Generated> = unknown extends Read
  ? never
  : Read extends readonly (infer Item)[]
    ? Generated extends readonly (infer GeneratedItem)[]
      ? UnknownField<Item, GeneratedItem>
      : 'no list'
    : Read extends object
      ? {
          [Key in NamedKey<Read>]-?: Key extends keyof Generated
            ? UnknownField<NonNullable<Read[Key]>, NonNullable<Generated[Key]>>
            : Key;
        }[NamedKey<Read>]
      : never;

/** The keys of a type without those of its index signature. */
type NamedKey<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** Does not compile for a schema of a built-in kind with a field that the kind does not have. */
type SchemaOf<Kind extends string, Schema extends z.ZodType> = Kind extends keyof BuiltInKinds
  ? [UnknownField<z.input<Schema>, BuiltInKinds[Kind]>] extends [never]
    ? Schema
    : { readonly unknownField: UnknownField<z.input<Schema>, BuiltInKinds[Kind]> }
  : Schema;
