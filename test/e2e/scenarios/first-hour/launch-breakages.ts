import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BootFault } from '../../lab/kubernetes/kubelet-double.ts';
import { CLUSTER, type Lab } from '../../lab/start-lab.ts';
import type { World } from '../../scenario.ts';

/** One thing that is broken before the launch, and what `mortise try-launch` must say about it. */
interface Breakage {
  readonly title: string;
  /** The code of the failure, or of the error. */
  readonly code: string;
  readonly says: RegExp;
  readonly flags?: readonly string[];
  /** @returns what repairs it */
  prepare(lab: Lab, world: World): Promise<() => Promise<unknown>>;
}

const EXHAUSTED = (): boolean => true;
const NONE = (): boolean => false;
const STARTUP_TAINT = { key: 'example.com/agent', value: 'starting', effect: 'NoSchedule' };

export const BREAKAGES: readonly Breakage[] = [
  {
    title: 'no right to create pods',
    code: 'forbidden',
    says: /may not create pods in namespace first-launch[\s\S]*fix/,
    // Known after `prepare`.
    get flags() {
      return ['--kubeconfig', KUBECONFIG.path];
    },
    prepare: restrictedUser,
  },
  {
    title: 'a policy refuses the pod',
    code: 'refused-by-policy',
    says: /the ValidatingAdmissionPolicy no-strangers refuses the pod/,
    prepare: refusingPolicy,
  },
  {
    title: 'no quota of vCPUs',
    code: 'no-quota',
    says: /the account has no quota for the instance[\s\S]*L-1216C47A/,
    prepare: async ({ ec2 }) => {
      ec2.exhaust(EXHAUSTED, 'VcpuLimitExceeded');
      return async () => ec2.exhaust(NONE);
    },
  },
  {
    title: 'no capacity',
    code: 'no-capacity',
    says: /EC2 has no capacity[\s\S]*allow more instance types/,
    prepare: async ({ ec2 }, world) => {
      // Offerings of the case before are not tried again for minutes.
      await world.pool({ instanceTypes: ['c5.large', 'c6i.large'] });
      ec2.exhaust(EXHAUSTED);
      return async () => ec2.exhaust(NONE);
    },
  },
  {
    title: 'no route to the API server',
    code: 'no-route',
    says: /the node does not reach the API server[\s\S]*i\/o timeout[\s\S]*port 443/,
    prepare: async (lab, world) => {
      await world.pool({ instanceTypes: ['r5.large', 'r6i.large'] });
      return breakBoot(lab, 'no-route');
    },
  },
  {
    title: 'the image is not one of EKS',
    code: 'wrong-ami',
    says: /the image of the instance is no image of EKS[\s\S]*amiSelectorTerms/,
    prepare: (lab) => breakBoot(lab, 'other-image'),
  },
  {
    title: 'the role of the nodes has no access entry for nodes',
    code: 'no-access-entry',
    says: /the API server does not accept the node[\s\S]*Unauthorized[\s\S]*EC2_LINUX/,
    // The node joined although its entry was deleted, or had another type: the kubelet reports the refusal here.
    prepare: (lab) => breakBoot(lab, 'refused'),
  },
  {
    title: 'a startup taint that nothing removes',
    code: 'taint-remains',
    says: /the taint example\.com\/agent=starting:NoSchedule stays on the node/,
    prepare: async ({ kubectl }, { id }) => {
      const patch = (taints: readonly object[]) =>
        kubectl([
          ...['patch', 'nodepool', id, '--type=merge', '-p'],
          JSON.stringify({ spec: { template: { spec: { startupTaints: taints } } } }),
        ]);
      await patch([STARTUP_TAINT]);
      return () => patch([]);
    },
  },
];

async function breakBoot({ nodes }: Lab, fault: BootFault): Promise<() => Promise<unknown>> {
  nodes.breakBoot(fault);
  return async () => nodes.breakBoot(undefined);
}

const KUBECONFIG = { path: '' };
const READER = 'first-hour-reader';

/** A kubeconfig of a user that reads only. */
async function restrictedUser({ kubectl, controlPlane, folder }: Lab, { id }: World): Promise<() => Promise<unknown>> {
  await kubectl(['create', 'namespace', id]).catch(() => '');
  await kubectl(['create', 'serviceaccount', READER, '-n', id]);
  const binding = ['clusterrolebinding', READER];
  const account = `--serviceaccount=${id}:${READER}`;
  const kinds = 'pods,nodes,events.events.k8s.io,nodepools.karpenter.sh,nodeclaims.karpenter.sh';
  const role = ['clusterrole', READER];
  await kubectl(['create', ...role, '--verb=get,list', `--resource=${kinds}`]);
  await kubectl(['create', ...binding, `--clusterrole=${READER}`, account]);
  const token = (await kubectl(['create', 'token', READER, '-n', id])).trim();
  const authority = Buffer.from(controlPlane.certificateAuthority).toString('base64');
  KUBECONFIG.path = join(folder, 'reader.kubeconfig');
  writeFileSync(
    KUBECONFIG.path,
    JSON.stringify({
      'current-context': CLUSTER,
      contexts: [{ name: CLUSTER, context: { cluster: CLUSTER, user: READER } }],
      clusters: [
        {
          name: CLUSTER,
          cluster: { server: controlPlane.url, 'certificate-authority-data': authority },
        },
      ],
      users: [{ name: READER, user: { token } }],
    }),
  );
  return () => kubectl(['delete', 'clusterrole,clusterrolebinding', READER]);
}

const POLICY = 'no-strangers';

async function refusingPolicy({ kubectl }: Lab, { id }: World): Promise<() => Promise<unknown>> {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const matchLabels = { 'kubernetes.io/metadata.name': id };
  const objects = [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: POLICY },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        validations: [
          {
            expression: "object.spec.containers[0].image.startsWith('ours/')",
            message: 'only our images',
          },
        ],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: POLICY },
      spec: {
        policyName: POLICY,
        validationActions: ['Deny'],
        matchResources: { namespaceSelector: { matchLabels } },
      },
    },
  ];
  await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'List', items: objects });
  // The API server takes a new policy within seconds.
  const probe = ['run', 'probe', '-n', id, '--image=theirs/pause', '--dry-run=server'];
  for (let tries = 0; tries < 60; tries += 1) {
    const isAllowed = await kubectl(probe).then(
      () => true,
      () => false,
    );
    if (!isAllowed) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return () => kubectl(['delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', POLICY]);
}
