import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { versionOfLaunch } from './image-version.ts';

/** How the nodes of one version fare: those that got ready once, and are not on their way out. */
export interface VersionHealth {
  readonly ready: readonly NodeClaim[];
  readonly lost: readonly LostNode[];
}

/** A node that was ready, and is not any more. */
export interface LostNode {
  readonly claim: NodeClaim;
  readonly node: Node;
}

export type VersionTrust =
  /** No node of it has shown that it works. */
  | 'unproven'
  | 'trusted'
  /** So many of its nodes were ready and are not any more that chance does not explain it. */
  | 'shaken';

/** Machines fail whatever they were made from: one in five may. As few as four tell of no chance. */
const MAX_LOST_SHARE = 0.2;

export function computeTrust({ ready, lost }: VersionHealth): VersionTrust {
  if (lost.length > Math.floor(MAX_LOST_SHARE * (ready.length + lost.length))) return 'shaken';
  return ready.length > 0 ? 'trusted' : 'unproven';
}

const NONE: VersionHealth = { ready: [], lost: [] };

/** Of each version that nodes of the class were made from. A claim without a Node says nothing. */
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
    [...byVersion].map(([version, of]) => [
      version,
      {
        ready: of.filter(({ node }) => node.ready).map(({ claim }) => claim),
        lost: of.filter(({ node }) => !node.ready),
      },
    ]),
  );
  return (version) => healths.get(version) ?? NONE;
}
