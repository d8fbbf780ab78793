import { type Labels, PARTITION_LABEL } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { withWait } from '../claim-wait.ts';
import type { Observed } from '../observed.ts';

/** It was launched into a placement group with partitions, and EC2 chose among them. */
export const waitsForPartition = ({ launch }: Pick<NodeClaim, 'launch'>): boolean =>
  launch?.labels[PARTITION_LABEL] === '';

/** The claim with its partition on it; absent where that is not known yet, and it waits. */
export function withPartition(claim: NodeClaim, { instance }: Observed): NodeClaim | undefined {
  const { launch } = claim;
  if (!launch || !waitsForPartition(claim)) return claim;
  if (instance?.partition === undefined) return undefined;
  const partition = { [PARTITION_LABEL]: `${instance.partition}` };
  return {
    ...claim,
    launch: { ...launch, labels: { ...launch.labels, ...partition } },
    labels: { ...claim.labels, ...partition },
  };
}

/** Absent: it is in no group with partitions. */
export function partitionLabelOf({ launch }: NodeClaim): Labels {
  const partition = launch?.labels[PARTITION_LABEL];
  return partition === undefined ? {} : { [PARTITION_LABEL]: partition };
}

/** Pods that spread over partitions would count a node without one to none of them. */
export const awaitPartition = (claim: NodeClaim, { instance, now }: Observed): NodeClaim =>
  withWait(
    claim,
    {
      condition: 'Registered',
      status: 'Unknown',
      reason: 'PartitionUnknown',
      message:
        instance?.state === 'gone'
          ? 'EC2 knows no such instance'
          : 'EC2 has not said which partition it is in',
    },
    now,
  );
