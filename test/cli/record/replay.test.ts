import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { replaySchema } from '../../../cli/documents/replay.ts';
import { decideDisruption } from '../../../shared/controllers/disruption/decide-disruption.ts';
import { decideProvisioning } from '../../../shared/controllers/provisioning/decide-provisioning.ts';
import { DEFAULT_SETTINGS } from '../../../shared/model/settings.ts';
import type { Decision, ProvisioningInput } from '../../../shared/ports/decision-log.ts';
import { writeSnapshotFile } from '../../../shared/record/snapshot-file.ts';
import { aFleet, web, willing } from '../../disruption/fleet.ts';
import { aNodePool, aSnapshot, NOON, podsOf } from '../../support/builders.ts';
import { documentOf, mortise } from '../call.ts';

/** A decision that launches nodes for ten pods. */
function aDecision(): Decision {
  const input: ProvisioningInput = {
    kind: 'provisioning',
    snapshot: aSnapshot({
      pods: podsOf(10),
      pools: [aNodePool()],
      settings: { ...DEFAULT_SETTINGS, perNodeHourlyUsd: 0 },
    }),
    backoffs: { registration: [], launch: [], placement: [] },
    caps: { launchesPerMinute: 100, hourlyUsd: 100, use: { launches: 0, usd: 0, nodes: 0 } },
    anticipate: true,
  };
  const id = 'p-20260101T120000Z-4k7q';
  return { kind: 'provisioning', id, at: NOON, input, plan: decideProvisioning(input, id) };
}

const FACTS = { cluster: 'shop', release: '0.1.0', writtenAt: NOON };
const json = await writeSnapshotFile([aDecision()], FACTS);
const files = { 'shop.json.gz': gzipSync(json), 'plain.json': json };

/** A decision about removals that finds nothing to do. */
async function fileOfRemovals(): Promise<string> {
  const snapshot = aFleet([{ name: 'node-1', pods: [web('p')] }], {
    pools: [willing({ consolidateAfterMs: 'Never' })],
  });
  const input = { kind: 'disruption', snapshot, running: [] } as const;
  const id = 'd-20260101T120000Z-4k7q';
  const plan = decideDisruption(input, id);
  return await writeSnapshotFile([{ kind: 'disruption', id, at: NOON, input, plan }], FACTS);
}

