import { type BadInputCase, both, onCall } from './inputs.ts';

export const FLAGS: readonly BadInputCase[] = [
  {
    ...onCall('a command', 'valdate'),
    code: 2,
    says: ['error: no command `valdate`', 'where: mortise', 'fix:   mortise validate'],
  },
  {
    ...onCall('a command of config', 'config', 'vew'),
    code: 2,
    says: ['error: no command `vew`', 'where: config', 'fix:   mortise config view'],
  },
  {
    ...onCall('a flag', 'validate', '--filname', 'a.yaml'),
    code: 2,
    says: ['error: no flag `--filname`', 'where: validate', 'fix:   --filename'],
  },
  {
    ...onCall('a flag without its value', 'validate', '-f'),
    code: 2,
    says: ['error: no value for `-f, --filename <PATH>`', 'where: validate', 'fix:   mortise help validate'],
  },
  {
    ...onCall('no file', 'validate'),
    code: 2,
    says: ['error: nothing to validate', 'where: validate', 'why:   no file was named', 'fix:   -f PATH'],
  },
  {
    ...onCall('no file to convert', 'convert'),
    code: 2,
    says: ['error: nothing to convert', 'where: convert', 'why:   no file was named', 'fix:   -f PATH'],
  },
  {
    ...onCall('a file without its flag', 'validate', 'a.yaml'),
    code: 2,
    says: ['error: too many arguments: a.yaml', 'where: validate', 'fix:   -f a.yaml'],
  },
  {
    ...onCall('a version of Kubernetes', 'validate', '-f', 'a.yaml', '--kubernetes', '36'),
    code: 2,
    says: [
      'error: "36" is no version of Kubernetes that Mortise supports',
      'where: --kubernetes',
      'why:   allowed are 1.31 and newer, written like 1.36',
    ],
  },
  {
    ...onCall('an output format', 'validate', '-f', 'a.yaml', '-o', 'jsn'),
    code: 2,
    says: [
      'error: "jsn" is not one of its values',
      'where: --output',
      'why:   allowed are text, json, yaml',
      'fix:   json',
    ],
  },
  {
    ...onCall('an hour', 'explain', 'pod', 'web', '--at', '25:00'),
    code: 2,
    says: ['error: "25:00" is no time', 'where: --at', 'why:   written like 2026-11-21T14:32:09Z, 14:32 or -2h'],
  },
  {
    name: 'SCHEDULER_CONFIG',
    argv: ['simulate', '-f', 'a.yaml'],
    files: { 'a.yaml': both() },
    env: { SCHEDULER_CONFIG: '{bad' },
    code: 2,
    says: [
      'error: SCHEDULER_CONFIG cannot be read',
      'where: environment',
      'why:   it must hold podTopologySpread.defaultConstraints, in YAML or JSON',
      'fix:   correct or unset SCHEDULER_CONFIG; docs/reference/settings.md has its values',
    ],
  },
  {
    ...onCall('a version to convert to', 'convert', '-f', 'a.yaml', '--to', 'v2'),
    code: 2,
    says: ['error: "v2" is not one of its values', 'where: --to', 'why:   allowed are v1', 'fix:   v1'],
  },
  {
    ...onCall('a duration', 'simulate', '-f', 'a.yaml', '--for', '2 hours'),
    code: 2,
    says: ['error: "2 hours" is no duration', 'where: --for', 'why:   written like 90s, 1h30m or 7d, and not 0'],
  },
  {
    ...onCall('no time at all', 'simulate', '-f', 'a.yaml', '--for', '0s'),
    code: 2,
    says: ['error: "0s" is no duration', 'where: --for', 'why:   written like 90s, 1h30m or 7d, and not 0'],
  },
  {
    ...onCall('a seed', 'simulate', '-f', 'a.yaml', '--seed', 'x'),
    code: 2,
    says: [
      'error: "x" is no number that fits',
      'where: --seed',
      'why:   allowed are whole numbers from 0 to 4294967295',
    ],
  },
  {
    ...onCall('a speed', 'simulate', '-f', 'a.yaml', '--speed', '0'),
    code: 2,
    says: ['error: "0" is no speed', 'where: --speed', 'why:   allowed are numbers above 0, 100000 at most, and max'],
  },
  {
    ...onCall('a condition of failure', 'simulate', '-f', 'a.yaml', '--fail-on', 'unplace'),
    code: 2,
    says: [
      'error: "unplace" is not one of its values',
      'where: --fail-on',
      'why:   allowed are unplaced',
      'fix:   unplaced',
    ],
  },
  {
    ...onCall('a choice of colour', 'version', '--color', 'alway'),
    code: 2,
    says: [
      'error: "alway" is not one of its values',
      'where: --color',
      'why:   allowed are auto, always, never',
      'fix:   always',
    ],
  },
  {
    ...onCall('a region', 'instance-types', '--region', 'xx-nowhere-1'),
    code: 2,
    says: [
      'error: "xx-nowhere-1" is no region',
      'where: --region',
      'why:   AWS has no region of this name, as far as this release knows',
      'fix:   write it like eu-west-1',
    ],
  },
  {
    ...onCall('a region with a typing error', 'instance-types', '--region', 'us-eest-1'),
    code: 2,
    says: [
      'error: "us-eest-1" is no region',
      'where: --region',
      'why:   AWS has no region of this name, as far as this release knows',
      'fix:   us-east-1',
    ],
  },
  {
    ...onCall('a zone where a region belongs', 'instance-types', '--region', 'us-east-1a'),
    code: 2,
    says: [
      'error: "us-east-1a" is no region',
      'where: --region',
      'why:   AWS has no region of this name, as far as this release knows',
      'fix:   us-east-1',
    ],
  },
  {
    name: 'a region in the environment',
    argv: ['instance-types'],
    env: { AWS_REGION: 'xx-nowhere-1' },
    code: 2,
    says: [
      'error: "xx-nowhere-1" is no region',
      'where: AWS_REGION',
      'why:   AWS has no region of this name, as far as this release knows',
      'fix:   write it like eu-west-1',
    ],
  },
  {
    ...onCall('a region without data', 'instance-types', '--region', 'cn-north-1'),
    code: 2,
    says: [
      'error: no zones and instance types of cn-north-1 are bundled',
      'where: --region: EC2 was not asked',
      'why:   those of another region would be wrong',
      'fix:   `mortise catalogue --region cn-north-1 --profile PROFILE --out cn-north-1.json`, then --catalogue cn-north-1.json',
    ],
  },
  {
    ...onCall('no catalogue', 'instance-types', '--catalogue', 'nowhere.json'),
    code: 2,
    says: ['error: cannot open nowhere.json', 'where: --catalogue', 'fix:   check the path'],
  },
  {
    name: 'a file that is no catalogue',
    argv: ['validate', '-f', 'a.yaml', '--catalogue', 'a.yaml'],
    files: { 'a.yaml': both() },
    code: 2,
    says: [
      'error: a.yaml is no catalogue',
      'where: --catalogue',
      'why:   it lacks the zones of instance types that `mortise catalogue` writes',
      'fix:   mortise catalogue --region REGION --profile PROFILE --out FILE',
    ],
  },
  {
    ...onCall('the catalogue of no region', 'catalogue'),
    code: 2,
    says: [
      'error: no AWS region',
      'where: catalogue',
      'why:   types, zones and prices are those of a region',
      'fix:   --region NAME, or AWS_REGION',
    ],
  },
  {
    ...onCall('a zone', 'instance-types', '--zone', 'us-east-1z'),
    code: 2,
    says: [
      'error: "us-east-1z" is no zone',
      'where: --zone',
      'why:   written like us-east-1a: a region of AWS and a letter from a to f',
      'fix:   us-east-1a',
    ],
  },
  {
    ...onCall('a zone of another region', 'instance-types', '--region', 'us-east-1', '--zone', 'eu-west-1a'),
    code: 2,
    says: [
      'error: zone eu-west-1a is not in us-east-1',
      'where: --zone',
      'why:   one region is looked at',
      'fix:   --region eu-west-1',
    ],
  },
  {
    ...onCall('an instance type', 'instance-types', '--why', 'm7g.larg'),
    code: 5,
    says: ['error: no instance type m7g.larg', 'where: --why', 'fix:   did you mean m7g.large'],
  },
  {
    ...onCall('a range upside down', 'instance-types', '--vcpus', '16-4'),
    code: 2,
    says: [
      'error: "16-4" is no range',
      'where: --vcpus',
      'why:   expected are one or two amounts, the smaller one first',
      'fix:   written like 4-16, 4-, -16 or 8',
    ],
  },
  {
    ...onCall('a range of memory', 'instance-types', '--memory', '16 Gi-'),
    code: 2,
    says: [
      'error: "16 Gi-" is no range',
      'where: --memory',
      'why:   expected are one or two amounts, the smaller one first',
      'fix:   written like 16Gi-64Gi, 16Gi-, -64Gi or 8Gi',
    ],
  },
  {
    ...onCall('a label without its domain', 'instance-types', '--requirements', 'instance-family In m7g'),
    code: 2,
    says: [
      'error: requirement "instance-family In [m7g]" chooses nothing',
      'where: --requirements',
      'why:   no instance type has this label: those of a NodePool of its own choose no types',
      'fix:   write karpenter.k8s.aws/instance-family',
    ],
  },
  {
    ...onCall('a bound', 'instance-types', '--requirements', 'karpenter.k8s.aws/instance-cpu Gt x'),
    code: 2,
    says: [
      'error: requirement "karpenter.k8s.aws/instance-cpu Gt [x]" is wrong',
      'where: --requirements',
      'why:   Gt, Lt, Gte and Lte need exactly one whole number, 0 or more',
      'fix:   write one number, for example values: ["4"]',
    ],
  },
  {
    ...onCall('an operator', 'instance-types', '--requirements', 'kubernetes.io/arch in (a)'),
    code: 2,
    says: [
      'error: "in" is not one of its values',
      'where: --requirements "kubernetes.io/arch in (a)", operator',
      'why:   allowed are In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte',
      'fix:   In',
    ],
  },
  {
    ...onCall('a label selector', 'instance-types', '--requirements', 'kubernetes.io/arch=arm64'),
    code: 2,
    says: [
      'error: "kubernetes.io/arch=arm64" is no requirement',
      'where: --requirements',
      'why:   written as a NodePool has it: key, operator (In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte), values',
      'fix:   karpenter.k8s.aws/instance-family In m7g,m7i',
    ],
  },
  {
    ...onCall('a number of GPUs', 'instance-types', '--gpus', '-1'),
    code: 2,
    says: ['error: "-1" is no number that fits', 'where: --gpus', 'why:   allowed are whole numbers from 0 to 64'],
  },
  {
    ...onCall('an architecture', 'instance-types', '--arch', 'arm'),
    code: 2,
    says: ['error: "arm" is not one of its values', 'where: --arch', 'why:   allowed are amd64, arm64'],
  },
  {
    ...onCall('a capacity type', 'instance-types', '--capacity-type', 'spott'),
    code: 2,
    says: [
      'error: "spott" is not one of its values',
      'where: --capacity-type',
      'why:   allowed are on-demand, spot',
      'fix:   spot',
    ],
  },
  {
    ...onCall('an order', 'instance-types', '--sort', 'prize'),
    code: 2,
    says: [
      'error: "prize" is not one of its values',
      'where: --sort',
      'why:   allowed are price, name, cpu, memory, pods',
      'fix:   price',
    ],
  },
  {
    ...onCall('a number of results', 'instance-types', '--max-results', '0'),
    code: 2,
    says: [
      'error: "0" is no number that fits',
      'where: --max-results',
      'why:   allowed are whole numbers from 1 to 10000',
    ],
  },
  {
    ...onCall('a reason', 'reasons', 'limit-reach'),
    code: 5,
    says: ['error: no reason limit-reach', 'where: mortise reasons', 'fix:   did you mean limit-reached'],
  },
  {
    ...onCall('a reason that resembles none', 'reasons', 'zzzz'),
    code: 5,
    says: ['error: no reason zzzz', 'where: mortise reasons', 'fix:   mortise reasons lists all'],
  },
  {
    ...onCall('two reasons', 'reasons', 'empty', 'drifted'),
    code: 2,
    says: ['error: too many arguments: drifted', 'where: reasons', 'fix:   mortise help reasons'],
  },
  {
    ...onCall('a kind of document', 'schema', 'Simulaton'),
    code: 5,
    says: ['error: no document kind Simulaton', 'where: mortise schema', 'fix:   did you mean Simulation'],
  },
  {
    ...onCall('a shell', 'completion', 'tcsh'),
    code: 2,
    says: ['error: "tcsh" is not one of its values', 'where: SHELL', 'why:   allowed are bash, zsh, fish, powershell'],
  },
  {
    name: 'an output format in the environment',
    argv: ['reasons'],
    env: { MORTISE_OUTPUT: 'jsn' },
    code: 2,
    says: [
      'error: "jsn" is no value for --output',
      'where: MORTISE_OUTPUT',
      'why:   allowed are text, json, yaml, name',
    ],
  },
  {
    name: 'a configuration file',
    argv: ['reasons'],
    files: { '.mortise.yaml': 'cluster: [1' },
    code: 2,
    says: [
      'error: cannot read the configuration',
      'where: .mortise.yaml',
      'why:   Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 12',
      'fix:   correct the file, or remove it',
    ],
  },
];
