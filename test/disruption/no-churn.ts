import fc from 'fast-check';
import { expect } from 'vitest';
import { decideDisruption } from '../../shared/controllers/disruption/decide-disruption.ts';
import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { REPLACED_TYPES_ANNOTATION } from '../../shared/model/labels.ts';
import type { DisruptionCommand } from '../../shared/model/plans.ts';
import { toLabelRequirements } from '../../shared/model/requirements/requirements.ts';
import { DEFAULT_SETTINGS } from '../../shared/model/settings.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { runsOnNode } from '../../shared/scheduling/instance-types/daemon-overhead.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { anyCluster } from '../scheduling/support/any-cluster.ts';
import { carryOut } from '../scheduling/support/provision.ts';
import { applyCommands } from '../support/apply-command.ts';
import { aRunningPod } from '../support/builders.ts';
import { checkCommand } from '../vectors/check-command.ts';
import { willing } from './fleet.ts';

/** Far more decisions than these clusters have nodes. */
const MAX_DECISIONS = 60;
/** Long after every node has paid back, and every pod has been up for long. */
const LATER_MS = [MINUTE_MS, HOUR_MS, 72 * HOUR_MS];

/** A running cluster, and how the prices of its types change later. */
export interface ChurnCase {
  readonly cluster: ClusterSnapshot;
  /** Factors, by the position of the offering. */
  readonly factors: readonly number[];
}

/** Every node may be disrupted, every pod that fits runs, and a part of the pods has gone. */
export const anyChurnCase: fc.Arbitrary<ChurnCase> = fc
  .record({
    cluster: anyCluster({ limited: false }),
    kept: fc.integer({ min: 2, max: 10 }),
    consolidationPaybackMs: fc.constantFrom<number | 'Any'>('Any', HOUR_MS, 24 * HOUR_MS),
    /** Two hours contain the launches of the cluster. */
    growthWindowMs: fc.constantFrom(0, 2 * HOUR_MS),
    factors: fc.array(fc.constantFrom(0.5, 0.8, 1, 1.3, 2), { minLength: 7, maxLength: 7 }),
  })
  .map(({ cluster, kept, consolidationPaybackMs, growthWindowMs, factors }) => {
    const { disruption } = willing({});
    const settings = {
      ...DEFAULT_SETTINGS,
      ...cluster.settings,
      consolidationPaybackMs,
      growthWindowMs,
    };
    const pools = cluster.pools.map((pool) => ({ ...pool, disruption }));
    const eager = { ...cluster, pools, settings };
    const running = carryOut(eager, planProvisioning(eager, 'start'));
    const pods = running.pods.filter(({ nodeName }, index) => nodeName !== undefined && index % 10 < kept);
    const cooled = withDaemonPods({ ...running, pods });
    return { cluster: { ...cooled, takenAt: running.takenAt + HOUR_MS }, factors };
  });

/** Adds the missing pods of DaemonSets: without them, nodes would seem to have lost a part of their pods. */
function withDaemonPods(snapshot: ClusterSnapshot): ClusterSnapshot {
  const { nodes, daemonSets, pods } = snapshot;
  const names = new Set(pods.map(({ name }) => name));
  const added = nodes.flatMap((node) =>
    daemonSets
      .filter((one) => runsOnNode(one.template, toLabelRequirements(node.labels), node.taints))
      .map(({ namespace, name, template }) =>
        aRunningPod(node.name, {
          namespace,
          name: `${name}-${node.name}`,
          ...template,
          owner: { kind: 'DaemonSet', name, uid: `ds-${name}` },
        }),
      )
      .filter(({ name }) => !names.has(name)),
  );
  return added.length === 0 ? snapshot : { ...snapshot, pods: [...pods, ...added] };
}

const billUsd = ({ claims, offerings }: ClusterSnapshot): number =>
  claims.reduce((total, { launch }) => {
    const offering = offerings.find(
      ({ instanceType, zone, capacityType }) =>
        instanceType === launch?.instanceType && zone === launch.zone && capacityType === launch.capacityType,
    );
    return total + (offering?.hourlyUsd ?? launch?.hourlyUsd ?? 0);
  }, 0);

/** Decides and applies until nothing is left; checks each command on the way. */
function moveUntilSteady(start: ClusterSnapshot, at: EpochMs): ClusterSnapshot {
  let snapshot: ClusterSnapshot = { ...start, takenAt: at };
  for (let decision = 0; decision < MAX_DECISIONS; decision++) {
    const { command, more = [] } = planDisruption(snapshot, [], `move-${at}-${decision}`);
    if (!command) return snapshot;
    for (const one of [command, ...more]) snapshot = applyChecked(snapshot, one);
  }
  throw new Error(`no end after ${MAX_DECISIONS} decisions`);
}

/** Every step leaves the cluster valid and cheaper, and no node becomes what it was before. */
function applyChecked(snapshot: ClusterSnapshot, command: DisruptionCommand): ClusterSnapshot {
  expect(checkCommand(snapshot, command)).toEqual([]);
  const replaced = snapshot.claims
    .filter(({ name }) => command.candidates.includes(name))
    .flatMap(({ annotations }) => (annotations[REPLACED_TYPES_ANNOTATION] ?? '').split(','));
  const launched = command.replacements.flatMap(({ claim }) => claim.instanceTypes);
  expect(launched.filter((type) => replaced.includes(type))).toEqual([]);
  const after = withDaemonPods(applyCommands(snapshot, [command]));
  expect(billUsd(after)).toBeLessThan(billUsd(snapshot));
  return after;
}

/** While nothing changes, a validation finds the proposed move again: else the same move is proposed for ever. */
export function checkValidation({ cluster }: ChurnCase): void {
  const { command: proposal } = planDisruption(cluster, [], 'proposal');
  if (!proposal) return;
  const input = { kind: 'disruption', snapshot: cluster, running: [], proposal } as const;
  const { command } = decideDisruption(input, 'proposal');
  expect(command?.candidates.toSorted()).toEqual(proposal.candidates.toSorted());
  expect(command?.replacements).toEqual(proposal.replacements);
}

/**
 * A steady state stays as it is once every node has paid back, however long nothing else changes;
 * and when prices change and change back, no node returns to what it was.
 */
export function checkSteadiness({ cluster, factors }: ChurnCase): void {
  const steady = LATER_MS.reduce(
    (snapshot, later) => moveUntilSteady(snapshot, snapshot.takenAt + later),
    moveUntilSteady(cluster, cluster.takenAt),
  );
  const later = { ...steady, takenAt: steady.takenAt + 72 * HOUR_MS };
  expect(planDisruption(later, [], 'again').command).toBeUndefined();

  const offerings = steady.offerings.map((offering, index) => ({
    ...offering,
    hourlyUsd: offering.hourlyUsd * (factors[index % factors.length] ?? 1),
  }));
  const changed = moveUntilSteady({ ...steady, offerings }, steady.takenAt + 72 * HOUR_MS);
  moveUntilSteady({ ...changed, offerings: steady.offerings }, changed.takenAt + 72 * HOUR_MS);
}
