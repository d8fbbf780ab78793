import { type BadInputCase, deployment, nodeClass, nodePool, onFile, onSimulation } from './inputs.ts';

export const FIELDS_OF_NODE_CLASSES: readonly BadInputCase[] = [
  {
    ...onFile('no identity', 'validate', nodeClass('')),
    code: 1,
    says: [
      'a.yaml:5:3 refused EC2NodeClass/default spec: EC-17 nodes get their rights through role or through instanceProfile, through one of them; add one of role, instanceProfile',
    ],
  },
  {
    ...onFile('two identities', 'validate', nodeClass('  role: a\n  instanceProfile: b\n')),
    code: 1,
    says: [
      'a.yaml:5:3 refused EC2NodeClass/default spec: EC-17 nodes get their rights through role or through instanceProfile, through one of them; keep one of role, instanceProfile',
    ],
  },
  {
    ...onSimulation('no identity in a simulation', nodeClass('') + nodePool() + deployment()),
    code: 1,
    says: [
      'error: spec is refused',
      'where: a.yaml:5:3, document 1, EC2NodeClass default, spec',
      'why:   EC-17: nodes get their rights through role or through instanceProfile, through one of them',
      'fix:   add one of role, instanceProfile',
    ],
  },
  {
    ...onFile('an ARN where a name belongs', 'validate', nodeClass('  role: arn:aws:iam::1:role/nodes\n')),
    code: 1,
    says: [
      'a.yaml:5:9 unusable EC2NodeClass/default spec.role: role is a name and no ARN: IAM finds none called so; write nodes',
    ],
  },
  {
    ...onFile('an image alias without a version', 'validate', nodeClass().replace('al2023@latest', 'al2023')),
    code: 1,
    says: [
      'a.yaml:6:30 refused EC2NodeClass/default spec.amiSelectorTerms[0].alias: "al2023" is no AMI alias: a family, an @ and a version; write al2023@latest, for example',
    ],
  },
  {
    ...onFile('an image family', 'validate', nodeClass('  role: a\n  amiFamily: AL2022\n')),
    code: 1,
    says: [
      'a.yaml:6:14 refused EC2NodeClass/default spec.amiFamily: amiFamily "AL2022" is unknown: allowed are AL2, AL2023, Bottlerocket, Custom, Windows2019, Windows2022, Windows2025; write AL2023',
    ],
  },
  {
    ...onFile(
      'the size of a volume',
      'validate',
      nodeClass('  role: a\n  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 20}}]\n'),
    ),
    code: 1,
    says: [
      'a.yaml:6:67 refused EC2NodeClass/default spec.blockDeviceMappings[0].ebs.volumeSize: volumeSize is no string: expected is a string, found the number 20; write 20Gi',
    ],
  },
  {
    ...onFile(
      'the type of a volume',
      'validate',
      nodeClass(
        '  role: a\n  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 20Gi, volumeType: gp4}}]\n',
      ),
    ),
    code: 1,
    says: [
      'a.yaml:6:85 refused EC2NodeClass/default spec.blockDeviceMappings[0].ebs.volumeType: volumeType "gp4" is unknown: allowed are standard, io1, io2, gp2, sc1, st1, gp3; write gp2',
    ],
  },
  {
    ...onFile(
      'the field of a selector',
      'validate',
      nodeClass().replace('{tags: {tier: private}}', '{id: subnet-1, name: a}'),
    ),
    code: 1,
    says: [
      'a.yaml:7:40 refused EC2NodeClass/default spec.subnetSelectorTerms[0].name: no field name: fields are strict, as kubectl asks of the API server; take it out; allowed are tags, id',
    ],
  },
  {
    ...onFile('an id of another resource', 'validate', nodeClass().replace('id: sg-1', 'id: subnet-1')),
    code: 1,
    says: [
      'a.yaml:8:37 refused EC2NodeClass/default spec.securityGroupSelectorTerms[0].id: "subnet-1" is no security group ID: sg- and then digits and lower-case letters; write sg-0123456789abcdef0, for example',
    ],
  },
  {
    ...onFile('an empty value of a tag', 'validate', nodeClass().replace('tier: private', 'tier: ""')),
    code: 1,
    says: [
      'a.yaml:7:39 refused EC2NodeClass/default spec.subnetSelectorTerms[0].tags.tier: EC-08 neither key nor value of a tag may be empty; name both; the value "*" stands for any',
    ],
  },
  {
    ...onFile('a kubelet setting', 'validate', nodeClass('  role: a\n  kubelet: {maxPod: 110}\n')),
    code: 0,
    says: [
      'a.yaml:6:21 warning EC2NodeClass/default spec.kubelet.maxPod: KU-01 no field maxPod: a kubelet without it does not start; write maxPods',
    ],
  },
];
