import { staticHash } from '../api/static-hash.ts';
import type { Workload } from '../model/pods/workload.ts';
import { MINUTE_MS } from '../model/time.ts';
import type { SimDecisionLog } from './accounting/sim-decision-log.ts';
import type { SimEc2 } from './cloud/ec2.ts';
import { isPoweredOn, type SimInstances } from './cloud/instances.ts';
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
      const instance = instances.get(providerId ?? '') ?? instances.list().find(({ claim }) => claim.name === node);
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
    loseZone(zone, forMs) {
      const lost = instances.list().filter((one) => isPoweredOn(one) && one.launch.zone === zone);
      shortages.exhaust({ zone }, clock.now() + forMs);
      const minutes = Math.round(forMs / MINUTE_MS);
      const nodes = `${lost.length} ${lost.length === 1 ? 'node' : 'nodes'}`;
      record(`took ${zone} down for ${minutes} min, and ${nodes} with it.`);
      for (const { providerId } of lost) ec2.reclaim(providerId);
    },
    changeTemplate(name, requirements) {
      const pool = api.pools.find((one) => one.name === name);
      if (!pool) throw new Error(`No NodePool ${name}`);
      if (requirements) {
        api.replacePool({ ...pool, requirements });
        record(`changed the requirements of NodePool ${name}.`);
        return;
      }
      const revision = `${Number(pool.annotations[REVISION_ANNOTATION] ?? 0) + 1}`;
      api.replacePool({
        ...pool,
        annotations: { ...pool.annotations, [REVISION_ANNOTATION]: revision },
        hash: staticHash({ earlier: pool.hash, revision }),
      });
      record(`changed the template of NodePool ${name}.`);
    },
  };
}

/** Part of the template, so that its nodes differ from those of the revision before. */
const REVISION_ANNOTATION = 'simulation.mortise.sh/revision';

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
