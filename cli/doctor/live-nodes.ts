import * as z from 'zod';
import {
  collectionPath,
  NODE_CLAIMS,
  NODES,
} from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readNode } from '../../shared/kubernetes/readers/read-node.ts';
import { formatNodeHealth } from '../../shared/model/explanations/node-health.ts';
import { isManagedNode } from '../../shared/model/nodes/node.ts';
import { check, type Finding, fail, ok, warn } from '../checks/finding.ts';
import type { Check } from '../documents/doctor.ts';
import type { Facts, LiveNodeFacts } from './facts.ts';
import { listObjects } from './read-object-facts.ts';

const listSchema = z.object({ items: z.array(z.unknown()) });

/** Reads which nodes of NodePools are ill, and which drains wait for a change by a user. */
export async function readLiveNodes(api: KubernetesApi): Promise<LiveNodeFacts> {
  const request = { verb: 'list', resource: NODES.name, path: collectionPath(NODES) } as const;
  const [nodes, claims] = await Promise.all([api.read(request), listObjects(api, NODE_CLAIMS)]);
  const read = listSchema.parse(nodes).items.map(readNode);
  return {
    unhealthy: read.flatMap((reading) => {
      if (reading.outcome === 'unreadable' || !isManagedNode(reading.value)) return [];
      const health = formatNodeHealth(reading.value);
      return health === undefined ? [] : [{ name: reading.value.name, text: health }];
    }),
    blockedDrains: claims.flatMap(({ metadata: { name }, status: { conditions } }) =>
      conditions.flatMap(({ reason, message }) =>
        reason === 'DrainStuck' ? [{ name, text: message }] : [],
      ),
    ),
  };
}

export const findNodeChecks = ({ liveNodes }: Pick<Facts, 'liveNodes'>): readonly Check[] => [
  ...check('nodes', 'health', liveNodes, ({ unhealthy }) =>
    unhealthy.length === 0
      ? [ok('all nodes of NodePools are Ready')]
      : unhealthy.map(
          ({ name, text }): Finding =>
            fail(`node ${name} is ${text}`, `mortise explain node ${name}`),
        ),
  ),
  ...check('nodes', 'drains', liveNodes, ({ blockedDrains }) =>
    blockedDrains.length === 0
      ? [ok('no drain waits for a change')]
      : blockedDrains.map(
          ({ name, text }): Finding =>
            warn(`NodeClaim ${name} does not leave: ${text}`, `mortise explain nodeclaim ${name}`),
        ),
  ),
];
