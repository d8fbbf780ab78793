import { ACCOUNT, REGION } from '../lab/aws/emulators.ts';
import { CLUSTER, type Lab } from '../lab/start-lab.ts';
import { settingsOf } from '../packages/lab-objects.ts';

/**
 * How the guides differ in the lab: other names, additional flags, commands that cannot run, and
 * commands whose output the reader watches. All other commands run as they are, and must succeed.
 */

/**
 * The guides whose commands run, in this order. The first one waits for a consolidation, which a stack that takes over from an
 * earlier one does not make for ten minutes; the last one leaves its nodes.
 */
export const GUIDES = {
  'getting-started': 'docs/guides/getting-started.md',
  'first-deployment': 'docs/first-deployment.md',
  'from-cluster-autoscaler': 'docs/migrate/from-cluster-autoscaler.md',
  'from-karpenter': 'docs/migrate/from-karpenter.md',
} as const;

export type GuideName = keyof typeof GUIDES;

/** Names of the guides and of the lab. */
const SUBSTITUTIONS: readonly (readonly [guide: RegExp, lab: string])[] = [
  [/\b123456789012\b/g, ACCOUNT],
  [/\beu-west-1/g, REGION],
  [/\bshop\b/g, CLUSTER],
];

/** Replaces the names of the guides by those of the lab. */
export const toLabNames = (text: string): string =>
  SUBSTITUTIONS.reduce((replaced, [guide, lab]) => replaced.replaceAll(guide, lab), text);

/** The first words of commands that the lab can run. */
export const LAB_PROGRAMS: readonly string[] = ['aws', 'kubectl', 'cdk', 'export', 'mortise', 'sed', 'true'];

/** A command that the lab cannot run. */
interface NotRun {
  readonly line: string;
  readonly reason: string;
  /** The command that runs in its place. */
  readonly instead?: string;
}

export const NOT_RUN: readonly NotRun[] = [
  {
    line: 'mortise logs node first-fc29p --cluster shop --region eu-west-1',
    reason: 'is for a node that does not join; the launch of the guide succeeds and is removed',
  },
  {
    line: 'mortise logs node first-fc29p --cluster shop --region eu-west-1 --boot-log',
    reason: 'is for a node that does not join; the local SSM runs no commands',
  },
  {
    line: 'eksctl create cluster -f cluster.yaml',
    reason: 'needs EKS and CloudFormation of AWS; the lab has a cluster',
  },
  {
    line: 'eksctl delete cluster --name shop --region eu-west-1',
    reason: 'needs EKS and CloudFormation of AWS; the lab ends with its cluster',
  },
  {
    line: 'npm install ../mortise/dist/mortise-0.1.0.tgz aws-cdk aws-cdk-lib constructs',
    reason: 'needs a registry for the CDK; before the guides, npm installs the tarball offline',
  },
  {
    line: 'cdk deploy --app "node app.ts"',
    reason: 'creates a VPC and an EKS cluster; the app is only synthesised',
    instead: 'cdk synth --quiet --app "node app.ts"',
  },
  {
    line: 'kubectl get events -A --field-selector reason=InstanceTerminating',
    reason: 'the Event is for the state shutting-down, which the local EC2 skips',
  },
  {
    line: 'cdk destroy --app "node app.ts"',
    reason: 'the app was not deployed',
  },
  {
    line: 'aws eks update-kubeconfig --name shop --region eu-west-1 --role-arn arn:aws:iam::123456789012:role/Admin',
    reason: 'needs a role of AWS; the lab has a kubeconfig',
  },
  {
    line: 'aws eks update-nodegroup-config --cluster-name shop --nodegroup-name workers --region eu-west-1 --scaling-config minSize=0,desiredSize=0,maxSize=1',
    reason: 'the local EKS does not serve UpdateNodegroupConfig',
  },
  {
    line: 'aws eks update-nodegroup-config --cluster-name shop --nodegroup-name workers --region eu-west-1 --scaling-config minSize=2,desiredSize=2,maxSize=10',
    reason: 'the local EKS does not serve UpdateNodegroupConfig',
  },
];

/** A command whose output the reader watches until it shows a result. */
export interface Watched {
  readonly line: string;
  /**
   * `repeat`: it runs again and again. `interrupt`: it runs until Ctrl+C. `serve`: it runs until the end
   * of the guide, and serves the first address that it prints.
   */
  readonly how: 'repeat' | 'interrupt' | 'serve';
  readonly until: RegExp;
  readonly maxSeconds: number;
}

export const WATCHED: readonly Watched[] = [
  {
    line: 'kubectl get pods -n kube-system # CoreDNS is Pending: there is no node yet',
    how: 'repeat',
    until: /^coredns-.* Pending /m,
    maxSeconds: 60,
  },
  {
    line: 'kubectl get pods -n kube-system # CoreDNS runs, on the first node',
    how: 'repeat',
    until: /^coredns-.* Running /m,
    maxSeconds: 180,
  },
  {
    line: 'mortise console --cluster shop --region eu-west-1',
    how: 'serve',
    until: /http:\/\/127\.0\.0\.1:\d+/,
    maxSeconds: 60,
  },
  {
    // Two nodes: that of CoreDNS, and one for the Deployment.
    line: 'kubectl get nodeclaims --watch',
    how: 'interrupt',
    until: /^(\S+) .* True [\s\S]*^(?!\1)\S+ .* True /m,
    maxSeconds: 180,
  },
  {
    line: 'kubectl get nodeclaims # after a minute or two, only the node of CoreDNS is left',
    how: 'repeat',
    until: /^NAME.*\n\S+ .* True .*\n$/,
    maxSeconds: 360,
  },
  {
    line: 'mortise controller --cluster shop --region eu-west-1 --dry-run',
    how: 'interrupt',
    until: /"act":false/,
    maxSeconds: 120,
  },
  {
    line: 'kubectl get pods -A --field-selector status.phase=Pending # none after a few minutes',
    how: 'repeat',
    until: /^$/,
    maxSeconds: 360,
  },
  {
    line: 'kubectl get nodeclaims',
    how: 'repeat',
    until: / True /,
    maxSeconds: 180,
  },
];

/** Flags that the lab adds to a command. */
export function listAdditionalFlags(lab: Lab, line: string): readonly string[] {
  // These commands ask for the name of the cluster on a terminal.
  if (/^mortise (?:try-launch|uninstall|destroy) /.test(line)) return ['--yes', CLUSTER];
  if (!/^mortise (?:deploy|diff) /.test(line)) return [];
  return Object.entries(settingsOf(lab)).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
}
