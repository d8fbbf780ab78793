import { type BadInputCase, both, deployment, nodePool, onFile, onSimulation } from './inputs.ts';

/** A class and a NodePool with these hours. */
const withHours = (hours: string, spec = ''): string =>
  both(spec).replace('{name: general}', `{name: general, annotations: {mortise.sh/hours: "${hours}"}}`);

export const FIELDS_OF_NODE_POOLS: readonly BadInputCase[] = [
  {
    ...onFile(
      'a class with another name',
      'validate',
      both().replace('name: default}\n      req', 'name: defalt}\n      req'),
    ),
    code: 0,
    says: [
      'a.yaml:18:74 warning NodePool/general spec.template.spec.nodeClassRef.name: no EC2NodeClass defalt in these files: the pool is not Ready without it; add it, or name default in its place',
    ],
  },
  {
    ...onFile('no class in the files', 'validate', nodePool()),
    code: 0,
    says: [
      'warning: missing-reference: no EC2NodeClass is in these files; a NodePool is Ready only if the cluster has its class',
    ],
  },
  {
    ...onSimulation('no class in the files of a simulation', nodePool() + deployment()),
    code: 1,
    says: [
      'error: no EC2NodeClass default',
      'where: a.yaml:10:74, document 1, NodePool general, spec.template.spec.nodeClassRef.name',
      'why:   not in the files',
      'fix:   add it',
    ],
  },
  {
    ...onFile(
      'a class of another kind',
      'validate',
      both().replace('kind: EC2NodeClass, name', 'kind: NodeClass, name'),
    ),
    code: 0,
    says: [
      'a.yaml:18:21 warning NodePool/general spec.template.spec.nodeClassRef: NodeClass of karpenter.k8s.aws is not served: the pool is left to another autoscaler; write group karpenter.k8s.aws and kind EC2NodeClass, if it is meant for Mortise',
    ],
  },
  {
    ...onFile(
      'a class of another group',
      'validate',
      both().replace('group: karpenter.k8s.aws', 'group: karpenter.aws'),
    ),
    code: 0,
    says: [
      'a.yaml:18:21 warning NodePool/general spec.template.spec.nodeClassRef: EC2NodeClass of karpenter.aws is not served: the pool is left to another autoscaler; write group karpenter.k8s.aws and kind EC2NodeClass, if it is meant for Mortise',
    ],
  },
  {
    ...onFile('a duration without a unit', 'validate', both('disruption: {consolidateAfter: 30}')),
    code: 1,
    says: [
      'a.yaml:14:34 refused NodePool/general spec.disruption.consolidateAfter: consolidateAfter is no string: expected is a string, found the number 30; write 30s',
    ],
  },
  {
    ...onFile('a duration without a unit, in quotes', 'validate', both('disruption: {consolidateAfter: "30"}')),
    code: 1,
    says: [
      'a.yaml:14:34 refused NodePool/general spec.disruption.consolidateAfter: "30" is no duration: whole hours, minutes and seconds like 30s or 1h30m, or Never; write 30s',
    ],
  },
  {
    ...onFile('a duration in words', 'validate', both('disruption: {consolidateAfter: 30 min}')),
    code: 1,
    says: [
      'a.yaml:14:34 refused NodePool/general spec.disruption.consolidateAfter: "30 min" is no duration: whole hours, minutes and seconds like 30s or 1h30m, or Never; write 30m',
    ],
  },
  {
    ...onFile('an expiration without a unit', 'validate', both('', '[]', 'expireAfter: 720')),
    code: 1,
    says: [
      'a.yaml:17:20 refused NodePool/general spec.template.spec.expireAfter: expireAfter is no string: expected is a string, found the number 720; write 720s',
    ],
  },
  {
    ...onFile('an expiration in days', 'validate', both('', '[]', 'expireAfter: 30d')),
    code: 1,
    says: [
      'a.yaml:17:20 refused NodePool/general spec.template.spec.expireAfter: "30d" is no duration: whole hours, minutes and seconds like 30s or 1h30m, or Never; write 720h',
    ],
  },
  {
    ...onFile(
      'a consolidation policy of v1beta1',
      'validate',
      both('disruption: {consolidationPolicy: WhenUnderutilized}'),
    ),
    code: 1,
    says: [
      'a.yaml:14:37 refused NodePool/general spec.disruption.consolidationPolicy: consolidationPolicy "WhenUnderutilized" is unknown: allowed are WhenEmpty, WhenEmptyOrUnderutilized, Balanced; write WhenEmptyOrUnderutilized',
    ],
  },
  {
    ...onFile('a share of nodes with a space', 'validate', both('disruption: {budgets: [{nodes: "10 %"}]}')),
    code: 1,
    says: [
      'a.yaml:14:34 refused NodePool/general spec.disruption.budgets[0].nodes: "10 %" is no number of nodes: a whole number, or a percentage from 0% to 100%; write "10%", for example',
    ],
  },
  {
    ...onFile(
      'a schedule',
      'validate',
      both('disruption: {budgets: [{nodes: "1", schedule: "@dayly", duration: 1h}]}'),
    ),
    code: 1,
    says: [
      'a.yaml:14:49 refused NodePool/general spec.disruption.budgets[0].schedule: "@dayly" is no schedule: five cron fields in UTC, or after CRON_TZ=ZONE, or @hourly, @daily, @weekly, @monthly, @yearly; write "0 9 * * mon-fri", for example',
    ],
  },
  {
    ...onFile(
      'a time zone of a schedule',
      'validate',
      both('disruption: {budgets: [{nodes: "1", schedule: "CRON_TZ=Europe/Berlim 0 9 * * *", duration: 1h}]}'),
    ),
    code: 0,
    says: [
      'a.yaml:14:49 warning NodePool/general spec.disruption.budgets[0].schedule: no time zone is called "Europe/Berlim": nothing may be disrupted; write CRON_TZ=Europe/Berlin',
    ],
  },
  {
    ...onFile('a time zone of hours', 'validate', withHours('CRON_TZ=Europe/Berlim 0 8 * * mon-fri for 12h')),
    code: 1,
    says: [
      'a.yaml:12:59 unusable NodePool/general metadata.annotations["mortise.sh/hours"]: no time zone is called "Europe/Berlim"; write CRON_TZ=Europe/Berlin',
    ],
  },
  {
    ...onFile('hours without a duration', 'validate', withHours('0 8 * * mon-fri')),
    code: 1,
    says: [
      'a.yaml:12:59 unusable NodePool/general metadata.annotations["mortise.sh/hours"]: "0 8 * * mon-fri" is not a schedule with a duration; write "0 8 * * mon-fri for 12h", for example',
    ],
  },
  {
    ...onFile('hours of a static pool', 'validate', withHours('@daily for 1h', 'replicas: 2')),
    code: 1,
    says: [
      'a.yaml:12:59 unusable NodePool/general metadata.annotations["mortise.sh/hours"]: a pool of a fixed size has no hours; remove the annotation, or replicas',
    ],
  },
  {
    ...onFile(
      'a schedule without a duration',
      'validate',
      both('disruption: {budgets: [{nodes: "1", schedule: "@daily"}]}'),
    ),
    code: 1,
    says: [
      'a.yaml:14:26 refused NodePool/general spec.disruption.budgets[0]: NP-04 schedule and duration go together; add the other, or take both out',
    ],
  },
  {
    ...onFile('a quantity in words', 'validate', both('limits: {cpu: 1000 cores}')),
    code: 1,
    says: [
      'a.yaml:14:17 refused NodePool/general spec.limits.cpu: "1000 cores" is no quantity: a number, then one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E m, or none; write 4Gi, for example',
    ],
  },
  {
    ...onFile('a quantity with the unit of a shop', 'validate', both('limits: {memory: 4GiB}')),
    code: 1,
    says: [
      'a.yaml:14:20 refused NodePool/general spec.limits.memory: "4GiB" is no quantity: a number, then one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E m, or none; write 4Gi',
    ],
  },
  {
    ...onFile('a negative limit', 'validate', both('limits: {cpu: "-1"}')),
    code: 0,
    says: ['a.yaml:14:17 warning NodePool/general spec.limits.cpu: a negative limit lets nothing launch; raise it'],
  },
  {
    ...onFile('a weight', 'validate', both('weight: 101')),
    code: 1,
    says: [
      'a.yaml:14:11 refused NodePool/general spec.weight: weight is out of range: at most 100 allowed, found 101; write at most 100',
    ],
  },
  {
    ...onFile('a field', 'validate', both('limit: {cpu: 10}')),
    code: 1,
    says: [
      'a.yaml:14:3 refused NodePool/general spec.limit: no field limit: fields are strict, as kubectl asks of the API server; write limits',
    ],
  },
  {
    ...onFile('the effect of a taint', 'validate', both('', '[]', 'taints: [{key: a, effect: noSchedule}]')),
    code: 1,
    says: [
      'a.yaml:17:33 refused NodePool/general spec.template.spec.taints[0].effect: effect "noSchedule" is unknown: allowed are NoSchedule, PreferNoSchedule, NoExecute; write NoSchedule',
    ],
  },
  {
    ...onFile(
      'a taint that is there twice',
      'validate',
      both('', '[]', 'taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoSchedule}]'),
    ),
    code: 1,
    says: [
      'a.yaml:17:46 unusable NodePool/general spec.template.spec.taints[1]: NP-R3 taint a:NoSchedule is there twice; keep one of them',
    ],
  },
  {
    ...onFile('the version of the API', 'validate', both().replace('karpenter.sh/v1', 'karpenter.sh/v2')),
    code: 1,
    says: [
      'a.yaml:10:13 refused NodePool/general apiVersion: no kind NodePool in karpenter.sh/v2: NodePool is served as karpenter.sh/v1; write karpenter.sh/v1',
    ],
  },
  {
    ...onFile('a version that convert reads', 'validate', both().replace('karpenter.sh/v1', 'karpenter.sh/v1beta1')),
    code: 1,
    says: [
      'a.yaml:10:13 refused NodePool/general apiVersion: no kind NodePool in karpenter.sh/v1beta1: NodePool is served as karpenter.sh/v1; `mortise convert` rewrites what came before v1',
    ],
  },
  {
    ...onFile('the kind', 'validate', both().replace('kind: NodePool', 'kind: Nodepool')),
    code: 1,
    says: [
      'a.yaml:11:7 refused Nodepool/general kind: no kind Nodepool in karpenter.sh/v1: NodePool is served as karpenter.sh/v1; write NodePool',
    ],
  },
  {
    ...onFile('the name of the object', 'validate', both().replace('name: general', 'name: General')),
    code: 1,
    says: [
      'a.yaml:12:18 refused NodePool/General metadata.name: "General" is no name: lower-case letters, digits, "-" and ".", a letter or digit at both ends, 253 characters at most; respell it',
    ],
  },
];
