import { type BadInputCase, both, deployment, foreign, nodeClass, nodePool, onFile, onSimulation } from './inputs.ts';

export const TEXTS: readonly BadInputCase[] = [
  {
    ...onFile('a NUL byte in a comment', 'validate', `${nodeClass()}# a\0b\n`),
    code: 1,
    says: [
      'a.yaml:9:4 refused document: a NUL byte is in the text, which no YAML may have; remove it, or name the right file',
    ],
  },
  {
    ...onFile('a NUL byte in a name', 'validate', both().replace('general', '"gen\0eral"')),
    code: 1,
    says: [
      'a.yaml:12:22 refused document: a NUL byte is in the text, which no YAML may have; remove it, or name the right file',
    ],
  },
  {
    ...onFile('a variable of the shell', 'validate', both().replace('role: nodes', `role: \${ROLE}`)),
    code: 0,
    says: [
      `a.yaml:5:9 warning EC2NodeClass/default spec.role: \${ROLE} is stored as it is: kubectl fills in no variables; fill it in first, for example with envsubst`,
    ],
  },
  {
    ...onFile(
      'a variable in the key of a tag',
      'validate',
      both().replace('tier: private', `"kubernetes.io/cluster/\${CLUSTER}": owned`),
    ),
    code: 0,
    says: [
      `a.yaml:7:69 warning EC2NodeClass/default spec.subnetSelectorTerms[0].tags["kubernetes.io/cluster/\${CLUSTER}"]: \${CLUSTER} is stored as it is: kubectl fills in no variables; fill it in first, for example with envsubst`,
    ],
  },
  {
    ...onFile('a Helm template', 'validate', nodeClass('  role: {{ .Values.role }}\n')),
    code: 1,
    says: [
      'a.yaml:5:9 refused document: a Helm template and no manifest: values are still to be filled in; run `helm template` first, and name the file with its output',
    ],
  },
  {
    ...onFile('a Helm template that is no YAML', 'validate', `{{- if .Values.enabled }}\n${nodeClass()}{{- end }}\n`),
    code: 1,
    says: [
      'a.yaml:1:3 refused document: a Helm template and no manifest: values are still to be filled in; run `helm template` first, and name the file with its output',
    ],
  },
  {
    ...onSimulation('a Helm template in a simulation', nodeClass('  role: {{ .Values.role }}\n')),
    code: 1,
    says: [
      'error: YAML cannot be read',
      'where: a.yaml:5:9, document 1',
      'why:   a Helm template and no manifest: values are still to be filled in',
      'fix:   run `helm template` first, and name the file with its output',
    ],
  },
  {
    ...onFile('a Helm template to convert', 'convert', nodeClass('  role: {{ .Values.role }}\n')),
    code: 1,
    says: ['error X-01 a.yaml:5:9: not readable: a Helm template and no manifest: values are still to be filled in'],
  },
  {
    name: 'a Helm chart',
    argv: ['validate', '-f', '.'],
    files: { 'Chart.yaml': 'apiVersion: v2\nname: x\n', 'values.yaml': 'role: a\n' },
    code: 1,
    says: [
      'Chart.yaml:1:1 refused document: no Kubernetes object: Chart.yaml belongs to a Helm chart; run `helm template` first, and name the file with its output',
      'values.yaml:1:1 refused document: no Kubernetes object: values.yaml belongs to a Helm chart; run `helm template` first, and name the file with its output',
    ],
  },
  {
    ...onFile(
      'a kustomization',
      'validate',
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [pools.yaml]\n',
    ),
    code: 0,
    says: [
      'a.yaml:1:1 warning Kustomization: a kustomization is no object of a cluster, and its patches are not applied here; run `kubectl kustomize` first, and name the file with its output',
      'warning: not judged, for the autoscaler does not serve these kinds: Kustomization',
    ],
  },
  {
    name: 'a kustomization without a kind',
    argv: ['validate', '-f', '.'],
    files: { 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': both() },
    code: 0,
    says: [
      'kustomization.yaml:1:1 warning Kustomization: a kustomization is no object of a cluster, and its patches are not applied here; run `kubectl kustomize` first, and name the file with its output',
      'warning: not judged, for the autoscaler does not serve these kinds: Kustomization',
    ],
  },
  {
    ...onSimulation(
      'a kustomization in a simulation',
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
    ),
    code: 2,
    says: [
      'error: nothing to simulate',
      'where: a.yaml',
      'why:   no NodePool, no workload and no pod in there',
      'fix:   run `kubectl kustomize` first, and name the file with its output',
    ],
  },
  {
    ...onFile(
      'objects that are not judged',
      'validate',
      both() + foreign('v1', 'ConfigMap', 'a') + foreign('v1', 'ConfigMap', 'b'),
    ),
    code: 0,
    says: [
      '4 objects: 2 accepted, 0 refused, 2 not judged',
      'warning: not judged, for the autoscaler does not serve these kinds: ConfigMap',
    ],
  },
  {
    ...onFile(
      'a CapacityBuffer of v1alpha1',
      'validate',
      foreign('autoscaling.x-k8s.io/v1alpha1', 'CapacityBuffer', 'a'),
    ),
    code: 1,
    says: [
      'a.yaml:2:13 refused CapacityBuffer/a apiVersion: no kind CapacityBuffer in autoscaling.x-k8s.io/v1alpha1: CapacityBuffer is served as autoscaling.x-k8s.io/v1beta1; write autoscaling.x-k8s.io/v1beta1',
    ],
  },
  {
    ...onSimulation(
      'a CapacityBuffer of v1alpha1 in a simulation',
      foreign('autoscaling.x-k8s.io/v1alpha1', 'CapacityBuffer', 'a'),
    ),
    code: 1,
    says: [
      'error: CapacityBuffer of autoscaling.x-k8s.io/v1alpha1 is not read',
      'where: a.yaml:2:13, document 1, CapacityBuffer, apiVersion',
      'why:   apiVersion: CapacityBuffer is read as autoscaling.x-k8s.io/v1beta1',
      'fix:   rewrite it as autoscaling.x-k8s.io/v1beta1',
    ],
  },
  {
    ...onFile('a tab', 'validate', '\tapiVersion: v1\n'),
    code: 1,
    says: ['a.yaml:1:1 refused document: tabs are not allowed as indentation; indent with spaces'],
  },
  {
    ...onFile('an open bracket', 'validate', 'kind: Pod\nmetadata: {name: a, labels: [b\n'),
    code: 1,
    says: ['a.yaml:3:1 refused document: flow sequence not closed; close it with ]'],
  },
  {
    ...onFile('an object without a kind', 'validate', 'apiVersion: v1\n'),
    code: 1,
    says: ['a.yaml:1:1 refused kind: kind is missing: apiVersion and kind say what the object is; add kind'],
  },
  {
    ...onFile('a text', 'validate', 'hello\n'),
    code: 1,
    says: [
      'a.yaml:1:1 refused document: no Kubernetes object: a manifest is a map with apiVersion, kind and metadata; take the document out, or mend its indentation',
    ],
  },
  {
    ...onFile('a picture', 'validate', new Uint8Array([0x89, 0x50, 0x4e, 0x47])),
    code: 2,
    says: [
      'error: cannot open a.yaml',
      'where: ~/a.yaml',
      'why:   it is not UTF-8 text',
      'fix:   save it as UTF-8, or name the file that holds the manifests',
    ],
  },
  {
    ...onFile('nothing', 'validate', ''),
    code: 2,
    says: [
      'error: nothing to read',
      'where: a.yaml',
      'why:   no object in there, only comments and empty documents at most',
      'fix:   name the files that hold manifests',
    ],
  },
  {
    ...onFile('an object that is there twice', 'validate', both() + nodePool()),
    code: 0,
    says: [
      'a.yaml:23:18 warning NodePool/general metadata.name: NodePool general stands in these files before: this one replaces it; rename it, or take one out',
    ],
  },
  {
    ...onFile('a key that is there twice', 'validate', both('weight: 1\n  weight: 2')),
    code: 0,
    says: [
      'a.yaml:15:11 warning NodePool/general spec.weight: weight is there twice: the last one counts; take one out',
    ],
  },
  {
    ...onFile('an alias without an anchor', 'validate', both('weight: *weight')),
    code: 1,
    says: ['a.yaml:14:11 refused document: no anchor &weight stands before it; set the anchor, or quote "*weight"'],
  },
  {
    ...onFile('a kind to convert', 'convert', foreign('karpenter.sh/v1alpha5', 'Provisoner', 'a')),
    code: 1,
    says: ['error X-01 Provisoner/a: Provisoner of karpenter.sh/v1alpha5 is not converted: skipped'],
  },
  {
    ...onSimulation('the request of a pod', both() + deployment('one')),
    code: 1,
    says: [
      'error: "one" is no quantity',
      'where: a.yaml:31:71, document 3, Deployment default/web, spec.template.spec.containers[0].resources.requests.cpu',
      'why:   a number, then one of the suffixes Ki Mi Gi Ti Pi Ei k M G T P E m, or none',
      'fix:   write 500m or 4Gi, for example',
    ],
  },
  {
    ...onSimulation(
      'a label that a pod selects',
      both() + deployment('"1"', 'nodeSelector: {topology.kubernetes.io/zones: us-east-1a}'),
    ),
    code: 0,
    says: [
      'general  unknown-label  no node and no pool has label topology.kubernetes.io/zones',
      'fix: select topology.kubernetes.io/zone instead of topology.kubernetes.io/zones in Deployment web',
    ],
  },
  {
    ...onSimulation(
      'kinds that are not simulated',
      both() +
        deployment() +
        foreign('autoscaling/v2', 'HorizontalPodAutoscaler', 'web') +
        foreign('batch/v1', 'CronJob', 'night') +
        foreign('keda.sh/v1alpha1', 'ScaledObject', 'queue') +
        foreign('argoproj.io/v1alpha1', 'Rollout', 'shop'),
    ),
    code: 0,
    says: [
      'warning: HorizontalPodAutoscaler web: not simulated: workloads keep the replicas that they name',
      'warning: ScaledObject queue: KEDA is not simulated: workloads keep the replicas that they name',
      'warning: CronJob night: not simulated: its Jobs do not run',
      'warning: Rollout shop: Argo Rollouts is not simulated: its pods are missing; write it as a Deployment',
    ],
  },
];
