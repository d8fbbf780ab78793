import { type BadInputCase, both, deployment, onRequirement, onSimulation } from './inputs.ts';

export const VALUES_OF_REQUIREMENTS: readonly BadInputCase[] = [
  {
    ...onRequirement('an instance type', 'node.kubernetes.io/instance-type', '[m7g.larg]'),
    code: 0,
    says: [
      'a.yaml:19:85 warning NodePool/general spec.template.spec.requirements[0].values[0]: instance type "m7g.larg" is unknown; write m7g.large',
    ],
  },
  {
    ...onRequirement('one of two instance types', 'node.kubernetes.io/instance-type', '[m7g.large, m7g.xlrge]'),
    code: 0,
    says: [
      'a.yaml:19:96 warning NodePool/general spec.template.spec.requirements[0].values[1]: instance type "m7g.xlrge" is unknown; write m7g.xlarge',
    ],
  },
  {
    ...onRequirement('an excluded instance type', 'node.kubernetes.io/instance-type', '[m7g.larg]', 'NotIn'),
    code: 0,
    says: [
      'a.yaml:19:88 warning NodePool/general spec.template.spec.requirements[0].values[0]: instance type "m7g.larg" is unknown; write m7g.large',
    ],
  },
  {
    ...onRequirement('an instance family', 'karpenter.k8s.aws/instance-family', '[m77i]'),
    code: 0,
    says: [
      'a.yaml:19:86 warning NodePool/general spec.template.spec.requirements[0].values[0]: instance family "m77i" is unknown; write m7i',
    ],
  },
  {
    ...onRequirement('an instance category', 'karpenter.k8s.aws/instance-category', '[mm]'),
    code: 0,
    says: [
      'a.yaml:19:88 warning NodePool/general spec.template.spec.requirements[0].values[0]: instance category "mm" is unknown; take it out, or correct it',
    ],
  },
  {
    ...onRequirement('an instance size', 'karpenter.k8s.aws/instance-size', '[2xlarg]'),
    code: 0,
    says: [
      'a.yaml:19:84 warning NodePool/general spec.template.spec.requirements[0].values[0]: instance size "2xlarg" is unknown; write 2xlarge',
    ],
  },
  {
    ...onRequirement('a generation', 'karpenter.k8s.aws/instance-generation', '["77"]'),
    code: 0,
    says: [
      'a.yaml:19:90 warning NodePool/general spec.template.spec.requirements[0].values[0]: instance generation "77" is unknown; take it out, or correct it',
    ],
  },
  {
    ...onRequirement('a CPU manufacturer', 'karpenter.k8s.aws/instance-cpu-manufacturer', '[arm]'),
    code: 0,
    says: [
      'a.yaml:19:96 warning NodePool/general spec.template.spec.requirements[0].values[0]: instance cpu manufacturer "arm" is unknown; take it out, or correct it',
    ],
  },
  {
    ...onRequirement('an architecture by another name', 'kubernetes.io/arch', '[x86_64]'),
    code: 0,
    says: [
      'a.yaml:19:71 warning NodePool/general spec.template.spec.requirements[0].values[0]: arch "x86_64" is unknown; write amd64',
    ],
  },
  {
    ...onRequirement('an architecture in capitals', 'kubernetes.io/arch', '[ARM64]'),
    code: 0,
    says: [
      'a.yaml:19:71 warning NodePool/general spec.template.spec.requirements[0].values[0]: arch "ARM64" is unknown; write arm64',
    ],
  },
  {
    ...onRequirement('an operating system', 'kubernetes.io/os', '[linus]'),
    code: 0,
    says: [
      'a.yaml:19:69 warning NodePool/general spec.template.spec.requirements[0].values[0]: os "linus" is unknown; write linux',
    ],
  },
  {
    ...onRequirement('a capacity type', 'karpenter.sh/capacity-type', '[spott]'),
    code: 1,
    says: [
      'a.yaml:19:78 unusable NodePool/general spec.template.spec.requirements[0].values: NP-R6 capacity type "spott" is unknown: no node can have such a value; write spot',
    ],
  },
  {
    ...onRequirement('one of two capacity types', 'karpenter.sh/capacity-type', '[spot, ondemand]'),
    code: 0,
    says: [
      'a.yaml:19:78 warning NodePool/general spec.template.spec.requirements[0].values: NP-R6 capacity type "ondemand" is unknown: it is passed over; write on-demand',
    ],
  },
  {
    ...onRequirement('the letter of a zone', 'topology.kubernetes.io/zone', '[us-east-1z]'),
    code: 0,
    says: [
      'a.yaml:19:80 warning NodePool/general spec.template.spec.requirements[0].values[0]: zone "us-east-1z" is unknown; write us-east-1a',
    ],
  },
  {
    ...onRequirement('the region of a zone', 'topology.kubernetes.io/zone', '[us-eest-1a]'),
    code: 0,
    says: [
      'a.yaml:19:80 warning NodePool/general spec.template.spec.requirements[0].values[0]: zone "us-eest-1a" is unknown; write us-east-1a',
    ],
  },
  {
    ...onRequirement('a region where a zone belongs', 'topology.kubernetes.io/zone', '[us-east-1]'),
    code: 0,
    says: [
      'a.yaml:19:80 warning NodePool/general spec.template.spec.requirements[0].values[0]: zone "us-east-1" is unknown; write us-east-1a',
    ],
  },
  {
    ...onRequirement('a region', 'topology.kubernetes.io/region', '[us-eest-1]'),
    code: 0,
    says: [
      'a.yaml:19:82 warning NodePool/general spec.template.spec.requirements[0].values[0]: region "us-eest-1" is unknown; write us-east-1',
    ],
  },
  {
    ...onRequirement('a label of the provider', 'karpenter.k8s.aws/instance-famly', '[m7i]'),
    code: 1,
    says: [
      'a.yaml:19:28 refused NodePool/general spec.template.spec.requirements[0].key: LBL-4 karpenter.k8s.aws has well-known labels only, and this is none; write karpenter.k8s.aws/instance-family',
    ],
  },
  {
    ...onRequirement('a label of the autoscaler', 'karpenter.sh/capacitytype', '[spot]'),
    code: 1,
    says: [
      'a.yaml:19:28 refused NodePool/general spec.template.spec.requirements[0].key: LBL-1 karpenter.sh is a domain of the autoscaler; write karpenter.sh/capacity-type',
    ],
  },
  {
    ...onRequirement('a label of nodes', 'node.kubernetes.io/instancetype', '[m7i.large]'),
    code: 0,
    says: [
      'a.yaml:19:28 warning NodePool/general spec.template.spec.requirements[0].key: no node has the label node.kubernetes.io/instancetype; write node.kubernetes.io/instance-type',
    ],
  },
  {
    ...onRequirement('a label of the topology', 'topology.kubernetes.io/zones', '[us-east-1a]'),
    code: 0,
    says: [
      'a.yaml:19:28 warning NodePool/general spec.template.spec.requirements[0].key: no node has the label topology.kubernetes.io/zones; write topology.kubernetes.io/zone',
    ],
  },
  {
    ...onRequirement('a key without a name', 'example.com/', '[a]'),
    code: 1,
    says: [
      'a.yaml:19:28 refused NodePool/general spec.template.spec.requirements[0].key: "example.com/" is no label key: a DNS name and a slash (or neither), then letters, digits, "-", "_" and "."; write example.com/team, for example',
    ],
  },
  {
    ...onRequirement('a value with a space', 'example.com/team', '["a b"]'),
    code: 1,
    says: [
      'a.yaml:19:69 unusable NodePool/general spec.template.spec.requirements[0].values[0]: NP-R4 "a b" is no label value; shorten or respell it',
    ],
  },
  {
    ...onRequirement('two bounds where one belongs', 'karpenter.k8s.aws/instance-cpu', '["4", "5"]', 'Gt'),
    code: 1,
    says: [
      'a.yaml:19:82 refused NodePool/general spec.template.spec.requirements[0].values: NP-06 Gt, Lt, Gte and Lte need exactly one whole number, 0 or more; write one number, for example values: ["4"]',
    ],
  },
  {
    ...onRequirement('a bound that is no number', 'karpenter.k8s.aws/instance-cpu', '[four]', 'Gt'),
    code: 1,
    says: [
      'a.yaml:19:82 refused NodePool/general spec.template.spec.requirements[0].values: NP-06 Gt, Lt, Gte and Lte need exactly one whole number, 0 or more; write one number, for example values: ["4"]',
    ],
  },
  {
    ...onRequirement('a number without quotes', 'karpenter.k8s.aws/instance-cpu', '[4]', 'Gt'),
    code: 1,
    says: [
      'a.yaml:19:83 refused NodePool/general spec.template.spec.requirements[0].values[0]: values is no string: expected is a string, found the number 4; put it in quotes: "4"',
    ],
  },
  {
    ...onRequirement('no value', 'karpenter.k8s.aws/instance-family', '[]'),
    code: 1,
    says: [
      'a.yaml:19:85 refused NodePool/general spec.template.spec.requirements[0].values: NP-05 In needs at least one value; add values',
    ],
  },
  {
    ...onRequirement('an operator', 'karpenter.k8s.aws/instance-family', '[m7i]', 'in'),
    code: 1,
    says: [
      'a.yaml:19:73 refused NodePool/general spec.template.spec.requirements[0].operator: operator "in" is unknown: allowed are In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte; write In',
    ],
  },
  {
    ...onSimulation(
      'an instance type in a simulation',
      both('', '[{key: node.kubernetes.io/instance-type, operator: In, values: [m7g.larg]}]') + deployment(),
    ),
    code: 0,
    says: [
      'general  pool-has-no-types  requirements leave none of 1360 types',
      'fix: allow node.kubernetes.io/instance-type In [m7g.large] instead of In [m7g.larg] in NodePool general',
      'warning: NodePool general: instance type "m7g.larg" is unknown; write m7g.large',
    ],
  },
  {
    ...onSimulation(
      'a zone in a simulation',
      both('', '[{key: topology.kubernetes.io/zone, operator: In, values: [xx-nowhere-1a]}]') + deployment(),
    ),
    code: 0,
    says: [
      'general  pool-has-no-types  requirements leave none of 1360 types',
      'fix: drop the requirement topology.kubernetes.io/zone In [xx-nowhere-1a] of NodePool general',
      'warning: NodePool general: zone "xx-nowhere-1a" is unknown; take it out, or correct it',
    ],
  },
];
