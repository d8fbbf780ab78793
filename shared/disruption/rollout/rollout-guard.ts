import type { Reason } from '../../model/explanations/reasons.ts';
import type { Labels } from '../../model/labels.ts';
import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { findTypeLabels } from '../../scheduling/simulate-removal.ts';
import type { Round } from '../candidates.ts';
import { currentVersion, imageOf, launchedVersion } from './image-version.ts';
import { healthOfVersions, trustIn, type VersionHealth } from './version-health.ts';

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
export function rolloutGuard({ problem }: Pick<Round, 'problem'>): RolloutGuard {
  const { snapshot } = problem;
  const classes = new Map(snapshot.nodeClasses?.map((one) => [one.name, one]));
  const healths = new Map<string, (version: string) => VersionHealth>();

  function healthOf(nodeClass: NodeClassState, version: string): VersionHealth {
    const { name } = nodeClass;
    const known = healths.get(name) ?? healthOfVersions(nodeClass, snapshot.claims, snapshot.nodes);
    healths.set(name, known);
    return known(version);
  }

  return (claim, running) => {
    const nodeClass = classes.get(claim.nodeClass.name);
    const { launch } = claim;
    if (!nodeClass || !launch) return undefined;
    const labels: Labels = findTypeLabels(claim, problem) ?? launch.labels;
    const version = currentVersion(nodeClass, labels);
    // What it is already needs no proof: it drifted for another cause.
    if (launchedVersion(launch) === version) return undefined;

    const fields = {
      nodeClass: nodeClass.name,
      image: imageOf(nodeClass, labels)?.id ?? 'no image',
    };
    const { stopped } = nodeClass;
    if (stopped?.version === version) {
      return { code: 'rollout-stopped', fields: { ...fields, why: stopped.why } };
    }
    const health = healthOf(nodeClass, version);
    const trust = trustIn(health);
    if (trust === 'shaken') {
      return { code: 'rollout-shaken', fields: { ...fields, ...shakenFields(health) } };
    }
    if (trust === 'trusted' || !isOnTrial(nodeClass, running)) return undefined;
    return { code: 'rollout-on-trial', fields };
  };
}

const shakenFields = ({ ready, lost }: VersionHealth) => ({
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
      launchedVersion(launch) === version,
  );

/** A command waits for a node of the class. */
const isOnTrial = ({ name }: NodeClassState, running: readonly DisruptionCommand[]): boolean =>
  running.some(
    ({ reason, replacements }) =>
      reason === 'Drifted' && replacements.some(({ claim }) => claim.nodeClass.name === name),
  );
