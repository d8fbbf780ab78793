import { REGISTERED_LABEL } from '../../../shared/model/labels.ts';
import type { Node } from '../../../shared/model/nodes/node.ts';
import { type NodeClaim, phaseOf } from '../../../shared/model/nodes/node-claim.ts';
import { hasActiveDoNotDisrupt } from '../../../shared/model/pods/disruption-pods.ts';
import { podKey } from '../../../shared/model/pods/pod.ts';
import { isDaemon } from '../../../shared/model/pods/workload.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../../shared/model/requirements/taints.ts';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { Ports } from '../../../shared/ports/ports.ts';
import type { OpenWorld } from '../../../shared/simulation/create-world.ts';
import { isLive, type Surroundings } from '../cluster/surroundings.ts';

export interface RecoveryParts {
  readonly open: OpenWorld;
  readonly ports: Ports;
  readonly surroundings: Surroundings;
  readonly foreignNodes: ReadonlySet<string>;
  readonly hasCloudController: boolean;
}

/**
 * Lists what is not yet as it must be: pods that do not run, instances, Nodes and records without
 * each other, unfinished work. Empty if the cluster has recovered.
 */
export async function findUnrecovered(parts: RecoveryParts): Promise<readonly string[]> {
  return [
    ...(await listPendingWork(parts)),
    ...(await listMismatches(parts)),
    ...(await listUnfinishedRecords(parts)),
  ];
}

async function listPendingWork(parts: RecoveryParts): Promise<readonly string[]> {
  const { api, world } = parts.open;
  // Pods may wait for a price cap that allows no further node.
  if (await isCapReached(parts.ports)) return [];
  const pods = api.pods.list().filter((pod) => !isDaemon(pod));
  const notRunning = pods.filter(({ phase, ready }) => phase !== 'Running' || !ready);
  const missing = world.workloads().flatMap((workload) => {
    if (!('replicas' in workload)) return [];
    const { name, replicas, template } = workload;
    const count = pods.filter(({ labels }) => labels.app === template.labels.app).length;
    return count === replicas ? [] : [`${name} has ${count} of ${replicas} pods`];
  });
  return [...notRunning.map((pod) => `pod ${podKey(pod)} is ${pod.phase}`), ...missing];
}

/** The price of the one type in histories with a cap. */
const CAPPED_NODE_USD = 0.4;

async function isCapReached({ nodeClaims, launchCaps }: Ports): Promise<boolean> {
  if (!launchCaps) return false;
  const prices = (await nodeClaims.list()).map(({ claim }) => claim.launch?.hourlyUsd ?? 0);
  return prices.reduce((sum, price) => sum + price, 0) + CAPPED_NODE_USD > launchCaps.hourlyUsd;
}

async function listMismatches(parts: RecoveryParts): Promise<readonly string[]> {
  const { open, ports, surroundings, foreignNodes } = parts;
  const { api } = open;
  const claims = (await ports.nodeClaims.list()).map(({ claim }) => claim);
  const instances = open.instances
    .list()
    .filter(({ providerId }) => !surroundings.foreignInstances.has(providerId));
  const nodes = api.nodes
    .list()
    .filter((node) => !foreignNodes.has(node.name) && !isLeftToOthers(node, parts));
  const held = new Set(claims.map(({ launch }) => launch?.providerId));
  const live = new Set(instances.filter(isLive).map(({ providerId }) => providerId));
  const names = new Set(claims.map(({ name }) => name));
  const objects = new Set(api.nodeClaims.list().map(({ name }) => name));

  // A pod with do-not-disrupt keeps its node for as long as it runs, unless there is a deadline.
  const isCapped = await isCapReached(ports);
  const blocked = claims
    .filter((claim) => isBlockedByPod(claim, parts) || (isCapped && isBlockedByBudget(claim)))
    .map(({ name }) => name);
  const blockedNodes = claims.flatMap(({ name, nodeName }) =>
    blocked.includes(name) ? (nodeName ?? []) : [],
  );

  return [
    ...instances
      .filter(({ providerId }) => !held.has(providerId))
      .map(({ providerId }) => `instance ${providerId} has no claim`),
    ...claims
      .filter((claim) => phaseOf(claim) !== 'initialized' && !blocked.includes(claim.name))
      .map((claim) => `claim ${claim.name} is ${phaseOf(claim)}`),
    ...claims
      .filter(({ launch }) => !live.has(launch?.providerId ?? ''))
      .map(({ name }) => `claim ${name} has no instance`),
    ...claims
      .filter(({ name }) => !objects.has(name))
      .map(({ name }) => `claim ${name} is not shown`),
    ...[...objects]
      .filter((name) => !names.has(name))
      .map((name) => `NodeClaim ${name} is left over`),
    ...nodes
      .filter(({ providerId, ready }) => !ready || !held.has(providerId))
      .map(({ name, ready }) => `node ${name} ${ready ? 'has no claim' : 'is not ready'}`),
    ...nodes
      .filter(({ name, deletionAt }) => deletionAt !== undefined && !blockedNodes.includes(name))
      .map(({ name }) => `node ${name} is being deleted`),
    ...nodes
      .filter(({ taints }) => taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)))
      .filter(({ name }) => !blockedNodes.includes(name))
      .map(({ name }) => `node ${name} is tainted`),
    ...[...surroundings.otherClaims.keys()].map((name) => `NodeClaim ${name} is not adopted`),
  ];
}

/** A Node that never joined has no finalizer of ours: the cloud controller removes it. */
const isLeftToOthers = ({ labels, ready }: Node, { hasCloudController }: RecoveryParts): boolean =>
  !hasCloudController && !ready && labels[REGISTERED_LABEL] !== 'true';

function isBlockedByPod(claim: NodeClaim, { open }: RecoveryParts): boolean {
  const { nodeName = '', deletingAt, drainDeadline } = claim;
  if (deletingAt === undefined || drainDeadline !== undefined) return false;
  return [...open.api.pods.onNode(nodeName).values()].some((pod) =>
    hasActiveDoNotDisrupt(pod, open.world.clock.now()),
  );
}

/** The budget opens when the pods that wait for the price cap run. */
const isBlockedByBudget = ({ deletingAt, heldUpBy }: NodeClaim): boolean =>
  deletingAt !== undefined && Object.keys(heldUpBy ?? {}).length > 0;

const MAX_COMMAND_MS = 11 * MINUTE_MS;

async function listUnfinishedRecords({ open, ports }: RecoveryParts): Promise<readonly string[]> {
  const now = open.world.clock.now();
  const commands = await ports.commands.list();
  const launches = (await ports.launches.list()).map(({ record }) => record);
  const { open: commit } = await ports.commits.latest();
  const unexplained = Object.keys((await ports.sweepState.read())?.unexplained ?? {});
  return [
    ...commands
      .filter(({ decidedAt }) => now - decidedAt > MAX_COMMAND_MS)
      .map(({ id }) => `command ${id} is not finished`),
    ...launches
      .filter(({ closedAt }) => closedAt === undefined)
      .map(({ id }) => `launch ${id} is not closed`),
    ...(commit ? [`commit ${commit.id} is open`] : []),
    ...unexplained.map((providerId) => `instance ${providerId} is unexplained`),
  ];
}
