import type { Reason } from '../../model/explanations/reasons.ts';
import type { Labels } from '../../model/labels.ts';
import { getOrCreate } from '../../model/memo.ts';
import type { NodeClassState } from '../../model/nodes/drift.ts';
import type { NodeClaim } from '../../model/nodes/node-claim.ts';
import type { DisruptionCommand } from '../../model/plans.ts';
import { findTypeLabels } from '../../scheduling/removal/node-usage-and-price.ts';
import type { DisruptionInput } from '../candidates.ts';
import { computeCurrentVersion, findNodeImage, versionOfLaunch } from './image-version.ts';
import { computeVersionHealth, computeVersionStatus, type VersionHealth } from './version-health.ts';

/**
 * Returns why a drifted node is not replaced yet; `undefined` if it may be replaced.
 *
 * @param running - commands in progress, including those that this decision has begun
 */
export type RolloutGuard = (claim: NodeClaim, running: readonly DisruptionCommand[]) => Reason | undefined;

/**
 * Creates the guard of one decision. The first node of a new
 * version is replaced alone, and the others wait until it is ready. If it does not become ready,
 * they wait for another version, or for a node of this version that becomes ready after all. They
 * also wait while too many nodes of the version have become NotReady.
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
    // The node has the current version already: it drifted for another reason.
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
    const status = computeVersionStatus(health);
    if (status === 'unhealthy') {
      return {
        code: 'rollout-nodes-not-ready',
        fields: { ...fields, ...buildHealthFields(health) },
      };
    }
    if (status === 'healthy' || !isFirstNodeStarting(nodeClass, running)) return undefined;
    return { code: 'rollout-first-node', fields };
  };
}

const buildHealthFields = ({ ready, lost }: VersionHealth) => ({
  lost: `${lost.length}`,
  nodes: `${ready.length + lost.length}`,
});

/** A node of the version was initialized and is not being deleted. */
export const hasInitializedNode = (
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

/** A running drift command launches a node of the class. */
const isFirstNodeStarting = ({ name }: NodeClassState, running: readonly DisruptionCommand[]): boolean =>
  running.some(
    ({ reason, replacements }) =>
      reason === 'Drifted' && replacements.some(({ claim }) => claim.nodeClass.name === name),
  );
