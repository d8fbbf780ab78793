/** A group of the sidebar: pages below `docs/`, in the order in which a user needs them. */
interface Group {
  readonly text: string;
  readonly pages: readonly (readonly [title: string, path: string])[];
  readonly collapsed?: boolean;
}

export const NAVIGATION: readonly Group[] = [
  {
    text: 'Start',
    pages: [
      ['Documentation', 'README.md'],
      ['The first hour on a real account', 'first-deployment.md'],
      ['Getting started on EKS', 'guides/getting-started.md'],
      ['Compatibility', 'guides/compatibility.md'],
      ['From Karpenter', 'migrate/from-karpenter.md'],
      ['What behaves differently', 'migrate/differences.md'],
      ['From Cluster Autoscaler', 'migrate/from-cluster-autoscaler.md'],
      ['From older manifests', 'migrate/from-alpha-and-beta.md'],
    ],
  },
  {
    text: 'Guides',
    pages: [
      ['All guides', 'guides/README.md'],
      ['Spot practice', 'guides/spot.md'],
      ['Reserved instances and Savings Plans', 'guides/committed-capacity.md'],
      ['Stateful workloads', 'guides/stateful.md'],
      ['GPUs and time slicing', 'guides/gpus.md'],
      ['Windows', 'guides/windows.md'],
      ['Fargate', 'guides/fargate.md'],
      ['KEDA', 'guides/keda.md'],
      ['GitOps', 'guides/gitops.md'],
      ['Terraform and CloudFormation', 'guides/terraform.md'],
      ['Hours and windows', 'guides/hours.md'],
      ['EKS upgrades', 'guides/eks-upgrades.md'],
      ['Restore the table', 'guides/restore-table.md'],
      ['Blue/green pools', 'guides/blue-green.md'],
      ['Private clusters', 'guides/private-clusters.md'],
      ['Encrypted volumes', 'guides/encrypted-volumes.md'],
      ['Several teams', 'guides/multi-team.md'],
      ['Events on EventBridge', 'guides/events.md'],
      ['Cost allocation', 'guides/cost-allocation.md'],
    ],
  },
  {
    text: 'Operate',
    pages: [
      ['Operations', 'operations.md'],
      ['Upgrades', 'upgrades.md'],
      ['Support', 'support.md'],
      ['Troubleshooting', 'troubleshooting.md'],
      ['Questions', 'faq.md'],
      ['Explain a pod or a node', 'explain.md'],
      ['Console', 'console.md'],
      ['Cost of Mortise', 'cost.md'],
      ['Instance types and prices', 'instance-types.md'],
      ['The controller as pods', 'controller.md'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['Overview', 'reference/README.md'],
      ['NodePool', 'reference/nodepool.md'],
      ['EC2NodeClass', 'reference/ec2nodeclass.md'],
      ['NodeClaim', 'reference/nodeclaim.md'],
      ['NodeOverlay', 'reference/nodeoverlay.md'],
      ['CapacityBuffer', 'reference/capacitybuffer.md'],
      ['Labels and other keys', 'reference/keys.md'],
      ['Settings', 'reference/settings.md'],
      ['CDK construct', 'reference/construct.md'],
      ['Options of the stack', 'reference/stack-options.md'],
      ['The mortise command', 'reference/cli.md'],
      ['Metrics', 'reference/metrics.md'],
      ['Kubernetes Events', 'reference/kubernetes-events.md'],
      ['Events on EventBridge', 'reference/events.md'],
      ['Differences to Karpenter', 'reference/upstream.md'],
    ],
  },
  {
    text: 'How it works',
    collapsed: true,
    pages: [
      ['Architecture', 'architecture.md'],
      ['Glossary', 'glossary.md'],
      ['Reliability', 'reliability.md'],
      ['Benchmarks', 'benchmarks.md'],
      ["Karpenter's own suites", 'karpenter-suites.md'],
      ['Threat model', 'threat-model.md'],
      ['Decisions', 'decisions/README.md'],
    ],
  },
];
