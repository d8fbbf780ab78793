import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ApiResource } from '../../../shared/kubernetes/client/api-resources.ts';
import * as resources from '../../../shared/kubernetes/client/api-resources.ts';
import { FLOW_SCHEMAS } from '../../../shared/kubernetes/setup/flow-schemas.ts';
import { FOR_EVERY_HOOK } from '../../../shared/kubernetes/setup/hooks.ts';
import { BINDINGS, LEASE_BINDING, LEASE_ROLE, ROLES } from '../../../shared/kubernetes/setup/rbac.ts';
import {
  CONTROL_BINDING,
  CONTROL_ROLE,
  SETUP_ROLE,
  setupBinding,
} from '../../../shared/kubernetes/setup/setup-rbac.ts';

const ALL_ROLES = [...ROLES, SETUP_ROLE, CONTROL_ROLE];
const RBAC = [...ALL_ROLES, ...BINDINGS, setupBinding('uid'), CONTROL_BINDING];

const ruleSchema = z.object({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  verbs: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
});
type Rule = z.output<typeof ruleSchema>;

const rulesOf = (name: string): readonly Rule[] =>
  z.array(ruleSchema).parse(ALL_ROLES.find(({ metadata }) => metadata.name === name)?.rules);

const verbsOn = (rules: readonly Rule[], group: string, resource: string): readonly string[] =>
  rules
    .filter((rule) => rule.apiGroups.includes(group) && rule.resources.includes(resource))
    .flatMap(({ verbs }) => verbs);

const controller = rulesOf('mortise-controller');
const reader = rulesOf('mortise-reader');

const existing: readonly ApiResource[] = [
  ...Object.values(resources).filter((value) => typeof value === 'object' && 'root' in value),
  ...resources.DEVICE_RESOURCES.flatMap(({ slices, classes, claims, templates }) => [
    slices,
    classes,
    claims,
    templates,
  ]),
];
const groupOf = ({ root }: ApiResource): string => /^\/apis\/([^/]+)/.exec(root)?.[1] ?? '';

describe('the rights of the controller', () => {
  it.each(existing.map((resource) => [resource.name, resource] as const))(
    'cover everything that it reads and writes: %s',
    (name, resource) => {
      expect(verbsOn(controller, groupOf(resource), name)).not.toEqual([]);
    },
  );

  it('include no secrets, no configuration and no RBAC', () => {
    const names = new Set(existing.map(({ name }) => name));
    const others = controller
      .flatMap((rule) => rule.resources)
      .filter((resource) => !names.has(resource.split('/')[0] ?? ''));
    expect(others).toEqual([]);
  });

  it('have no wildcard and allow no escalation', () => {
    const words = controller.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]);
    const mighty = ['*', 'escalate', 'bind', 'impersonate', 'deletecollection', 'update'];
    expect(words.filter((word) => mighty.includes(word))).toEqual([]);
  });

  it('allow no change of pods except eviction and deletion', () => {
    expect(verbsOn(controller, '', 'pods')).toEqual(['get', 'list', 'watch', 'delete']);
    expect(verbsOn(controller, '', 'pods/eviction')).toEqual(['create']);
  });

  it('allow no change of leases outside of the namespace of our lease', () => {
    expect(verbsOn(controller, 'coordination.k8s.io', 'leases')).toEqual(['get', 'list']);
    expect(LEASE_BINDING).toMatchObject({
      kind: 'RoleBinding',
      metadata: { namespace: 'kube-system' },
      roleRef: { kind: 'ClusterRole', name: LEASE_ROLE.metadata.name },
    });
  });

  it('allow there to create leases, and to change ours', () => {
    expect(rulesOf(LEASE_ROLE.metadata.name)).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        verbs: ['patch'],
        resourceNames: ['mortise'],
      },
    ]);
  });
});

