import * as z from 'zod';
import { textsSchema } from '../../api/builtin-resources/metadata.ts';
import { readWithSchema } from '../../api/builtin-resources/read-with-schema.ts';
import { type FieldPath, formatPath, type ParseResult } from '../../api/finding.ts';
import type { UnreadableObject } from '../../model/cluster-snapshot.ts';
import { type EpochMs, formatInstant, SECOND_MS } from '../../model/time.ts';

/** An instant as the API server writes it. */
export const instantSchema = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** Metadata of an object that the API server has stored. */
export const liveMetadataSchema = z.object({
  name: z.string(),
  uid: z.string(),
  creationTimestamp: instantSchema,
  labels: textsSchema.default({}),
  annotations: textsSchema.default({}),
  finalizers: z.array(z.string()).default([]),
  deletionTimestamp: instantSchema.optional(),
});

/** As `status.conditions` holds them, on every kind. */
export const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(''),
  message: z.string().default(''),
  lastTransitionTime: instantSchema.nullish(),
});

/** The status of an object that says which generation each condition is of. */
export const generationStatusSchema = z
  .object({
    conditions: z
      .array(conditionSchema.extend({ observedGeneration: z.number().optional() }))
      .default([]),
  })
  .prefault({});
export type LiveCondition = z.output<typeof conditionSchema>;

export const isConditionTrue = (conditions: readonly LiveCondition[], type: string): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === 'True');

/** One object as found: read, or left out with the reason. */
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

/** Which object it is, of any kind; absent for what the API server could not have stored. */
export function readObjectIdentity(raw: unknown): LiveIdentity | undefined {
  const parsed = identitySchema.safeParse(raw);
  if (!parsed.success) return undefined;
  const { namespace, name, resourceVersion } = parsed.data.metadata;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** What must not be decided while an object of the kind is missing from the lists. */
const FORBIDDEN_ACTIONS: Readonly<Record<string, UnreadableObject['forbids']>> = {
  // Its node would look emptier than it is.
  Pod: ['remove'],
  // Its room would be bought again, its claim would look lost.
  Node: ['launch', 'remove'],
  // Its nodes would have no owner.
  NodePool: ['remove'],
  // New nodes would be too small for it.
  DaemonSet: ['launch', 'remove'],
  // The API server still keeps it, but a plan would count on evictions that it refuses.
  PodDisruptionBudget: ['remove'],
};

/** Reads one object; whatever it says, the others are still read. */
export function readLive<Schema extends z.ZodType, T>(
  kind: string,
  schema: Schema,
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
      ...(namespace === undefined ? {} : { namespace }),
      name,
      why: reading.findings.map(toSentence).join('; '),
      forbids: FORBIDDEN_ACTIONS[kind] ?? [],
    },
  };
}

const toSentence = ({ path, what }: { path: FieldPath; what: string }): string =>
  path.length > 0 ? `${formatPath(path)}: ${what}` : what;

/** When the deletion's grace ends, where one was asked for. */
export const deletionOf = ({
  deletionTimestamp,
}: {
  readonly deletionTimestamp?: EpochMs | undefined;
}): { readonly deletionAt?: EpochMs } =>
  deletionTimestamp === undefined ? {} : { deletionAt: deletionTimestamp };

/** RFC 3339 with exactly six digits of a second, or the API server does not read it. */
export const formatMicroTime = (at: EpochMs): string =>
  formatInstant(at).replace('Z', `.${`${at % SECOND_MS}`.padStart(3, '0')}000Z`);
