import type { InstanceType, Offering } from '../../../model/instance-type.ts';
import type { NodeClaim } from '../../../model/node-claim.ts';

const SIZE_LABEL = 'karpenter.k8s.aws/instance-size';
/** Resources of machines that few pods need, and that cost what they do for them. */
const ACCELERATORS = [
  'nvidia.com/gpu',
  'amd.com/gpu',
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'habana.ai/gaudi',
] as const;

/**
 * Without bare metal and accelerators, unless the plan means them: where EC2 chooses by capacity as
 * well as by price, it may choose what nobody wants. A plan that lists such a type first, or counts
 * types (minValues), means what it lists.
 *
 * @param offerings - in the order of the claim's types
 */
export function ordinaryOfferings(
  { requirements }: NodeClaim,
  offerings: readonly Offering[],
  types: ReadonlyMap<string, InstanceType>,
): readonly Offering[] {
  const isOrdinary = ({ instanceType }: Offering): boolean => {
    const type = types.get(instanceType);
    return type !== undefined && !isExotic(type);
  };
  const [first] = offerings;
  const countsTypes = requirements.some(({ minValues }) => minValues !== undefined);
  return first && isOrdinary(first) && !countsTypes ? offerings.filter(isOrdinary) : offerings;
}

const isExotic = ({ labels, capacity }: InstanceType): boolean =>
  (labels[SIZE_LABEL] ?? '').startsWith('metal') ||
  ACCELERATORS.some((name) => (capacity[name] ?? 0) > 0);