describe('the rights of each function', () => {
  const FUNCTIONS = ['provisioning', 'node-lifecycle', 'disruption', 'interruption', 'sweep', 'node-class', 'poll'];
  const WRITES = new Set(['create', 'patch', 'delete', 'update']);

  /** Lists what the function may write, as `verb resource`. */
  const writesOf = (name: string): readonly string[] =>
    rulesOf(`mortise-${name}`)
      .flatMap(({ resources, verbs }) =>
        verbs.filter((verb) => WRITES.has(verb)).flatMap((verb) => resources.map((resource) => `${verb} ${resource}`)),
      )
      .toSorted();

  const EVERY_CONTROLLER = ['create events'];
  const CLAIMS = ['create nodeclaims', 'delete nodeclaims', 'patch nodeclaims', 'patch nodeclaims/status'];
  const EXTENSIONS = ['patch nodeoverlays/status', 'patch capacitybuffers/status'];
  const POOLS = ['patch nodepools', 'patch nodepools/status'];

  /** The controller process asks about itself, which every identity may. */
  const REVIEW = 'create subjectaccessreviews';

  it.each([
    ['provisioning writes NodeClaims and the status of NodePools', 'provisioning', [...CLAIMS, ...POOLS]],
    [
      'the node lifecycle writes NodeClaims and Nodes, and drains pods',
      'node-lifecycle',
      [...CLAIMS, 'patch nodes', 'delete nodes', 'create pods/eviction', 'delete pods'],
    ],
    [
      'disruption writes NodeClaims and statuses, taints Nodes, and asks for rights of the node lifecycle',
      'disruption',
      [...CLAIMS, ...POOLS, 'patch nodes', ...EXTENSIONS, REVIEW],
    ],
    ['interruption writes NodeClaims, and neither pods nor Nodes', 'interruption', CLAIMS],
    [
      'the sweep writes NodeClaims, Nodes and statuses, and no pods',
      'sweep',
      [...CLAIMS, ...POOLS, 'patch nodes', 'delete nodes', ...EXTENSIONS],
    ],
    [
      'node classes write EC2NodeClasses, and neither pods nor Nodes nor NodeClaims',
      'node-class',
      ['patch ec2nodeclasses', 'patch ec2nodeclasses/status'],
    ],
  ])('%s', (_, name, writes) => {
    expect(writesOf(name)).toEqual([...EVERY_CONTROLLER, ...writes].toSorted());
  });

  it('let polling list pods and do nothing else', () => {
    expect(rulesOf('mortise-poll')).toEqual([
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
    ]);
  });

  it('include the lease of the owner, except for polling', () => {
    const { subjects } = z.object({ subjects: z.array(z.object({ name: z.string() })) }).parse(LEASE_BINDING);
    const owners = ['controller', ...FUNCTIONS].filter((name) => name !== 'poll');
    expect(subjects.map(({ name }) => name)).toEqual(owners.map((name) => `mortise:${name}`));
  });

  it('together are those of the controller process', () => {
    const together = new Set(FUNCTIONS.flatMap(writesOf).filter((right) => right !== REVIEW));
    const process = rulesOf('mortise-controller').flatMap(({ resources, verbs }) =>
      verbs.filter((verb) => WRITES.has(verb)).flatMap((verb) => resources.map((resource) => `${verb} ${resource}`)),
    );
    expect([...together].toSorted()).toEqual(process.toSorted());
  });

  it.each(FUNCTIONS)('come with the priority of controllers, and cause no webhook call: %s', (name) => {
    const group = `mortise:${name}`;
    expect(JSON.stringify(FLOW_SCHEMAS)).toContain(`"${group}"`);
    expect(FOR_EVERY_HOOK.map(({ expression }) => expression).join()).toContain(`'${group}'`);
  });
});

