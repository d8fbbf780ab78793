import { simulationSchema } from '../../../cli/documents/simulation.ts';
import { decideProvisioning, UNLIMITED_INPUT } from '../../../shared/controllers/provisioning/decide-provisioning.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import type { Decision } from '../../../shared/ports/decision-log.ts';
import { writeSnapshotFile } from '../../../shared/record/snapshot-file.ts';
import { documentOf, mortise } from '../../cli/call.ts';
import { type BrokenCluster, DEPLOYMENT, NAMESPACE } from './broken-cluster.ts';
import { asObject, getIn, type JsonObject } from './json.ts';

/** Writes the cluster as `mortise snapshot` does. */
async function writeCluster(snapshot: ClusterSnapshot): Promise<string> {
  const input = { ...UNLIMITED_INPUT, snapshot };
  const id = 'p-20260601T120000Z-4k7q';
  const decision: Decision = {
    ...{ kind: 'provisioning', id, at: snapshot.takenAt, input },
    plan: decideProvisioning(input, id),
  };
  const about = { cluster: 'shop', release: '0.1.0', writtenAt: snapshot.takenAt };
  return await writeSnapshotFile([decision], about);
}

/** Runs `mortise simulate --from FILE -f FIXED` with what the user has written after the fix. */
export async function simulateFixed(snapshot: ClusterSnapshot, fixed: readonly JsonObject[], length: string) {
  const files = {
    'shop.json': await writeCluster(snapshot),
    'fixed.yaml': fixed.map((object) => JSON.stringify(object)).join('\n---\n'),
  };
  const manifests = fixed.length > 0 ? ['-f', 'fixed.yaml'] : [];
  const argv = ['simulate', '--from', 'shop.json', ...manifests, '--for', length, '-o', 'json'];
  const outcome = await mortise(argv, { files });
  return simulationSchema.parse(documentOf(outcome).result);
}

/** The NodePools, the Deployment and the claims that differ from those before, as manifests. */
export function listManifests(
  { pool, otherPools, template, replicas, storage }: BrokenCluster,
  before: BrokenCluster,
): readonly JsonObject[] {
  const present = new Set(before.storage.persistentVolumeClaims.map((claim) => JSON.stringify(claim)));
  const matchLabels = asObject(getIn(template, 'metadata', 'labels'));
  return [
    ...[pool, ...otherPools].map((one) => ({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', ...one })),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: DEPLOYMENT, namespace: NAMESPACE },
      spec: { replicas, selector: { matchLabels }, template },
    },
    ...storage.persistentVolumeClaims
      .filter((claim) => !present.has(JSON.stringify(claim)))
      .map((claim) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...withSize(claim) })),
  ];
}

const withSize = (claim: JsonObject): JsonObject => ({
  ...claim,
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '10Gi' } },
    ...asObject(claim.spec),
  },
});
