import { decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../../../shared/controllers/provisioning/decide-provisioning.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { writeSnapshotFile } from '../../../shared/record/snapshot-file.ts';

/** Makes a decision of each kind on the snapshot. */
export function decideBoth(snapshot: ClusterSnapshot): readonly Decision[] {
  const at = snapshot.takenAt;
  const provisioning = {
    kind: 'provisioning',
    snapshot,
    backoffs: { registration: [], launch: [], placement: [] },
    caps: { launchesPerMinute: 100, hourlyUsd: 100, use: { launches: 0, usd: 0, nodes: 0 } },
    anticipate: true,
  } as const;
  const disruption = { kind: 'disruption', snapshot, running: [] } as const;
  const [p, d] = ['p-20260101T120000Z-4k7q', 'd-20260101T120000Z-4k7q'];
  return [
    {
      kind: 'provisioning',
      id: p,
      at,
      input: provisioning,
      plan: decideProvisioning(provisioning, p),
    },
    { kind: 'disruption', id: d, at, input: disruption, plan: decideDisruption(disruption, d) },
  ];
}

/** A snapshot file with a decision of each kind. */
export const writeDecided = (snapshot: ClusterSnapshot): Promise<string> =>
  writeSnapshotFile(decideBoth(snapshot), { cluster: 'shop', release: '0.1.0', writtenAt: snapshot.takenAt });
