import type { PriceOf } from '../../console/views/facts.ts';
import { dispatch } from '../../shared/controllers/dispatch.ts';
import { findReportedShortages } from '../../shared/explain/karpenter-reports.ts';
import { createPartialApi } from '../../shared/kubernetes/client/partial-api.ts';
import { readKarpenterReports } from '../../shared/kubernetes/readers/karpenter-reports.ts';
import type { ClusterSnapshot } from '../../shared/model/cluster-snapshot.ts';
import type { KarpenterReport } from '../../shared/model/karpenter-report.ts';
import type { NodeClaim } from '../../shared/model/nodes/node-claim.ts';
import type { EpochMs } from '../../shared/model/time.ts';
import type { Catalogue } from '../../shared/ports/cloud.ts';
import type { ClusterObjects } from '../../shared/ports/cluster.ts';
import type { Confirmation, Decision, DecisionLog } from '../../shared/ports/decision-log.ts';
import type { Ports } from '../../shared/ports/ports.ts';
import type { ControllerRuntime } from '../controller/controller-runtime.ts';
import { createDryPorts } from '../controller/dry-ports.ts';
import { readLiveClaims } from './live-claims.ts';

/*
 * A live cluster may be scaled by a stack, by Karpenter, or by neither. Its NodeClaims are those of the records, and
 * those that its objects show; its shortages those that a controller or Karpenter found. The console reads it at each
 * change, a dry run before each decision, and `explain` and `snapshot` once.
 */

/** Adds to the ports of a cluster what no record has. */
export function withLiveFacts<Real extends Ports>(real: Real, reports: readonly KarpenterReport[] = []): Real {
  const { nodeClaims, unavailableOfferings, cluster, cloud } = real;
  return {
    ...real,
    nodeClaims: {
      ...nodeClaims,
      async list(options) {
        const [stored, objects] = await Promise.all([nodeClaims.list(options), cluster.observe()]);
        const catalogue = await cloud.catalogue(objects.pools, objects.overlays);
        const { records, unreadable } = stored;
        const recorded = new Set([
          ...records.flatMap(({ claim: { name, launch } }) => [name, launch?.providerId ?? name]),
          ...unreadable.map(({ name }) => name),
        ]);
        const shown = readLiveClaims(objects, catalogue).filter(
          ({ name, launch }) => !recorded.has(name) && !recorded.has(launch?.providerId ?? name),
        );
        return { records: [...records, ...shown.map((claim) => ({ claim, version: 0 }))], unreadable };
      },
    },
    unavailableOfferings: {
      ...unavailableOfferings,
      list: async (now) => [...(await unavailableOfferings.list(now)), ...findReportedShortages(reports, now)],
    },
  };
}

interface Observed {
  readonly objects: ClusterObjects;
  readonly catalogue: Catalogue;
  readonly priceOf: PriceOf;
  readonly reports: readonly KarpenterReport[];
  /** The NodeClaims of the controller that scales the cluster; undefined for those that its objects show. */
  readonly claims: readonly NodeClaim[] | undefined;
}

/** Returns the snapshot of a page that shows a cluster and stores nothing. */
export function observeLiveCluster(
  { objects, catalogue, priceOf, reports, claims = readLiveClaims(objects, catalogue, priceOf) }: Observed,
  takenAt: EpochMs,
): ClusterSnapshot {
  const { lastPodEventAt: _, nodeClaims: __, nodeClassReadiness: ___, ...read } = objects;
  const unavailable = findReportedShortages(reports, takenAt);
  return { ...read, ...catalogue, takenAt, claims, nominations: {}, unavailable };
}

interface ObservedDecisions {
  readonly decisions: readonly (Decision | Confirmation)[];
  /** Events and conditions of Karpenter; empty where it does not run. */
  readonly reports: readonly KarpenterReport[];
}

export interface ReadingRuntime extends Pick<ControllerRuntime, 'ports'> {
  readonly reached: Pick<ControllerRuntime['reached'], 'api'>;
}

/** Makes each kind of decision once, on reads of the cluster and on records in memory. */
export async function observeAndDecide({ ports: real, reached: { api } }: ReadingRuntime): Promise<ObservedDecisions> {
  // Without these the decisions know less, and are not wrong.
  const reports = await readKarpenterReports(createPartialApi(api).api, real.clock.now());
  const decisions: (Decision | Confirmation)[] = [];
  const keep = async (decision: Decision | Confirmation): Promise<void> => void decisions.push(decision);
  const decisionLog: DecisionLog = {
    recordDecision: keep,
    recordConfirmation: keep,
    recordEvent: async () => {},
  };
  const silent = { ...real, queue: { send: async () => {} }, decisionLog };
  // The types of a NodePool need its resolved EC2NodeClass.
  await dispatch(await createDryPorts(silent, () => {}), { topic: 'class' });
  const ports = await createDryPorts(withLiveFacts(silent, reports), () => {});
  for (const topic of ['plan', 'disrupt'] as const) await dispatch(ports, { topic });
  return { decisions, reports };
}
