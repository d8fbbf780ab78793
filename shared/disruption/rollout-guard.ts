import type { NodeClassState } from '../model/drift.ts';
import type { Labels } from '../model/labels.ts';
import type { NodeClaim } from '../model/node-claim.ts';
import type { Reason } from '../model/reasons.ts';
import { currentVersion, imageOf, launchedVersion } from './image-version.ts';
import type { Round } from './round.ts';
import { typeOfNode } from './type-of-node.ts';

/**
 * Why a node is not replaced yet by what its class makes now. The first node of a new image goes
 * alone; until it is ready the others stay, and if it does not get ready, they stay until there is
 * something else to try, or until a node that pods needed shows that it works after all.
 */
export function rolloutHold(claim: NodeClaim, round: Round): Reason | undefined {
  const { snapshot, index } = round.problem;
  const nodeClass = snapshot.nodeClasses?.find(({ name }) => name === claim.nodeClass.name);
  const { launch } = claim;
  if (!nodeClass || !launch) return undefined;
  const type = typeOfNode(claim, round.problem);
  const labels: Labels = type === undefined ? launch.labels : (index.types[type]?.labels ?? {});
  const version = currentVersion(nodeClass, labels);
  // What it is already needs no proof: it drifted for another cause.
  if (launchedVersion(launch) === version) return undefined;

  const image = imageOf(nodeClass, labels)?.id ?? 'no image';
  const { stopped } = nodeClass;
  if (stopped?.version === version) return rolloutStopped(nodeClass, image, stopped.why);
  if (isProven(version, nodeClass, snapshot.claims) || !isOnTrial(nodeClass, round)) {
    return undefined;
  }
  return { code: 'rollout-on-trial', fields: { nodeClass: nodeClass.name, image } };
}

const rolloutStopped = ({ name }: NodeClassState, image: string, why: string): Reason => ({
  code: 'rollout-stopped',
  fields: { nodeClass: name, image, why },
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
const isOnTrial = ({ name }: NodeClassState, { running }: Round): boolean =>
  running.some(
    ({ reason, replacements }) =>
      reason === 'Drifted' && replacements.some(({ claim }) => claim.nodeClass.name === name),
  );
