import { type Labels, PARTITION_LABEL } from '../../model/labels.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { withWait } from '../claim-wait.ts';
import type { Observed } from '../observed.ts';

/** The instance is in a partition placement group, and EC2 has not reported the partition yet. */
export const waitsForPartition = ({ launch }: Pick<NodeClaim, 'launch'>): boolean =>
  launch?.labels[PARTITION_LABEL] === '';

/**
 * Returns the claim with its partition label; `undefined` while EC2 has not reported the partition.
 */
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

/** The partition label; empty outside partition placement groups. */
export function partitionLabelOf({ launch }: NodeClaim): Labels {
  const partition = launch?.labels[PARTITION_LABEL];
  return partition === undefined ? {} : { [PARTITION_LABEL]: partition };
}

/**
 * Registration waits, because pods that spread over partitions would not count a node without the
 * label.
 */
export const awaitPartition = (claim: NodeClaim, { instance, now }: Observed): NodeClaim =>
  withWait(
    claim,
    {
      condition: 'Registered',
      status: 'Unknown',
      reason: 'PartitionUnknown',
      message: instance?.state === 'gone' ? 'EC2 knows no such instance' : 'EC2 has not said which partition it is in',
    },
    now,
  );
