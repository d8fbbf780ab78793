import { setTimeout as sleep } from 'node:timers/promises';
import { LAB_VERSION, minorOf } from '../lab/kubernetes/control-plane-binary.ts';
import type { Scenario } from '../scenario.ts';
import { answersAfterwards } from './after-the-fact.ts';
import { autoMode } from './auto-mode.ts';
import { deadline } from './deadline.ts';
import { deletedCluster } from './deleted-cluster.ts';
import { failedFirst, privateNetwork } from './deployments.ts';
import { eksUpgrade, UPGRADED_TO } from './eks-upgrade.ts';
import { deployChecks } from './first-hour/deploy-checks.ts';
import { firstLaunch } from './first-hour/try-launch.ts';
import { badEndpoints, hookConditions } from './hooks.ts';
import { rebalance, spotInterruption } from './interruption.ts';
import { join } from './join.ts';
import { karpenterDies } from './karpenter-dies.ts';
import { lostAnswer, shortage, throttling } from './launch-failures.ts';
import { destroyAlone, uninstallThenDestroy } from './leaving.ts';
import { NODE_SITUATIONS } from './on-call/nodes.ts';
import { WAITING_PODS } from './on-call/waiting-pods.ts';
import { apiServerDown, hookRefused, hookSwallows, redelivery } from './outage.ts';
import { handOver, karpenterAlive } from './ownership.ts';
import { reboot } from './reboot.ts';
import { recordReplays } from './record.ts';
import { deleteNode, deleteNodeClaim, scaleDown } from './removal.ts';
import { restartOnDrain, restartOnDrift } from './restart.ts';
import { rollout } from './rollout.ts';
import { burst, zeroToHundred } from './scale-up.ts';
import { serviceLimits } from './service-limits.ts';
import { setUpWithoutAdministrator } from './set-up.ts';
import { singlePod } from './single-pod.ts';
import { newNodeClass, slowEc2 } from './slow-aws.ts';
import { tableEmptied, tableSetBack } from './table.ts';
import { updateAndRollBack } from './update.ts';

const IDLE_MINUTES = 2;

/**
 * Measures what the stack uses while nothing happens (sweeps, disruption checks), for the cost
 * model.
 */
const idle: Scenario = {
  name: 'nothing happens',
  id: 'idle',
  async run() {
    await sleep(IDLE_MINUTES * 60_000);
    return { minutes: IDLE_MINUTES };
  },
};

/**
 * The groups run one after the other. The scenarios of one group run in parallel and do not affect
 * each other.
 */
export const GROUPS: readonly (readonly Scenario[])[] = [
  // Measurements: nothing else may run.
  [idle],
  [singlePod],
  [join],
  [zeroToHundred],
  [burst],
  [spotInterruption, rebalance, scaleDown, deleteNodeClaim, deleteNode, deadline],
  [restartOnDrain, restartOnDrift],
  [rollout],
  // Each measures how fast a cause is told.
  ...[...WAITING_PODS, ...NODE_SITUATIONS].map((scenario) => [scenario]),
  // This counts all launches.
  [autoMode],
  // Each of these lets EC2 fail for all requests.
  [shortage],
  [throttling],
  [lostAnswer],
  [redelivery],
  // This describes the account as broken.
  [deployChecks],
  [firstLaunch],
  [setUpWithoutAdministrator],
  [serviceLimits],
  // Each of these switches delays of AWS on for all requests.
  [newNodeClass],
  [slowEc2],
  // These count all webhook calls.
  [hookConditions],
  [badEndpoints],
  // Each of these stops a component that all scenarios use.
  [apiServerDown],
  [hookRefused],
  [karpenterAlive],
  [karpenterDies],
  [handOver],
  // This replaces all functions.
  [updateAndRollBack],
  // This deploys the functions with other gates, and waits for 10 minutes.
  [reboot],
  // This removes the webhooks until the next deployment.
  [hookSwallows],
  [answersAfterwards],
  // This reads what all scenarios before it have recorded.
  [recordReplays],
  // The control plane stays at the version to which this moves it.
  ...(minorOf(LAB_VERSION) + 1 === minorOf(UPGRADED_TO) ? [[eksUpgrade]] : []),
  // This also deletes the records about the webhooks.
  [tableEmptied],
  [tableSetBack],
  // This ends all instances of the cluster.
  [deletedCluster],
  // Each of these replaces or removes the stack. This one compares the account with its beginning.
  [uninstallThenDestroy],
  [failedFirst],
  [privateNetwork],
  // This leaves the node role of a stack behind.
  [destroyAlone],
];
