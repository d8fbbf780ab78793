import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { CONTROLLER_GROUP, DRAIN_GROUP } from '../../shared/kubernetes/setup/manifest.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { callAws } from '../cluster/aws-problems.ts';
import { callCluster } from '../cluster/kubernetes-problems.ts';
import type { ClusterChoice } from '../cluster/reach-cluster.ts';
import type { Invocation } from '../invocation.ts';
import { type ControllerRuntime, createControllerRuntime } from './controller-runtime.ts';

/** The user of the command does not drain: one of the runtimes of Mortise does. */
const DRAIN_GROUPS: readonly string[] = [DRAIN_GROUP, CONTROLLER_GROUP];

const clock: Clock = { now: () => Date.now() };

interface ReadingOptions {
  /** Changes how the cluster is read, for commands that accept gaps. */
  readonly wrapApi?: (api: KubernetesApi) => KubernetesApi;
}

/**
 * Connects to a live cluster for work that changes nothing, and ends the connection after it.
 *
 * @throws CliError - those of `createControllerRuntime`, `callAws` and `callCluster`
 */
export async function workOnLiveCluster<T>(
  choice: ClusterChoice,
  { io, progress }: Pick<Invocation, 'io' | 'progress'>,
  work: (runtime: ControllerRuntime) => Promise<T>,
  options: ReadingOptions = {},
): Promise<{ readonly cluster: string; readonly result: T }> {
  progress.report('reaching the cluster');
  const runtime = await createControllerRuntime(choice, {
    ...{ mode: 'controller', act: false, clock, log: () => {}, env: io.env },
    drainGroups: DRAIN_GROUPS,
    ...options,
  });
  const { where, server } = runtime.reached;
  progress.report(`reading ${server.cluster}`);
  try {
    const result = await callAws(`EC2 in ${server.region}`, () =>
      callCluster(where, () => work(runtime)),
    );
    return { cluster: server.cluster, result };
  } finally {
    runtime.view.close();
  }
}
