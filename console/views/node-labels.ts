import { CAPACITY_TYPE_LABEL, type Labels } from '../../shared/model/labels.ts';
import type { CapacityType } from '../../shared/model/offerings/instance-type.ts';

/** The labels of EKS managed node groups and of eksctl. */
const GROUP_LABELS = ['eks.amazonaws.com/nodegroup', 'alpha.eksctl.io/nodegroup-name'];

export const nodeGroupOf = (labels: Labels): string | undefined =>
  GROUP_LABELS.map((key) => labels[key]).find((name) => name !== undefined);

/** EKS managed node groups write the capacity type in capitals, under a label of their own. */
export function capacityTypeOf(labels: Labels): CapacityType | undefined {
  const ofGroup = labels['eks.amazonaws.com/capacityType']?.toLowerCase().replace('_', '-');
  const written = labels[CAPACITY_TYPE_LABEL] ?? ofGroup;
  return written === 'spot' || written === 'on-demand' || written === 'reserved' ? written : undefined;
}
