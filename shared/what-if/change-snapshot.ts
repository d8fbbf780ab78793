import type { ClusterManifests } from '../api/manifests/cluster-manifests.ts';
import type { ClusterSnapshot } from '../model/cluster-snapshot.ts';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '../model/labels.ts';
import { changePools } from './change-pools.ts';
import { changeWorkloads, scaleWorkload, type WorkloadScale } from './change-workloads.ts';
import { type MemberNode, removeNodes } from './remove-nodes.ts';

/** Changes of a cluster; those that are `undefined` are not made. */
export interface ClusterChanges {
  /** NodePools, EC2NodeClasses, workloads and pods, which replace those of the same name. */
  readonly manifests?: Pick<ClusterManifests, 'pools' | 'nodeClasses' | 'workloads' | 'pods'>;
  readonly scale?: WorkloadScale;
  /** Its nodes are gone, and EC2 has no capacity there. */
  readonly lostZone?: string;
  /** EC2 takes back all spot nodes, and has no spot capacity left. */
  readonly losesSpot?: boolean;
  readonly spotPriceFactor?: number;
}

/** Returns the snapshot with the changes; nothing is decided about them yet. */
export function changeSnapshot(
  snapshot: ClusterSnapshot,
  { manifests, scale, lostZone, losesSpot = false, spotPriceFactor }: ClusterChanges,
): ClusterSnapshot {
  let changed = snapshot;
  if (manifests) changed = changeWorkloads(changePools(changed, manifests), manifests);
  if (scale) changed = scaleWorkload(changed, scale);
  if (spotPriceFactor !== undefined) changed = multiplySpotPrices(changed, spotPriceFactor);
  if (lostZone !== undefined) {
    changed = removeNodes(changed, (node) => zoneOf(node) === lostZone);
    const offerings = changed.offerings.filter(({ zone }) => zone !== lostZone);
    changed = { ...changed, offerings };
  }
  if (losesSpot) {
    changed = removeNodes(changed, (node) => capacityTypeOf(node) === 'spot');
    const offerings = changed.offerings.filter(({ capacityType }) => capacityType !== 'spot');
    changed = { ...changed, offerings };
  }
  return changed;
}

const zoneOf = ({ node, claim }: MemberNode): string | undefined => claim?.launch?.zone ?? node?.labels[ZONE_LABEL];

const capacityTypeOf = ({ node, claim }: MemberNode): string | undefined =>
  claim?.launch?.capacityType ?? node?.labels[CAPACITY_TYPE_LABEL];

/** The price of a spot node that runs follows the price of its offering. */
function multiplySpotPrices(snapshot: ClusterSnapshot, factor: number): ClusterSnapshot {
  return {
    ...snapshot,
    offerings: snapshot.offerings.map((offering) =>
      offering.capacityType === 'spot' ? { ...offering, hourlyUsd: offering.hourlyUsd * factor } : offering,
    ),
    claims: snapshot.claims.map((claim) =>
      claim.launch?.capacityType === 'spot'
        ? { ...claim, launch: { ...claim.launch, hourlyUsd: claim.launch.hourlyUsd * factor } }
        : claim,
    ),
  };
}
