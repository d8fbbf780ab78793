import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { explanationsSchema, pendingPodsSchema, podExplanationSchema } from '../../../cli/documents/explanation.ts';
import type { ClusterSnapshot } from '../../../shared/model/cluster-snapshot.ts';
import { NODE_CASES } from '../../explain/node-cases.ts';
import { POD_CASES } from '../../explain/pod-cases.ts';
import { documentOf, mortise } from '../call.ts';
import { writeDecided } from './decided-file.ts';

const findCase = (title: string): ClusterSnapshot => {
  const matching = [...POD_CASES, ...NODE_CASES].find((one) => one.title === title);
  if (!matching) throw new Error(`no case ${title}`);
  return matching.snapshot;
};

const limited = findCase('limit');
const equal = ['x', 'y', 'z'].flatMap((end) =>
  limited.pods.map((pod) => ({ ...pod, name: `web-7c9-${end}`, uid: end })),
);

const files = {
  'equal.json': await writeDecided({ ...limited, pods: equal }),
  'limit.json': await writeDecided(findCase('limit')),
  'pdb.json': await writeDecided(findCase('PDB')),
};
const explain = (...argv: string[]) => mortise(['explain', ...argv], { files });

describe('mortise explain', () => {
  it('says why a pod waits, what helps, and what happens next', async () => {
    const { stdout, stderr, code } = await explain('pod', 'web-7c9-x', '--from', 'limit.json');

    expect(stdout).toMatch(
      /^default\/web-7c9-x waits since 2026-01-01T12:00:00Z \(2m\): needs 1 cpu, 1Gi memory\n {2}general {2}limit-reached {2}cpu 0 of 1 in use/,
    );
    expect(stdout).toContain('fix: raise limits.cpu of NodePool general to 2 (m-2 spot, +$');
    expect(stdout).toContain(
      `\n     kubectl patch nodepool general --type merge -p '{"spec":{"limits":{"cpu":"2"}}}'\n`,
    );
    expect(stdout).toContain('next: It is planned again');
    expect(stderr).toBe('from limit.json, 2026-01-01T12:02:00Z\n');
    expect(code).toBe(0);
  });

  it('prints a document of its schema', async () => {
    const outcome = await explain('pod/default/web-7c9-x', '--from', 'limit.json', '-o', 'json');
    const document = documentOf(outcome);

    expect(document.kind).toBe('PodExplanation');
    expect(podExplanationSchema.parse(document.result)).toMatchObject({
      pod: 'default/web-7c9-x',
      outcome: 'pending',
      pools: [{ name: 'general', reasons: [{ code: 'limit-reached', emitter: 'scheduling' }] }],
      fix: { object: 'NodePool/general', path: 'spec.limits.cpu', to: '2', verified: true },
    });
  });

  it('explains all pods that wait', async () => {
    const outcome = await explain('--pending', '--from', 'limit.json', '-o', 'json');

    expect(pendingPodsSchema.parse(documentOf(outcome).result).pods).toHaveLength(1);
  });

  it('explains equal pods once, and names all of them', async () => {
    const outcome = await explain('--pending', '--from', 'equal.json', '-o', 'json');
    const { pods } = pendingPodsSchema.parse(documentOf(outcome).result);

    expect(pods).toMatchObject([{ pod: 'default/web-7c9-x', equalPods: ['default/web-7c9-y', 'default/web-7c9-z'] }]);
    const { stdout } = await explain('--pending', '--from', 'equal.json', '-o', 'name');
    expect(stdout).toBe('pod/default/web-7c9-x\npod/default/web-7c9-y\npod/default/web-7c9-z\n');
  });

  it('explains the pending pods of one namespace', async () => {
    const { stdout } = await explain('--pending', '-n', 'other', '--from', 'limit.json');

    expect(stdout).toBe('no pod waits\n');
  });

  it('says how many pods wait for a NodePool, with the change that helps', async () => {
    const { stdout } = await explain('nodepool', 'general', '--from', 'equal.json');

    expect(stdout).toMatch(
      /waiting +3 pods wait for its limit: default\/web-7c9-x, default\/web-7c9-y and default\/web-7c9-z\n/,
    );
    expect(stdout).toContain('kubectl patch nodepool general --type merge');
  });

  it('explains several objects of one kind, in the order of the request', async () => {
    const outcome = await explain('node', 'small', 'big', '--from', 'pdb.json', '-o', 'json');
    const { kind, result, complete } = documentOf(outcome);

    expect(kind).toBe('Explanations');
    expect(explanationsSchema.parse(result).explanations).toMatchObject([{ node: 'small' }, { node: 'big' }]);
    expect({ complete, code: outcome.code }).toEqual({ complete: true, code: 0 });
  });

  it('explains those objects that exist, and names the others', async () => {
    const { stdout, stderr, code } = await explain('node', 'small', 'smal', '--from', 'pdb.json');

    expect(stdout).toContain('small  blocked-by-pdb');
    expect(stderr).toContain('warning: ');
    expect(stderr).toContain('no node smal');
    expect(code).toBe(5);
  });

  it('says why a node stays and what its end would save', async () => {
    const { stdout } = await explain('node', 'small', '--from', 'pdb.json');

    expect(stdout).toContain('small  blocked-by-pdb  default/guard allows 0 disruptions');
    expect(stdout).toContain('without it: 2 pods fit other nodes, saves $0.1000/h\n');
    expect(stdout).toContain('fix: set minAvailable of PodDisruptionBudget default/guard to 0\n');
  });

  it('explains a NodePool', async () => {
    const { stdout } = await explain('nodepool', 'general', '--from', 'pdb.json');

    expect(stdout).toContain('NodePool general is ready: 2 nodes, $');
    expect(stdout).toContain('small: default/guard allows 0 disruptions');
  });

  it.each([
    [['pod', 'web-7c9-y', '--from', 'limit.json'], 5, 'did you mean default/web-7c9-x'],
    [['pod', 'kube-system/web-7c9-x', '--from', 'limit.json'], 5, 'did you mean default/web-7c9-x'],
    [['nodepool', 'genral', '--from', 'limit.json'], 5, 'no NodePool genral'],
    [['service', 'web', '--from', 'limit.json'], 2, '"service" cannot be explained'],
    [['constructor', 'web', '--from', 'limit.json'], 2, '"constructor" cannot be explained'],
    [['pod/a', 'b', '--from', 'limit.json'], 2, '"b" cannot be explained'],
    [['pod/', '--from', 'limit.json'], 2, 'no pod is named'],
    [['pod', '--from', 'limit.json'], 2, 'no pod is named'],
    [['pod', 'a', '--from', 'limit.json', '--at', 'noon'], 2, '"noon" is no time'],
    [['pod', 'a', '--from', 'limit.json', '--at', '2020-01-01T00:00:00Z'], 5, 'no decision'],
    [['pod', 'a', '--from', 'nix.json'], 2, 'cannot open nix.json'],
  ])('refuses %s', async (argv, exitCode, message) => {
    const { code, stderr } = await explain(...argv);

    expect(stderr).toContain(message);
    expect(code).toBe(exitCode);
  });

  it('prints the rights that it needs, all of them reads', async () => {
    const { stdout } = await explain('--print-role');
    const role: unknown = parse(stdout);

    expect(role).toMatchObject({ kind: 'ClusterRole' });
    expect(role).toHaveProperty('rules.0.verbs', ['get', 'list', 'watch']);
    expect(stdout).not.toMatch(/create|update|patch|delete|secrets|\*/);
  });
});
