import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planDisruption } from '../../shared/disruption/plan-disruption.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import { DISRUPTED_TAINT, isSameTaint } from '../../shared/model/requirements/taints.ts';
import { planProvisioning } from '../../shared/scheduling/plan-provisioning.ts';
import { anyCluster } from '../scheduling/support/any-cluster.ts';
import { carryOut } from '../scheduling/support/provision.ts';
import { applyCommands } from '../support/apply-command.ts';
import { checkCommand } from '../vectors/check-command.ts';
import { willing } from './fleet.ts';

const RUNS = { numRuns: 40 };
/** Far more moves than these clusters have nodes. */
const MOVES = 60;

/** Every node may be disrupted, and every pod that fits runs. */
const anyRunningCluster = anyCluster({ limited: false }).map((cluster) => {
  const { disruption } = willing({});
  const eager = { ...cluster, pools: cluster.pools.map((pool) => ({ ...pool, disruption })) };
  const provisioned = carryOut(eager, planProvisioning(eager, 'settle'));
  return {
    ...provisioned,
    pods: provisioned.pods.filter(({ nodeName }) => nodeName !== undefined),
  };
});

const billUsd = ({ claims }: ClusterSnapshot): number =>
  claims.reduce((total, { launch }) => total + (launch?.hourlyUsd ?? 0), 0);

/** Applies commands until none is left; yields the cost before and after. */
function* applyAllCommands(start: ClusterSnapshot) {
  let snapshot = start;
  for (let move = 0; move < MOVES; move++) {
    const { command } = planDisruption(snapshot, [], `move-${move}`);
    if (!command) return;
    const after = applyCommands(snapshot, [command]);
    yield { snapshot, command, after };
    snapshot = after;
  }
  throw new Error(`no end after ${MOVES} moves`);
}

/** Claims that are neither starting nor ending. */
const listSteadyClaims = ({ claims, nodes }: ClusterSnapshot): string[] =>
  claims
    .filter(({ initializedAt, deletingAt, launch }) => {
      const node = nodes.find(({ providerId }) => providerId === launch?.providerId);
      const isLeaving = node?.taints.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)) ?? true;
      return initializedAt !== undefined && deletingAt === undefined && node?.deletionAt === undefined && !isLeaving;
    })
    .map(({ name }) => name);

describe('repeated consolidation of any cluster', () => {
  it('gives every pod of a removed node a valid place', () => {
    fc.assert(
      fc.property(anyRunningCluster, (cluster) => {
        for (const { snapshot, command } of applyAllCommands(cluster)) {
          expect(checkCommand(snapshot, command)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  it('reduces the cost with every move by the stated amount, and terminates', () => {
    fc.assert(
      fc.property(anyRunningCluster, (cluster) => {
        for (const { snapshot, command, after } of applyAllCommands(cluster)) {
          expect(billUsd(after)).toBeLessThan(billUsd(snapshot));
          expect(billUsd(snapshot) - billUsd(after)).toBeCloseTo(command.savingHourlyUsd);
        }
      }),
      RUNS,
    );
  });

  it('decides the same for an equal snapshot', () => {
    fc.assert(
      fc.property(anyRunningCluster, (cluster) => {
        const once = planDisruption(structuredClone(cluster), [], 'move-1');

        expect(planDisruption(cluster, [], 'move-1')).toEqual(once);
      }),
      RUNS,
    );
  });

  it('gives every node a reason to stay once no move is left', () => {
    fc.assert(
      fc.property(anyRunningCluster, (cluster) => {
        const rest = [...applyAllCommands(cluster)].at(-1)?.after ?? cluster;
        const { command, verdicts } = planDisruption(rest, [], 'move-1');

        expect(command).toBeUndefined();
        expect(verdicts.map(({ claim }) => claim).toSorted()).toEqual(listSteadyClaims(rest).toSorted());
      }),
      RUNS,
    );
  });

  it('never removes more nodes at once than the budgets allow', () => {
    fc.assert(
      fc.property(anyRunningCluster, fc.integer({ min: 0, max: 3 }), (cluster, nodes) => {
        const { disruption } = willing({ budgets: [{ nodes: `${nodes}` }] });
        const pools = cluster.pools.map((pool) => ({ ...pool, disruption }));
        const { command } = planDisruption({ ...cluster, pools }, [], 'move-1');
        const taken = Map.groupBy(
          command?.candidates ?? [],
          (name) => cluster.claims.find((claim) => claim.name === name)?.pool,
        );

        for (const [, names] of taken) expect(names.length).toBeLessThanOrEqual(nodes);
      }),
      RUNS,
    );
  });
});
