import { describe, expect, it } from 'vitest';
import { readManifests } from '../../../shared/api/manifests/read-manifests.ts';
import { brief, deployment, documents, manifestsIn, nodeClass, nodePool, problemsIn } from '../support/read-text.ts';

const POOLS = `
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  role: node-role
  amiSelectorTerms: [{ alias: al2023@latest }]
  subnetSelectorTerms: [{ tags: { example.com/discovery: shop } }]
  securityGroupSelectorTerms: [{ id: sg-1 }]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: general
spec:
  limits:
    memory: 4GiB
  disruption:
    consolidateAfer: 30s
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: gpu }
      expireAfter: 30d
      requirements:
        - key: karpenter.sh/capacity-type
          operator: Im
          values: [spot]
`;

describe('refused manifests', () => {
  it('are reported with all problems, in the order of the text', () => {
    expect(problemsIn(POOLS).map(brief)).toEqual([
      'bad-quantity 17:13 spec.limits.memory',
      'unknown-field 19:5 spec.disruption.consolidateAfer',
      'missing-reference 22:75 spec.template.spec.nodeClassRef.name',
      'bad-duration 23:20 spec.template.spec.expireAfter',
      'unknown-operator 26:21 spec.template.spec.requirements[0].operator',
    ]);
  });

  it('are reported with what, where, why and a fix', () => {
    expect(problemsIn(POOLS).at(-1)).toEqual({
      code: 'unknown-operator',
      what: 'operator "Im" is unknown',
      file: 'test.yaml',
      line: 26,
      column: 21,
      document: 2,
      object: 'NodePool general',
      path: 'spec.template.spec.requirements[0].operator',
      why: 'allowed are In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte',
      fix: 'write In',
    });
  });

  it('are reported with the probable intention', () => {
    expect(problemsIn(POOLS).map(({ fix }) => fix)).toEqual([
      'write 4Gi',
      'write consolidateAfter',
      'add it, or name default in its place',
      'write 720h',
      'write In',
    ]);
  });

  it('are reported file by file', () => {
    const reading = readManifests([
      { file: 'b.yaml', text: 'kind: Pod' },
      { file: 'a.yaml', text: 'a: [1\n---\nnothing\n---\napiVersion: v1' },
    ]);

    const problems = reading.outcome === 'refused' ? reading.problems : [];
    expect(problems.map(({ file, code, document, what }) => [file, document, code, what])).toEqual([
      ['b.yaml', 1, 'rule-refused', 'apiVersion is missing'],
      ['a.yaml', 1, 'yaml-syntax', 'YAML cannot be read'],
      ['a.yaml', 2, 'rule-refused', 'no Kubernetes object'],
      ['a.yaml', 3, 'rule-refused', 'kind is missing'],
    ]);
  });

  it('include duplicates by kind and name, with a reference to the first', () => {
    const text = documents(
      nodeClass(),
      nodePool(),
      nodePool({ weight: 2 }),
      deployment(),
      deployment({ hostNetwork: true }),
    );

    expect(problemsIn(text).map(({ code, object, document, why }) => [code, object, document, why])).toEqual([
      ['duplicate-object', 'NodePool general', 3, 'the first is at test.yaml:3, document 2'],
      ['duplicate-object', 'Deployment default/web', 5, 'the first is at test.yaml:7, document 4'],
    ]);
  });

  it('include objects of older versions, which must be converted', () => {
    const text = documents(
      { ...nodePool(), apiVersion: 'karpenter.sh/v1beta1' },
      { apiVersion: 'karpenter.sh/v1alpha5', kind: 'Provisioner', metadata: { name: 'default' } },
      { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'web' } },
    );

    expect(problemsIn(text).map(({ what, why, fix }) => [what, why, fix])).toEqual([
      [
        'NodePool of karpenter.sh/v1beta1 is not read',
        'apiVersion: NodePool is read as karpenter.sh/v1',
        'rewrite it as karpenter.sh/v1, as `mortise convert` does',
      ],
      [
        'Provisioner of karpenter.sh/v1alpha5 is not read',
        'apiVersion: karpenter.sh/v1 has NodePool in its place',
        'write a NodePool of v1, as `mortise convert` does',
      ],
      [
        'PodDisruptionBudget of policy/v1beta1 is not read',
        'apiVersion: PodDisruptionBudget is read as policy/v1',
        'rewrite it as policy/v1',
      ],
    ]);
  });

  it.each([
    [{ apiVersion: 'v1', kind: 'Deployment', metadata: { name: 'web' } }, 'apiVersion'],
    [{ apiVersion: 'karpenter.sh/v1', kind: 'nodepool', metadata: { name: 'a' } }, 'kind'],
    [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'Shop' } }, 'metadata.name'],
    [{ apiVersion: 'v1', kind: 'Namespace', metadata: {} }, 'metadata.name'],
    [{ apiVersion: 'v1', kind: 'Namespace' }, 'metadata.name'],
  ])('are found despite an invalid header (%#)', (object, path) => {
    expect(problemsIn(documents(object)).map((problem) => problem.path)).toEqual([path]);
  });

  it('include texts that are too large', () => {
    expect(problemsIn(' '.repeat(10 * 1024 * 1024 + 1)).map(({ what }) => what)).toEqual(['file is too large']);
  });
});

