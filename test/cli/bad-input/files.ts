import { type BadInputCase, both, deployment, nodeClass, nodePool, onCall, onFile } from './inputs.ts';

export const FILES: readonly BadInputCase[] = [
  {
    ...onCall('a file that does not exist', 'validate', '-f', 'nix.yaml'),
    code: 2,
    says: [
      'error: cannot open nix.yaml',
      'where: ~/nix.yaml',
      'why:   no such file or directory',
      'fix:   check the path',
    ],
  },
  {
    ...onCall('an empty folder', 'validate', '-f', '.'),
    code: 2,
    says: [
      'error: nothing to read',
      'where: .',
      'why:   no files in there',
      'fix:   name the files, or -R to look in the folders below',
    ],
  },
  {
    name: 'a folder without manifests',
    argv: ['validate', '-f', '.'],
    files: { 'notes.txt': 'a' },
    code: 2,
    says: [
      'error: nothing to read',
      'where: .',
      'why:   1 file, none .yaml .yml .json',
      'fix:   name the files, or -R to look in the folders below',
    ],
  },
  {
    ...onCall('an address without TLS', 'validate', '-f', 'http://example.com/a.yaml'),
    code: 2,
    says: [
      'error: "http://example.com/a.yaml" is not fetched',
      'where: --filename',
      'why:   manifests decide what runs: they come over https only',
      'fix:   write https://example.com/a.yaml',
    ],
  },
  {
    ...onFile('a NodePool by another name', 'instance-types', both(), '--nodepool', 'genral'),
    code: 5,
    says: ['error: no NodePool genral', 'where: --nodepool', 'fix:   did you mean general'],
  },
  {
    ...onFile('two NodePools', 'instance-types', both() + nodePool().replace('general', 'other')),
    code: 2,
    says: [
      'error: 2 NodePools are in the files: general, other',
      'where: -f',
      'why:   one is looked at',
      'fix:   --nodepool general',
    ],
  },
  {
    name: 'a file without a class',
    argv: ['instance-types', '--nodeclass', 'a.yaml'],
    files: { 'a.yaml': deployment() },
    code: 5,
    says: ['error: no EC2NodeClass', 'where: --nodeclass a.yaml', 'why:   the file holds none'],
  },
  {
    name: 'a file without a pod',
    argv: ['instance-types', '--pod', 'a.yaml'],
    files: { 'a.yaml': nodeClass() },
    code: 5,
    says: ['error: no pod', 'where: --pod a.yaml', 'why:   the file holds neither a pod nor a workload'],
  },
  {
    ...onCall('no snapshot', 'replay'),
    code: 2,
    says: [
      'error: no decision is named',
      'where: replay',
      'fix:   mortise replay FILE, mortise replay ID --cluster NAME, or --since 2h',
    ],
  },
  {
    ...onCall('a snapshot that does not exist', 'replay', '/nonexistent/a.json.gz'),
    code: 2,
    says: [
      'error: cannot open /nonexistent/a.json.gz',
      'where: /nonexistent/a.json.gz',
      'why:   no such file or directory',
      'fix:   check the path',
    ],
  },
  {
    ...onCall('no object', 'explain'),
    code: 2,
    says: [
      'error: no object is named',
      'where: explain',
      'fix:   mortise explain (pod|node|nodeclaim|nodepool) NAME..., or --pending',
    ],
  },
  {
    ...onCall('a kind that has no explanation', 'explain', 'pdo', 'a'),
    code: 2,
    says: [
      'error: "pdo" cannot be explained',
      'where: explain',
      'fix:   mortise explain (pod|node|nodeclaim|nodepool) NAME..., or --pending',
    ],
  },
  {
    ...onCall('no name', 'explain', 'pod'),
    code: 2,
    says: [
      'error: no pod is named',
      'where: explain',
      'fix:   mortise explain (pod|node|nodeclaim|nodepool) NAME..., or --pending',
    ],
  },
  {
    ...onCall('a kubeconfig that does not exist', 'explain', 'pod', 'a/b', '--kubeconfig', '/nonexistent/config'),
    code: 2,
    says: [
      'error: cannot open /nonexistent/config',
      'where: --kubeconfig',
      'why:   no such file or directory',
      'fix:   check the path',
    ],
  },
  {
    ...onCall('a moment', 'explain', 'pod', 'a/b', '--at', 'yesterday'),
    code: 2,
    says: ['error: "yesterday" is no time', 'where: --at', 'why:   written like 2026-11-21T14:32:09Z, 14:32 or -2h'],
  },
  {
    ...onCall('a region of a cluster', 'explain', 'pod', 'a/b', '--cluster', 'shop', '--region', 'xx-nowhere-1'),
    code: 2,
    says: [
      'error: "xx-nowhere-1" is no region',
      'where: --region',
      'why:   AWS has no region of this name, as far as this release knows',
      'fix:   write it like eu-west-1',
    ],
  },
  {
    ...onCall('a kind that has no description', 'describe', 'pod', 'a'),
    code: 2,
    says: ['error: "pod" cannot be described', 'where: describe', 'fix:   mortise describe nodeclaim NAME'],
  },
  {
    ...onCall('a region of the console', 'console', '--cluster', 'shop', '--region', 'us_east_1'),
    code: 2,
    says: [
      'error: "us_east_1" is no region',
      'where: --region',
      'why:   AWS has no region of this name, as far as this release knows',
      'fix:   us-east-1',
    ],
  },
  {
    ...onCall('a port', 'console', '--port', 'x'),
    code: 2,
    says: ['error: "x" is no number that fits', 'where: --port', 'why:   allowed are whole numbers from 0 to 65535'],
  },
  {
    ...onCall('a snapshot of the console', 'console', '--from', '/nonexistent/a.json.gz'),
    code: 2,
    says: [
      'error: cannot open /nonexistent/a.json.gz',
      'where: /nonexistent/a.json.gz',
      'why:   no such file or directory',
      'fix:   check the path',
    ],
  },
  {
    ...onCall('a kubeconfig of the console', 'console', '--kubeconfig', '/nonexistent/config'),
    code: 2,
    says: [
      'error: cannot open /nonexistent/config',
      'where: --kubeconfig',
      'why:   no such file or directory',
      'fix:   check the path',
    ],
  },
  {
    ...onCall('a kubeconfig of a snapshot', 'snapshot', '--kubeconfig', '/nonexistent/config'),
    code: 2,
    says: [
      'error: cannot open /nonexistent/config',
      'where: --kubeconfig',
      'why:   no such file or directory',
      'fix:   check the path',
    ],
  },
  {
    ...onCall('what to redact', 'snapshot', '--redact', 'name'),
    code: 2,
    says: [
      'error: "name" is not one of its values',
      'where: --redact',
      'why:   allowed are none, names',
      'fix:   names',
    ],
  },
  {
    ...onCall('a setting without a value', 'replay', 'a.json.gz', '--set', 'foo'),
    code: 2,
    says: ['error: --set foo has no value', 'where: --set', 'fix:   FIELD=VALUE, for example perNodeHourlyUsd=0.03'],
  },
  {
    ...onCall('no cluster to remove', 'uninstall'),
    code: 2,
    says: [
      'error: no cluster is named',
      'where: --cluster',
      'fix:   --cluster NAME, or --kubeconfig FILE [--context NAME]',
    ],
  },
  {
    ...onCall('no cluster to deploy for', 'deploy'),
    code: 2,
    says: ['error: no cluster is named', 'where: --cluster', 'fix:   --cluster NAME'],
  },
  {
    ...onCall('a region to deploy to', 'deploy', '--cluster', 'shop', '--region', 'xx-nowhere-1'),
    code: 2,
    says: [
      'error: "xx-nowhere-1" is no region',
      'where: --region',
      'why:   AWS has no region of this name, as far as this release knows',
      'fix:   write it like eu-west-1',
    ],
  },
];
