import { MINUTE_MS } from '../model/time.ts';
import type { Workload } from '../model/workload.ts';
import type { ApiServer } from './api-server.ts';
import { workloadKey } from './api-server.ts';
import type { SimEc2 } from './ec2.ts';
import type { Interruptions } from './interruptions.ts';
import type { SimJournal } from './journal.ts';
import type { Machines } from './machine-room.ts';
import type { OfferingFilter, Shortages } from './shortages.ts';
import type { Play, VirtualClock } from './world.ts';

export interface PlayParts {
  readonly clock: VirtualClock;
  readonly api: ApiServer;
  readonly ec2: SimEc2;
  readonly machines: Machines;
  readonly shortages: Shortages;
  readonly interruptions: Interruptions;
  readonly journal: SimJournal;
}

export function createPlay(parts: PlayParts, by: 'you' | 'demo'): Play {
  const { clock, api, ec2, machines, shortages, interruptions, journal } = parts;
  const who = by === 'you' ? 'You' : 'The demo';
  const say = (what: string): void =>
    journal.note({ kind: 'you', by, at: clock.now(), text: `${who} ${what}` });

  return {
    scale(ref, replicas) {
      const workload = api.workloads.get(workloadKey(ref));
      const before = workload && replicasOf(workload);
      if (!workload || before === undefined) throw new Error(`${workloadKey(ref)} has no scale`);
      api.workloads.put(workloadKey(ref), withReplicas(workload, replicas));
      say(`scaled ${ref.namespace}/${ref.name} from ${before} to ${replicas}.`);
    },
    interrupt(node, notice) {
      const providerId = api.nodes.get(node)?.providerId;
      const machine =
        machines.get(providerId ?? '') ?? machines.list().find(({ claim }) => claim.name === node);
      if (!machine) throw new Error(`No instance behind node ${node}`);
      say(`had EC2 ${VERB[notice]} ${machine.claim.name}.`);
      interruptions.notify(machine.providerId, notice);
    },
    runDry(offering, forMs) {
      shortages.runDry(offering, clock.now() + forMs);
      say(`ran ${nameOf(offering)} dry for ${Math.round(forMs / MINUTE_MS)} min.`);
    },
    multiplySpotPrices(factor) {
      ec2.multiplySpotPrices(factor);
      say(`multiplied spot prices by ${factor}.`);
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

const nameOf = ({ instanceType, capacityType, zone }: OfferingFilter): string => {
  const named = [instanceType, capacityType, zone].filter((part) => part !== undefined);
  return named.length === 0 ? 'every offering' : named.join(' ');
};