describe('accepted manifests', () => {
  it('may be empty', () => {
    expect(manifestsIn('# nothing\n---\n')).toEqual({
      pools: [],
      nodeClasses: [],
      workloads: [],
      pods: [],
      podDisruptionBudgets: [],
      namespaces: { default: { 'kubernetes.io/metadata.name': 'default' } },
      skipped: [],
    });
  });

  it('may refer to each other across files', () => {
    const reading = readManifests([
      { file: 'pools.yaml', text: documents(nodePool()) },
      { file: 'classes.json', text: JSON.stringify(nodeClass(), null, '\t') },
    ]);

    expect(reading.outcome).toBe('read');
  });

  it('may be nested in lists, and keep their place in the text', () => {
    const list = (...items: readonly unknown[]) => ({ apiVersion: 'v1', kind: 'List', items });
    const sound = list(nodeClass(), list(nodePool(), deployment()));
    const faulty = list(nodeClass(), list(nodePool({ weight: 0 })));

    expect(manifestsIn(documents(sound)).pools.map(({ name }) => name)).toEqual(['general']);
    const text = JSON.stringify(faulty, null, 1);
    const lines = text.split('\n');
    const line = lines.findIndex((one) => one.includes('"weight"'));
    expect(problemsIn(text).map(brief)).toEqual([
      `rule-refused ${line + 1}:${(lines[line] ?? '').indexOf(': 0') + 3} spec.weight`,
    ]);
  });

  it('name the kinds that are not read, and the pools of other providers', () => {
    const azure = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
    const text = documents(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } },
      { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: {} },
      nodePool({}, { nodeClassRef: azure }),
    );

    expect(manifestsIn(text).skipped).toEqual([
      { file: 'test.yaml', kind: 'ConfigMap', name: 'web' },
      { file: 'test.yaml', kind: 'Rollout', name: '' },
      {
        file: 'test.yaml',
        kind: 'NodePool',
        name: 'general',
        cause: { why: 'other-node-class', nodeClass: 'AKSNodeClass of karpenter.azure.com' },
      },
    ]);
  });

  it('leave out objects that another object of the files creates', () => {
    const ownedBy = (kind: string, name: string) => [{ kind, name, controller: true }];
    const template = deployment().spec.template;
    const replicaSet = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-1', ownerReferences: ownedBy('Deployment', 'web') },
      spec: { template },
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1-a', ownerReferences: ownedBy('ReplicaSet', 'web-1') },
      spec: template.spec,
    };
    const stray = { ...pod, metadata: { name: 'stray', ownerReferences: ownedBy('Job', 'gone') } };

    const read = manifestsIn(documents(deployment(), replicaSet, pod, stray));
    expect(read.workloads.map(({ name }) => name)).toEqual(['web']);
    expect(read.pods.map(({ name, owner }) => [name, owner?.kind])).toEqual([['stray', 'Job']]);
    expect(read.skipped.map(({ name }) => name)).toEqual(['web-1', 'web-1-a']);
  });

  it('have every namespace that is mentioned, with its labels', () => {
    const text = documents(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { team: 'a' } } },
      { ...deployment(), metadata: { name: 'web', namespace: 'data' } },
    );

    expect(manifestsIn(text).namespaces).toEqual({
      default: { 'kubernetes.io/metadata.name': 'default' },
      data: { 'kubernetes.io/metadata.name': 'data' },
      shop: { team: 'a', 'kubernetes.io/metadata.name': 'shop' },
    });
  });

  it('get a name from generateName, the same in every reading', () => {
    const batch = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { generateName: 'batch-' },
      spec: { containers: [{}] },
    };

    const names = manifestsIn(documents(batch, batch)).pods.map(({ name }) => name);
    expect(names).toEqual(['batch-1', 'batch-2']);
  });
});
