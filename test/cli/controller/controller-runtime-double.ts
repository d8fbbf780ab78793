import { onTestFinished } from 'vitest';
import type { ControllerRuntime } from '../../../cli/controller/controller-runtime.ts';
import { memoryRecords } from '../../../cli/controller/memory-records.ts';
import type { ReadingRuntime } from '../../../cli/live/observe-live-cluster.ts';
import type { Log, LogLine } from '../../../shared/aws/log.ts';
import { watchedKubernetesCluster } from '../../../shared/kubernetes/kubernetes-cluster.ts';
import { kubernetesOwnership } from '../../../shared/kubernetes/kubernetes-ownership.ts';
import type { Clock } from '../../../shared/ports/ports.ts';
import { aFakeWorld, type FakeWorld } from '../../controllers/support/fake-ports.ts';
import { type ApiDouble, startApiDouble } from '../../kubernetes/support/api-double.ts';
import { connect } from '../../kubernetes/support/connect.ts';
import { aLiveNamespace, aLiveNodeClass, aLivePool, COLLECTIONS } from '../../kubernetes/support/live-objects.ts';

/** A cluster that several controller runtimes share, each with a view of its own. */
export interface ControllerRuntimeDouble {
  readonly double: ApiDouble;
  readonly world: FakeWorld;
  /** The runtime of a process with that name; all share the same records, unless it has its own. */
  runtime(
    process: string,
    own?: ReturnType<typeof memoryRecords>,
  ): Pick<ControllerRuntime, 'ports' | 'view'> & ReadingRuntime;
}

export const clock: Clock = { now: () => Date.now() };

/** One ready pool, one namespace, and an EC2 in memory that always has capacity. */
export async function aControllerRuntimeDouble(): Promise<ControllerRuntimeDouble> {
  const double = await startApiDouble();
  onTestFinished(double.close);
  double.put(COLLECTIONS.namespaces, aLiveNamespace());
  double.put(COLLECTIONS.nodeClasses, aLiveNodeClass());
  double.put(COLLECTIONS.pools, aLivePool({ status: { conditions: [READY] } }));
  const world = aFakeWorld();
  const records = memoryRecords();

  return {
    double,
    world,
    runtime(process, own = records) {
      const { api } = connect(double);
      const { subscribe, close, ...cluster } = watchedKubernetesCluster({ api, clock });
      onTestFinished(close);
      const self = { stack: 'table', mode: 'controller', process } as const;
      return {
        view: { subscribe, close },
        reached: { api },
        ports: {
          clock,
          ...own,
          cluster,
          cloud: world.ports.cloud,
          decisionLog: world.ports.decisionLog,
          ownership: kubernetesOwnership({ api, clock, self }),
        },
      };
    },
  };
}

const READY = { type: 'Ready', status: 'True' };

/** A log whose lines the test reads. */
export function aLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { lines, log: (line) => lines.push(line) };
}
