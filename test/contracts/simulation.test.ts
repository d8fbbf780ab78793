import { memoryZonalShifts } from '../../shared/memory/capacity-records.ts';
import { memoryClusterIdentities, memoryClusterSightings } from '../../shared/memory/cluster-records.ts';
import { memoryOwnership, type OwnershipLeases } from '../../shared/memory/ownership.ts';
import { memoryNodeClasses } from '../../shared/memory/records.ts';
import { MINUTE_MS, SECOND_MS } from '../../shared/model/time.ts';
import type { Hint } from '../../shared/ports/work-queue.ts';
import { createSimDecisionLog } from '../../shared/simulation/accounting/sim-decision-log.ts';
import { createVirtualClock } from '../../shared/simulation/virtual-clock.ts';
import { createWorkQueue } from '../../shared/simulation/work-queue.ts';
import { aServedWorld, aWorld, NO_RANDOM_EVENTS, runFor } from '../simulation/support.ts';
import { aDeployment, aNodeClaim, aNodePool, aPodDisruptionBudget, NOON } from '../support/builders.ts';
import { memoryClusterRegistry } from '../support/memory-cluster-registry.ts';
import { memoryShiftSource } from '../support/memory-shift-source.ts';
import { cloudContract } from './cloud-contract.ts';
import { clusterContract } from './cluster-contract.ts';
import { clusterRegistryContract, clusterSightingsContract } from './cluster-registry-contract.ts';
import { commitsContract } from './commits-contract.ts';
import { decisionLogContract } from './decision-log-contract.ts';
import { launchesContract } from './launches-contract.ts';
import { learnedSizesContract } from './learned-sizes-contract.ts';
import {
  nominationsContract,
  poolBackoffsContract,
  registrationHealthsContract,
  rolloutsContract,
  sweepStateContract,
} from './learned-state-contract.ts';
import { leasesContract } from './leases-contract.ts';
import { commandsContract, nodeClaimsContract } from './node-claims-contract.ts';
import { nodeClassesContract } from './node-classes-contract.ts';
import { clusterIdentitiesContract, ownershipContract } from './ownership-contract.ts';
import { planningStateContract } from './planning-state-contract.ts';
import { shiftSourceContract } from './shift-source-contract.ts';
import { clockContract } from './telemetry-contract.ts';
import { unavailableOfferingsContract } from './unavailable-offerings-contract.ts';
import { wakeUpsContract, workQueueContract } from './work-queue-contract.ts';
import { zonalShiftsContract } from './zonal-shifts-contract.ts';

nodeClaimsContract('simulation', async () => aWorld().ports.nodeClaims);
commandsContract('simulation', async () => aWorld().ports.commands);
leasesContract('simulation', async () => aWorld().ports.leases);
launchesContract('simulation', async () => aWorld().ports.launches);
sweepStateContract('simulation', async () => aWorld().ports.sweepState);
planningStateContract('simulation', async () => aWorld().ports.planningState);
wakeUpsContract('simulation', async () => aWorld().ports.wakeUps);
registrationHealthsContract('simulation', async () => aWorld().ports.registrationHealths);
poolBackoffsContract('simulation', async () => aWorld().ports.poolBackoffs);
rolloutsContract('simulation', async () => aWorld().ports.rollouts);
clusterRegistryContract('simulation', async () => {
  const registry = memoryClusterRegistry();
  const identity = {
    arn: 'arn:aws:eks:eu-west-1:123456789012:cluster/demo',
    certificateAuthority: 'aa',
  };
  registry.answer({ outcome: 'found', identity });
  return {
    registry,
    ...identity,
    remove: () => registry.answer({ outcome: 'not-found' }),
    fail: () => registry.answer({ outcome: 'unknown', why: 'EKS does not answer' }),
  };
});
clusterSightingsContract('simulation', async () => memoryClusterSightings());
clusterIdentitiesContract('simulation', async () => memoryClusterIdentities());
commitsContract('simulation', async () => aWorld().ports.commits);
nodeClassesContract('simulation', async () => memoryNodeClasses());
nominationsContract('simulation', async () => aWorld().ports.nominations);
unavailableOfferingsContract('simulation', async () => aWorld().ports.unavailableOfferings);
learnedSizesContract('simulation', async () => aWorld().ports.learnedSizes);
zonalShiftsContract('simulation', async () => memoryZonalShifts());
shiftSourceContract('simulation', async () => {
  const source = memoryShiftSource();
  return {
    source,
    shift: source.shift,
    end: source.end,
    unregister: () => source.answer({ outcome: 'not-registered' }),
    fail: () => source.answer({ outcome: 'unknown', why: 'nobody answers' }),
  };
});

ownershipContract('simulation', async () => {
  const leases: OwnershipLeases = {};
  let now = NOON;
  return {
    of: (owner) => memoryOwnership({ now: () => now }, leases, owner),
    now: () => now,
    pass(ms) {
      now += ms;
    },
    karpenterRenews() {
      leases.karpenterRenewedAt = now;
    },
  };
});

clockContract('simulation', async () => {
  const world = aWorld();
  return { clock: world.clock, pass: () => runFor(world, SECOND_MS) };
});

decisionLogContract('simulation', async () => {
  const decisionLog = createSimDecisionLog(() => {});
  return {
    decisionLog,
    decisions: async () => decisionLog.decisions(),
    events: async () => decisionLog.events().map(({ event }) => event),
  };
});

workQueueContract('simulation', async () => {
  const clock = createVirtualClock(NOON);
  const queue = createWorkQueue(clock);
  let received: Hint[] = [];
  queue.consume(async (hint) => {
    received.push(hint);
  });
  return {
    queue,
    now: clock.now,
    async receiveFor(ms) {
      received = [];
      await clock.runUntil(clock.now() + ms);
      return received;
    },
  };
});

cloudContract('simulation', async () => {
  const pool = aNodePool();
  const world = aWorld({ pools: [pool] });
  world.userActions.exhaustCapacity({ instanceType: 'm7i.8xlarge' }, 60 * MINUTE_MS);
  return {
    cloud: world.ports.cloud,
    pool,
    claim: aNodeClaim({ instanceTypes: ['m7i.large', 'm7i.2xlarge'] }),
    impossible: aNodeClaim({ name: 'general-2', instanceTypes: ['m7i.8xlarge'] }),
    waitUntilVisible: () => runFor(world, MINUTE_MS),
  };
});

clusterContract('simulation', async (budget) => {
  const guards = budget === 'guarded' ? [aPodDisruptionBudget({ maxUnavailable: '1' })] : [];
  const world = aServedWorld(
    { workloads: [aDeployment({ replicas: 3 })], podDisruptionBudgets: guards },
    { options: { ...NO_RANDOM_EVENTS, mayRankPods: true } },
  );
  await runFor(world, 2 * MINUTE_MS);
  return { cluster: world.ports.cluster };
});
