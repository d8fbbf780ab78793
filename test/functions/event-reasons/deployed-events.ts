import { readFileSync } from 'node:fs';
import { dispatch } from '../../../shared/controllers/dispatch.ts';
import { rememberObservations } from '../../../shared/kubernetes/events/event-subjects.ts';
import { kubernetesEvents } from '../../../shared/kubernetes/events/kubernetes-events.ts';
import { claimKubernetesCluster, warmKubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import type { Cluster } from '../../../shared/ports/cluster.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { Hint, Topic } from '../../../shared/ports/work-queue.ts';
import type { FakeWorld } from '../../controllers/support/fake-ports.ts';
import type { ApiDouble } from '../../kubernetes/support/api-double.ts';
import { connect } from '../../kubernetes/support/connect.ts';
import {
  aLiveNode,
  aLiveNodeClaim,
  aLivePod,
  aLivePool,
  aLiveRunningPod,
  COLLECTIONS,
} from '../../kubernetes/support/live-objects.ts';
import type { RawObject } from '../../kubernetes/support/raw-object.ts';

/** The function that works on the hints of a topic. */
const FUNCTIONS: Readonly<Record<Topic, string>> = {
  plan: 'provisioning',
  disrupt: 'disruption',
  claim: 'node-lifecycle',
  interruption: 'interruption',
  sweep: 'sweep',
  class: 'node-class',
};

/** True if the function reads only the objects of one claim at a time, as its handler says. */
const readsSingleClaims = (topic: Topic): boolean =>
  /portsFrom\(process\.env, 'claim'\)/i.test(readFileSync(`functions/${FUNCTIONS[topic]}/handler.ts`, 'utf8'));

/** The ports that a story replaces. */
export type Replaced = Partial<Ports>;

/** A function over its adapters of the API server; records and EC2 are those of the world. */
export interface DeployedFunction {
  readonly ports: Ports;
  handle(hint: Hint): Promise<void>;
}

/**
 * Deploys the function of a topic. The API server has the objects of the world, and the function reads them
 * as deployed, so that Events find their objects as deployed; it decides about the objects of the world.
 *
 * @param onDropped - Events that were not written
 */
export function deployFunction(
  double: ApiDouble,
  world: FakeWorld,
  topic: Topic,
  { replaced, onDropped }: { readonly replaced: Replaced; readonly onDropped: (reason: string) => void },
): DeployedFunction {
  const { api } = connect(double);
  const { clock, decisionLog } = world.ports;
  const runtime: Cluster = readsSingleClaims(topic)
    ? claimKubernetesCluster({ api, clock })
    : warmKubernetesCluster({ api, clock });
  const { cluster, observations } = rememberObservations(runtime);
  const { observeClaim } = cluster;
  const events = kubernetesEvents({ api, clock, observations, onDropped }, decisionLog);
  const copy = (): void => copyObjects(world, double);
  const ports: Ports = {
    ...world.ports,
    ...replaced,
    cluster: {
      ...world.ports.cluster,
      ...replaced.cluster,
      async observe(options) {
        copy();
        await cluster.observe(options);
        return world.ports.cluster.observe(options);
      },
      ...(observeClaim && {
        async observeClaim(query) {
          copy();
          await observeClaim(query);
          return world.ports.cluster.observe();
        },
      }),
    },
    decisionLog: {
      ...events,
      async recordEvent(event) {
        copy();
        await events.recordEvent(event);
      },
    },
  };
  return {
    ports,
    async handle(hint) {
      await dispatch(ports, hint);
      cluster.suspend?.();
    },
  };
}

/** Objects stay in the API server after they left the world: Events are also about objects that just ended. */
function copyObjects({ objects, claimObjects }: FakeWorld, double: ApiDouble): void {
  const put = (collection: string, object: RawObject): void => {
    const { namespace, name } = object.metadata;
    const isThere = double.table
      .list(collection)
      .some(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    if (!isThere) double.put(collection, object);
  };
  for (const { name, uid, namespace, annotations, nodeName } of objects.pods) {
    const metadata = { uid, namespace, annotations };
    put(
      COLLECTIONS.pods,
      nodeName === undefined ? aLivePod({ name, metadata }) : aLiveRunningPod({ name, metadata, spec: { nodeName } }),
    );
  }
  for (const { name, uid } of objects.nodes) put(COLLECTIONS.nodes, aLiveNode({ name, metadata: { uid } }));
  for (const { name, uid } of objects.pools) put(COLLECTIONS.pools, aLivePool({ name, metadata: { uid } }));
  // Claims of these worlds have their Node's name.
  for (const { name, uid } of claimObjects.values()) {
    put(COLLECTIONS.claims, aLiveNodeClaim({ name, metadata: { uid }, status: { nodeName: name } }));
  }
}
