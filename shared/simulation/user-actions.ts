import type { Workload } from '../model/pods/workload.ts';
import { MINUTE_MS } from '../model/time.ts';
import type { SimDecisionLog } from './accounting/sim-decision-log.ts';
import type { SimEc2 } from './cloud/ec2.ts';
import type { SimInstances } from './cloud/instances.ts';
import type { Interruptions } from './cloud/interruptions.ts';
import type { OfferingFilter, Shortages } from './cloud/shortages.ts';
import type { ApiServer } from './control-plane/api-server.ts';
import { workloadKey } from './control-plane/api-server.ts';
import type { UserActions, VirtualClock } from './world.ts';

export interface UserActionsParts {
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly ec2: SimEc2;
  readonly instances: SimInstances;
  readonly shortages: Shortages;
  readonly interruptions: Interruptions;
  readonly eventRecorder: SimDecisionLog;
}

export function createUserActions(parts: UserActionsParts, by: 'you' | 'demo'): UserActions {
  const { clock, api, ec2, instances, shortages, interruptions, eventRecorder } = parts;
  const actor = by === 'you' ? 'You' : 'The demo';
  const record = (what: string): void =>
    eventRecorder.addEvent({ kind: 'you', by, at: clock.now(), text: `${actor} ${what}` });

  return {
    scale(ref, replicas) {
      const workload = api.workloads.get(workloadKey(ref));
      const before = workload && replicasOf(workload);
      if (!workload || before === undefined) throw new Error(`${workloadKey(ref)} has no scale`);
      api.workloads.put(workloadKey(ref), withReplicas(workload, replicas));
      record(`scaled ${ref.namespace}/${ref.name} from ${before} to ${replicas}.`);
    },
    interrupt(node, notice) {
      const providerId = api.nodes.get(node)?.providerId;
      const instance =
        instances.get(providerId ?? '') ??
        instances.list().find(({ claim }) => claim.name === node);
      if (!instance) throw new Error(`No instance behind node ${node}`);
      record(`had EC2 ${VERB[notice]} ${instance.claim.name}.`);
      interruptions.notify(instance.providerId, notice);
    },
    exhaustCapacity(offering, forMs) {
      shortages.exhaust(offering, clock.now() + forMs);
      record(`ran ${describeOffering(offering)} dry for ${Math.round(forMs / MINUTE_MS)} min.`);
    },
    multiplySpotPrices(factor) {
      ec2.multiplySpotPrices(factor);
      record(`multiplied spot prices by ${factor}.`);
    },
  };
}

const VERB = {
  'spot-interruption': 'take back',
  'rebalance-recommendation': 'advise to leave',
} as const;

const replicasOf = (workload: Workload): number | undefined => {
  switch (workload.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return workload.replicas;
    case 'Job':
      return workload.parallelism;
    case 'DaemonSet':
      return undefined;
  }
};

function withReplicas(workload: Workload, replicas: number): Workload {
  switch (workload.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return { ...workload, replicas };
    case 'Job':
      return { ...workload, parallelism: replicas };
    case 'DaemonSet':
      return workload;
  }
}

const describeOffering = ({ instanceType, capacityType, zone }: OfferingFilter): string => {
  const named = [instanceType, capacityType, zone].filter((part) => part !== undefined);
  return named.length === 0 ? 'every offering' : named.join(' ');
};
