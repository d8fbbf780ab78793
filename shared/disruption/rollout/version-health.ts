import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { versionOfLaunch } from './image-version.ts';

/**
 * Nodes of one version (see `image-version.ts`) that have been initialized and are not being
 * deleted.
 */
export interface VersionHealth {
  readonly ready: readonly NodeClaim[];
  /** Nodes that are no longer Ready. */
  readonly lost: readonly NotReadyNode[];
}

/** An initialized node that is no longer Ready. */
export interface NotReadyNode {
  readonly claim: NodeClaim;
  readonly node: Node;
}

export type VersionStatus =
  /** No node of the version is ready. */
  | 'none-ready'
  | 'healthy'
  /** More nodes became NotReady than chance explains. */
  | 'unhealthy';

/**
 * Up to one in five nodes may fail for other reasons. Among fewer than five nodes a single failure
 * exceeds the limit.
 */
const MAX_LOST_SHARE = 0.2;

export function computeVersionStatus({ ready, lost }: VersionHealth): VersionStatus {
  if (lost.length > Math.floor(MAX_LOST_SHARE * (ready.length + lost.length))) return 'unhealthy';
  return ready.length > 0 ? 'healthy' : 'none-ready';
}

const NONE: VersionHealth = { ready: [], lost: [] };

/** Computes the health of each version of the class. Claims without a Node are not counted. */
export function computeVersionHealth(
  { name }: Pick<NodeClassState, 'name'>,
  claims: readonly NodeClaim[],
  nodes: readonly Node[],
): (version: string) => VersionHealth {
  const byProviderId = new Map(nodes.map((node) => [node.providerId, node]));
  const versionedNodes = claims.flatMap((claim) => {
    const { launch, nodeClass, initializedAt, deletingAt } = claim;
    const isSteady = initializedAt !== undefined && deletingAt === undefined;
    if (!launch || nodeClass.name !== name || !isSteady) return [];
    const node = byProviderId.get(launch.providerId);
    const version = versionOfLaunch(launch);
    return node && version !== undefined ? [{ claim, node, version }] : [];
  });
  const byVersion = Map.groupBy(versionedNodes, ({ version }) => version);
  const healths = new Map(
    [...byVersion].map(([version, members]) => [
      version,
      {
        ready: members.filter(({ node }) => node.ready).map(({ claim }) => claim),
        lost: members.filter(({ node }) => !node.ready),
      },
    ]),
  );
  return (version) => healths.get(version) ?? NONE;
}