describe('the rights of the set-up and of webhook control', () => {
  const setup = rulesOf('mortise-cluster-setup');
  const control = rulesOf('mortise-webhook-control');
  const OURS = ROLES.map(({ metadata }) => metadata.name);

  /** Lists the names on which the rules allow a verb. `undefined`: all objects. */
  const namesFor = (rules: readonly Rule[], resource: string, verb: string) =>
    rules
      .filter((rule) => rule.resources.includes(resource) && rule.verbs.includes(verb))
      .map(({ resourceNames }) => resourceNames);

  it('write webhooks, definitions, RBAC and priorities by name only', () => {
    const writing = [...setup, ...control].filter(
      ({ apiGroups, verbs }) =>
        apiGroups.some((group) => /admission|apiextensions|rbac|flowcontrol/.test(group)) &&
        verbs.some((verb) => verb !== 'list'),
    );
    expect(writing.filter(({ resourceNames = [] }) => resourceNames.length === 0)).toEqual([]);
  });

  it('let the set-up write the rules of the functions, and neither bind them nor change its own', () => {
    expect(namesFor(setup, 'clusterroles', 'escalate')).toEqual([OURS]);
    expect(namesFor(setup, 'clusterroles', 'patch')).toEqual([OURS]);
    expect(namesFor(setup, 'clusterroles', 'bind')).toEqual([]);
    expect(namesFor(setup, 'clusterrolebindings', 'patch')).toEqual([]);
    expect(namesFor(setup, 'clusterrolebindings', 'create')).toEqual([]);
    expect(namesFor(setup, 'rolebindings', 'create')).toEqual([]);
  });

  it('let webhook control bind the roles of the functions, and write the rules of none', () => {
    expect(namesFor(control, 'clusterroles', 'bind')).toEqual([OURS]);
    const lease = LEASE_ROLE.metadata.name;
    expect(namesFor(control, 'clusterrolebindings', 'patch')).toEqual([OURS.filter((name) => name !== lease)]);
    expect(namesFor(control, 'rolebindings', 'patch')).toEqual([[lease]]);
    expect(namesFor(control, 'clusterroles', 'patch')).toEqual([]);
    expect(namesFor(control, 'clusterroles', 'escalate')).toEqual([]);
    expect(OURS).not.toContain('mortise-cluster-setup');
    expect(OURS).not.toContain('mortise-webhook-control');
  });

  it('include no secrets, no pods and no wildcard', () => {
    const words = [...setup, ...control].flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]);
    expect(words.filter((word) => ['*', 'secrets', 'pods', 'impersonate'].includes(word))).toEqual([]);
  });
});

it('are read-only for the reader', () => {
  const verbs = new Set(reader.flatMap((rule) => rule.verbs));
  expect([...verbs].toSorted()).toEqual(['get', 'list', 'watch']);
});

it.each([
  'mortise-reader',
  'mortise-controller',
  'mortise-provisioning',
  'mortise-node-lifecycle',
  'mortise-poll',
  'mortise-cluster-setup',
  'mortise-webhook-control',
])('bind %s to the group of its name', (name) => {
  const binding = RBAC.find(({ kind, metadata }) => kind === 'ClusterRoleBinding' && metadata.name === name);
  expect(binding).toMatchObject({
    roleRef: { kind: 'ClusterRole', name },
    subjects: [{ kind: 'Group', name: name.replace('-', ':') }],
  });
});

it('come with a priority of their own, and a lower one for lists of the whole cluster', () => {
  const specSchema = z.object({
    priorityLevelConfiguration: z.object({ name: z.string() }),
    matchingPrecedence: z.number(),
  });
  const flows = FLOW_SCHEMAS.map(({ metadata, spec }) => [metadata.name, specSchema.parse(spec)] as const).toSorted(
    ([, a], [, b]) => a.matchingPrecedence - b.matchingPrecedence,
  );

  expect(flows.map(([name, spec]) => [name, spec.priorityLevelConfiguration.name])).toEqual([
    ['mortise-drains', 'workload-high'],
    ['mortise-lists', 'workload-low'],
    ['mortise-controller', 'workload-high'],
  ]);
  // Before `service-accounts` and `global-default`.
  for (const [, spec] of flows) expect(spec.matchingPrecedence).toBeLessThan(9_000);
});
