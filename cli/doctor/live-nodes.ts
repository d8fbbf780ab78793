import * as z from 'zod';
import { collectionPath, NODE_CLAIMS, NODES } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readNode } from '../../shared/kubernetes/readers/read-node.ts';
import { REGISTRATION_TIMEOUT_MS } from '../../shared/lifecycle/deadlines.ts';
import { formatNodeHealth } from '../../shared/model/explanations/node-health.ts';
import { INITIALIZED_LABEL } from '../../shared/model/labels.ts';
import { isManagedNode, type Node } from '../../shared/model/nodes/node.ts';
import { check, type Finding, fail, ok, warn } from '../checks/finding.ts';
import type { Check } from '../documents/doctor.ts';
import type { Facts, LiveNodeFacts } from './facts.ts';
import { listObjects } from './read-object-facts.ts';

const listSchema = z.object({ items: z.array(z.unknown()) });

/** Reads which nodes of NodePools are ill, and which drains wait for a change by a user. */
export async function readLiveNodes(api: KubernetesApi, now: number): Promise<LiveNodeFacts> {
  const request = { verb: 'list', resource: NODES.name, path: collectionPath(NODES) } as const;
  const [nodes, claims] = await Promise.all([api.read(request), listObjects(api, NODE_CLAIMS)]);
  const read = listSchema.parse(nodes).items.map(readNode);
  return {
    unhealthy: read.flatMap((reading) => {
      if (reading.outcome === 'unreadable' || !isManagedNode(reading.value)) return [];
      const health = formatNodeHealth(reading.value);
      if (health === undefined) return [];
      return [{ name: reading.value.name, text: health, isStarting: isStarting(reading.value, now) }];
    }),
    blockedDrains: claims.flatMap(({ metadata: { name }, status: { conditions } }) =>
      conditions.flatMap(({ reason, message }) => (reason === 'DrainStuck' ? [{ name, text: message }] : [])),
    ),
  };
}

/** Every new node is NotReady until its daemons run; a node that takes long has a reason. */
const isStarting = ({ labels, createdAt }: Node, now: number): boolean =>
  labels[INITIALIZED_LABEL] !== 'true' && now - createdAt < REGISTRATION_TIMEOUT_MS;

export const findNodeChecks = ({ liveNodes }: Pick<Facts, 'liveNodes'>): readonly Check[] => [
  ...check('nodes', 'health', liveNodes, ({ unhealthy }) =>
    unhealthy.length === 0
      ? [ok('all nodes of NodePools are Ready')]
      : unhealthy.map(
          ({ name, text, isStarting }): Finding =>
            isStarting
              ? ok(`node ${name} starts, and is ${text}`)
              : fail(`node ${name} is ${text}`, `mortise explain node ${name}`),
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
