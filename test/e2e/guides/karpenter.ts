import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateAccessEntryCommand } from '@aws-sdk/client-eks';
import { CreateRoleCommand } from '@aws-sdk/client-iam';
import { textAt } from '../lab/json.ts';
import { applyCrds } from '../lab/kubernetes/apply-crds.ts';
import { KARPENTER_LEASE, type KarpenterNode, startKarpenterDouble } from '../lab/kubernetes/karpenter-double.ts';
import { keepLease } from '../lab/kubernetes/keep-lease.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { type Watch, watchRepeatedly } from '../lab/watch-repeatedly.ts';
import { expect } from '../scenario.ts';
import { toLabNames } from './lab-differences.ts';
import { readGuideNamed } from './run-guide.ts';
import { addNodeGroup, deploymentOf, type Surroundings, tagNetwork } from './surroundings.ts';

const NODE_ROLE = `KarpenterNodeRole-${CLUSTER}`;
const EXPENSIVE_POOL_TAINT = 'mortise.sh/expensive-pool=:PreferNoSchedule';
const PODS = '/api/v1/namespaces/kube-system/pods';
const KARPENTER_LABELS = { 'app.kubernetes.io/name': 'karpenter' };
const KARPENTER = deploymentOf('karpenter', 2, {
  namespace: 'kube-system',
  labels: KARPENTER_LABELS,
  spec: { nodeSelector: { 'eks.amazonaws.com/nodegroup': 'workers' } },
});

/** Karpenter on a node group, with a node of its own, and a pod for which it has launched none. */
export function karpenterSurroundings(lab: Lab, folder: string): Surroundings {
  const { kubectl, kube } = lab;
  let launched: KarpenterNode | undefined;
  let karpenter: Watch | undefined;

  return {
    async setUp() {
      await tagNetwork(lab);
      await applyCrds(kubectl);
      await addNodeGroup(lab);
      await createNodeRole(lab);
      const manifests = join(folder, 'manifests');
      mkdirSync(manifests, { recursive: true });
      writeFileSync(join(manifests, 'nodes.yaml'), manifestsOfKarpenter());
      await kubectl(['apply', '-f', join(manifests, 'nodes.yaml')]);
      await kubectl(['apply', '-f', '-'], KARPENTER);

      const double = await startKarpenterDouble(lab);
      launched = await double.launch({
        pool: 'general',
        nodeClass: 'default',
        instanceType: 'm5.xlarge',
      });
      let release: (() => Promise<void>) | undefined = double.cleanUp;
      // Karpenter holds its lease as long as its Deployment has pods.
      karpenter = watchRepeatedly(async () => {
        const runs = (await kube.list(PODS)).some(isKarpenter);
        if (runs) release ??= (await keepLease(kube, KARPENTER_LEASE)).end;
        else {
          await release?.();
          release = undefined;
        }
      }, 500);
      // It fits on no node that runs.
      await kubectl(['apply', '-f', '-'], deploymentOf('batch', 1, { cpu: '7950m' }));
    },
    async reactTo(line) {
      // The guide removes a taint that only a stack leaves that was deleted before its uninstallation.
      if (line.startsWith('kubectl scale deployment karpenter ') && line.endsWith('=2'))
        await kubectl(['taint', 'nodes', '--all', '--overwrite', EXPENSIVE_POOL_TAINT]);
    },
    async check() {
      const { claim = '', providerId = '' } = launched ?? {};
      const kept = await kube.get(`/apis/karpenter.sh/v1/nodeclaims/${claim}`);
      expect(textAt(kept, 'status', 'providerID') === providerId, `${claim} has another instance`);
      const instance = providerId.split('/').at(-1) ?? '';
      expect(!lab.ec2.terminations.has(instance), `${instance} was terminated`);
      await kubectl(['wait', 'deployment/batch', '--for=condition=Available', '--timeout=60s']);
    },
    end: async () => karpenter?.end(),
  };
}

/** A role with an access entry, so that Karpenter's nodes can join. */
async function createNodeRole({ cloud }: Lab): Promise<void> {
  const AssumeRolePolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [] });
  const { Role } = await cloud.iam.send(new CreateRoleCommand({ RoleName: NODE_ROLE, AssumeRolePolicyDocument }));
  await cloud.eks.send(
    new CreateAccessEntryCommand({
      clusterName: CLUSTER,
      type: 'EC2_LINUX',
      principalArn: Role?.Arn,
    }),
  );
}

const isKarpenter = (pod: unknown): boolean =>
  textAt(pod, 'metadata', 'labels', 'app.kubernetes.io/name') === 'karpenter';

/** Those of the first guide, with the role of Karpenter's nodes. */
function manifestsOfKarpenter(): string {
  const manifests = readGuideNamed('getting-started').files.get('nodes.yaml') ?? '';
  return toLabNames(manifests.replace(/role: \S+/, `role: ${NODE_ROLE}`));
}
