import { NODES, PODS } from '../../shared/kubernetes/client/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { createPartialApi, type PartialApi, type ReadGap } from '../../shared/kubernetes/client/partial-api.ts';
import { CONTROLLER_GROUP, DRAIN_GROUP } from '../../shared/kubernetes/setup/manifest.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { callAws } from '../cluster/aws-problems.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import { describeGaps } from '../cluster/read-gaps.ts';
import { type ControllerRuntime, createControllerRuntime } from '../controller/controller-runtime.ts';
import type { Invocation } from '../invocation.ts';

/** The user of the command does not drain: one of the runtimes of Mortise does. */
const DRAIN_GROUPS: readonly string[] = [DRAIN_GROUP, CONTROLLER_GROUP];

const clock: Clock = { now: () => Date.now() };

/** Without pods and nodes, no decision says anything about a cluster. */
const NEEDED_KINDS: ReadonlySet<string> = new Set([PODS.name, NODES.name]);

interface LiveWork<T> {
  readonly cluster: string;
  /** A sentence for kinds that may not be read: it says what is unknown because of it. */
  readonly gaps: readonly string[];
  readonly result: T;
}

/**
 * Connects to a live cluster for work that changes nothing, and ends the connection after it. A kind
 * without a CRD or without rights counts as empty: also a cluster without NodePools can be read.
 *
 * @throws CliError - those of `createControllerRuntime`, `callAws` and `callCluster`
 */
export async function workOnLiveCluster<T>(
  choice: ClusterChoice,
  { io, progress }: Pick<Invocation, 'io' | 'progress'>,
  work: (runtime: ControllerRuntime) => Promise<T>,
): Promise<LiveWork<T>> {
  let gaps: PartialApi['gaps'] = () => [];
  const wrapApi = (api: KubernetesApi): KubernetesApi => {
    const partial = createPartialApi(api, NEEDED_KINDS);
    ({ gaps } = partial);
    return partial.api;
  };
  progress.report('reaching the cluster');
  const runtime = await createControllerRuntime(choice, {
    ...{ mode: 'controller', act: false, clock, log: () => {}, env: io.env },
    drainGroups: DRAIN_GROUPS,
    wrapApi,
  });
  const { where, server } = runtime.reached;
  progress.report(`reading ${server.cluster}`);
  try {
    const result = await callAws(`EC2 in ${server.region}`, () => callCluster(where, () => work(runtime)));
    return { cluster: server.cluster, gaps: describeGaps(gaps().filter(isForbidden)), result };
  } finally {
    runtime.view.close();
  }
}

/** A kind without a CRD lacks nothing. */
const isForbidden = ({ cause }: ReadGap): boolean => cause === 'forbidden';
