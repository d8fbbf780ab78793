import type { Reason } from '../../model/explanations/reasons.ts';
import type { Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { findTypeLabels } from '../../scheduling/simulate-removal.ts';
import type { DisruptionInput } from '../candidates.ts';
import { computeCurrentVersion, findNodeImage, versionOfLaunch } from './image-version.ts';
import { computeTrust, computeVersionHealth, type VersionHealth } from './version-health.ts';

/** @param running - commands under way, with those that this decision has begun already */
export type RolloutGuard = (
  claim: NodeClaim,
  running: readonly DisruptionCommand[],
) => Reason | undefined;

/**
 * Says why a node is not replaced yet by what its class makes now. The first node of a new image goes
 * alone; until it is ready the others stay, and if it does not get ready, they stay until there is
 * something else to try, or until a node that pods needed shows that it works after all. They stay as
 * well while nodes of the image are ready no longer, more of them than chance explains.
 */
export function createRolloutGuard({ problem }: Pick<DisruptionInput, 'problem'>): RolloutGuard {
  const { snapshot } = problem;
  const classes = new Map(snapshot.nodeClasses?.map((one) => [one.name, one]));
  const healths = new Map<string, (version: string) => VersionHealth>();

  function findHealth(nodeClass: NodeClassState, version: string): VersionHealth {
    const { name } = nodeClass;
    const healthByVersion = getOrCreate(healths, name, () =>
      computeVersionHealth(nodeClass, snapshot.claims, snapshot.nodes),
    );
    return healthByVersion(version);
  }

  return (claim, running) => {
    const nodeClass = classes.get(claim.nodeClass.name);
    const { launch } = claim;
    if (!nodeClass || !launch) return undefined;
    const labels: Labels = findTypeLabels(claim, problem) ?? launch.labels;
    const version = computeCurrentVersion(nodeClass, labels);
    // What it is already needs no proof: it drifted for another cause.
    if (versionOfLaunch(launch) === version) return undefined;

    const fields = {
      nodeClass: nodeClass.name,
      image: findNodeImage(nodeClass, labels)?.id ?? 'no image',
    };
    const { stopped } = nodeClass;
    if (stopped?.version === version) {
      return { code: 'rollout-stopped', fields: { ...fields, why: stopped.why } };
    }
    const health = findHealth(nodeClass, version);
    const trust = computeTrust(health);
    if (trust === 'shaken') {
      return { code: 'rollout-shaken', fields: { ...fields, ...buildHealthFields(health) } };
    }
    if (trust === 'trusted' || !isBeingProven(nodeClass, running)) return undefined;
    return { code: 'rollout-on-trial', fields };
  };
}

const buildHealthFields = ({ ready, lost }: VersionHealth) => ({
  lost: `${lost.length}`,
  nodes: `${ready.length + lost.length}`,
});

/** Some node that was made from it got ready, and is not on its way out. */
export const isProven = (
  version: string,
  { name }: Pick<NodeClassState, 'name'>,
  claims: readonly NodeClaim[],
): boolean =>
  claims.some(
    ({ launch, nodeClass, initializedAt, deletingAt }) =>
      nodeClass.name === name &&
      initializedAt !== undefined &&
      deletingAt === undefined &&
      launch !== undefined &&
      versionOfLaunch(launch) === version,
  );

/** A command waits for a node of the class. */
const isBeingProven = ({ name }: NodeClassState, running: readonly DisruptionCommand[]): boolean =>
  running.some(
    ({ reason, replacements }) =>
      reason === 'Drifted' && replacements.some(({ claim }) => claim.nodeClass.name === name),
  );
