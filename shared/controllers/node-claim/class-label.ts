import { forEachConcurrently } from '../../model/concurrency.ts';
import { NODECLASS_LABEL, REGISTERED_LABEL } from '../../model/labels.ts';
import type { Node } from '../../model/nodes/node.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import { ownValue } from '../../model/own-value.ts';
import type { ClusterObjects } from '../../ports/cluster.ts';
import type { Ports } from '../../ports/ports.ts';
import { projectClaim, writeUnlessStale } from '../support/claim-writes.ts';

/**
 * Adds the label of the EC2NodeClass to registered Nodes and to NodeClaims that lack it, because
 * earlier releases of Karpenter made them or a user removed it. Runs every minute.
 *
 * @param claims - claims that are not terminated
 * @see Karpenter, pkg/controllers/nodeclaim/hydration and pkg/controllers/node/hydration
 */
export async function hydrateClassLabels(
  ports: Pick<Ports, 'cluster' | 'nodeClaims'>,
  claims: readonly NodeClaim[],
  { nodes, nodeClaims }: Pick<ClusterObjects, 'nodes' | 'nodeClaims'>,
): Promise<void> {
  const staying = claims.filter(({ deletingAt }) => deletingAt === undefined);
  const byProviderId = new Map(staying.map((claim) => [claim.launch?.providerId, claim]));
  const byName = new Map(staying.map((claim) => [claim.name, claim]));

  await forEachConcurrently(nodes.filter(isUnlabelledNode), async (node) => {
    const claim = node.providerId === undefined ? undefined : byProviderId.get(node.providerId);
    if (claim) await labelNode(ports, node, claim.nodeClass.name);
  });
  await forEachConcurrently(nodeClaims.filter(lacksLabel), async ({ name }) => {
    const claim = byName.get(name);
    if (claim && ownValue(claim.labels, NODECLASS_LABEL) !== undefined) {
      await projectClaim(ports, claim);
    }
  });
}

const lacksLabel = ({ labels }: Pick<Node, 'labels'>): boolean => ownValue(labels, NODECLASS_LABEL) === undefined;

/** Registration labels the other Nodes. */
const isUnlabelledNode = (node: Node): boolean =>
  lacksLabel(node) && node.labels[REGISTERED_LABEL] === 'true' && node.deletionAt === undefined;

async function labelNode({ cluster }: Pick<Ports, 'cluster'>, node: Node, nodeClass: string): Promise<void> {
  await writeUnlessStale(() => cluster.changeNode(node, { labels: { [NODECLASS_LABEL]: nodeClass } }));
}
