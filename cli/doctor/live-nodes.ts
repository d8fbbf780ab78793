import { NODES } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readNode } from '../../shared/kubernetes/readers/read-node.ts';
import { REGISTRATION_TIMEOUT_MS } from '../../shared/lifecycle/deadlines.ts';
import { formatNodeHealth } from '../../shared/model/explanations/node-health.ts';
import { INITIALIZED_LABEL } from '../../shared/model/labels.ts';
import { isManagedNode, type Node } from '../../shared/model/nodes/node.ts';
import { check, type Finding, fail, ok, warn } from '../checks/finding.ts';
import { listClaims, listReadable } from '../cluster/live-objects.ts';
import type { Check } from '../documents/doctor.ts';
import type { Facts, LiveNodeFacts } from './facts.ts';

/** Reads which nodes of NodePools are ill, and which drains wait for a change by a user. */
export async function readLiveNodes(api: KubernetesApi, now: number): Promise<LiveNodeFacts> {
  const [nodes, claims] = await Promise.all([listReadable(api, { resource: NODES, read: readNode }), listClaims(api)]);
  return {
    unhealthy: nodes.filter(isManagedNode).flatMap((node) => {
      const text = formatNodeHealth(node);
      return text === undefined ? [] : [{ name: node.name, text, isStarting: isStarting(node, now) }];
    }),
    blockedDrains: claims.flatMap(({ name, conditions }) =>
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
