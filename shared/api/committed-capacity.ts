import * as z from 'zod';
import { type Commitment, computeNormalizedUnits, toFamily } from '../model/offerings/commitment.ts';
import { parseInstant } from '../model/time.ts';
import type { ParseText } from './default-spread.ts';

const instanceType = z.string().regex(/^[a-z][a-z0-9-]*\.[a-z0-9-]+$/);
const common = {
  id: z.string().min(1).optional(),
  /** RFC 3339. */
  end: z.iso.datetime({ offset: true }).optional(),
};

const reservedInstancesSchema = z.strictObject({
  ...common,
  instanceType,
  count: z.int().min(1),
  /** A zonal reservation; regional if it is left out. */
  zone: z.string().min(1).exactOptional(),
});

const amounts = {
  /** The commitment. */
  hourlyUsd: z.number().positive(),
  /** The discount of the plan on the on-demand price. */
  discountPercent: z.number().min(0).max(99),
};

const savingsPlanSchema = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    ...amounts,
    type: z.literal('EC2Instance'),
    family: z.string().regex(/^[a-z][a-z0-9-]*$/),
  }),
  z.strictObject({ ...common, ...amounts, type: z.literal('Compute') }),
]);

/** The commitments of the account, for Linux with default tenancy. */
const committedCapacitySchema = z.strictObject({
  /** The part that this cluster may use; other clusters have the rest. */
  share: z.number().positive().max(1).default(1),
  /** True if the active reserved instances of the account are read as well. */
  readReservedInstances: z.boolean().default(false),
  reservedInstances: z.array(reservedInstancesSchema).default([]),
  savingsPlans: z.array(savingsPlanSchema).default([]),
});

type CommittedCapacity = z.output<typeof committedCapacitySchema>;

type CommitmentReading =
  | {
      readonly outcome: 'read';
      readonly commitments: readonly Commitment[];
      /** The part of the account's reserved instances to use; `undefined` if they are not read. */
      readonly accountShare?: number;
    }
  | { readonly outcome: 'refused'; readonly why: string };

/** Reads COMMITTED_CAPACITY. An empty text sets nothing. */
export function readCommittedCapacity(text: string, parse: ParseText): CommitmentReading {
  if (text.trim() === '') return { outcome: 'read', commitments: [] };
  const { success, data, error } = committedCapacitySchema.safeParse(tryParse(text, parse));
  if (!success) return { outcome: 'refused', why: explain(error.issues[0]) };
  const commitments = toCommitments(data);
  const ids = commitments.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return { outcome: 'refused', why: `the id ${twice} is there twice` };
  const accountShare = data.readReservedInstances ? { accountShare: data.share } : {};
  return { outcome: 'read', commitments, ...accountShare };
}

function tryParse(text: string, parse: ParseText): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

function explain(issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys') return `unknown ${issue.keys.join(', ')}`;
  return path === '' ? 'reservedInstances and savingsPlans, in YAML or JSON' : `${path} is not what it should be`;
}

function toCommitments({ share, reservedInstances, savingsPlans }: CommittedCapacity): readonly Commitment[] {
  const reserved = reservedInstances.map(({ id, end, count, ...instances }, index): Commitment => {
    const { unit, amount, ...scope } = toReservedInstances(instances, count);
    return {
      id: id ?? `reservedInstances.${index}`,
      unit,
      amount: amount * share,
      ...scope,
      ...toEnd(end),
    };
  });
  const plans = savingsPlans.map((plan, index): Commitment => {
    const { id, end, hourlyUsd, discountPercent } = plan;
    return {
      id: id ?? `savingsPlans.${index}`,
      unit: 'usd',
      amount: hourlyUsd * share,
      priceShare: 1 - discountPercent / 100,
      ...(plan.type === 'EC2Instance' && { family: plan.family }),
      ...toEnd(end),
    };
  });
  return [...reserved, ...plans];
}

const toEnd = (end: string | undefined): Pick<Commitment, 'endsAt'> =>
  end === undefined ? {} : { endsAt: parseInstant(end) };

/**
 * Families whose reserved instances cover only their own size, even if they are regional.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/apply_ri.html
 */
const FIXED_SIZES = /^(?:g4ad|g4dn|g5|g5g|g6|g6e|gr6|hpc\w+|p\d\w*|inf\d|trn\d\w*|u\d\w*-\w+|u-\w+)$/;

/** Regional reserved instances cover every size of their family, by normalization factors. */
export function toReservedInstances(
  { instanceType: name, zone }: Pick<Commitment, 'zone'> & { readonly instanceType: string },
  count: number,
): Omit<Commitment, 'id'> {
  const family = toFamily(name);
  return zone === undefined && !FIXED_SIZES.test(family)
    ? { unit: 'normalized-units', amount: count * computeNormalizedUnits(name), family }
    : { unit: 'instances', amount: count, instanceType: name, ...(zone !== undefined && { zone }) };
}