const NODE_POOL = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    metadata: {labels: {team: shop}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
`;
const NODE_CLASS = `
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  amiSelectorTerms: [{alias: al2023@v20260101}]
  role: eks-node-shop
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
`;

describe('mortise replay', () => {
  it.each([
    ['NodePool', NODE_POOL],
    ['EC2NodeClass', NODE_CLASS],
  ])('replaces the nodes of a changed %s', async (_, manifest) => {
    const files = { 'shop.json': await fileOfRemovals(), 'changed.yaml': manifest };
    const argv = ['replay', 'shop.json', '-f', 'changed.yaml', '-o', 'json'];
    const outcome = await mortise(argv, { files });

    const [decision] = replaySchema.parse(documentOf(outcome).result).decisions;
    expect(decision).toMatchObject({
      recorded: { removes: [] },
      replayed: { removes: ['node-1'] },
    });
  });

  it('names objects of manifests that it does not use', async () => {
    const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main}]}
`;
    const argv = ['replay', 'plain.json', '-f', 'web.yaml', '-o', 'json'];
    const outcome = await mortise(argv, { files: { ...files, 'web.yaml': deployment } });

    expect(documentOf(outcome).warnings).toEqual([
      'not used, because a replay takes NodePools and EC2NodeClasses only: workloads (1)',
    ]);
  });

  it.each(['shop.json.gz', 'plain.json'])('makes the decisions of %s again', async (file) => {
    const { code, stdout } = await mortise(['replay', file], { files });

    expect(stdout).toBe('1 decision, 1 equal\n');
    expect(code).toBe(0);
  });

  it('names the first field that differs, and exits with 1', async () => {
    const changed = json.replace(/"plan":\{"claims":\[\{"claim":\{"name":"[^"]+"/, (text) =>
      text.replace(/"name":"[^"]+"/, '"name":"general-other"'),
    );
    expect(changed).not.toBe(json);

    const { code, stdout } = await mortise(['replay', 'changed.json'], {
      files: { 'changed.json': changed },
    });

    expect(stdout).toContain('; plan.claims[0].claim.name differs\n1 decision, 0 equal\n');
    expect(code).toBe(1);
  });

  it('refuses a small file that expands to any size', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, ' '));
    const files = { 'bomb.json.gz': bomb };
    const { code, stderr } = await mortise(['replay', 'bomb.json.gz'], { files });

    expect(stderr).toContain('expands to more than 256 MiB');
    expect(code).not.toBe(0);
  });

  it('shows what other settings would change, and exits with 0', async () => {
    const argv = ['replay', 'plain.json', '--set', 'perNodeHourlyUsd=5', '-o', 'json'];
    const outcome = await mortise(argv, { files });

    const [decision] = replaySchema.parse(documentOf(outcome).result).decisions;
    expect(outcome.code).toBe(0);
    expect(decision?.replayed.placed).toBe(10);
    expect(decision?.replayed.launches).toBeLessThanOrEqual(decision?.recorded.launches ?? 0);
  });

  it('shows what other NodePools would change', async () => {
    const pool = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  limits: {cpu: 2}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
  role: eks-node-shop
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]
`;
    const argv = ['replay', 'plain.json', '-f', 'pools.yaml', '-o', 'json'];
    const outcome = await mortise(argv, { files: { ...files, 'pools.yaml': pool } });

    const [decision] = replaySchema.parse(documentOf(outcome).result).decisions;
    expect(outcome.code).toBe(0);
    expect(decision).toMatchObject({ equal: false, recorded: { unplaced: 0 } });
    expect(decision?.replayed).toMatchObject({ launches: 1, placed: 1, unplaced: 9 });
  });

  it('takes the EC2NodeClass of a NodePool from the record', async () => {
    const pool = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  limits: {cpu: 0}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
`;
    const argv = ['replay', 'plain.json', '-f', 'pool.yaml', '-o', 'json'];
    const outcome = await mortise(argv, { files: { ...files, 'pool.yaml': pool } });

    const [decision] = replaySchema.parse(documentOf(outcome).result).decisions;
    expect(outcome.code).toBe(0);
    expect(decision?.replayed).toMatchObject({ launches: 0, unplaced: 10 });
  });

  it.each([
    [[], 2, 'no decision is named'],
    [['nix.json'], 2, 'cannot open nix.json'],
    [['plain.json', '--decision', 'p-1'], 5, 'no decision p-1'],
    [['plain.json', '--set', 'perNodeHourlyUsd'], 2, '--set perNodeHourlyUsd has no value'],
    [['plain.json', '--set', 'price=1'], 2, 'there is no setting price'],
    [['plain.json', '--set', 'gates.Nix=true'], 2, 'there is no setting gates.Nix'],
    [['plain.json', '--set', 'preferencePolicy=Never'], 2, 'preferencePolicy cannot be Never'],
    [['plain.json', '--set', 'preferencePolicy=Never'], 2, 'allowed are Respect, Ignore'],
    [['plain.json', '--set', 'perNodeHourlyUsd=abc'], 2, 'it must be of the type number'],
    [['plain.json', '--set', 'perNodeHourlyUsd=-1'], 2, 'it must be at least 0'],
    [['plain.json', '--set', 'consolidationPaybackMs=soon'], 2, 'a number of 0 or more, and Any'],
    [['text.json'], 2, 'cannot read text.json'],
    [['other.json'], 2, 'it is no snapshot'],
    [['cut.json.gz'], 2, 'file: is cut off or damaged'],
    [['later.json'], 2, 'has the version record.mortise.sh/v9'],
    [['parts.json'], 2, 'is missing'],
  ])('refuses %s with a reason', async (argv, exitCode, message) => {
    const { code, stderr } = await mortise(['replay', ...argv], {
      files: {
        ...files,
        'text.json': 'no JSON',
        'other.json': '{"kind":"List"}',
        'cut.json.gz': files['shop.json.gz'].subarray(0, 200),
        'later.json': '{"apiVersion":"record.mortise.sh/v9"}',
        'parts.json': json.replace(/"parts":\{"[0-9a-f]/, '"parts":{"x'),
      },
    });

    expect(stderr).toContain(message);
    expect(code).toBe(exitCode);
  });
});
